from __future__ import annotations

from pathlib import Path

import pytest

from drzero.errors import KnowledgeBaseError
from drzero.kb import migrations, schema
from drzero.kb.episodes import load_curriculum, save_curriculum, save_episode, start_run
from drzero.kb.events import add_events, episode_counts, list_events, note_seeds, seed_vitals
from drzero.kb.schema import open_knowledge_base, transaction
from drzero.types import Curriculum, Event, SeedVitals, TypeRecord
from tests.samples import make_episode

WHEN = "2026-01-02T03:04:05+00:00"
ONE = Event("r1", 0, "promoted", "The level rises.", {"average": 0.9, "types": {"causal": 1}}, WHEN)
TWO = Event("r1", 0, "nothing-new", "Nichts Neues \ud800.", {}, WHEN)


@pytest.fixture
def db(tmp_path: Path):  # type: ignore[no-untyped-def]
    with open_knowledge_base(tmp_path / "knowledge.db") as opened:
        for name in ("r1", "r2"):
            start_run(opened, settings={}, profile="wikipedia", seed=1, iterations=1, id_=name)
        yield opened


def test_events_come_back_in_their_order(db) -> None:  # type: ignore[no-untyped-def]
    other = Event("r2", 4, "stalled", "Stalled.", {}, WHEN)
    add_events(db, [ONE, other, TWO])
    assert list_events(db, "r1") == [ONE, Event("r1", 0, "nothing-new", "Nichts Neues \ufffd.", {}, WHEN)]
    assert list_events(db, "r2") == [other]
    assert list_events(db, "r1", kinds=["promoted"]) == [ONE]
    assert list_events(db, "nothing") == []


def test_events_without_a_time_happened_now(db) -> None:  # type: ignore[no-untyped-def]
    add_events(db, [Event("r1", 1, "stop", "Stop.")])
    (kept,) = list_events(db, "r1")
    assert kept.at.endswith("+00:00")
    assert len(kept.at) == len(WHEN)


def test_events_are_stored_all_or_none(db) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(KnowledgeBaseError):
        add_events(db, [ONE, Event("no run", 0, "stop", "Stop.")])
    assert list_events(db, "r1") == []
    with pytest.raises(RuntimeError), transaction(db):  # noqa: PT012 it is the whole block that is undone
        add_events(db, [ONE])
        note_seeds(db, "r1", [SeedVitals("z", "a", 1)])
        raise RuntimeError
    assert (list_events(db, "r1"), seed_vitals(db, "r1")) == ([], [])


def test_events_seed_vitals_add_up(db) -> None:  # type: ignore[no-untyped-def]
    note_seeds(db, "r1", [SeedVitals("z", "a", 2, 1, 1, 0, "wrong"), SeedVitals("z", "b", 1)])
    note_seeds(db, "r1", [SeedVitals("z", "b", 4, 2, 1, 1), SeedVitals("z", "a", 1)])
    note_seeds(db, "r2", [SeedVitals("z", "a", 7)])
    assert seed_vitals(db, "r1") == [SeedVitals("z", "b", 5, 2, 1, 1), SeedVitals("z", "a", 3, 1, 1, 0, "wrong")]
    note_seeds(db, "r1", [SeedVitals("z", "a", last_error="abstained")])
    assert seed_vitals(db, "r1")[1].last_error == "abstained"


def test_events_seed_vitals_have_shares() -> None:
    one = SeedVitals("z", "a", 8, 2, 4, 3)
    assert (one.gain, one.solve_rate, one.novelty) == (0.375, 0.75, 0.75)
    assert one.shares == {"gain": 0.375, "solve_rate": 0.75, "novelty": 0.75}
    assert SeedVitals("z", "a").shares == {"gain": 0.0, "solve_rate": 0.0, "novelty": 1.0}
    assert SeedVitals("z", "a", 1, 0, 2, 2).gain == 1.0


def test_events_episode_counts(db) -> None:  # type: ignore[no-untyped-def]
    assert episode_counts(db, "r1") == (0, 0)
    for number, status in enumerate(("accepted", "rejected", "accepted")):
        save_episode(db, make_episode(id=f"e{number}", run="r1", number=number, status=status), None)
    assert episode_counts(db, "r1") == (3, 2)


def test_events_curriculum_keeps_how_steady_it_is(db) -> None:  # type: ignore[no-untyped-def]
    state = Curriculum("medium", 3, crossings=(2, 1, 0), leaning=-1, types=(TypeRecord("causal", 9, 2, (0.5,), 4),))
    save_curriculum(db, "wikipedia", state)
    assert load_curriculum(db, "wikipedia") == state


def test_events_of_a_file_from_before_there_were_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "knowledge.db"
    before = migrations.MIGRATIONS.index(migrations._events)
    with monkeypatch.context() as older:
        older.setattr(schema, "SCHEMA_VERSION", before)
        with open_knowledge_base(path) as db:
            start_run(db, settings={}, profile="wikipedia", seed=1, iterations=1, id_="r1")
            db.execute("insert into curriculum values ('w', 'hard', 2, .8, .3, '')")
            db.execute("insert into curriculum_types values ('w', 0, 'causal', 5, 1)")
            db.conn.commit()
            assert (list_events(db, "r1"), seed_vitals(db, "r1")) == ([], [])
            assert load_curriculum(db, "w") == Curriculum("hard", 2, (), 0.8, 0.3, (TypeRecord("causal", 5, 1),))
    with open_knowledge_base(path) as db:
        assert load_curriculum(db, "w") == Curriculum("hard", 2, (), 0.8, 0.3, (TypeRecord("causal", 5, 1),))
        add_events(db, [ONE])
        assert list_events(db, "r1") == [ONE]

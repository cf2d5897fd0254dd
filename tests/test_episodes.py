from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drzero.errors import KnowledgeBaseError
from drzero.kb import json_values
from drzero.kb.episodes import (
    counts,
    finish_iteration,
    finish_run,
    get_episode,
    iter_episodes,
    list_episodes,
    load_curriculum,
    runs,
    save_curriculum,
    save_episode,
    start_run,
    unfinished_run,
)
from drzero.kb.schema import open_knowledge_base
from drzero.types import Curriculum, Episode, EpisodeSummary, Step, TypeRecord
from tests.samples import CHALLENGE, CHUNK, OTHER, make_entry, make_episode

SETTINGS = {"topic": "", "challenges": 5, "indexes": ["kitchen"], "temperature": 0.7}
STATE = Curriculum(
    level="medium",
    iterations=3,
    scores=(0.5, 1.0),
    promotion=0.8,
    demotion=0.3,
    types=(TypeRecord("factual", 7, 2, (0.1, 0.9)), TypeRecord("causal", 1)),
)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Any]:
    with open_knowledge_base(tmp_path / "knowledge.db") as db:
        yield db


def dump(db: Any) -> list[str]:
    return list(db.conn.iterdump())


# --- episodes ---


def test_episodes_round_trip(db: Any) -> None:
    episode = make_episode()
    assert not save_episode(db, episode, None)
    assert get_episode(db, "e1") == episode
    assert repr(get_episode(db, "e1")) == repr(episode)


def test_episodes_round_trip_without_challenge(db: Any) -> None:
    episode = make_episode(
        status="invalid", reason="malformed", challenge=None, attempts=(), best=-1, metrics=(), steps=()
    )
    save_episode(db, episode, None)
    assert get_episode(db, "e1") == episode


def test_episodes_round_trip_of_odd_values(db: Any) -> None:
    odd: dict[str, Any] = {
        "lone": "\ud800 \0 \u2028 書",
        "numbers": [float("nan"), float("inf"), -float("inf"), -0.0, 1e308, 2**63 - 1, -(2**63), 2**63, -(10**400)],
        "nested": ({"tuple": (1, (2, [3, (4,)]))}, None, True),
        "": {},
        "keys": {1: "a", (2, 3): "b", None: "c"},
        "dollar": {"$int": "ff", "$tuple": [1], "plain": 1},
        "tag": {"$float": "nan"},
    }
    episode = make_episode(
        seed=2**80,
        base_score=float("nan"),
        difficulty=float("inf"),
        metrics=(float("nan"), 1.0),
        steps=(Step("proposed", "\udcff", odd, (1, 2), float("nan")),),
    )
    save_episode(db, episode, None)
    stored = get_episode(db, "e1")
    assert repr(stored) == repr(episode)
    assert list_episodes(db)[0].metrics[1] == 1.0
    row = next(iter(db.query("select json_valid(trace) as ok, base_score, difficulty from episodes")))
    assert row == {"ok": 1, "base_score": 0.0, "difficulty": 0.0}


def test_episodes_trace_takes_any_whole_number() -> None:
    assert json_values.loads_any(json_values.dumps([-(10**5000)])) == [-(10**5000)]


def test_episodes_trace_takes_numpy_numbers_and_names_what_it_cannot() -> None:
    assert json_values.dumps([np.float32(0.5), np.int64(7)]) == "[0.5, 7]"
    with pytest.raises(TypeError, match="a trace cannot hold a PosixPath: PosixPath\\('x'\\)"):
        json_values.dumps({"path": Path("x")})


def test_episodes_trace_of_an_older_version_takes_defaults() -> None:
    data = json.loads(json_values.dumps(make_episode()))
    del data["challenge"]["origin"]
    data["unknown"] = 1
    assert json_values.loads(json.dumps(data), Episode) == make_episode()


def test_episodes_keep_each_chunk_once_in_the_knowledge_base(db: Any) -> None:
    episode = make_episode(chunks=(CHUNK, OTHER), conditions={"type": "factual"}, frames=((0.0,) * 14, (), (), ()))
    save_episode(db, episode, None)
    save_episode(db, replace(episode, id="e2", number=1), None)
    assert get_episode(db, "e1") == episode
    assert get_episode(db, "e2") == replace(episode, id="e2", number=1)
    kept = list(db.query("select id, heading, text from chunks order by id"))
    assert [row["id"] for row in kept] == ["c1", "c2"]
    assert kept[0]["heading"] == '["Chemistry", "Make-up"]'
    text = next(iter(db.query("select trace from episodes where id = 'e1'")))["trace"]
    assert CHUNK.text not in text
    assert json_values.chunk_keys(text) == {json_values.chunk_key(CHUNK), json_values.chunk_key(OTHER)}


def test_episodes_chunks_that_differ_in_anything_are_kept_apart(db: Any) -> None:
    moved = replace(CHUNK, heading=("Chemistry",))
    save_episode(db, make_episode(chunks=(CHUNK,)), None)
    save_episode(db, make_episode(id="e2", chunks=(moved,)), None)
    assert [get_episode(db, id_).chunks for id_ in ("e1", "e2")] == [(CHUNK,), (moved,)]


def test_episodes_chunk_that_no_text_column_can_hold_stands_in_the_trace(db: Any) -> None:
    odd = replace(OTHER, path="\udcff/\0", text="Pepper \ud800 \0.")
    save_episode(db, make_episode(chunks=(odd, replace(OTHER, text="with \0 in it"))), None)
    assert get_episode(db, "e1").chunks == (odd, replace(OTHER, text="with \0 in it"))


def test_episodes_of_an_older_version_hold_their_chunks_themselves(db: Any) -> None:
    save_episode(db, make_episode(), None)
    db.table("episodes").update("e1", {"trace": json_values.dumps(make_episode())})
    db.execute("delete from chunks")
    assert get_episode(db, "e1") == make_episode()


def test_episodes_with_more_chunks_than_one_query_takes(db: Any) -> None:
    many = tuple(replace(CHUNK, id=f"c{i}", text=f"Text {i}.") for i in range(1203))
    save_episode(db, make_episode(chunks=many), None)
    assert get_episode(db, "e1").chunks == many


def test_episodes_that_lost_a_chunk_say_so(db: Any) -> None:
    save_episode(db, make_episode(), None)
    db.execute("delete from chunks where id = 'c2'")
    db.conn.commit()
    with pytest.raises(KnowledgeBaseError, match=r"has lost the chunk [0-9a-f]{32} of episode e1: restore a copy\.$"):
        get_episode(db, "e1")


def test_episodes_saving_twice_changes_nothing(db: Any) -> None:
    assert save_episode(db, make_episode(), make_entry(), STATE)
    before = dump(db)
    assert not save_episode(db, make_episode(), make_entry(), replace(STATE, level="expert"))
    assert not save_episode(db, make_episode(reason="another"), None)
    assert dump(db) == before


def test_episodes_same_question_again_keeps_episode_and_first_entry(db: Any) -> None:
    save_episode(db, make_episode(), make_entry())
    assert not save_episode(db, make_episode(id="e2"), make_entry(id="n2", episode_id="e2"))
    assert counts(db) == {"entries": {"current": 1}, "episodes": {"accepted": 2}, "runs": {}}


def test_episodes_list_filters_and_pages(db: Any) -> None:
    run = start_run(db, settings=SETTINGS, profile="wikipedia", seed=1, iterations=2)
    save_episode(db, make_episode(run=run.id), None)
    save_episode(db, make_episode(id="e2", run=run.id, number=1, status="rejected", reason="unsupported"), None)
    save_episode(db, make_episode(id="e3", status="invalid", challenge=None, profile="coding"), None)
    assert list_episodes(db)[0] == EpisodeSummary(
        id="e1",
        run=run.id,
        iteration=0,
        number=0,
        question=CHALLENGE.question,
        type="factual",
        level="easy",
        profile="wikipedia",
        status="accepted",
        reason="",
        metrics=(0.95, 1.0) + (0.5,) * 12,
        created_at="2026-01-02T03:04:05+00:00",
    )
    assert [episode.id for episode in list_episodes(db, run=run.id)] == ["e1", "e2"]
    assert [episode.id for episode in list_episodes(db, status="rejected")] == ["e2"]
    assert [(episode.id, episode.run, episode.question) for episode in list_episodes(db, profile="coding")] == [
        ("e3", "", "")
    ]
    assert [episode.id for episode in list_episodes(db, newest_first=True, limit=2)] == ["e3", "e2"]
    assert [episode.id for episode in list_episodes(db, offset=2)] == ["e3"]
    assert [episode.id for episode in iter_episodes(db, run=run.id, status="accepted")] == ["e1"]
    assert [episode.status for episode in iter_episodes(db)] == ["accepted", "rejected", "invalid"]


def test_episodes_metrics_are_columns_of_a_view(db: Any) -> None:
    save_episode(db, make_episode(metrics=tuple(i / 13 for i in range(14))), None)
    row = next(iter(db.query("select * from episode_metrics")))
    names = [name for name in row if name.startswith("ssp.")]
    assert [row[name] for name in names] == [i / 13 for i in range(14)]


def test_episodes_view_names_are_the_metrics(db: Any) -> None:
    from drzero.loop.metrics import METRIC_NAMES

    columns = [column.name for column in db.view("episode_metrics").columns]
    assert tuple(name for name in columns if name.startswith("ssp.")) == METRIC_NAMES


def test_episodes_unknown_id(db: Any) -> None:
    with pytest.raises(KnowledgeBaseError) as caught:
        get_episode(db, "e9")
    assert str(caught.value) == "There is no episode e9: see the ids with `drzero episodes list`."


def test_episodes_unknown_run_is_refused(db: Any) -> None:
    with pytest.raises(KnowledgeBaseError) as caught:
        save_episode(db, make_episode(run="r9"), make_entry(), STATE)
    assert str(caught.value) == "Episode e1 belongs to a run that is not in the knowledge base: r9."
    assert load_curriculum(db, "wikipedia") is None
    assert counts(db)["episodes"] == {}


def test_episodes_place_in_a_run_is_taken_once(db: Any) -> None:
    run = start_run(db, settings=SETTINGS, profile="wikipedia", seed=1, iterations=2)
    save_episode(db, make_episode(run=run.id), None)
    with pytest.raises(KnowledgeBaseError, match=f"Challenge 0 of iteration 0 of run {run.id} is already stored"):
        save_episode(db, make_episode(id="e2", run=run.id), None)


def test_episodes_error_undoes_the_whole_episode(db: Any) -> None:
    before = dump(db)
    with pytest.raises(ValueError, match="without a quote"):
        save_episode(db, make_episode(), make_entry(claims=(replace(make_entry().claims[0], citations=()),) * 2), STATE)
    assert dump(db) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from drzero.kb import episodes, schema
from tests.samples import make_entry, make_episode
from tests.test_episodes import STATE

db = schema.open_knowledge_base(Path(sys.argv[1]))
at = sys.argv[2]
if at == "entry":
    episodes.admit = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
elif at == "commit":
    type(db).commit = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
episodes.save_episode(db, make_episode(), make_entry(), STATE)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize(("at", "stored"), [("entry", 0), ("commit", 0), ("after", 1)])
def test_episodes_kill_leaves_no_half_episode(tmp_path: Path, at: str, stored: int) -> None:
    path = tmp_path / "knowledge.db"
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), at],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    with open_knowledge_base(path) as db:
        tables = ("episodes", "entries", "curriculum")
        assert [db.table(name).count for name in tables] == [stored] * 3
        assert save_episode(db, make_episode(), make_entry(), STATE) is (stored == 0)
        assert [db.table(name).count for name in tables] == [1] * 3


# --- runs ---


def test_episodes_run_round_trip(db: Any) -> None:
    run = start_run(db, settings=SETTINGS, profile="wikipedia", seed=2**70, iterations=4)
    assert (run.status, run.finished_at, run.iterations_done, run.seed) == ("running", "", 0, 2**70)
    assert runs(db) == [run]
    finish_run(db, run.id)
    ended = runs(db)[0]
    assert ended.status == "finished"
    assert ended.finished_at >= ended.started_at
    named = start_run(db, settings={}, profile="coding", seed=1, iterations=1, id_="mine")
    assert [each.id for each in runs(db)] == ["mine", run.id]
    assert runs(db, limit=1) == [named]


def test_episodes_unfinished_run_is_the_latest_with_these_settings(db: Any) -> None:
    assert unfinished_run(db, SETTINGS) is None
    first = start_run(db, settings=SETTINGS, profile="wikipedia", seed=1, iterations=2)
    start_run(db, settings={**SETTINGS, "challenges": 6}, profile="wikipedia", seed=2, iterations=2)
    save_episode(db, make_episode(run=first.id), None)
    save_episode(db, make_episode(id="e2", run=first.id, iteration=1, number=3), None)
    turned = dict(reversed(SETTINGS.items()))
    assert unfinished_run(db, turned) == (first, frozenset({(0, 0), (1, 3)}))
    finish_run(db, first.id, "interrupted")
    found = unfinished_run(db, SETTINGS)
    assert found is not None
    assert (found[0].id, found[0].status) == (first.id, "interrupted")
    newer = start_run(db, settings=SETTINGS, profile="wikipedia", seed=3, iterations=2)
    assert unfinished_run(db, SETTINGS) == (newer, frozenset())
    finish_run(db, newer.id)
    assert unfinished_run(db, SETTINGS) is None


def test_episodes_iteration_is_closed_once(db: Any) -> None:
    run = start_run(db, settings=SETTINGS, profile="wikipedia", seed=1, iterations=2)
    finish_iteration(db, run.id, 0, "wikipedia", STATE)
    assert runs(db)[0].iterations_done == 1
    assert load_curriculum(db, "wikipedia") == STATE
    finish_iteration(db, run.id, 0, "wikipedia", Curriculum())
    assert load_curriculum(db, "wikipedia") == STATE
    finish_iteration(db, run.id, 1, "wikipedia", Curriculum())
    assert (runs(db)[0].iterations_done, load_curriculum(db, "wikipedia")) == (2, Curriculum())


# --- curriculum ---


def test_episodes_curriculum_is_kept_by_profile(db: Any) -> None:
    assert load_curriculum(db, "wikipedia") is None
    save_curriculum(db, "wikipedia", STATE)
    save_curriculum(db, "coding", Curriculum())
    assert load_curriculum(db, "wikipedia") == STATE
    assert load_curriculum(db, "coding") == Curriculum()
    save_curriculum(db, "wikipedia", Curriculum(scores=(0.25,)))
    assert load_curriculum(db, "wikipedia") == Curriculum(scores=(0.25,))


def test_episodes_curriculum_is_saved_with_the_episode(db: Any) -> None:
    save_episode(db, make_episode(), make_entry(), STATE)
    assert load_curriculum(db, "wikipedia") == STATE

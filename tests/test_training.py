"""drzero.training and `drzero episodes export`: from what was tried to data that others load."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from drzero import cli_training, training
from drzero.datasets import values
from drzero.datasets.card import COLUMNS
from drzero.datasets.values import Dataset, ExportOptions, Format
from drzero.errors import DrZeroError, KnowledgeBaseError, OutputFault
from drzero.kb.entries import set_entry_status
from drzero.kb.episodes import save_episode
from drzero.kb.schema import open_knowledge_base
from drzero.loop.metrics import METRIC_NAMES
from drzero.publishing import MARKER
from drzero.types import Answer, Attempt, Claim, Episode, Judgement, Passage, Progress, Verdict
from drzero.workspace import Workspace
from tests.conftest import Run
from tests.samples import ATTEMPT, BRIDGES, CHALLENGE, CHUNK, CITATION, SILENT, make_entry, make_episode

FORMATS: tuple[Format, ...] = ("sft", "dpo", "rl")


def bridge(number: int, name: str, *more: Attempt, **changes: Any) -> Episode:
    """An accepted episode about a bridge; the article of another one was found as well."""
    _, date, *_ = BRIDGES[name]
    text = f"The {name} was opened on {date}."
    chunk = replace(CHUNK, id=f"c{number}", path=f"A/{name}", title=name, heading=(), text=text, start=0, end=len(text))
    other = replace(chunk, id="c99", path="A/Bridge", title="Bridge", text="A bridge spans a gap.", end=21)
    cited = replace(CITATION, path=chunk.path, title=name, heading=(), chunk_id=chunk.id, quote=text, start=0)
    cited = replace(cited, end=len(text))
    attempt = replace(
        ATTEMPT,
        answer=Answer(text, (Claim(text, (cited,)),), 0.9),
        passages=(Passage(chunk, 0.9, 1, "bridges"), Passage(other, 0.4, 2, "bridges")),
    )
    asked = replace(
        CHALLENGE, id=f"q{number}", question=f"When was the {name} opened?", answer=date, gold=(chunk,), evidence=text
    )
    return make_episode(
        **{"id": f"e{number}", "challenge": replace(asked, aspects=(date,)), "attempts": (attempt, *more), "best": 0}
        | changes
    )


def refused(text: str) -> Attempt:
    """An attempt that the verifier refused."""
    verdict = Verdict((Judgement("unsupported", 0.1, ("It is not said.",)),), "unsupported")
    return replace(ATTEMPT, answer=Answer(text, (Claim(text, (CITATION,)),), 0.5), verdict=verdict, right=False)


@pytest.fixture
def workspace(desk: Path) -> Workspace:
    """Five accepted episodes, each of an article of its own, two of them with a refused answer; and two that failed."""
    workspace = Workspace(desk)
    with open_knowledge_base(workspace.database) as db:
        for number, name in enumerate(BRIDGES):
            more = (SILENT, refused(f"The {name} is old.")) if number < 2 else ()
            one = bridge(number, name, *more)
            cited = one.attempts[0].answer
            entry = make_entry(
                id=f"n{number}", question=f"When was the {name} opened?", answer=cited.text, claims=cited.claims,
                judgements=one.attempts[0].verdict.judgements, episode_id=one.id,
            )  # fmt: skip
            save_episode(db, one, entry)
        save_episode(db, make_episode(id="q", status="quarantined", reason="wrong", attempts=(SILENT,), best=0), None)
        save_episode(
            db, make_episode(id="i", status="invalid", reason="no-seed", challenge=None, attempts=(), best=-1), None
        )
    return workspace


def quiet(_: Progress) -> None:
    """No progress."""


def exported(workspace: Workspace, kind: Format, output: str = "out", **options: Any) -> Dataset:
    options = {"test_share": 0.2} | options
    return training.export(workspace, ExportOptions(kind, workspace.root / output, **options), quiet)


def read(workspace: Workspace, side: str = "train", output: str = "out") -> list[dict[str, Any]]:
    text = (workspace.root / output / f"{side}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_training_answers_are_split_by_article(workspace: Workspace) -> None:
    made = exported(workspace, "sft")
    assert (made.lines, made.episodes, made.split.train, made.split.test) == (5, 7, 4, 1)
    assert (made.split.articles, made.split.groups, made.split.largest) == (5, 5, 1)
    assert made.files == ("train.jsonl", "test.jsonl", "README.md")
    assert made.left_out == (
        ("invalid: no answer of it was accepted", 1),
        ("quarantined: no answer of it was accepted", 1),
    )
    assert made.notes == ("No licence is known for kitchen: find it before you pass the lines on.",)
    train, test = read(workspace), read(workspace, "test")
    sources = [{one["path"] for line in side for one in line["sources"]} for side in (train, test)]
    assert sources[0] & sources[1] == set()
    assert sources[0] | sources[1] == {f"A/{name}" for name in BRIDGES}
    assert "A bridge spans a gap." in test[0]["messages"][1]["content"]
    assert not any("A bridge spans a gap." in line["messages"][1]["content"] for line in train)
    assert made.split.passages_left_out == 4


@pytest.mark.parametrize("kind", FORMATS)
def test_training_lines_have_the_columns_that_the_card_explains(workspace: Workspace, kind: Format) -> None:
    exported(workspace, kind, test_share=0.0)
    for line in read(workspace):
        assert sorted(line) == sorted(COLUMNS[kind])
        assert all(line["sources"])
        assert [] not in line.values()
        assert None not in line.values()


@pytest.mark.parametrize("kind", FORMATS)
def test_training_lines_of_a_format_have_one_type_in_each_column(workspace: Workspace, kind: Format) -> None:
    exported(workspace, kind, test_share=0.0, **({"questions": True} if kind == "sft" else {}))

    def kinds(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: kinds(item) for key, item in value.items()}
        return [kinds(value[0])] if isinstance(value, list) else type(value)

    first, *others = (kinds(line) for line in read(workspace))
    assert all(other == first for other in others)


def test_training_questions_are_lines_of_their_own(workspace: Workspace) -> None:
    assert exported(workspace, "sft", questions=True).lines == 10
    lines = read(workspace) + read(workspace, "test")
    assert [line["task"] for line in lines].count("question") == 5
    told = next(line for line in lines if line["task"] == "question")
    assert "Ask" in told["messages"][0]["content"] or "question" in told["messages"][0]["content"]
    assert told["messages"][2]["content"] == told["question"]
    assert [one["n"] for one in told["citations"]] == [0]  # it shows no passages


def test_training_pairs_are_of_one_question(workspace: Workspace) -> None:
    made = exported(workspace, "dpo", test_share=0.0)
    assert dict(made.left_out) == {
        "answer makes no pair: abstained": 2,
        "invalid: no answer of it was accepted": 1,
        "no refused answer to its question": 3,
        "quarantined: no answer of it was accepted": 1,
    }
    first, second = read(workspace)
    assert first["question"] == "When was the Forth Bridge opened?"
    assert first["chosen"] == [{"role": "assistant", "content": "The Forth Bridge was opened on 4 March 1890."}]
    assert first["rejected"] == [{"role": "assistant", "content": "The Forth Bridge is old."}]
    assert first["prompt"][1]["content"].endswith("Question: When was the Forth Bridge opened?")
    assert second["rejected"] == [{"role": "assistant", "content": "The Brooklyn Bridge is old."}]


def test_training_pairs_join_episodes_that_asked_the_same(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db:
        save_episode(db, bridge(4, "Charles Bridge", id="again", status="rejected", attempts=(refused("Old."),)), None)
    exported(workspace, "dpo", test_share=0.0)
    line = read(workspace)[-1]
    assert (line["rejected"][0]["content"], line["rejected_episode"], line["id"]) == ("Old.", "again", "e4")
    assert line["same_evidence"] is False


def test_training_rewards_have_gold_and_hardness(workspace: Workspace) -> None:
    exported(workspace, "rl", test_share=0.0)
    line = read(workspace)[0]
    assert line["prompt"] == [{"role": "user", "content": "When was the Forth Bridge opened?"}]
    assert (line["reference"], line["hops"], line["solve_rate"], line["difficulty"]) == ("4 March 1890", 1, 0.5, 0.5)
    assert line["gold"][0]["text"] == "The Forth Bridge was opened on 4 March 1890."


@pytest.mark.parametrize("status", ["stale", "disputed"])
def test_training_leaves_out_what_no_longer_holds(workspace: Workspace, status: Any) -> None:
    with open_knowledge_base(workspace.database) as db:
        set_entry_status(db, "n1", status, ("It reads otherwise.",))
    made = exported(workspace, "sft", test_share=0.0)
    assert "e1" not in {line["id"] for line in read(workspace)}
    assert dict(made.left_out)[f"its entry is {status}"] == 1


def test_training_leaves_out_what_cannot_be_read(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db:
        db.execute("update episodes set trace = '{\"former\": 1}' where id = 'e2'")
        db.execute("update episodes set trace = '' where id = 'e3'")
        db.conn.commit()
    made = exported(workspace, "rl", test_share=0.0)
    assert [line["id"] for line in read(workspace)] == ["e0", "e1", "e4"]
    assert dict(made.left_out)["its trace is missing or of a form that this drzero does not read"] == 2


def test_training_gives_the_same_bytes_again(workspace: Workspace) -> None:
    made = []
    for output in ("one", "two"):
        exported(workspace, "sft", output, questions=True)
        made.append({path.name: path.read_bytes() for path in (workspace.root / output).iterdir()})
    assert made[0] == made[1]
    assert sorted(made[0]) == [MARKER, "README.md", "test.jsonl", "train.jsonl"]


def test_training_replaces_its_own_folder_and_no_other(workspace: Workspace) -> None:
    exported(workspace, "sft")
    exported(workspace, "sft", test_share=0.0)
    assert not (workspace.root / "out" / "test.jsonl").exists()
    with pytest.raises(OutputFault, match="holds another export"):
        exported(workspace, "rl")
    (workspace.root / "mine").mkdir()
    (workspace.root / "mine" / "thesis.txt").write_text("Mine.")
    with pytest.raises(OutputFault, match="holds files that no export made"):
        exported(workspace, "sft", "mine")
    assert (workspace.root / "mine" / "thesis.txt").read_text() == "Mine."


def test_training_leaves_nothing_where_it_fails(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(training, "card", fail)
    with pytest.raises(OSError, match="No space left"):
        exported(workspace, "sft")
    assert not [path.name for path in workspace.root.iterdir() if "out" in path.name]


def test_training_one_group_is_not_parted_and_that_is_told(workspace: Workspace) -> None:
    made = exported(workspace, "sft", run="", profile="wikipedia", test_share=0.1)
    assert made.notes[0] == "Everything (5 lines) is for training: a test side of 10% would have less than one line."
    data = yaml.safe_load((workspace.root / "out" / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    assert data["configs"][0]["data_files"] == [{"split": "train", "path": "train.jsonl"}]


def test_training_metrics_have_a_row_for_every_episode(workspace: Workspace) -> None:
    made = exported(workspace, "metrics", "m.csv")
    assert (made.lines, made.files) == (7, ("m.csv",))
    with (workspace.root / "m.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ["e0", "e1", "e2", "e3", "e4", "q", "i"]
    assert [float(rows[0][name]) for name in METRIC_NAMES] == [0.95, 1.0] + [0.5] * 12
    with pytest.raises(OutputFault, match="is there already"):
        exported(workspace, "metrics", "m.csv")
    assert exported(workspace, "metrics", "m.csv", force=True).lines == 7


def test_training_metrics_want_a_table(workspace: Workspace) -> None:
    with pytest.raises(DrZeroError, match=r"let its name end in \.csv or \.parquet"):
        exported(workspace, "metrics", "folder")


@pytest.mark.parametrize(
    ("options", "said"),
    [({"profile": "coding"}, "No episode fits"), ({"run": "r9"}, "There is no run r9")],
)
def test_training_says_when_nothing_fits(workspace: Workspace, options: dict[str, str], said: str) -> None:
    with pytest.raises(KnowledgeBaseError, match=said):
        exported(workspace, "sft", **options)


def test_training_says_when_no_episode_gives_a_line(desk: Path) -> None:
    workspace = Workspace(desk)
    with open_knowledge_base(workspace.database) as db:
        save_episode(db, make_episode(status="rejected", reason="wrong"), None)
    with pytest.raises(KnowledgeBaseError, match=r"^No episode gives a line of rl \(rejected: no answer of it was acc"):
        exported(workspace, "rl")
    assert not (desk / "out").exists()


def test_training_formats_of_the_command_are_those_there_are() -> None:
    assert cli_training.FORMATS == values.FORMATS


@pytest.mark.parametrize("kind", FORMATS)
def test_training_data_sets_load_unchanged(workspace: Workspace, kind: Format) -> None:
    library = pytest.importorskip("datasets", reason="datasets is not installed: loading is not tried")
    exported(workspace, kind, test_share=0.5)
    cache = workspace.root / "cache"
    loaded = library.load_dataset(str(workspace.root / "out"), cache_dir=str(cache))
    sides = {path.stem for path in (workspace.root / "out").glob("*.jsonl")}
    assert set(loaded) == sides
    for side in sides:
        assert list(loaded[side]) == read(workspace, side)


def test_cli_training_writes_and_tells(workspace: Workspace, run: Run) -> None:
    result = run("episodes", "export", "--format", "sft", "--output", workspace.root / "out", "--test-share", "0.2")
    assert result.exit_code == 0
    first, *others = result.stdout.splitlines()
    assert first.startswith(f"Wrote {workspace.root / 'out'} in ")
    assert first.endswith(" s: lines 5 of 7 episodes: train 4, test 1.")
    assert others == [
        "Left out:",
        "  1  invalid: no answer of it was accepted",
        "  1  quarantined: no answer of it was accepted",
    ]
    assert result.stderr == "No licence is known for kitchen: find it before you pass the lines on.\n"


def test_cli_training_as_json(workspace: Workspace, run: Run) -> None:
    result = run("episodes", "export", "--format", "rl", "--output", workspace.root / "out", "--json")
    assert result.exit_code == 3  # a test side was asked for, and there is none
    document = json.loads(result.stdout)
    assert (document["format"], document["lines"], document["split"]["train"]) == ("rl", 5, 5)
    assert document["left_out"]["quarantined: no answer of it was accepted"] == 1
    assert "Everything (5 lines) is for training" in result.stderr


def test_cli_training_of_metrics(workspace: Workspace, run: Run) -> None:
    result = run("episodes", "export", "--format", "metrics", "--output", workspace.root / "m.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(" s: lines 7 of 7 episodes.\n")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--format", "rl", "--questions"), 2, "--questions is of use only with --format sft."),
        (("--format", "rl", "--test-share", "1"), 2, "it is to be a share: 0 or more, and less than 1"),
        (("--format", "rl", "--test-share", "-0.1"), 2, "it is to be a share"),
        (("--format", "rl", "--test-share", "nan"), 2, "it is to be a share"),
        (("--format", "csv"), 2, "csv"),
        (("--format", "rl", "--profile", "coding"), 1, "No episode fits, so there is nothing to export"),
    ],
)
def test_cli_training_refuses(workspace: Workspace, run: Run, words: tuple[str, ...], status: int, said: str) -> None:
    result = run("episodes", "export", "--output", workspace.root / "out", *words)
    assert result.exit_code == status
    assert said in result.stderr
    assert not (workspace.root / "out").exists()


def test_cli_training_without_a_knowledge_base_says_what_to_do(run: Run) -> None:
    result = run("episodes", "export", "--format", "sft", "--output", "out")
    assert result.exit_code == 1
    assert "run `drzero evolve` to make one" in result.stderr

"""drzero.datasets.finishing and .writing: lines as they are written, each side with its own evidence only."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero.datasets.finishing import finish, line_text
from drzero.datasets.sides import Groups, Sides
from drzero.datasets.values import Drawn, Shown, Split
from drzero.datasets.writing import plain, sentence_of_split, write_lines

ARCHIVES = {"zim-1": {"name": "kitchen", "date": "2026-01", "licence": "CC BY-SA 4.0"}}


def drawn(name: str, *shown: str, task: str = "answer", **line: Any) -> Drawn:
    """A line about the article `name`, which cites the passage of that article."""
    columns = {
        "id": f"e-{name}",
        "question": f"What is {name}?",
        "type": "factual",
        "citations": [{"claim": f"{name} is.", "n": shown.index(name) + 1 if name in shown else 0}],
        "sources": [{"zim_id": "zim-1", "path": name, "title": name.upper()}],
        "answer": f"{name} is.",
    }
    passages = tuple(Shown(f"article {one}", one.upper(), f"About {one}.") for one in shown)
    return Drawn(task, f"question {name}", (f"article {name}",), columns | line, passages)


def sides(*lines: Drawn, test: str = "") -> Sides:
    """Sides where the line of the article `test` is for testing, if one is named."""
    groups = Groups()
    for one in lines:
        groups.add((*one.sources, one.asked))
    if not test:
        return Sides(groups, 0.0, 0)
    share = 1 / len(lines)
    found = (Sides(groups, share, seed) for seed in range(1000))
    return next(one for one in found if one.of_line([f"article {test}"]) == "test")


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_finishing_shows_the_evidence_as_the_solver_saw_it() -> None:
    one = drawn("salt", "pepper", "salt")
    line = finish(one, "train", sides(one), ARCHIVES)
    assert list(line)[:2] == ["messages", "task"]
    system, user, assistant = line["messages"]
    assert system["role"] == "system"
    assert system["content"].startswith("You answer questions from the passages you are given")
    assert user == {
        "role": "user",
        "content": "[1] PEPPER\nAbout pepper.\n\n[2] SALT\nAbout salt.\n\nQuestion: What is salt?",
    }
    assert assistant == {"role": "assistant", "content": "salt is."}
    assert (line["task"], line["passages"], line["passages_left_out"]) == ("answer", 2, 0)
    assert line["citations"] == [{"claim": "salt is.", "n": 2}]
    assert "answer" not in line


def test_finishing_leaves_out_passages_of_the_other_side_and_numbers_anew() -> None:
    salt, pepper = drawn("salt", "pepper", "salt", "sage"), drawn("pepper", "pepper", "salt", "sage")
    both = sides(salt, pepper, test="salt")
    both.note_shown(["article sage"])
    trained, tested = finish(pepper, "train", both, ARCHIVES), finish(salt, "test", both, ARCHIVES)
    assert trained["messages"][1]["content"] == "[1] PEPPER\nAbout pepper.\n\nQuestion: What is pepper?"
    assert (
        tested["messages"][1]["content"] == "[1] SALT\nAbout salt.\n\n[2] SAGE\nAbout sage.\n\nQuestion: What is salt?"
    )
    assert [one["citations"][0]["n"] for one in (trained, tested)] == [1, 1]
    assert [one["passages_left_out"] for one in (trained, tested)] == [2, 1]


def test_finishing_a_pair_has_prompt_chosen_and_rejected() -> None:
    one = drawn("salt", "salt", task="pair", refused="salt is sweet.", rejected_for="unsupported")
    line = finish(one, "train", sides(one), ARCHIVES)
    assert list(line)[:3] == ["prompt", "chosen", "rejected"]
    assert [message["role"] for message in line["prompt"]] == ["system", "user"]
    assert line["chosen"] == [{"role": "assistant", "content": "salt is."}]
    assert line["rejected"] == [{"role": "assistant", "content": "salt is sweet."}]
    assert not {"answer", "refused", "task"} & set(line)


def test_finishing_a_line_without_evidence_keeps_its_columns() -> None:
    one = drawn("salt", task="reward")
    line = finish(one, "train", sides(one), ARCHIVES)
    assert line["answer"] == "salt is."
    assert "passages" not in line


@pytest.mark.parametrize(
    ("archives", "archive", "licence"),
    [
        (ARCHIVES, "kitchen, 2026-01", "CC BY-SA 4.0"),
        ({"zim-1": {"name": "kitchen", "date": ""}}, "kitchen", ""),
        ({}, "", ""),
    ],
)
def test_finishing_sources_name_archive_and_licence(archives: Any, archive: str, licence: str) -> None:
    one = drawn("salt", task="reward")
    (source,) = finish(one, "train", sides(one), archives)["sources"]
    assert source == {"zim_id": "zim-1", "path": "salt", "title": "SALT", "archive": archive, "licence": licence}


@pytest.mark.parametrize(
    "text", ["a\nb", "a\u2028b", "a\u2029b", "a\u0085b", 'a"b\\', "\u202eabc", "日本", "👩‍🚀", "a\tb\r\n"]
)
def test_finishing_a_line_is_one_line_and_comes_back_as_it_was(text: str) -> None:
    line = line_text({"text": text, "list": [text], "inner": {"a": text}})
    assert len(line.splitlines()) == 1
    assert json.loads(line) == {"text": text, "list": [text], "inner": {"a": text}}


def test_finishing_replaces_what_no_table_holds() -> None:
    line = line_text({"text": "a\0b\ud800c", "n": float("nan"), "m": [float("inf"), 2, True, None]})
    assert json.loads(line) == {"text": "a\ufffdb\ufffdc", "n": 0.0, "m": [0.0, 2, True, None]}
    line.encode("utf-8")


def test_writing_two_files_that_share_no_article(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(20)]
    lines = [drawn(name, names[at - 1], name, "shared") for at, name in enumerate(names)]
    split, tally = write_lines(tmp_path, lines, ARCHIVES, share=0.25, seed=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test.jsonl", "train.jsonl"]
    train, test = read(tmp_path / "train.jsonl"), read(tmp_path / "test.jsonl")
    assert (len(train), len(test)) == (15, 5)
    assert [line["id"] for line in train] == sorted((line["id"] for line in train), key=lambda id_: int(id_[3:]))

    def told(side: list[dict[str, Any]]) -> set[str]:
        turns = "\n".join(line["messages"][1]["content"] for line in side)
        return {name for name in (*names, "shared") if f"About {name}." in turns}

    assert told(train) & told(test) == set()
    assert told(test) >= {line["sources"][0]["path"] for line in test} | {"shared"}
    left_out = sum(line["passages_left_out"] for line in (*train, *test))
    assert left_out > 0
    assert split == Split(15, 5, articles=20, groups=20, largest=1, passages=60 - left_out, passages_left_out=left_out)
    assert tally.by["type"] == {("factual", "train"): 15, ("factual", "test"): 5}
    assert tally.archives == {("zim-1", "train"): 15, ("zim-1", "test"): 5}


@pytest.mark.parametrize("seed", range(12))
def test_writing_never_shows_an_article_on_both_sides(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    articles = [f"n{number}" for number in range(chance.choice((8, 40, 120)))]
    lines = []
    for number in range(60):
        sources = chance.sample(articles, chance.choice((1, 1, 1, 2)))
        shown = [*sources, *chance.sample(articles, 4)]
        chance.shuffle(shown)
        one = drawn(sources[0], *shown)
        cited = [{"claim": "It is.", "n": shown.index(source) + 1, "path": source} for source in sources]
        keys = tuple(f"article {source}" for source in sources)
        line = one.line | {"id": str(number), "citations": cited}
        lines.append(replace(one, asked=f"question {number}", sources=keys, line=line))
    split, _ = write_lines(tmp_path, lines, ARCHIVES, share=0.3, seed=seed)
    assert split.train + split.test == 60
    assert split.test <= 18
    told: dict[str, set[str]] = {"train": set(), "test": set()}
    for side in told:
        for line in read(tmp_path / f"{side}.jsonl") if getattr(split, side) else ():
            texts = re.findall(r"^About (\w+)\.$", line["messages"][1]["content"], flags=re.MULTILINE)
            told[side] |= set(texts)
            assert [texts[one["n"] - 1] for one in line["citations"]] == [one["path"] for one in line["citations"]]
    assert told["train"] & told["test"] == set()


def test_writing_gives_the_same_bytes_again(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_lines(folder, [drawn(f"n{n}", f"n{n}", "x") for n in range(30)], ARCHIVES, share=0.2, seed=9)
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert made[0] == made[1]


def test_writing_without_a_test_side(tmp_path: Path) -> None:
    split, _ = write_lines(tmp_path, [drawn("salt", "salt"), drawn("pepper", "salt")], {}, share=0.0, seed=0)
    assert (split.train, split.test, split.passages_left_out) == (2, 0, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["train.jsonl"]


def test_writing_nothing_leaves_nothing(tmp_path: Path) -> None:
    assert write_lines(tmp_path, [], {}, share=0.5, seed=0)[0] == Split()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("split", "share", "said"),
    [
        (Split(90, 10, groups=100, largest=1), 0.1, ""),
        (Split(95, 5, groups=100, largest=1), 0.1, ""),
        (Split(100, 0, groups=1, largest=100), 0.0, ""),
        (Split(), 0.1, ""),
        (Split(5, 0), 0.1, "Everything (5 lines) is for training: a test side of 10% would have less than one line."),
        (
            Split(100, 0, groups=1, largest=100),
            0.1,
            "Only 0 of 100 lines are for testing, not 10%: 100 lines hang together by the articles they come from, and "
            "there is no more to part than 1 group.",
        ),
    ],
)
def test_writing_says_what_became_of_the_split(split: Split, share: float, said: str) -> None:
    assert sentence_of_split(split, share) == said


def test_writing_a_cell_holds_any_text() -> None:
    assert plain("a|b\n<c>\0\ud800") == "a\\|b &lt;c>\ufffd\ufffd"

"""drzero.datasets.card: what the card says at its head and below."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from drzero.datasets.card import COLUMNS, card, licence_id
from drzero.datasets.values import ExportOptions, Format, Split
from drzero.datasets.writing import Tally

KITCHEN = {"name": "kitchen", "date": "2026-01-02", "licence": "CC BY-SA 4.0", "language": "eng", "source": "k.org"}
TALLY = Tally({"type": Counter({("factual", "train"): 8, ("factual", "test"): 1, ("a|b", "train"): 1})})
TALLY.archives.update({("zim-1", "train"): 9, ("zim-1", "test"): 1})
SPLIT = Split(9, 1, articles=7, groups=6, largest=3, passages=48, passages_left_out=2)


def made(kind: Format = "sft", *, split: Split = SPLIT, archives: Any = None, **options: Any) -> str:
    return card(
        ExportOptions(kind, Path("out"), **options),
        split,
        TALLY,
        {"zim-1": KITCHEN} if archives is None else archives,
        episodes=12,
        left_out=(("quarantined: no answer of it was accepted", 2),),
        version="1.2.3",
    )


def head(text: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(text.split("---\n")[1])
    return document


def test_card_head_says_where_the_lines_are_and_under_which_licence() -> None:
    assert head(made()) == {
        "pretty_name": "drzero sft",
        "license": "cc-by-sa-4.0",
        "language": ["en"],
        "task_categories": ["question-answering", "text-generation"],
        "size_categories": ["n<1K"],
        "tags": ["drzero", "sft", "citations"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": "train", "path": "train.jsonl"}, {"split": "test", "path": "test.jsonl"}],
            }
        ],
    }


def test_card_names_no_file_that_is_not_there() -> None:
    files = head(made(split=Split(10, 0)))["configs"][0]["data_files"]
    assert files == [{"split": "train", "path": "train.jsonl"}]


def test_card_a_licence_that_is_not_known_is_not_guessed() -> None:
    text = made(archives={"zim-1": KITCHEN | {"licence": ""}})
    assert (head(text)["license"], head(text)["license_name"]) == ("other", "those-of-the-sources")
    assert "| not stated by the archive: find it before you pass this on |" in text


def test_card_an_archive_that_nothing_is_known_of_is_named_by_its_id() -> None:
    text = made(archives={})
    assert "\n| zim-1 |  | not stated" in text
    assert "language" not in head(text)


@pytest.mark.parametrize(
    ("lines", "size"),
    [(999, "n<1K"), (1_000, "1K<n<10K"), (99_999, "10K<n<100K"), (100_000, "100K<n<1M"), (2_000_000, "n>1M")],
)
def test_card_size_is_that_of_the_hub(lines: int, size: str) -> None:
    assert head(made(split=Split(lines - 1, 1)))["size_categories"] == [size]


def test_card_tells_counts_filters_split_and_sources() -> None:
    text = made(split_seed=7, test_share=0.1)
    assert "Made by drzero 1.2.3 with `drzero episodes export --format sft` from all runs." in text
    assert "| all |  | 9 | 1 |\n| type | a\\|b | 1 | 0 |\n| type | factual | 8 | 1 |\n" in text
    assert "Looked at: 12 episodes." in text
    assert "| quarantined: no answer of it was accepted | 2 |" in text
    assert "\n10 lines from 7 articles. " in text
    assert "they form 6 groups, the largest of 3 lines. Seed 7 puts these in order;" in text
    assert "2 passages of 50 that solvers saw were left out for that." in text
    assert "| kitchen | 2026-01-02 | CC BY-SA 4.0 | k.org | zim-1 | 9 | 1 |" in text


def test_card_says_of_what_it_is_a_part() -> None:
    assert " from run r1 and profile coding. " in made(run="r1", profile="coding")


@pytest.mark.parametrize("kind", ["sft", "dpo", "rl"])
def test_card_of_each_format_explains_its_columns(kind: Format) -> None:
    text = made(kind)
    assert head(text)["pretty_name"] == f"drzero {kind}"
    shown = re.findall(r"^\| (\w+) \| ", text.split("## Columns")[1], flags=re.MULTILINE)
    assert shown == ["column", *COLUMNS[kind]]


def test_card_says_what_lines_that_teach_to_ask_are() -> None:
    assert "teach to ask" in made(questions=True)
    assert "teach to ask:" not in made()


@pytest.mark.parametrize(
    ("licence", "name"),
    [
        ("CC BY-SA 4.0", "cc-by-sa-4.0"),
        ("CC-BY-SA-3.0", "cc-by-sa-3.0"),
        ("https://creativecommons.org/licenses/by-sa/4.0/", "cc-by-sa-4.0"),
        ("Creative Commons Attribution-ShareAlike 3.0 Unported", "cc-by-sa-3.0"),
        ("Creative Commons Attribution Share Alike 4.0", "cc-by-sa-4.0"),
        ("CC BY-NC-ND 4.0", "cc-by-nc-nd-4.0"),
        ("CC BY-NC-SA 2.5", "cc-by-nc-sa-2.5"),
        ("CC BY", "cc"),
        ("CC0", "cc0-1.0"),
        ("MIT License", "mit"),
        ("GFDL 1.3", "gfdl"),
        ("", ""),
        ("All rights reserved", ""),
        ("PSF-2.0", ""),
        ("accept what you like", ""),
    ],
)
def test_card_licences_are_named_as_the_hub_names_them(licence: str, name: str) -> None:
    assert licence_id(licence) == name

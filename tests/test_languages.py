"""Codes of languages, what an embedder knows of them, and what is said of it."""

from __future__ import annotations

import pytest

from drzero.languages import (
    codes,
    language_name,
    names_of,
    only_code,
    pieces_per_letter,
    reads,
    speaks,
    warning,
)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("eng", ("en",)),
        ("en", ("en",)),
        ("fra,eng", ("fr", "en")),
        ("fra, eng;deu ita", ("fr", "en", "de", "it")),
        ("eng,en-GB", ("en",)),
        ("pt-BR", ("pt",)),
        ("zh_CN", ("zh",)),
        ("zh-Hant", ("zh",)),
        ("cmn", ("zh",)),
        ("iw", ("he",)),
        ("arz", ("ar",)),
        ("nob", ("no",)),
        ("nn", ("no",)),
        ("simple", ("en",)),
        ("be-tarask", ("be",)),
        ("ang", ("ang",)),
        ("mul", ("mul",)),
        ("multilingual", ("mul",)),
        ("FRA", ("fr",)),
        ("und", ()),
        ("mis", ()),
        ("zxx", ()),
        ("", ()),
        ("  ", ()),
        ("not a code at all!", ()),
        ("français", ()),
    ],
)
def test_languages_codes_are_short_and_without_region(stated: str, expected: tuple[str, ...]) -> None:
    found = codes(stated)
    if stated == "not a code at all!":  # each word may look like one
        assert "en" not in found
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("stated", "expected"), [("fra", "fr"), ("fra,eng", ""), ("mul", ""), ("und", ""), ("", ""), ("eng,en-US", "en")]
)
def test_languages_only_code_is_of_archives_in_one_language(stated: str, expected: str) -> None:
    assert only_code(stated) == expected


@pytest.mark.parametrize(
    ("embedder", "archive", "expected"),
    [
        (["en"], "eng", True),
        (["en"], "en-GB", True),
        (["en"], "fra", False),
        (["en"], "ara", False),
        (["en"], "ang", False),
        (["en"], "fra,eng", False),
        (["en", "fr"], "fra,eng", True),
        (["en", "fr"], "fra,eng,deu", False),
        (["en"], "mul", False),
        (["mul"], "mul", True),
        (["multilingual"], "fra", True),
        (["mul"], "ang", True),
        (["zh"], "cmn", True),
        (["ar"], "arz", True),
        (["nb"], "nno", True),
        (["en"], "", None),
        (["en"], "und", None),
        ([], "fra", None),
        (["code"], "fra", None),
        ([], "", None),
        (["mul"], "und", None),
    ],
)
def test_languages_speaks_all_of_an_archive_or_not_or_unknown(
    embedder: list[str], archive: str, expected: bool | None
) -> None:
    assert speaks(embedder, archive) is expected


def test_languages_pieces_are_counted_for_the_letters_of_running_words() -> None:
    texts = ["foo foo foo bar 12 x_y a 東京都"] * 50
    asked: list[str] = []

    def count(words: list[str]) -> list[int]:
        asked.extend(words)
        return [{"foo": 1, "bar": 5}[word] for word in words]

    assert pieces_per_letter(texts, count) == pytest.approx((3 * 1 + 5) / 12)  # type: ignore[arg-type]
    assert asked == ["foo", "bar"], "each word once; no digits, single letters, unspaced scripts"


def test_languages_few_words_tell_nothing() -> None:
    assert pieces_per_letter(["ein paar Worte"], lambda words: [3] * len(words)) is None
    assert pieces_per_letter([], lambda words: [3] * len(words)) is None
    assert pieces_per_letter(["ein paar Worte"], lambda words: [3] * len(words), least_words=3) == 9 / 12


@pytest.mark.parametrize(("pieces", "expected"), [(None, None), (0.2, None), (0.4, None), (0.5, False), (1.0, False)])
def test_languages_only_many_pieces_prove_anything(pieces: float | None, expected: bool | None) -> None:
    assert reads(pieces) is expected


def test_languages_have_names() -> None:
    assert [language_name(code) for code in ("fr", "ang", "mul", "xx")] == [
        "French",
        "Old English",
        "several languages",
        "xx",
    ]
    assert names_of(["eng"]) == "English"
    assert names_of(["en", "fra", "de"]) == "English, French and German"
    assert names_of([]) == names_of(["und"]) == ""


def test_languages_the_warning_names_both_and_what_to_choose() -> None:
    said = warning("wiki_fr", "fra", "all-MiniLM-L6-v2", ["en"], False)
    assert said == (
        "wiki_fr: this archive is in French, but all-MiniLM-L6-v2 was made for English, so search goes by words far "
        "more than by meaning; for search by meaning build it with a multilingual model: --embedder "
        "multilingual-e5-small, or the folder of one you have, --embedder PATH."
    )


def test_languages_the_warning_says_what_is_known_when_less_is() -> None:
    assert warning("a", "", "m", ["en"], False).startswith("a: this archive is in a language that m does not know, so")
    assert warning("a", "rus", "m", [], False).startswith("a: this archive is in Russian, which m does not know, so")


@pytest.mark.parametrize("known", [True, None])
def test_languages_without_proof_nothing_is_said(known: bool | None) -> None:
    assert warning("wiki_fr", "fra", "m", ["en"], known) == ""

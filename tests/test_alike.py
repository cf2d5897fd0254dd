from __future__ import annotations

from drzero.retrieval.alike import twins, wording
from drzero.types import Chunk

LONG = (
    "The bridge over the river was opened in 1931 after a long delay because steel was dear and the town had lost its"
    " mayor and with him the money that a bank had promised"
)


def chunk(text: str, title: str = "Bridge", path: str = "A", start: int = 0) -> Chunk:
    return Chunk(f"{path}{start}", "z", path, title, (), text, start, start + len(text))


def same(left: Chunk, right: Chunk, *, indexes: tuple[int, int] = (0, 0)) -> bool:
    return twins(wording(indexes[0], left), wording(indexes[1], right))


def test_alike_same_text_elsewhere_is_a_twin() -> None:
    assert same(chunk(LONG), chunk(LONG + ".", path="B"))
    assert same(chunk(LONG), chunk(LONG, title="River", path="B"))
    assert same(chunk(LONG), chunk(LONG), indexes=(0, 1))


def test_alike_other_numbers_and_names_are_other_facts() -> None:
    assert not same(chunk(LONG), chunk(LONG.replace("1931", "1932"), path="B"))
    assert not same(chunk(LONG), chunk(LONG.replace("bank", "Lombard"), path="B"))
    assert same(chunk(LONG), chunk(LONG.replace("dear", "costly"), path="B"))


def test_alike_short_texts_need_the_same_title() -> None:
    assert same(chunk("It is a village."), chunk("It is a village.", path="B"))
    assert not same(chunk("It is a village."), chunk("It is a village.", title="Thorpe", path="B"))


def test_alike_overlapping_stretches_of_one_article_are_twins() -> None:
    first = chunk("one two three four five six")
    assert same(first, chunk("four five six seven", start=14))
    assert not same(first, chunk("six seven eight nine", start=24))
    assert not same(first, chunk("four five six seven", start=14), indexes=(0, 1))
    assert not same(first, chunk("four five six seven", path="B", start=14))

"""Names of articles in running text: which stretches of a text may be the title or an alias of an article.

An index keeps a key for each name of its articles, so that any text can be looked up word by word: an archive need not
hold links, and a question names articles as a page does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from drzero.text import word_spans, words

MOST_WORDS = 8  # of a name that is looked up
_QUALIFIER = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")  # `Mercury (planet)` is called Mercury in running text
_GAP = re.compile(r"[\n.;:!?•|。！？；：]+\s")  # no name goes across


def name_key(name: Sequence[str]) -> int:
    """The words of a name, as `text.words` gives them, as 64 bits with sign."""
    digest = hashlib.blake2b("\x1f".join(name).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def names_of(title: str) -> tuple[tuple[str, ...], ...]:
    """What an article of this title or alias is called: its words, and those without a qualifier in brackets."""
    found = (tuple(words(title)), tuple(words(_QUALIFIER.sub("", title))))
    return tuple(dict.fromkeys(name for name in found if 0 < len(name) <= MOST_WORDS))


def stretches(text: str) -> Iterator[tuple[int, list[tuple[str, ...]]]]:
    """Each word's number in `text` where a name may begin, and the stretches of words from there, longest first.

    A name does not begin with a small letter, nor go across the end of a sentence. In scripts without capital letters
    one may begin at any word.
    """
    number = 0
    for piece in _GAP.split(text):
        folded = tuple(words(piece))
        places = word_spans(piece)
        told = len(places) == len(folded)  # folding may part a word in two
        for start in range(len(folded)):
            if not (told and piece[places[start][0]].islower()):
                most = min(MOST_WORDS, len(folded) - start)
                yield number + start, [folded[start : start + length] for length in range(most, 0, -1)]
        number += len(folded)

"""What entries are about: the titles of the articles that they cite, and the names of these in running text (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from drzero.encyclopedia.slugs import Slugs, bare_title
from drzero.text import clean_title, title_key, word_spans, words

MOST_WORDS = 8  # of a name that is looked for in running text


@dataclass(frozen=True, slots=True)
class Subject:
    """What an article is about: `slug` is its unique file name; `title` has brackets only where namesakes need them."""

    key: str
    slug: str
    title: str
    source_title: str  # as the cited article has it, brackets and all


def subjects_of(question: str, cited: Sequence[str]) -> tuple[str, ...]:
    """The titles among `cited`, one for each citation in order, that an entry belongs to, the main one first.

    That is the one cited most, and each other that the question names: a comparison belongs to both sides of it.
    """
    counted = Counter(title for title in cited if clean_title(title))
    if not counted:
        return ()
    asked = f" {' '.join(words(question))} "
    main = counted.most_common(1)[0][0]
    named = [title for title in counted if (name := " ".join(words(bare_title(title)))) and f" {name} " in asked]
    return tuple({title_key(title): title for title in reversed((main, *named))}.values())[::-1]


class Directory:
    """All subjects of an encyclopedia, in the order of its index; finds one by title, or by name in running text."""

    def __init__(self, titles: Iterable[str]) -> None:
        """Of `titles` with one `title_key` the first is shown; capitals of the others count for nothing."""
        by_key = {title_key(title): clean_title(title) for title in sorted(titles, reverse=True)}
        namesakes = Counter(title_key(bare_title(title)) for title in by_key.values())
        shown = {
            key: bare if namesakes[title_key(bare := bare_title(title))] == 1 else title
            for key, title in by_key.items()
        }
        slugs = Slugs()
        self._subjects = {
            key: Subject(key, slugs.take(shown[key]), shown[key], by_key[key])
            for key in sorted(by_key, key=lambda key: (title_key(shown[key]), key))
        }
        self._names: dict[str, Subject | None] = {}
        for subject in self._subjects.values():
            for name in {" ".join(words(title)) for title in (subject.title, subject.source_title)} - {""}:
                self._names[name] = None if name in self._names else subject

    def __len__(self) -> int:
        return len(self._subjects)

    def __iter__(self) -> Iterator[Subject]:
        return iter(self._subjects.values())

    def subject(self, title: str) -> Subject | None:
        """The subject that an article of this title is about; None when it has no article here."""
        return self._subjects.get(title_key(title))

    def named(self, text: str) -> list[Subject]:
        """The subjects that `text` names, each once in order; of names within one another the longest counts.

        A name of one word counts only with a capital within the sentence; a name that several have names none.
        """
        places, folded = word_spans(text), words(text)
        if len(places) != len(folded):
            return []
        found: dict[str, Subject] = {}
        start = 0
        while start < len(folded):
            for length in range(min(MOST_WORDS, len(folded) - start), 0, -1):
                subject = self._names.get(" ".join(folded[start : start + length]))
                if subject and (length > 1 or (start and text[places[start][0]].isupper())):
                    found.setdefault(subject.key, subject)
                    start += length - 1
                    break
            start += 1
        return list(found.values())

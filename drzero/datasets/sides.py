"""Which side of the split each line falls on: lines that share an article stay together (pure).

Lines and articles are nodes of a graph; what hangs together is a group, and a group goes to one side as a whole. What
grows in memory with the lines is two numbers for each article.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from drzero.datasets.values import Side


class Groups:
    """Keys that were seen together in a line, as groups that no key connects (disjoint sets)."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._parents = array("l")
        self._lines = array("l")  # of the group, at its root
        self._names = array("Q")  # the smallest key of the group, at its root: it names the group
        self.articles = 0

    def add(self, keys: Sequence[str]) -> None:
        """Count one line that has all of these keys, at least one."""
        first, *others = (self._place(key) for key in dict.fromkeys(keys))
        root = self._root(first)
        for other in others:
            root = self._join(root, self._root(other))
        self._lines[root] += 1

    def group(self, key: str) -> int | None:
        """The group of a key; None for one that was never added."""
        place = self._places.get(_hash(key))
        return None if place is None else self._root(place)

    def groups(self) -> list[tuple[int, int, int]]:
        """(group, name, lines) of every group. Names do not depend on the order in which lines were added."""
        return [
            (place, self._names[place], self._lines[place])
            for place, parent in enumerate(self._parents)
            if parent == place
        ]

    def _place(self, key: str) -> int:
        name = _hash(key)
        place = self._places.setdefault(name, len(self._places))
        if place == len(self._parents):
            self.articles += key.startswith("article ")
            self._parents.append(place)
            self._lines.append(0)
            self._names.append(name)
        return place

    def _root(self, place: int) -> int:
        while (parent := self._parents[place]) != place:
            self._parents[place] = self._parents[parent]
            place = self._parents[place]
        return place

    def _join(self, one: int, other: int) -> int:
        if one == other:
            return one
        if self._lines[one] < self._lines[other]:
            one, other = other, one
        self._parents[other] = one
        self._lines[one] += self._lines[other]
        self._names[one] = min(self._names[one], self._names[other])
        return one


class Sides:
    """The side of each group and of each article.

    Groups are put in an order that `seed` and their names decide, and go to the test side in that order, each that
    leaves it within `share` of the lines. So the test side never has more than its share, and less where groups are
    too large for it. An article that is no line's source belongs to the test side if a line there shows it.
    """

    def __init__(self, groups: Groups, share: float, seed: int) -> None:
        self._groups = groups
        every = sorted(groups.groups(), key=lambda one: _hash(f"{seed} {one[1]}"))
        room = int(share * sum(lines for _, _, lines in every) + 1e-9)
        self._test: set[int] = set()
        for group, _, lines in every:
            if 0 < lines <= room:
                room -= lines
                self._test.add(group)
        self._shown_in_test: set[int] = set()
        self.count = len(every)
        self.largest = max((lines for _, _, lines in every), default=0)

    def of_line(self, keys: Sequence[str]) -> Side:
        """The side of a line with these keys, which were added to the groups."""
        return "test" if self._groups.group(keys[0]) in self._test else "train"

    def note_shown(self, articles: Iterable[str]) -> None:
        """Take note of the articles that a line of the test side shows; of all such lines, before `of_article`."""
        self._shown_in_test.update(_hash(key) for key in articles if self._groups.group(key) is None)

    def of_article(self, key: str) -> Side:
        """The side of an article, be it a source of lines or only shown in some."""
        group = self._groups.group(key)
        there = _hash(key) in self._shown_in_test if group is None else group in self._test
        return "test" if there else "train"


def _hash(key: str) -> int:
    """64 bits, the same on every machine."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")

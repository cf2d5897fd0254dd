"""An encyclopedia as pages that any browser reads from a disk or stick: no server, no network, and a search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from drzero.encyclopedia.letters import AT_ONCE, Letter, by_letter
from drzero.encyclopedia.pages import ASSETS, Pages, asset, path_of
from drzero.encyclopedia.searching import SearchTables
from drzero.encyclopedia.values import Imprint, Listed, Source, SubjectArticle

LARGEST = 60  # subjects named on the first page


def write_site(folder: Path, imprint: Imprint, articles: Iterable[SubjectArticle]) -> Counter[str]:
    """Write all pages into an empty `folder`, each article as it comes; how much it was by kind.

    The same articles give the same bytes. `index.html` is the first page.
    """
    pages, shelf = Pages(imprint, search=True), Bookkeeping()
    with SearchTables(folder) as tables:
        for article in articles:
            _write(folder / path_of(article.slug), pages.article(article))
            shelf.add(article)
            tables.add(article)
        tables.finish()
    for path, _, text in shelf.pages(pages):
        _write(folder / path, text)
    _write(folder / "search.html", pages.searching())
    for name in ASSETS:
        _write(folder / name, asset(name))
    return shelf.counts


class Bookkeeping:
    """What the pages around the articles need to know of all of them."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.sources: dict[str, Source] = {}
        self.used: Counter[str] = Counter()
        self._listed: list[Listed] = []

    def add(self, article: SubjectArticle) -> None:
        """Count `article`."""
        line = Listed.of(article)
        self._listed.append(line)
        self.counts += Counter(subjects=1, statements=line.statements, references=len(article.references))
        self.sources |= {source.zim_id: source for source in article.sources}
        self.used.update(reference.citation.zim_id for reference in article.references)

    def pages(self, pages: Pages) -> Iterator[tuple[str, str, str]]:
        """Path, title and text of each page around the articles, the first page first."""
        order = list(by_letter(self._listed))
        letters: list[Letter] = [letter for letter, _ in order]
        largest = self._listed
        if len(largest) > LARGEST:
            largest = sorted(largest, key=lambda one: (-one.statements, one.slug))[:LARGEST]
        largest = [one for _, found in by_letter(largest) for one in found]
        counts = self.counts | Counter(archives=len(self.sources))
        yield "index.html", pages.imprint.title, pages.main(counts, letters, largest)
        for letter, found in order:
            for part in range(1, letter.parts + 1):
                some = found[(part - 1) * AT_ONCE : part * AT_ONCE]
                title = f"Subjects: {letter.name}" + (f" ({part})" if part > 1 else "")
                yield letter.page(part), title, pages.letter(letter, part, some, letters)
        yield "sources.html", "Sources and licences", pages.sources(self.sources.values(), self.used)
        yield "about.html", "About", pages.about()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")

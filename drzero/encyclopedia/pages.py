"""The pages of an encyclopedia as HTML: articles, index, sources, search; one template each, all text escaped.

Pages lie in a folder for each letter, or in `letters/`; all links are relative, and nothing is loaded from outside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from drzero.encyclopedia.crediting import MARKS, credit, source_name
from drzero.encyclopedia.letters import Letter
from drzero.encyclopedia.values import Imprint, Listed, Reference, Source, Statement, SubjectArticle
from drzero.text import clean_title, counted, language_code, storable, without_steering

if TYPE_CHECKING:
    from jinja2 import Environment

RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa he ks ku-arab nqo ps sd syr ug ur yi".split())
ASSETS = ("style.css", "search.js")
_ADDRESS = re.compile(r"https?://[^\s<>\"']+")


@dataclass(frozen=True, slots=True)
class Shown:
    """A statement with what a page puts around it: its number on the page, language, direction and mark in words."""

    number: int
    statement: Statement
    language: str
    direction: str
    mark: str


@dataclass(frozen=True, slots=True)
class Pages:
    """Makes the pages of one encyclopedia; with `search` each has a box that leads to the page of the script."""

    imprint: Imprint
    search: bool

    def article(self, article: SubjectArticle) -> str:
        """The page of one subject, a folder below the others."""
        sources = {source.zim_id: source for source in article.sources}
        languages = {one.number: _language(one, sources) for one in article.references}
        number = 0

        def shown(statements: Sequence[Statement]) -> list[Shown]:
            nonlocal number
            found = []
            for statement in statements:
                number += 1
                spoken = next((languages[n] for n in statement.references if languages.get(n)), "")
                found.append(Shown(number, statement, spoken, direction(spoken), MARKS.get(statement.status, "")))
            return found

        lead = shown(article.lead)
        sections = [(section.heading, shown(section.statements)) for section in article.sections]
        everything = [*lead, *(one for _, found in sections for one in found)]
        backs: dict[int, list[int]] = {one.number: [] for one in article.references}
        for one in everything:
            for n in one.statement.references:
                backs[n].append(one.number)
        main = Counter(languages.values()).most_common(1)
        spoken = main[0][0] if main else language_code(self.imprint.language)
        return self._page(
            "article.html",
            "../",
            article=article,
            lead=lead,
            sections=sections,
            references=[
                (
                    one,
                    " ".join(one.citation.quote.split()),
                    *_place(one, sources),
                    languages[one.number],
                    direction(languages[one.number]),
                    backs[one.number],
                )
                for one in article.references
            ],
            questions=_questions(everything),
            see_also=[(path_of(slug), title) for slug, title in article.see_also],
            credits=credited(article.sources),
            language=spoken,
            direction=direction(spoken),
        )

    def main(self, counts: Mapping[str, int], letters: Sequence[Letter], largest: Sequence[Listed]) -> str:
        """The first page: what this is, how much, by letter, and the subjects that most is known of."""
        return self._page("main.html", "", counts=counts, letters=letters, largest=largest, counted=counted)

    def letter(self, letter: Letter, part: int, listed: Sequence[Listed], letters: Sequence[Letter]) -> str:
        """Part `part`, from 1, of the subjects of a letter, a folder below the others."""
        return self._page("letter.html", "../", letter=letter, part=part, listed=listed, letters=letters)

    def sources(self, sources: Iterable[Source], used: Mapping[str, int]) -> str:
        """All archives that statements come from, with their licences and how often they are referred to."""
        ordered = sorted(sources, key=lambda one: (source_name(one), one.zim_id))
        told = [(name, told, counted(used[zim_id], "reference")) for name, told, zim_id in credited(ordered)]
        return self._page("sources.html", "", credits=told)

    def about(self) -> str:
        """How the statements were made and checked, and what the marks mean."""
        return self._page("about.html", "", marks=MARKS)

    def searching(self) -> str:
        """The page where the script shows what it finds."""
        return self._page("search.html", "")

    def _page(self, template: str, up: str, **values: Any) -> str:
        spoken = language_code(self.imprint.language)
        language = "" if spoken in ("mul", "und") else spoken
        values = {"language": language, "direction": direction(language)} | values
        page = _environment().get_template(template)
        return storable(page.render(imprint=self.imprint, search=self.search, up=up, path_of=path_of, **values))


def credited(sources: Iterable[Source]) -> list[tuple[str, list[tuple[str, str, str]], str]]:
    """Name of each archive, its (label, words, address) and its id; an address is one only where the words are."""
    return [
        (
            source_name(source),
            [(label, words, words if _ADDRESS.fullmatch(words) else "") for label, words in credit(source)],
            source.zim_id,
        )
        for source in sources
    ]


def direction(language: str) -> str:
    """`dir` of text in a language, by its code; what is not known is left to its first letter."""
    if not language:
        return "auto"
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"


def path_of(slug: str) -> str:
    """Where the page of an article lies."""
    return f"{slug[0]}/{slug}.html"


def asset(name: str) -> str:
    """The text of one of `ASSETS`."""
    return files("drzero.encyclopedia").joinpath("dress", name).read_text(encoding="utf-8")


def _place(reference: Reference, sources: Mapping[str, Source]) -> tuple[list[str], str, str]:
    """Titles from the article's to the heading's, the archive and its date, of the words of `reference`."""
    cited, source = reference.citation, sources.get(reference.citation.zim_id)
    titles = dict.fromkeys(clean_title(part) for part in (cited.title, *cited.heading) if clean_title(part))
    return list(titles), source_name(source) if source else cited.zim_id, clean_title(source.date) if source else ""


def _language(reference: Reference, sources: Mapping[str, Source]) -> str:
    source = sources.get(reference.citation.zim_id)
    found = language_code(source.language) if source else ""
    return "" if found in ("mul", "und") or (source and "," in source.language) else found


def _questions(shown: Iterable[Shown]) -> list[tuple[str, int, Shown]]:
    """The questions that the statements answer, each once with the number of the first statement that does."""
    first: dict[str, Shown] = {}
    for one in shown:
        if one.statement.question:
            first.setdefault(one.statement.question, one)
    return [(question, one.number, one) for question, one in first.items()]


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader

    folder = files("drzero.encyclopedia").joinpath("dress", "templates")
    environment = Environment(
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: without_steering(value) if type(value) is str else value,
    )
    environment.filters |= {"link": quote, "name": clean_title}
    return environment

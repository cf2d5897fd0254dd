"""An encyclopedia as Markdown for a wiki: a file for each article, an index, a page of sources and licences.

Articles lie in a folder for each letter that their file names begin with; all links are relative.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from drzero.encyclopedia.crediting import MARKS, credit, place_of, source_name
from drzero.encyclopedia.values import Imprint, Listed, Source, Statement, SubjectArticle
from drzero.text import clean_title, counted, storable, without_steering

LISTED_AT_ONCE = 1000  # subjects; of more the index is a page for each letter
_SIGNS = re.compile(r"([\\`*_\[\]<>|~$&^])")
_BEGINS = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+=:]|\d+(?=[.)]))")


def write_markdown(folder: Path, imprint: Imprint, articles: Iterable[SubjectArticle]) -> Counter[str]:
    """Write all pages into an empty `folder`, each article as it comes; how much it was by kind.

    The same articles give the same bytes.
    """
    counts: Counter[str] = Counter()
    listed: list[Listed] = []
    used: Counter[str] = Counter()
    sources: dict[str, Source] = {}
    for article in articles:
        _write(folder / _path(article.slug), article_page(article))
        line = Listed.of(article)
        listed.append(line)
        counts += Counter(subjects=1, statements=line.statements, references=len(article.references))
        sources |= {source.zim_id: source for source in article.sources}
        used.update(reference.citation.zim_id for reference in article.references)
    whole = len(listed) <= LISTED_AT_ONCE
    by_letter = [(letter, list(group)) for letter, group in groupby(sorted(listed, key=_index_order), key=_letter)]
    if not whole:
        for letter, group in by_letter:
            _write(folder / letter / "index.md", _letter_page(imprint, letter, group))
    _write(folder / "index.md", _index_page(imprint, by_letter, counts, whole=whole))
    _write(folder / "sources.md", _sources_page(imprint, list(sources.values()), used))
    return counts


def article_page(article: SubjectArticle) -> str:
    """One article as a page, two folders below whose links begin."""
    sources = {source.zim_id: source for source in article.sources}
    lines = [f"# {escaped(article.title)}", ""]
    if article.aliases:
        lines += [f"*Names that lead here: {escaped('; '.join(article.aliases))}.*", ""]
    if article.lead:
        lines += [*_paragraph(article.lead), ""]
    for section in article.sections:
        lines += [f"## {escaped(section.heading)}", ""]
        for statement in section.statements:
            lines += _item(statement)
        lines.append("")
    if article.see_also:
        lines += ["## See also", ""]
        lines += [f"- [{escaped(title)}](../{_link(slug)})" for slug, title in article.see_also]
        lines.append("")
    lines += ["## References", ""]
    for reference in article.references:
        cited = reference.citation
        words = escaped(" ".join(cited.quote.split()))
        place = f"characters {cited.start} to {cited.end} of {escaped(cited.path)}"
        lines.append(f"{reference.number}. “{words}” — {escaped(place_of(cited, sources))}; {place}")
    lines += ["", "## Sources and licences", "", *_credits(article.sources), ""]
    lines.append(f"Newest entry: {article.updated}. [All sources](../sources.md) · [Index](../index.md)")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """`text` as one line that Markdown shows as it is: no markup, no HTML, no list, no steering characters."""
    line = " ".join(without_steering(text).split())
    return _BEGINS.sub(_no_beginning, _SIGNS.sub(r"\\\1", line))


def _no_beginning(match: re.Match[str]) -> str:
    sign = match[2]
    return f"{match[1]}{sign}\\" if sign[0].isdigit() else f"{match[1]}\\{sign}"


def _item(statement: Statement) -> list[str]:
    first, *more = _shown(statement)
    return [f"- {first}", *(f"  {line}".rstrip() for line in more)]


def _paragraph(statements: Sequence[Statement]) -> Iterator[str]:
    for statement in statements:
        yield from _shown(statement)


def _shown(statement: Statement) -> list[str]:
    """A statement with its references and marks; one of several lines, such as code, as a block."""
    behind = "".join(f"[\\[{number}\\]](#references)" for number in statement.references)
    if statement.archives > 1:
        behind += f" *({statement.archives} archives say so independently)*"
    if statement.status in MARKS:
        behind += f" *({escaped(MARKS[statement.status])})*"
    lines = without_steering(statement.text).splitlines()
    if len(lines) < 2:
        return [f"{escaped(statement.text)} {behind}"]
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", statement.text)), default=0))
    return [fence, *lines, fence, "", behind]


def _credits(sources: Sequence[Source]) -> Iterator[str]:
    for source in sources:
        told = "; ".join(f"{label.lower()}: {escaped(words)}" for label, words in credit(source))
        yield f"- **{escaped(source_name(source))}** — {told}"


def _index_page(
    imprint: Imprint, by_letter: Sequence[tuple[str, Sequence[Listed]]], counts: Counter[str], *, whole: bool
) -> str:
    lines = [f"# {escaped(imprint.title)}", "", escaped(imprint.description), ""]
    lines += [
        f"{counted(counts['statements'], 'statement')}; the figure behind a subject is the number of its statements. "
        "[Sources and licences](sources.md)",
        "",
    ]
    for letter, group in by_letter:
        if whole:
            lines += [f"## {escaped(letter.upper())}", "", *(_line(one) for one in group), ""]
        else:
            lines.append(f"- [{escaped(letter.upper())}]({quote(letter)}/index.md) ({len(group):,})")
    lines += [*([] if whole else [""]), f"Newest entry: {imprint.date}."]
    return "\n".join(lines) + "\n"


def _letter_page(imprint: Imprint, letter: str, group: Sequence[Listed]) -> str:
    lines = [f"# {escaped(imprint.title)}: {escaped(letter.upper())}", "", *(_line(one, "../") for one in group)]
    return "\n".join([*lines, "", "[Index](../index.md)"]) + "\n"


def _sources_page(imprint: Imprint, sources: Sequence[Source], used: Counter[str]) -> str:
    lines = [f"# Sources of {escaped(imprint.title)}", ""]
    lines += ["Every sentence is supported by words of these archives, which keep their own licences.", ""]
    for source in sorted(sources, key=lambda one: (source_name(one), one.zim_id)):
        lines += [f"## {escaped(source_name(source))}", ""]
        lines += [f"- {label}: {escaped(words)}" for label, words in credit(source)]
        lines += [f"- {counted(used[source.zim_id], 'reference')}", ""]
    return "\n".join([*lines, "[Index](index.md)"]) + "\n"


def _line(one: Listed, up: str = "") -> str:
    return f"- [{escaped(one.title)}]({up}{_link(one.slug)}) ({one.statements})"


def _letter(one: Listed) -> str:
    return one.slug[0]


def _index_order(one: Listed) -> tuple[str, str, str]:
    return one.slug[0], clean_title(one.title).casefold(), one.slug


def _path(slug: str) -> str:
    return f"{slug[0]}/{slug}.md"


def _link(slug: str) -> str:
    return quote(_path(slug))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(storable(text), encoding="utf-8", newline="\n")

"""What a page says of itself: other names of its subject, and that it is no article but a signpost or a placeholder."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from drzero.corpus.noise import Element
from drzero.corpus.outline import fold
from drzero.text import words
from drzero.types import Section

_HATNOTE_CLASSES = frozenset(("hatnote", "dablink", "rellink"))
_REDIRECTS = re.compile(
    r"^(?P<names>[\"“'‘].{1,120}?[\"”'’])\s+(?:re-?directs?|are redirected|is redirected)(?: to)? here\b"
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{1,80})[\"”]")

# The names of the pages that only tell articles of one name apart, as Wikipedias in several languages form them.
_SIGNPOST_TITLE = re.compile(
    r"\((?:disambiguation|begriffsklärung|homonymie|desambiguación|desambiguação|disambigua|doorverwijspagina|значения"
    r"|значення|ujednoznacznienie|olika betydelser|flertydig|anlam ayrımı|曖昧さ回避|消歧义|消歧義|동음이의)\)$",
    re.I,
)
_SIGNPOST_LEAD = re.compile(
    r"^.{0,120}\b(?:may|can|could|might) (?:also |commonly |most commonly )?(?:refer|mean|stand)\b[^.]{0,60}:\s*$"
    r"|^.{0,120}\b(?:bezeichnet|steht für|kann sich beziehen auf|peut (?:faire référence|désigner)|puede referirse"
    r"|pode (?:referir-se|significar)|può (?:riferirsi|indicare))[^.]{0,60}:\s*$",
    re.I,
)
_SIGNPOST_CLASSES = frozenset(("disambig", "disambigbox", "dmbox-disambig", "mw-disambig-page"))
_SIGNPOST_IDS = frozenset(("disambig", "disambigbox", "setindexbox"))
_SIGNPOST_ITEM_CHARS = 160

# What stands where there is nothing to read.
_PLACEHOLDER_CHARS = 240
_PLACEHOLDER = re.compile(
    r"(?:error\s+)?(?:40[0-9]|410|50[0-9])\b(?:\W{0,4}(?:error|page|file))*\W{0,4}"
    r"(?:not found|forbidden|gone|internal server error|bad gateway|service unavailable)\b.*"
    r"|(?:error\s+)?40[34]\b\W*"
    r"|(?:the |this )?(?:requested )?(?:page|file|url|document)(?: you requested)?(?: /\S+)?"
    r" (?:(?:was|could) not (?:be )?found|not found|does not exist|is not available)\b.*"
    r"|(?:sorry|oops)\b.{0,60}\b(?:not found|doesn['’]t exist|does not exist|can(?:['’]t|not) (?:find|be found))\b.*"
    r"|this page (?:is (?:empty|blank|under construction)|has (?:been deleted|not been (?:written|translated)))\b.*"
    r"|this page (?:is |was )?intentionally left blank\W*"
    r"|(?:page |site |website )?(?:under construction|coming soon)\b.{0,80}"
    r"|(?:you (?:need to|must) )?(?:please )?(?:enable|have|turn on) javascript\b.*"
    r"|javascript (?:is|must be) (?:required|disabled|enabled)\b.*"
    r"|(?:(?:you are being )?redirecting|redirected|moved (?:permanently|temporarily)|loading)\b.{0,120}"
    r"|.{0,30}does not have an article with this exact name\b.*"
    r"|there is currently no text in this page\b.*",
    re.I | re.S,
)
_STUB_NOTICE = re.compile(r"\bis an? (?:[\w'’ -]{0,40} )?stub\b|class=\"[^\"]*\b(?:asbox|stub)\b")
_STUB_CHARS = 300
_LEAST_WORDS = 4
_LEAST_UNENDED_WORDS = 8  # of text without a full stop, such as the labels of a drawing that is left out
_ENDED = re.compile(r"[.!?。！？।؟։።၊။។:;)\]”\"’']\s*$", re.M)


def stated_aliases(tree: Element, text: str) -> tuple[str, ...]:
    """The names that a note above a MediaWiki article says lead to it: those in “X” and “Y” redirect here."""
    if "redirect" not in text:
        return ()
    found: dict[str, None] = {}
    for element in tree.iter("div", "dd", "i", "p"):
        if _HATNOTE_CLASSES.isdisjoint((element.get("class") or "").split()):
            continue
        if stated := _REDIRECTS.match(fold("".join(element.itertext()))):
            found |= dict.fromkeys(name.strip(" .,") for name in _QUOTED.findall(stated["names"]))
    return tuple(found)


_SOURCES = (  # where to look from, the address that follows, and whether it stands at the end of a page
    ("issued from", re.compile(r'href="(https?://[^"\s]+)"'), True),
    ("_attribution-p", re.compile(r'href="(https?://[^"\s]+)"[^<>]*_attribution-link'), True),
    ('rel="canonical"', re.compile(r'href="(https?://[^"\s]+)"'), False),
)
_EDGE_CHARS = 20_000
_SOURCE_CHARS = 1000


def stated_source(text: str) -> str:
    """The address, revision included where it is told, that a page names as the one it was taken from; "" for none.

    MediaWiki's footer comes first, then that of DevDocs, then the canonical link of the page's head.
    """
    for sign, address, at_end in _SOURCES:
        at = text.rfind(sign, max(0, len(text) - _EDGE_CHARS)) if at_end else text.find(sign, 0, _EDGE_CHARS)
        if at >= 0 and (found := address.search(text, at, at + _SOURCE_CHARS)):
            return html.unescape(found.group(1))
    return ""


def page_mark(tree: Element, text: str, title: str, sections: Sequence[Section], *, wiki: bool) -> str:
    """What a page is instead of an article with something to say; "" for an article.

    "disambiguation": it only tells articles of one name apart. "placeholder": it stands where nothing is to be read.
    "stub": fewer than four words, or a few without a full stop, or a page that calls itself a stub and has no more than
    a few lines. `text` is the page's source, `title` the title it is shown under.
    """
    if wiki and (_SIGNPOST_TITLE.search(title) or _has_signpost(tree, text) or _reads_as_signpost(sections)):
        return "disambiguation"
    if sum(len(section.text) for section in sections) > _STUB_CHARS:
        return ""
    whole = "\n".join(section.text for section in sections)
    if len(whole) <= _PLACEHOLDER_CHARS and _PLACEHOLDER.fullmatch(whole):
        return "placeholder"
    if sections and (_is_short(whole) or _STUB_NOTICE.search(text)):
        return "stub"
    return ""


def _is_short(text: str) -> bool:
    told = len(words(text))
    return told < _LEAST_WORDS or (told < _LEAST_UNENDED_WORDS and not _ENDED.search(text))


def _has_signpost(tree: Element, text: str) -> bool:
    if "disambig" not in text and "setindexbox" not in text:
        return False
    return any(
        element.get("id") in _SIGNPOST_IDS or not _SIGNPOST_CLASSES.isdisjoint((element.get("class") or "").split())
        for element in tree.iter("div", "table", "body")
    )


def _reads_as_signpost(sections: Sequence[Section]) -> bool:
    """A lead that ends in "may refer to:", and nothing but short items below it."""
    if not sections or sections[0].heading:
        return False
    first = sections[0].text.split("\n", 3)[:3]
    lead = next((number for number, line in enumerate(first) if _SIGNPOST_LEAD.match(line)), None)
    if lead is None:
        return False
    items = [line for section in sections for line in section.text.split("\n")][lead + 1 :]
    return sum(len(item) <= _SIGNPOST_ITEM_CHARS for item in items) >= 0.8 * len(items)

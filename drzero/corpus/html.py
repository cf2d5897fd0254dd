"""HTML → sections: the page's own text, without what surrounds it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from drzero.corpus.flow import HEADINGS, read_flow
from drzero.corpus.noise import Element
from drzero.corpus.outline import Outline
from drzero.corpus.walking import one_line
from drzero.text import clean_title
from drzero.types import Section

_LEFT_OUT = frozenset(("table of contents",))

# Lists of links and sources at the end of a MediaWiki article: no statements of its own.
_WIKI_LEFT_OUT = frozenset(
    (
        "table of contents", "contents", "references", "see also", "external links", "further reading",
        "footnotes", "citations", "external references", "additional references", "einzelnachweise",
        "weblinks", "siehe auch", "literatur", "références",
        "notes et références", "voir aussi", "liens externes", "referencias", "véase también", "enlaces externos",
        "note", "altri progetti", "collegamenti esterni", "voci correlate", "referências", "ver também",
        "ligações externas", "примечания", "ссылки", "см. также", "литература", "参考文献", "外部リンク",
        "脚注", "関連項目", "参考资料", "外部链接", "参见",
    )
)  # fmt: skip

_REFRESH = re.compile(r"^\s*([\d.]+)\s*[;,]\s*(?:url\s*=\s*)?[\"']?(.*?)[\"']?\s*$", re.I)
_SELF_CLOSED = re.compile(r"<(a|b|div|em|i|iframe|p|script|span|strong|style|td|textarea|th|title)(\s[^<>]*)?/>", re.I)
_CLOSED = re.compile(r"</(?:body|html)\s*>", re.I)  # lxml drops what stands behind a page closed too early
_MOVED_CHARS = 300


@dataclass(frozen=True, slots=True)
class Page:
    """What a page holds. `title` is its own heading or title, "" when it has none.

    `moved_to` is the address that a page without text of its own sends the reader to. `aliases` are other names of
    its subject that it states; `mark` says what it is instead of an article: "disambiguation" or "placeholder".
    """

    title: str
    sections: tuple[Section, ...]
    moved_to: str = ""
    aliases: tuple[str, ...] = ()
    mark: str = ""


def read_html(text: str, *, title: str = "", xhtml: bool = False, furniture: frozenset[str] = frozenset()) -> Page:
    """Read a page without the lines in `furniture`. `title` is the entry's, which is not repeated as a heading."""
    tree = _parse(text, xhtml=xhtml)
    if tree is None:
        return Page("", ())
    roots = _roots(tree)
    likeliest = next(roots)
    own_title = _own_title(tree, wiki=likeliest[1])
    moved_to = _refresh_target(tree)
    sections: tuple[Section, ...] = ()
    for root, wiki in chain((likeliest,), roots):
        left_out = _WIKI_LEFT_OUT if wiki else _LEFT_OUT
        outline = Outline(title or own_title, left_out=left_out, furniture=furniture)
        read_flow(root, outline, wiki=wiki, title=title or own_title)
        if sections := outline.sections():
            break
    if moved_to and sum(len(section.text) for section in sections) <= _MOVED_CHARS:
        return Page(own_title, (), moved_to)
    return Page(own_title, sections)


def _parse(text: str, *, xhtml: bool) -> Element | None:
    from lxml import etree

    if xhtml or text.lstrip()[:5] == "<?xml":
        text = _SELF_CLOSED.sub(r"<\1\2></\1>", text)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_pis=True)
    raw = _CLOSED.sub("", text.replace("\0", "")).encode("utf-8", "replace")
    tree = etree.fromstring(raw, parser) if raw.strip() else None
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        tree = etree.fromstring(_flattened(text).encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8"))
    return tree


def _flattened(text: str) -> str:
    """A page nested too deeply for lxml (it drops what lies below 2,048 levels), as headings and paragraphs."""
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString

    lines = []
    soup = BeautifulSoup(text, "html.parser")
    for node in soup.descendants:
        if type(node) is not NavigableString or not node.strip() or node.parent is None:
            continue
        name = node.parent.name
        if name not in ("script", "style", "noscript", "title", "textarea"):
            tag = name if name in HEADINGS or name == "pre" else "p"
            lines.append(f"<{tag}>{html.escape(str(node))}</{tag}>")
    return f"<body>{''.join(lines)}</body>"


def _own_title(tree: Element, *, wiki: bool) -> str:
    for path in ("//h1", "//head/title", "//title[not(ancestor::svg)]"):
        for element in tree.xpath(path):
            if title := clean_title(one_line(element, wiki=wiki, between=" ")):
                return title
    return ""


def _refresh_target(tree: Element) -> str:
    for meta in tree.iter("meta"):
        if (meta.get("http-equiv") or "").lower() == "refresh" and (found := _REFRESH.match(meta.get("content") or "")):
            return found.group(2)
    return ""


def _roots(tree: Element) -> Iterator[tuple[Element, bool]]:
    """Where the text of the page may lie, the likeliest first, and whether MediaWiki made it."""
    for path in ("//*[@id='mw-content-text']", "//*[contains(concat(' ',@class,' '),' mw-parser-output ')]"):
        for root in tree.xpath(path)[:1]:
            yield root, True
    for path in (
        "//main[contains(@class,'_content')]//*[contains(concat(' ',@class,' '),' _page ')]",
        "//*[@id='mainbar']",
        "//*[@id='answers' and preceding-sibling::*[@id='question']]/..",
        "//*[@role='main']",
        "//main",
        "//article",
    ):
        found = tree.xpath(path)
        if len(found) == 1:
            yield found[0], False
    yield tree, False

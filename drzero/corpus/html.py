"""HTML → sections: the page's own text, without what surrounds it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from drzero.corpus.flow import HEADINGS, read_flow
from drzero.corpus.marks import page_mark, stated_aliases, stated_source
from drzero.corpus.noise import Element, Noise, tells_noise
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

_WIKI_BOOKS = frozenset(
    ("bibliography", "sources", "works cited", "literature", "reference literature", "general references",
     "references cited", "secondary sources", "primary sources", "cited sources", "bibliographie", "bibliografie",
     "bibliografía", "bibliografia", "quellen", "fuentes", "fonti", "источники", "библиография")
)  # fmt: skip

_REFRESH = re.compile(r"^\s*([\d.]+)\s*[;,]\s*(?:url\s*=\s*)?[\"']?(.*?)[\"']?\s*$", re.I)
_SELF_CLOSED = re.compile(r"<(a|b|div|em|i|iframe|p|script|span|strong|style|td|textarea|th|title)(\s[^<>]*)?/>", re.I)
_CLOSED = re.compile(rb"</(?:body|html)\s*>", re.I)
_ENDS_WELL = re.compile(rb"</body>\s*</html>\s*\Z")
_COLOURED_CODE = re.compile(
    rb"(<pre\b[^<>]*+>)([^<]*+(?:<(?:/span|span(?:\s(?:class|id)=\"[^\"<>]*+\")*+)\s*+>[^<]*+)++)(?=</pre>)"
)
_HEADING_MARK = re.compile(rb'<a class="headerlink"[^<>]*>[^<]*</a>')  # of Sphinx, as is the next
_WRAPPED = re.compile(rb'<span class="pre">([^<]*)</span>')
_TAG = re.compile(rb"<[^>]*>")
_NAMES = re.compile(rb"=\"([^\"]*)\"")
_HEAD_BYTES = 100_000  # where the part of a page that holds its text has begun
_MOVED_CHARS = 300
_MAIN_TAGS = tuple((tag, re.compile(rf"<{tag}[\s>]".encode())) for tag in ("main", "article"))


@dataclass(frozen=True, slots=True)
class Page:
    """What a page holds. `title` is its own heading or title, "" when it has none.

    `moved_to` is the address that a page without text of its own sends the reader to, `aliases` are other names of its
    subject that it states, `source` the address it was taken from, and `mark` says what it is instead of an article:
    "disambiguation", "placeholder" or "stub".
    """

    title: str
    sections: tuple[Section, ...]
    moved_to: str = ""
    aliases: tuple[str, ...] = ()
    mark: str = ""
    source: str = ""


def read_html(text: str, *, title: str = "", xhtml: bool = False, furniture: frozenset[str] = frozenset()) -> Page:
    """Read a page without the lines in `furniture`. `title` is the entry's, which is not repeated as a heading."""
    source = _source(text, xhtml=xhtml)
    tree = _parse(source)
    if tree is None:
        return Page("", ())
    roots = _roots(tree, source)
    likeliest = next(roots)
    drawings = _has_named_drawings(source)
    noise = Noise(wiki=likeliest[1], drawings=drawings)
    own_title = _own_title(tree, likeliest[0], noise)
    moved_to = _refresh_target(tree) if b"efresh" in source or b"EFRESH" in source else ""
    sections: tuple[Section, ...] = ()
    for root, wiki in chain((likeliest,), roots):
        if wiki != noise.wiki:
            noise = Noise(wiki=wiki, drawings=drawings)
        left_out = _WIKI_LEFT_OUT if wiki else _LEFT_OUT
        books = _WIKI_BOOKS if wiki else frozenset()
        outline = Outline(title or own_title, left_out=left_out, books=books, furniture=furniture)
        read_flow(root, outline, noise, title=title or own_title)
        if sections := outline.sections():
            break
    if moved_to and sum(len(section.text) for section in sections) <= _MOVED_CHARS:
        return Page(own_title, (), moved_to)
    aliases = stated_aliases(tree, text) if noise.wiki else ()
    mark = page_mark(tree, text, title or own_title, sections, wiki=noise.wiki)
    return Page(own_title, sections, aliases=aliases, mark=mark, source=stated_source(text))


def _source(text: str, *, xhtml: bool) -> bytes:
    """What is given to the parser. All signs are sought in it: in a text that has a “ in it that takes far longer."""
    if xhtml or text[:100].lstrip().startswith("<?xml"):
        text = _SELF_CLOSED.sub(r"<\1\2></\1>", text)
    source = text.encode("utf-8", "replace").replace(b"\0", b"")
    if b"<pre" in source:
        source = _COLOURED_CODE.sub(_without_colours, source)
    if b"headerlink" in source or b'"pre"' in source:
        source = b"".join(_WRAPPED.split(b"".join(_HEADING_MARK.split(source))))  # far quicker than `sub` with a group
    bodies, pages = source.count(b"</body"), source.count(b"</html")
    if bodies != 1 or pages != 1 or not _ENDS_WELL.search(source, source.find(b"</body")):
        source = _CLOSED.sub(b"", source)  # lxml drops what stands behind a page closed too early
    return source


def _parse(source: bytes) -> Element | None:
    from lxml import etree

    if not source or source.isspace():
        return None
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_pis=True)
    try:
        tree = etree.fromstring(source, parser)
    except etree.XMLSyntaxError as error:
        if getattr(error, "code", 0) == etree.ErrorTypes.ERR_NO_MEMORY:  # in words, lxml calls it an unknown error
            raise MemoryError("a page does not fit into memory") from error
        raise
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        tree = etree.fromstring(_flattened(source), etree.HTMLParser(encoding="utf-8"))
    return tree


def _without_colours(code: re.Match[bytes]) -> bytes:
    """Code without the spans that colour it: on a page of documentation they are half of all elements."""
    opening, content = code.groups()
    if tells_noise(name for names in set(_NAMES.findall(content)) for name in names.decode().split()):
        return code.group()
    return bytes(opening + b"".join(_TAG.split(content)))


def _flattened(source: bytes) -> bytes:
    """A page nested too deeply for lxml (it drops what lies below 2,048 levels), as headings and paragraphs."""
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString

    lines = []
    soup = BeautifulSoup(source.decode(), "html.parser")
    for node in soup.descendants:
        if type(node) is not NavigableString or not node.strip() or node.parent is None:
            continue
        name = node.parent.name
        if name not in ("script", "style", "noscript", "title", "textarea"):
            tag = name if name in HEADINGS or name == "pre" else "p"
            lines.append(f"<{tag}>{html.escape(str(node))}</{tag}>")
    return f"<body>{''.join(lines)}</body>".encode()


def _own_title(tree: Element, root: Element, noise: Noise) -> str:
    """The first heading of the part that holds the text, else the page's title, else a heading around, which may be the
    site's.
    """
    for place, tag in ((tree if noise.wiki else root, "h1"), (tree, "title"), (tree, "h1")):
        for element in _tagged(place, tag):
            if tag == "title" and next(element.iterancestors("svg"), None) is not None:
                continue
            if title := clean_title(one_line(element, noise, between=" ")):
                return title
    return ""


def _refresh_target(tree: Element) -> str:
    for meta in tree.iter("meta"):
        if (meta.get("http-equiv") or "").lower() == "refresh" and (found := _REFRESH.match(meta.get("content") or "")):
            return found.group(2)
    return ""


def _has_named_drawings(source: bytes) -> bool:
    """Whether a drawing, or a button that shows one, may stand behind a paragraph that names it."""
    drawing = max(source.rfind(b"svg"), source.rfind(b"data-toggle"))
    return drawing >= 0 and source.find(b"<p", 0, drawing) >= 0


def _roots(tree: Element, source: bytes) -> Iterator[tuple[Element, bool]]:
    """Where the text of the page may lie, the likeliest first, and whether MediaWiki made it.

    The page's `source` tells what is worth looking for: a search of the whole tree costs a tenth of its reading.
    """
    head = source[:_HEAD_BYTES]
    if (
        b"mw-content-text" in head
        and (found := _first(tree, lambda one: one.get("id") == "mw-content-text")) is not None
    ):
        yield found, True
    if (
        b"mw-parser-output" in head
        and (found := _first(tree, lambda one: _has_class(one, "mw-parser-output"))) is not None
    ):
        yield found, True
    if b"<main" in head and b"_page" in head:
        pages = [page for main in tree.iter("main") for page in main.iterchildren("div") if _has_class(page, "_page")]
        if len(pages) == 1:
            yield pages[0], False
    if b'id="mainbar"' in head and (found := _first(tree, lambda one: one.get("id") == "mainbar")) is not None:
        yield found, False
    if (
        b'id="question"' in head
        and b'id="answers"' in source
        and (found := _first(tree, lambda one: one.get("id") == "question")) is not None
    ):
        yield found.getparent(), False
    if source.count(b'role="main"') == 1 and (found := _first(tree, lambda one: one.get("role") == "main")) is not None:
        yield found, False
    main, article = (
        next(_tagged(tree, tag), None) if len(opening.findall(source)) == 1 else None for tag, opening in _MAIN_TAGS
    )
    if main is not None:
        yield main, False
    if article is not None and 2 * _text_chars(article) >= _text_chars(tree):
        yield article, False
    yield tree, False


def _text_chars(element: Element) -> int:
    """How much running text there is, roughly: what stands in lists within lists counts twice."""
    return sum(len("".join(block.itertext())) for block in element.iter("p", "li", "pre", "td", "dd"))


def _tagged(tree: Element, tag: str) -> Iterator[Element]:
    """The elements of that tag, none sought before it is asked for: `iter(tag)` of lxml always seeks one ahead."""
    return (element for element in tree.iter("*") if element.tag == tag)


def _first(tree: Element, wanted: Callable[[Element], bool]) -> Element | None:
    return next((element for element in tree.iter("div", "main", "section", "article") if wanted(element)), None)


def _has_class(element: Element, name: str) -> bool:
    return name in (element.get("class") or "").split()

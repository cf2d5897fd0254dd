"""Which parts of a page are not its text: scripts, menus, footnote marks, edit links, hidden doubles, footers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from drzero.corpus.outline import fold

Element = Any  # lxml.etree._Element, which the stubs do not export


def names(text: str) -> frozenset[str]:
    """The words of `text` as a set."""
    return frozenset(text.split())


_TAGS = names(
    "script style noscript template svg canvas iframe object embed audio video map title meta link nav footer button "
    "input select textarea datalist dialog frameset applet progress meter rt rp devdocs-navbar"
)
_CLASSES = names(
    "headerlink anchor-link sphinxsidebar toctree-l2 toctree-l3 toctree-l4 contents toc toc-mobile "
    "table-of-contents indextable genindextable modindextable genindex-jumpbox modindex-jumpbox "
    "linenos linenodiv lineno copybutton copybtn "
    "breadcrumb breadcrumbs pagination skip-link sr-only visually-hidden screen-reader-text _attribution zim-footer "
    "MathJax MathJax_Preview MathJax_Display MJX_Assistive_MathML katex-html cookie-banner navbar navigation "
    "footnote-reference footnote-ref footnote-backref fn-backref fn-bracket backrefs footer site-footer page-footer "
    "votecell post-taglist post-signature js-vote-count left-sidebar s-topbar js-post-comments-component comments-list"
)
_POST_CLASSES = names("reputation tags author comments closed-banner")  # what stands beside the body of a post
_WIKI_CLASSES = names(
    "reference mw-ref mw-editsection mw-editsection-like mw-cite-backlink mw-references-wrap mw-references references "
    "reflist refbegin navbox navbox-styles vertical-navbox sidebar navbar hatnote dablink rellink noprint metadata "
    "ambox asbox stub mbox-small side-box sistersitebox portal portalbox authority-control catlinks printfooter "
    "mw-jump-link mw-empty-elt shortdescription geo-nondefault geo-multi-punct sortkey Z3988 "
    "cs1-maint cs1-hidden-error error mw-collapsible-toggle mw-indicators mw-kartographer-maplink "
    "Inline-Template mw-headline-anchor mw-linkback-text toctitle ext-audiobutton"
)
_IDS = frozenset(("toc", "catlinks", "siteSub", "contentSub", "jump-to-nav", "mw-navigation", "left-sidebar"))
_HEADINGS = names("h1 h2 h3 h4 h5 h6")
_ROLES = frozenset(("navigation", "search", "banner", "contentinfo", "menu", "menubar", "toolbar", "tablist"))
_LOOKED_AT = names("header img math sub sup")
FORMULA_CLASSES = frozenset(("mwe-math-element", "katex", "katex-display"))
_OTHER_CLASSES = (
    _CLASSES
    | _POST_CLASSES
    | FORMULA_CLASSES
    | names("brackets label haudio external anchor doc-anchor permalink hash-link src")
)
_TELLING_NAMES = _OTHER_CLASSES | _WIKI_CLASSES | _IDS
_TELLING = frozenset(("style", "role", "hidden", "aria-hidden", "aria-label", "title", "id"))
_LISTS_OF_SOURCES = names("mw-references-wrap mw-references references reflist")
_STROKES = re.compile(r"\s*(?:[|•·»«^→←]|>>|<<|&gt;&gt;)\s*|\s[-–—]\s")
_PAGES_OF_A_BOOK = re.compile(r"[^|.!?]{1,40}\|[^|.!?]{1,40}\|[^|.!?]{1,40}")  # contents, the page before, the next
_PLACE_SIGNS = frozenset("§¶#🔗")
_MENU_CHARS = 200
_NAME_CHARS = 60
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_FOLDING = re.compile(r"collaps|navcontent|tab|panel|accordion|toggle|spoiler|mf-section", re.I)
_FOOTER_STYLE = re.compile(r"clear\s*:\s*both;.*border-top\s*:\s*dashed", re.I)
_MARK = re.compile(r"(?:\^?\[[^\[\]]{1,40}\]\s*)+")
_POINTER = re.compile(r"\s*(?:Main articles?|See also|Further information|Further reading):", re.I)
_NAME = re.compile(r"[\w-]+:")
_INLINE = frozenset(("span", "i", "a", "sup", "b", "em", "small"))

# Footnote marks written out: behind the end of a phrase, never an index such as a[0] or an interval such as [1.3-1.7].
_WRITTEN_MARK = re.compile(
    r"(?<=[.,;:!?])(?P<quote>[\"”’')»]?)(?:\[(?:\d{1,3}|[a-z]|(?:note|nb|n) \d{1,3})\])+(?![\w(\[])"
    r"|(?<=[a-z]\.):\d{1,4}(?:[,:–-]\d{1,4})*(?!\w)"  # the pages behind a footnote mark
    r"|\[(?:(?:citation|better source|clarification|verification|page|disambiguation|quotation) needed"
    r"|update|edit|vague|(?:when|who|where|which|why|how|by whom|according to whom|original research)\?"
    r"|unreliable source\?|not in citation given|failed verification|dead link|dubious(?: – discuss)?)\]"
)


def without_marks(text: str) -> str:
    """`text` without footnote marks and editors' notes that are written out, such as [3] behind a full stop."""
    if "[" not in text and ".:" not in text:
        return text
    previous = None
    while previous != text:
        previous, text = text, _WRITTEN_MARK.sub(lambda match: match["quote"] or "", text)
    return text


def _tells(name: str, value: str, tag: str) -> bool:
    """Whether an attribute of one of the `_TELLING` names tells anything of an element."""
    if name == "id":
        return _is_noisy_id(value, tag) or (tag == "li" and value.startswith("cite_note"))
    return name != "title" or tag == "span"


def _is_noisy_id(ident: str, tag: str) -> bool:
    if ident in _IDS:
        return tag not in _HEADINGS  # a heading may be the anchor of a list of contents
    return tag == "span" and ident.startswith("endnote_")


def tells_noise(class_names: Iterable[str]) -> bool:
    """Whether any of these classes or ids says of an element that it may be noise, or a formula."""
    return not _TELLING_NAMES.isdisjoint(class_names)


class Noise:
    """What of a page is not its text. `wiki` adds what is noise on MediaWiki pages only.

    Most elements are told by tag and class alone, and these repeat: each pair is thought about once a page. Without
    `drawings` the page has neither drawings nor buttons, whose labels would have to be looked for.
    """

    __slots__ = ("_drawings", "_suspects", "wiki")

    def __init__(self, *, wiki: bool, drawings: bool = True) -> None:
        self.wiki = wiki
        self._drawings = drawings
        self._suspects: dict[tuple[str, str | None], bool] = {}

    def suspects(self, element: Element, tag: str) -> bool:
        """Whether `element` may be anything but plain text and has to be looked at."""
        class_names = None
        for name, value in element.items():
            if name == "class":
                class_names = value
            elif name in _TELLING and _tells(name, value, tag):
                return True
        try:
            return self._suspects[tag, class_names]
        except KeyError:
            return self._learn(tag, class_names)

    def drops(self, element: Element) -> bool:
        """Whether `element` is to be left out with all it holds."""
        return self.suspects(element, element.tag) and _is_noise(element, wiki=self.wiki)

    def _learn(self, tag: str, class_names: str | None) -> bool:
        classes = (class_names or "").split()
        look = self._suspects[tag, class_names] = (
            tag in _TAGS
            or tag in _LOOKED_AT
            or (tag == "p" and self._drawings)
            or (self.wiki and tag in ("em", "i", "p"))
            or not _OTHER_CLASSES.isdisjoint(classes)
            or (self.wiki and not _WIKI_CLASSES.isdisjoint(classes))
        )
        return look


def _is_noise(element: Element, *, wiki: bool) -> bool:
    tag = element.tag
    if tag in _TAGS:
        return tag != "footer" or element.getparent() is None or element.getparent().tag != "blockquote"
    class_names = element.get("class")
    if class_names and _is_noisy_class(class_names.split(), element, wiki=wiki):
        return True
    style = element.get("style")
    if style:
        if _HIDING.search(style) and (tag in _INLINE or not (class_names and _FOLDING.search(class_names))):
            return True
        if wiki and tag == "div" and _FOOTER_STYLE.search(style):
            return True
    if _is_noisy_id(element.get("id") or "", tag) or element.get("role") in _ROLES:
        return True
    if element.get("hidden") not in (None, "until-found"):
        return True
    if tag in _INLINE and element.get("aria-hidden") == "true":
        return True
    return _is_noisy_tag(element, tag, wiki=wiki)


def _is_noisy_tag(element: Element, tag: str, *, wiki: bool) -> bool:
    if tag == "sup":
        return bool(_MARK.fullmatch("".join(element.xpath(".//text()[not(parent::style)]")).strip()))
    if tag == "p":
        return (wiki and _is_row_of_links(element)) or _labels_a_drawing(element)
    if tag == "li":
        return _is_source(element)
    if tag == "a":
        return not len(element) and _is_mere_link(element, wiki=wiki)
    if wiki and tag in ("em", "i"):
        return _is_pointer(element)
    if tag == "header":
        return _is_menu(element)
    return False


def _is_mere_link(link: Element, *, wiki: bool) -> bool:
    """True for a link to the very place, to the source of a program, or to where a rating was taken from."""
    text = (link.text or "").strip()
    if text == "Source":
        return "src" in (link.get("class") or "").split()
    return text in _PLACE_SIGNS or (wiki and text == "link")


def _is_noisy_class(classes: list[str], element: Element, *, wiki: bool) -> bool:
    if not _CLASSES.isdisjoint(classes) and not ("contents" in classes and "topic" not in classes):
        return True
    if wiki and not _WIKI_CLASSES.isdisjoint(classes):
        return _LISTS_OF_SOURCES.isdisjoint(classes) or not _holds_notes(element)
    if not _POST_CLASSES.isdisjoint(classes) and _is_part_of_post(element.getparent()):
        return True
    if element.tag not in _INLINE:
        return element.tag == "tr" and "haudio" in classes  # a player; an album's whole box has the class as well
    return "brackets" in classes or ("label" in classes and _is_footnote(element.getparent()))


def _holds_notes(element: Element) -> bool:
    """True for a list of the author's notes, which MediaWiki keeps apart from the sources by a group."""
    return bool(element.xpath("boolean(descendant-or-self::ol[@data-mw-group])"))


def _is_source(item: Element) -> bool:
    """True for a note that is a source after all."""
    return (item.get("id") or "").startswith("cite_note") and item.find(".//cite") is not None


def _is_row_of_links(element: Element) -> bool:
    """True for a paragraph that only leads to other pages: names between strokes, all of them links or nearly all."""
    if len(element.text or "") > _NAME_CHARS or any(len(inner.tail or "") > _NAME_CHARS for inner in element):
        return False
    links = {name for link in element.iter("a") for name in _names_in("".join(link.itertext()))}
    text = fold("".join(element.itertext())) if links else ""
    if not _STROKES.search(text) or len(text) > _MENU_CHARS:
        return False
    names_in_it = _names_in(text)
    linked = sum(name in links for name in names_in_it)
    return linked >= max(1, len(names_in_it) - 1) or (linked > 0 and _PAGES_OF_A_BOOK.fullmatch(text) is not None)


def _names_in(text: str) -> list[str]:
    return [bare for name in _STROKES.split(fold(text)) if (bare := name.strip("() "))]


def _is_part_of_post(element: Element | None) -> bool:
    return element is not None and not {"post", "post-container"}.isdisjoint((element.get("class") or "").split())


def _is_footnote(element: Element | None) -> bool:
    return element is not None and "footnote" in (element.get("class") or "").split()


def _is_pointer(element: Element) -> bool:
    """True for "Main article: …" at the beginning of a paragraph."""
    first = element.getprevious() is None and not (element.getparent().text or "").strip()
    return first and bool(_POINTER.match("".join(element.itertext())))


def _labels_a_drawing(paragraph: Element) -> bool:
    """True for the name of a drawing that is left out, or of a part that a button shows and hides."""
    last = paragraph[-1] if len(paragraph) else None
    if last is not None and last.tag == "button" and last.get("data-toggle"):
        return True
    drawing = paragraph.getnext()
    if drawing is None or drawing.tag not in ("div", "figure", "svg"):
        return False
    if not _NAME.fullmatch("".join(paragraph.itertext()).strip()) or not any(True for _ in drawing.iter("{*}svg")):
        return False
    return not "".join(drawing.xpath(".//text()[not(ancestor-or-self::*[local-name()='svg'])]")).strip()


def _is_menu(header: Element) -> bool:
    """True for a page header without a heading of its own: a logo, a search box, a row of links."""
    return not any(True for _ in header.iter("h1", "h2", "h3")) or any(True for _ in header.iter("nav", "form"))

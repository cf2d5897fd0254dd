"""Which parts of a page are not its text: scripts, menus, footnote marks, edit links, hidden doubles, footers."""

from __future__ import annotations

import re
from typing import Any

Element = Any  # lxml.etree._Element, which the stubs do not export


def names(text: str) -> frozenset[str]:
    """The words of `text` as a set."""
    return frozenset(text.split())


_TAGS = names(
    "script style noscript template svg canvas iframe object embed audio video map head meta link nav footer button "
    "input select textarea datalist dialog frameset applet progress meter rt rp devdocs-navbar"
)
_CLASSES = names(
    "headerlink anchor-link sphinxsidebar toctree-wrapper contents toc toc-mobile table-of-contents indextable "
    "genindextable modindextable genindex-jumpbox modindex-jumpbox linenos linenodiv lineno copybutton copybtn "
    "breadcrumb breadcrumbs pagination skip-link sr-only visually-hidden screen-reader-text _attribution zim-footer "
    "MathJax MathJax_Preview MathJax_Display MJX_Assistive_MathML katex-html cookie-banner navbar navigation "
    "footnote-reference footnote-ref footnote-backref fn-backref fn-bracket brackets footer site-footer page-footer "
    "votecell post-taglist post-signature js-vote-count left-sidebar s-topbar"
)
_WIKI_CLASSES = names(
    "reference mw-ref mw-editsection mw-editsection-like mw-cite-backlink mw-references-wrap mw-references references "
    "reflist refbegin navbox navbox-styles vertical-navbox sidebar navbar hatnote dablink rellink noprint metadata "
    "ambox mbox-small side-box sistersitebox portal portalbox authority-control catlinks printfooter mw-jump-link "
    "mw-empty-elt shortdescription geo-nondefault geo-multi-punct sortkey datasortkey Z3988 cs1-maint cs1-hidden-error "
    "error mw-collapsible-toggle mw-indicators mw-kartographer-maplink Inline-Template mw-headline-anchor "
    "mw-linkback-text toctitle"
)
_IDS = frozenset(("toc", "catlinks", "siteSub", "contentSub", "jump-to-nav", "mw-navigation", "left-sidebar"))
_ROLES = frozenset(("navigation", "search", "banner", "contentinfo", "menu", "menubar", "toolbar", "tablist"))
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_FOLDING = re.compile(r"collaps|navcontent|tab|panel|accordion|toggle|spoiler|mf-section", re.I)
_FOOTER_STYLE = re.compile(r"clear\s*:\s*both;.*border-top\s*:\s*dashed", re.I)
_MARK = re.compile(r"(?:\[[^\[\]]{1,40}\]\s*)+")
_INLINE = frozenset(("span", "i", "a", "sup", "b", "em", "small"))

# Footnote marks written out: behind the end of a phrase, never an index such as a[0] or an interval such as [1.3-1.7].
_WRITTEN_MARK = re.compile(
    r"(?<=[.,;:!?])(?P<quote>[\"”’')»]?)(?:\[(?:\d{1,3}|[a-z]|(?:note|nb|n) \d{1,3})\])+(?![\w(\[])"
    r"|\[(?:citation needed|better source needed|clarification needed|when\?|who\?|according to whom\?|edit)\]"
)


def without_marks(text: str) -> str:
    """`text` without footnote marks and editors' notes that are written out, such as [3] behind a full stop."""
    if "[" not in text:
        return text
    previous = None
    while previous != text:
        previous, text = text, _WRITTEN_MARK.sub(lambda match: match["quote"] or "", text)
    return text


def is_noise(element: Element, *, wiki: bool) -> bool:
    """True for an element to be left out with all it holds. `wiki` adds what is noise on MediaWiki pages only."""
    tag = element.tag
    if tag in _TAGS:
        return tag != "footer" or element.getparent() is None or element.getparent().tag != "blockquote"
    class_names = element.get("class")
    if class_names:
        classes = class_names.split()
        if not _CLASSES.isdisjoint(classes) and not ("contents" in classes and "topic" not in classes):
            return True
        if wiki and not _WIKI_CLASSES.isdisjoint(classes):
            return True
    style = element.get("style")
    if style:
        if _HIDING.search(style) and (tag in _INLINE or not (class_names and _FOLDING.search(class_names))):
            return True
        if wiki and tag == "div" and _FOOTER_STYLE.search(style):
            return True
    if element.get("id") in _IDS or element.get("role") in _ROLES:
        return True
    if element.get("hidden") not in (None, "until-found"):
        return True
    if tag in _INLINE and element.get("aria-hidden") == "true":
        return True
    if tag == "sup":
        return bool(_MARK.fullmatch("".join(element.itertext()).strip()))
    if tag == "header":
        return _is_menu(element)
    return False


def _is_menu(header: Element) -> bool:
    """True for a page header without a heading of its own: a logo, a search box, a row of links."""
    return not any(True for _ in header.iter("h1", "h2", "h3")) or any(True for _ in header.iter("nav", "form"))

"""A walk over the text of a page in reading order, noise left out, however deeply it is nested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from drzero.corpus.noise import FORMULA_CLASSES, Element, Noise, names, without_marks
from drzero.corpus.outline import fold

TEXT, OPEN, CLOSE = "text", "open", "close"

CODE_TAGS = frozenset(("pre", "code", "tt", "kbd", "samp", "var"))
BLOCKS = names(
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol option p pre poem section summary table tbody "
    "td tfoot th thead tr ul"
)
_TOLD = BLOCKS | {"q"}
_FORMULA_IMAGES = frozenset(("mwe-math-fallback-image-inline", "mwe-math-fallback-image-display", "tex", "math"))
_SUPERSCRIPT = str.maketrans("0123456789-−+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺")
_SUBSCRIPT = str.maketrans("0123456789-−+", "₀₁₂₃₄₅₆₇₈₉₋₋₊")
_POWER = re.compile(r"[-−+]?\d{1,4}")
_VARIABLE_POWER = re.compile(r"[-−+]?\d*[A-Zijkmnpqxyz](?:[-−+]\d+)?")
_RAISED = re.compile(r"(?<![^\W_])[^\W\d_]$|[\d)\]]$")  # what a power stands behind: a variable, a number, a bracket
_NUMERAL = re.compile(r"(?<![^\W_])\d[\dA-Fa-f]*$")
_CLOSING = ".,;:!?)"
_MARKS = frozenset(("a", "sup", "span"))
_RATING = re.compile(r"[\d.,½]+(?:/| out of )\d+ stars?", re.I)
_STAR = re.compile(r"\bstar_(full|half|empty)\b", re.I)
_LONG_WORD = re.compile(r"[^\W\d_]{4,}$")
_SQUARED = names(
    "mile miles foot feet inch inches yard yards acre acres metre metres meter meters kilometre kilometres kilometer "
    "kilometers centimetre centimetres centimeter centimeters second seconds sinh cosh tanh sech csch coth"
)
_MARK_CLASSES = frozenset(("reference", "mw-ref"))
_PAGES = re.compile(r"^(?::\s?)?\d{1,4}(?:[–-]\d{1,4}|,\s?\d{1,4}\b|,?\s?§+\s?[\d.,–-]*\d)*(?=[\s.,;)]|$)")
_STYLE_WRAPPER = re.compile(r"^\{\s*\\(?:display|text|script)style\s*(.*)\}$", re.S)


class Walk:
    """Iterates over `root` as pairs: ("text", str) and, for blocks and `q`, ("open", element) and ("close", element).

    A block that the page shows within the line is no block here, but for list items.

    Call `skip()` upon an "open" to leave out what the element holds; its "close" still comes.
    """

    def __init__(self, root: Element, noise: Noise) -> None:
        from lxml import etree

        self._root = root
        self._noise = noise
        self._skip = False
        self._events = etree.iterwalk(root, events=("start", "end", "comment"))
        self._muted = False  # between the comments by which MediaWiki scrapers mark what is not to be indexed
        self._gone: Element | None = None  # the element left out
        self._inline: set[Element] = set()  # open blocks that the page shows within the line
        self._pieces: list[str] = []  # of the text since the last block began or ended

    def skip(self) -> None:
        """Leave out the element just opened."""
        self._skip = True

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        root, suspects, pieces, inline = self._root, self._noise.suspects, self._pieces, self._inline
        code_depth = 0
        for event, element in self._events:
            tag = element.tag
            if event == "start":
                if (self._muted or suspects(element, tag)) and self._leaves_out(element, tag):
                    continue
                code_depth += tag in CODE_TAGS
                told, text = tag in _TOLD and element not in inline, element.text
            elif event == "comment" or element is self._gone:
                told, text = False, self._behind(element, element.tail)
            else:
                code_depth -= tag in CODE_TAGS
                told, text = tag in _TOLD and element not in inline, element.tail
            if told:
                if pieces:
                    yield TEXT, "".join(pieces)
                    pieces.clear()
                yield (OPEN if event == "start" else CLOSE), element
                if self._skip:
                    self._skip = False
                    self._events.skip_subtree()
                    continue
            if text and not (self._muted or (element is root and event == "end")):
                pieces.append(text if code_depth or ("[" not in text and ".:" not in text) else without_marks(text))
        if pieces:
            yield TEXT, "".join(pieces)

    def _leaves_out(self, element: Element, tag: str) -> bool:
        """Whether `element` is no text of the page; what is to be read instead of it is noted."""
        instead = None
        if element is not self._root:
            instead = _instead(element, tag, self._pieces[-1] if self._pieces else "", self._noise)
        if self._muted or instead is not None:
            self._gone = element
            self._events.skip_subtree()
            if instead and not self._muted:
                self._pieces.append(instead)
            return True
        if tag in BLOCKS and tag != "li" and is_inline(element):
            self._inline.add(element)
        return False

    def _behind(self, element: Element, tail: str | None) -> str | None:
        """The text behind a comment or an element that was left out."""
        if self._gone is not None and element is self._gone:
            self._gone = None
            if tail and tail[0] in _CLOSING and element.tag in _MARKS and self._pieces:
                self._pieces[-1] = self._pieces[-1].rstrip()  # the blank before a footnote mark
            elif tail and tail[0].isupper() and self._pieces and self._pieces[-1][-1:] in (".", "!", "?"):
                self._pieces.append(" ")  # where a footnote mark was all that stood between two sentences
            return _behind_mark(element, tail) if self._noise.wiki else tail
        self._muted = _still_muted(element.text, self._muted)
        return tail


def _instead(element: Element, tag: str, last: str, noise: Noise) -> str | None:
    """What to read instead of `element`, "" for noise; None when it is to be read itself."""
    if formula := _formula(element, tag):
        return formula
    if noise.drops(element):
        return ""
    if tag == "span":
        return _stars(element) or None
    if tag == "sub":
        return _base(element, last) or None
    if tag != "sup":
        return None
    if not noise.wiki and _is_bare_mark(element, last):
        return ""
    return _power(element, last) or None


def _still_muted(comment: str | None, muted: bool) -> bool:
    match (comment or "").strip():
        case "htdig_noindex":
            return True
        case "/htdig_noindex":
            return False
    return muted


def _power(sup: Element, last: str) -> str:
    """A short superscript number in superscript digits, so that 10 to the 6th does not read 106; "" for others."""
    text = "".join(sup.itertext()).strip() if len(sup) < 3 else ""
    if _POWER.fullmatch(text):
        return text.translate(_SUPERSCRIPT)
    if _VARIABLE_POWER.fullmatch(text) and _RAISED.search(last):
        return f"^{text}" if text.isalnum() else f"^({text})"
    return ""


def _base(sub: Element, last: str) -> str:
    """The base of a number in subscript digits, so that 10 to base 2 does not read 102; "" for others."""
    text = "".join(sub.itertext()).strip() if len(sub) < 3 else ""
    return text.translate(_SUBSCRIPT) if _NUMERAL.search(last) and _POWER.fullmatch(text) else ""


def _behind_mark(element: Element, tail: str | None) -> str | None:
    """The text behind an element left out: behind a footnote mark without the page numbers written beside it."""
    is_mark = tail and not _MARK_CLASSES.isdisjoint((element.get("class") or "").split())
    return _PAGES.sub("", tail) if tail and is_mark else tail


def _is_bare_mark(sup: Element, last: str) -> bool:
    """True for a footnote's number without brackets: behind a word, where it is no power."""
    text = "".join(sup.itertext()).strip()
    word = _LONG_WORD.search(last.rstrip() if sup.find("a") is not None else last)
    return word is not None and len(text) <= 2 and text.isdecimal() and word.group().casefold() not in _SQUARED


def _stars(span: Element) -> str:
    """A rating shown as a row of stars, such as "3.5/5 stars"; "" for others."""
    label = span.get("title") or span.get("aria-label") or ""
    if _RATING.fullmatch(label):
        return label
    if span.get("role") != "img":
        return ""
    stars = [found.group(1).lower() for image in span.iter("img") if (found := _STAR.search(image.get("src") or ""))]
    return f"{stars.count('full') + stars.count('half') / 2:g}/{len(stars)} stars" if stars else ""


def _formula(element: Element, tag: str) -> str:
    """The one readable form of a formula: its TeX, else its alternative text, else its letters; "" for others."""
    if tag == "img":
        classes = element.get("class")
        return _tex(element.get("alt")) if classes and not _FORMULA_IMAGES.isdisjoint(classes.split()) else ""
    if tag == "script":
        return _tex(element.text) if (element.get("type") or "").startswith("math/tex") else ""
    if tag != "math":
        classes = element.get("class")
        if not classes or FORMULA_CLASSES.isdisjoint(classes.split()):
            return ""
    for found in element.iter("annotation"):
        if "tex" in (found.get("encoding") or "").lower() and (text := _tex(found.text)):
            return text
    for found in element.iter("math"):
        if text := _tex(found.get("alttext")):
            return text
    for found in element.iter("img"):
        if text := _tex(found.get("alt")):
            return text
    return fold(" ".join(element.itertext()))


def _tex(text: str | None) -> str:
    text = fold(text or "")
    while wrapped := _STYLE_WRAPPER.match(text):
        text = wrapped.group(1).strip()
    return text


_BREAKS = names("br p div tr td th dd dt table ul ol dl blockquote h1 h2 h3 h4 h5 h6 section figcaption hr")
_SENTENCE_WORDS = 6
_PAUSES = (",", ";", ":", "(", "–", "·", "•", "|")


def one_line(element: Element, noise: Noise, *, between: str = "; ", items: str = ", ") -> str:
    """The text of `element` on one line: blocks and line breaks joined by `between`, list items by `items`."""
    if not len(element):
        return fold(without_marks(element.text or ""))
    if element.find(".//li//br") is not None and element.find(".//li//li") is None:
        items, between = between, items  # what belongs to one item stays nearer together
    parts: list[str] = []
    joints: list[str] = []
    buffer: list[str] = []
    joint = ""

    def finish(wanted: str) -> None:
        nonlocal joint
        if text := fold("".join(buffer)):
            parts.append(text)
            joints.append(joint)
            joint = wanted
        elif joint != between:
            joint = wanted
        buffer.clear()

    walk = Walk(element, noise)
    for kind, value in walk:
        if kind == TEXT:
            buffer.append(value)
        elif value is element:
            continue
        elif value.tag == "li":
            finish(items)
        elif value.tag in _BREAKS:
            finish(between)
    finish("")
    line = last = ""
    for before, text in zip(joints, parts, strict=True):
        closed = line.endswith(_PAUSES) or text.startswith(("(", ",", ";", ")", "·", "•", "|")) or _is_sentence(last)
        line = line + (" " if closed else before) + text if line else text
        last = text
    return line


def _is_sentence(text: str) -> bool:
    return text.endswith((".", "!", "?")) and len(text.split()) >= _SENTENCE_WORDS


def is_inline(element: Element) -> bool:
    """True for a block element that the page itself shows within the line."""
    return "inline" in (element.get("style") or "")

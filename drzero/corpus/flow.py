"""Running text, headings, lists, code and tables of a page → an outline."""

from __future__ import annotations

import re
from itertools import islice

from drzero.corpus.noise import Element, Noise, names
from drzero.corpus.outline import Outline, fold
from drzero.corpus.tables import is_layout, table_lines
from drzero.corpus.walking import OPEN, TEXT, Walk, is_inline, one_line

HEADINGS = {f"h{level}": level for level in range(1, 7)}

_MORE_THAN_BLOCKS = frozenset(
    (*HEADINGS, "pre", "table", "summary", "details", "dl", "dt", "div", "article", "section", "ol", "li")
)
_TERM_CHARS = 80
_ADMONITION = "admonition-title"
_SIGNS = frozenset('“”„‟«»‹›"↙↗↘↖←→↑↓·•. ')
_WHOLE = re.compile(r"-?\d{1,6}")
_LETTERS = 26
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split()
_ANSWER_ID = re.compile(r"a\d+")
_SCORE = re.compile(r"[-−+]?\d+")
_LANGUAGE = re.compile(
    r"(?:\b(?:language|lang|highlight-source|highlight)-|\bbrush:\s*|\bsourceCode\s+)(?!source\b|lang\b)([A-Za-z][\w+#]*)"
)
_NO_LANGUAGE = names(
    "default none text txt plain plaintext nohighlight auto output notranslate line numbers source ipython"
)
_SIGNATURE_NAMES = frozenset(("sig-prename", "sig-name", "descclassname", "descname"))

# Pointers to other articles that are not marked as such.
_WIKI_POINTER = re.compile(
    r"(?:Main articles?|See also|Further information|For other uses,? see|For more details on this topic,? see)\b"
    r"[^.!?]{0,200}\.?"
    r"|This (?:[\w'’ -]{1,60}) is a stub\b.{0,120}"
)

# What a page says of itself: when it was changed, where lists of other pages are.
_FURNITURE = re.compile(
    r"(?:This page (?:was )?)?[Ll]ast (?:modified|updated|edited|changed)\b.{0,40}\b(?:19|20)\d\d\b.{0,40}"
    r"|(?:See also|Other) lists?(?: of|:) [^.!?]{0,200}\.?"
    r"|See also:(?: [\w-]+\.html?(?:#\S*)?)+"
)
# Where a pronunciation was left out.
_HAS_GAP = re.compile(r"[(;,]\s*[;,)]")
_TEMPLATE_GAP = re.compile(r"\s?\((?:\s*[;,])+\s*\)|(?<=\()(?:\s*[;,])+\s*(?=[\w\"“'‘])|(?<=\w)(?:\s*[;,])+\s+(?=\))")


def read_flow(root: Element, outline: Outline, noise: Noise, *, title: str) -> None:
    """Write the blocks below `root` to `outline` in reading order."""
    flow = _Flow(outline, noise, title=title)
    for kind, value in flow.walk(root):
        if kind == TEXT:
            flow.add(value)
            continue
        tag = value.tag
        if tag == "q":
            flow.add('"')
        elif tag != "li" or not is_inline(value):
            if kind == OPEN:
                flow.open(value, tag)
            else:
                flow.close(value, tag)
    flow.finish()
    flow.drop_lead()


class _Flow:
    """Gathers text until a block ends, and hands it to the outline."""

    def __init__(self, outline: Outline, noise: Noise, *, title: str) -> None:
        self._outline = outline
        self._noise = noise
        self._wiki = noise.wiki
        self._title = title
        self._pieces: list[str] = []
        self._lead = ""  # a term waiting for its definition, or the number of an item waiting for its text
        self._number = ""  # of the last item that has one
        self._counts: list[int] = []  # the number of the next item of each open `ol`
        self._marks: list[int] = []  # where each open `details`, `dl` or post opened a part of the outline, else -1

    def walk(self, root: Element) -> Walk:
        self._walk = Walk(root, self._noise)
        return self._walk

    def add(self, text: str) -> None:
        self._pieces.append(text)

    def open(self, element: Element, tag: str) -> None:
        """A block begins."""
        if not (tag == "dd" and self._lead):
            self.finish()
        if tag not in _MORE_THAN_BLOCKS:
            return
        if tag == "details":
            summary = next(element.iterchildren("summary"), None)
            plain = summary is not None and not _holds_heading(summary)
            self._marks.append(self._outline.open_details(one_line(summary, self._noise)) if plain else -1)
        elif tag == "dl":
            self._marks.append(-1)
        elif _is_post(element, tag):
            self.drop_lead()
            self._marks.append(self._outline.open_post(_standing(element)))
        elif tag == "dt" and self._marks and _is_signature(element):
            self._open_signature(element)
        elif tag == "ol":
            self._counts.append(_first_number(element))
        elif tag == "li":
            self._open_item(element)
        elif self._read_whole(element, tag):
            self._walk.skip()

    def close(self, element: Element, tag: str) -> None:
        """A block ends."""
        if tag == "dt":
            self._finish_term(element)
            return
        if tag == "p" and _ADMONITION in (element.get("class") or ""):
            self._finish_admonition()
            return
        self.finish()
        if tag == "dd":
            self.drop_lead()
        elif tag == "ol" and self._counts:
            self._counts.pop()
        elif tag == "li" and self._lead and self._lead == self._number:
            self._lead = ""  # nothing was in it
        elif tag in ("details", "dl") and self._marks:
            self._close_part(self._marks.pop())
        elif _is_post(element, tag) and self._marks:
            self.drop_lead()
            self._outline.close_post(self._marks.pop())

    def finish(self) -> None:
        """Write the text gathered as a block."""
        if not self._pieces:
            return
        text = fold("".join(self._pieces))
        self._pieces.clear()
        if self._wiki and _HAS_GAP.search(text):
            text = _TEMPLATE_GAP.sub("", text)
        if _SIGNS.issuperset(text):
            return  # quotation marks or an arrow that the page draws beside its text
        if not _FURNITURE.fullmatch(text) and not (self._wiki and _WIKI_POINTER.fullmatch(text)):
            self._outline.line(self._lead + text)
            self._lead = ""

    def _open_item(self, item: Element) -> None:
        """Put the number that the page shows before an item of an ordered list."""
        parent = item.getparent()
        if not self._counts or parent is None or parent.tag != "ol":
            return
        number = _whole(item.get("value"), self._counts[-1])
        self._counts[-1] = number + (-1 if parent.get("reversed") is not None else 1)
        self.drop_lead()
        self._lead = self._number = f"{_shown_number(number, parent.get('type') or '')}. "

    def _finish_admonition(self) -> None:
        """Put the title of a note or warning before its text."""
        title = fold("".join(self._pieces)).rstrip(" :")
        self._pieces.clear()
        self.drop_lead()
        self._lead = f"{title}: " if title else ""

    def drop_lead(self) -> None:
        """Write a term whose definition is no running text on a line of its own."""
        if self._lead:
            self._outline.block(self._lead.rstrip(" :"))
            self._lead = ""

    def _read_whole(self, element: Element, tag: str) -> bool:
        """Read an element that is more than the blocks in it: a heading, code, a table, a summary. False for others."""
        if level := HEADINGS.get(tag):
            self.drop_lead()
            self._outline.heading(level, one_line(element, self._noise, between=" "))
        elif tag == "pre":
            self.drop_lead()
            self._outline.code(_preformatted(element, self._noise), _language(element))
        elif tag == "table":
            if is_layout(element, self._noise):
                return False
            self.drop_lead()
            for line in table_lines(element, self._noise, title=self._title):
                self._outline.block(line)
        elif tag != "summary" or _holds_heading(element):
            return False
        return True

    def _finish_term(self, term: Element) -> None:
        """End a term: a short one goes before its definition, a long one or a signature stands on its own line."""
        text = fold("".join(self._pieces))
        following = term.getnext()
        paired = following is not None and following.tag == "dd"
        if text and paired and len(text) <= _TERM_CHARS and not _is_signature(term):
            self._pieces.clear()
            self._lead = text.rstrip(" :") + ": "
        else:
            self.finish()

    def _open_signature(self, term: Element) -> None:
        """Open a part under the name of the function or class whose signature `term` is; several may share one."""
        before = term.getprevious()
        if before is None or before.tag != "dt":
            self._close_part(self._marks[-1])
            parts = [part for part in term if _SIGNATURE_NAMES.intersection((part.get("class") or "").split())]
            name = "".join("".join(part.itertext()) for part in parts)
            self._marks[-1] = self._outline.open_details(name)

    def _close_part(self, mark: int) -> None:
        if mark >= 0:
            self._outline.close_details(mark)


def _first_number(ordered: Element) -> int:
    items = sum(1 for _ in ordered.iterchildren("li")) if ordered.get("reversed") is not None else 1
    return _whole(ordered.get("start"), items)


def _whole(text: str | None, default: int) -> int:
    return int(text) if text and _WHOLE.fullmatch(text) else default


def _shown_number(number: int, style: str) -> str:
    if style in ("a", "A") and 1 <= number <= _LETTERS:
        return chr(ord(style) + number - 1)
    if style in ("i", "I") and 1 <= number <= len(_ROMAN):
        return _ROMAN[number - 1] if style == "i" else _ROMAN[number - 1].upper()
    return str(number)


def _is_signature(term: Element) -> bool:
    return "sig" in (term.get("class") or "").split()


def _is_post(element: Element, tag: str) -> bool:
    """True for one answer among several: its headings do not reach into the next."""
    if tag not in ("div", "article", "section"):
        return False
    class_names = element.get("class")
    if class_names and "answer" in class_names and "answer" in class_names.split():
        return True
    ident = element.get("id")
    if not ident or not _ANSWER_ID.fullmatch(ident):
        return False
    parent = element.getparent()
    return parent is not None and parent.get("id") == "answers"


def _standing(post: Element) -> str:
    """What readers made of an answer, as its heading: "Accepted answer (score 12)"; "" where the page does not say."""
    accepted = "accepted-answer" in (post.get("class") or "").split()
    score = post.get("data-score") or ""
    for mark in () if score else post.iter("div", "span"):
        classes = (mark.get("class") or "").split()
        accepted = accepted or "accepted" in classes
        if not score and ("score" in classes or "js-vote-count" in classes):
            score = (mark.get("data-value") or "".join(mark.itertext())).strip()
    name = "Accepted answer" if accepted else "Answer"
    if _SCORE.fullmatch(score):
        return f"{name} (score {score})"
    return name if accepted or post.get("data-answerid") else ""


def _holds_heading(element: Element) -> bool:
    return any(True for _ in element.iter(*HEADINGS))


def _language(pre: Element) -> str:
    """The language of code as classes of it and what is around it name it; "" when none does.

    DevDocs' `data-language` is not asked: it is one word for all code of a documentation, whatever that is in.
    """
    around = [pre, *pre.iterchildren("code"), *islice(pre.iterancestors(), 2)]
    if any("doctest" in (element.get("class") or "").split() for element in around):
        return "pycon"
    for class_names in (element.get("class") for element in around):
        if class_names and (found := _LANGUAGE.search(class_names)):
            name = found.group(1).lower().rstrip("3")
            return "" if name in _NO_LANGUAGE else name
    return ""


def _preformatted(pre: Element, noise: Noise) -> str:
    for element in pre.iterdescendants():
        tag = element.tag
        if tag == "br" or not isinstance(tag, str) or noise.suspects(element, tag):
            break
    else:  # nearly all code: nothing but colours in it
        return "".join(pre.itertext())
    pieces = []
    for kind, value in Walk(pre, noise):
        if kind == TEXT:
            pieces.append(value)
        elif kind == OPEN and value.tag == "br":
            pieces.append("\n")
    return "".join(pieces)

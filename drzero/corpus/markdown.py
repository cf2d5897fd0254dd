"""Markdown → sections, by way of the HTML it stands for. Reads freeCodeCamp's lessons and ordinary Markdown."""

from __future__ import annotations

import html
import re
from dataclasses import replace

from drzero.corpus.html import Page, read_html

_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---\s*(?:\n|\Z)", re.S)
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_MARKER = re.compile(r"^--(.+)--$")
_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w+#-]*).*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|(\d{1,4})[.)])\s+(.*)$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_RULE = re.compile(r"^\s*(?:-{3,}|\*{3,}|_{3,})\s*$")
_RAW_BLOCK = re.compile(
    r"^\s*</?(?:pre|table|ul|ol|dl|div|p|h[1-6]|blockquote|section|details|figure|style|script)\b", re.I
)
_EDITOR_LINE = re.compile(r"^\s*--fcc-editable-region--\s*$")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
_INLINE_RULES = (
    (re.compile(r"!\[([^\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r"(?<!\\)\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r"<((?:https?|mailto):[^<>\s]+)>"), r"\1"),
    (re.compile(r"(?<![\\*\w])\*\*\*(?=\S)(.+?)(?<=\S)\*\*\*", re.S), r"\1"),
    (re.compile(r"(?<!\\)\*\*(?=\S)(.+?)(?<=\S)\*\*", re.S), r"\1"),
    (re.compile(r"(?<![\\*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?!\*)"), r"\1"),
    (re.compile(r"(?<![\\\w])__(?=\S)(.+?)(?<=\S)__(?!\w)", re.S), r"\1"),
    (re.compile(r"(?<![\\\w])_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?!\w)"), r"\1"),
)
_HARD_BREAK = re.compile(r"(?: {2,}|\\)\n")
_NOT_A_TAG = re.compile(r"<(?!/?[a-zA-Z][a-zA-Z0-9]*(?:\s[^<>]*)?/?>|!--)")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])")


def read_markdown(text: str, *, title: str = "") -> Page:
    """Read a Markdown page; the page's title is that of its YAML front matter or, without one, its first heading.

    Lines such as `# --description--` are headings. Code blocks keep their lines; the fences themselves are no text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    own_title = ""
    if front := _FRONT_MATTER.match(text):
        own_title = _front_title(front.group(1))
        text = text[front.end() :]
    page = read_html(f"<body>{markdown_to_html(text)}</body>", title=title or own_title)
    return replace(page, title=own_title or page.title)


def _front_title(front_matter: str) -> str:
    import yaml

    try:
        values = yaml.safe_load(front_matter)
    except yaml.YAMLError:
        found = re.search(r"^title:\s*[\"']?(.*?)[\"']?\s*$", front_matter, re.M)
        return found.group(1) if found else ""
    return str(values.get("title") or "") if isinstance(values, dict) else ""


def markdown_to_html(text: str) -> str:
    """The HTML that `text` stands for, as far as the extraction of text needs it."""
    lines = text.split("\n")
    out: list[str] = []
    numbers: dict[int, int] = {}  # indentation of an ordered list → its last number
    at = 0
    while at < len(lines):
        line = lines[at]
        item = _ITEM.match(line)
        if line.strip() and not item and not line.startswith((" ", "\t")):
            numbers.clear()
        if not line.strip() or _RULE.match(line):
            at += 1
        elif fence := _FENCE.match(line):
            at, code = _fenced(lines, at, fence)
            language = html.escape(fence.group(3).lower())
            out.append(f'<pre class="language-{language}">{html.escape(code)}</pre>')
        elif heading := _HEADING.match(line):
            out.append(_heading(len(heading.group(1)), heading.group(2)))
            at += 1
        elif _RAW_BLOCK.match(line):
            at, raw = _raw_block(lines, at)
            out.append(raw)
        elif at + 1 < len(lines) and "|" in line and _TABLE_RULE.match(lines[at + 1]):
            at, rows = _table(lines, at)
            out.append(rows)
        elif item:
            number = _next_number(item, numbers)
            out.append(f"<ol start={number}><li>" if number is not None else "<li>")
            out.append(_inline(item.group(3)))
            at += 1
            while at < len(lines) and lines[at].startswith((" ", "\t")) and not _starts_block(lines[at]):
                out.append(" " + _inline(lines[at].strip()))
                at += 1
            out.append("</li></ol>" if number is not None else "</li>")
        else:
            start = at
            at += 1
            while at < len(lines) and lines[at].strip() and not _starts_block(lines[at]):
                at += 1
            out.append(f"<p>{_inline(chr(10).join(part.lstrip('> ') for part in lines[start:at]))}</p>")
    return "\n".join(out)


def _next_number(item: re.Match[str], numbers: dict[int, int]) -> int | None:
    """The number that a reader sees before an item, whatever its source says behind the first; None for a bullet."""
    indent = len(item.group(1))
    for deeper in [other for other in numbers if other > indent]:
        del numbers[deeper]
    if item.group(2) is None:
        numbers.pop(indent, None)
        return None
    numbers[indent] = numbers[indent] + 1 if indent in numbers else int(item.group(2))
    return numbers[indent]


def _starts_block(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_FENCE, _HEADING, _ITEM, _RAW_BLOCK)) or not line.strip()


def _fenced(lines: list[str], at: int, fence: re.Match[str]) -> tuple[int, str]:
    indent, mark = len(fence.group(1)), fence.group(2)
    code = []
    at += 1
    while at < len(lines) and not (lines[at].strip().startswith(mark) and not lines[at].strip().strip(mark[0])):
        line = lines[at]
        if not _EDITOR_LINE.match(line):
            code.append(line[indent:] if not line[:indent].strip() else line)
        at += 1
    return at + 1, "\n".join(code)


def _heading(level: int, text: str) -> str:
    if marker := _MARKER.match(text):
        text = marker.group(1).replace("-", " ").capitalize()
    return f"<h{level}>{_inline(text)}</h{level}>"


def _raw_block(lines: list[str], at: int) -> tuple[int, str]:
    """HTML up to the next blank line; a `pre` up to its end, whatever it holds."""
    start = at
    opened = re.match(r"^\s*<pre\b", lines[at], re.I)
    while at < len(lines):
        line = lines[at]
        at += 1
        if opened and re.search(r"</pre>", line, re.I):
            break
        if not opened and (at >= len(lines) or not lines[at].strip()):
            break
    return at, _CODE_SPAN.sub(lambda found: f"<code>{html.escape(found.group(2))}</code>", "\n".join(lines[start:at]))


def _table(lines: list[str], at: int) -> tuple[int, str]:
    rows = [_row(lines[at], "th")]
    at += 2
    while at < len(lines) and "|" in lines[at] and lines[at].strip():
        rows.append(_row(lines[at], "td"))
        at += 1
    return at, f"<table>{''.join(rows)}</table>"


def _row(line: str, tag: str) -> str:
    cells = re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))
    return "<tr>" + "".join(f"<{tag}>{_inline(cell.strip())}</{tag}>" for cell in cells) + "</tr>"


def _inline(text: str) -> str:
    """Text with its marks for emphasis and links taken away, HTML tags left, everything else escaped."""
    out = []
    at = 0
    for span in _CODE_SPAN.finditer(text):
        out.append(_plain(text[at : span.start()]))
        out.append(f"<code>{html.escape(span.group(2).strip())}</code>")
        at = span.end()
    out.append(_plain(text[at:]))
    return "".join(out)


def _plain(text: str) -> str:
    text = _HARD_BREAK.sub("<br>\n", text)
    for pattern, kept in _INLINE_RULES:
        text = pattern.sub(kept, text)
    return _ESCAPED.sub(r"\1", _NOT_A_TAG.sub("&lt;", text))

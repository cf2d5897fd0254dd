"""Plain text as docstrings and Python's own help have it → HTML: paragraphs, lists, tables, examples, headings."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from html import escape
from itertools import pairwise

_UNDERLINE = re.compile(r"^([*=\-~^#])\1{2,}$")
_ITEM = re.compile(r"^(?:[-*•+]|\(?\d{1,2}[.)]|\[\d+\])\s+(?=\S)")
_NAMED = re.compile(r"^[`'\"*]{0,2}[A-Za-z_][\w.,=/\-()\[\]*'` ]{0,40}?(?:\s*:|\s+--?|\s+—)\s+(?=\S)")
_SIGNATURE = re.compile(r"^[\w.]+\(.*\)(?:\s*(?:->|=>).*)?$")
_CODE_LINE = re.compile(
    r"^(?:>>>|\.\.\.|\$ |% |[#@<{\[(]|[\w.\[\], ]+ (?:[-+*/|&]?=|::=) |[\w.]+\(.*\)\s*(?:#.*)?$|\S.*\S\s+# |"
    r"(?:def|class|import|from|for|while|if|with|try|return|print|async|await|lambda)\b.+[:()=])"
)
_RULE = re.compile(r"^=+(?: +=+)+$")
_GRID_RULE = re.compile(r"^[+|](?:[-=]+[+|])+$")
_TWO_COLUMNS = re.compile(r"^\S+(?: \S+){0,2}?(?: {2,}|\t)(?=\S)")
_PROSE = re.compile(r"\b[A-Za-z]+,? [a-z]+,? [a-z]+\b")


def to_html(text: str, *, quoted_is_code: bool = False, level: int = 2) -> str:
    """Docstring-like text as HTML: wrapped lines are joined to paragraphs, examples become <pre>, lists <ul>.

    `quoted_is_code` reads "x" as code, as the language reference writes it. Underlined lines are headings, the first
    kind of line giving those of `level`.
    """
    lines = [line.rstrip() for line in text.expandtabs().strip("\n").split("\n")]
    return "\n".join(_Blocks(quoted_is_code, level).blocks(lines))


class _Blocks:
    def __init__(self, quoted_is_code: bool, level: int) -> None:
        self.quoted_is_code, self.level = quoted_is_code, level
        self.underlines: list[str] = []

    def blocks(self, lines: list[str]) -> Iterator[str]:
        """The blocks of lines whose smallest indentation is that of the first."""
        at = 0
        before = ""
        while at < len(lines):
            line = lines[at]
            if not line:
                at += 1
                continue
            indent = _indent(line)
            if indent:
                end = _while_indented(lines, at, 1)
                yield from self.indented(_dedent(lines[at:end]), before)
            elif at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1]) and len(line) - len(lines[at + 1]) <= 3:
                end = at + 2
                yield self.heading(line, lines[at + 1][0])
            elif _UNDERLINE.match(line):
                end = at + 1
            elif line.startswith(">>>"):
                end = _to_blank(lines, at)
                yield _pre(lines[at:end])
            elif _RULE.match(line):
                end = _to_blank(lines, at)
                yield self.ruled_table(lines[at:end])
            elif _GRID_RULE.match(line):
                end = _to_blank(lines, at)
                yield self.grid_table(lines[at:end])
            elif _is_two_columns(lines, at):
                end = _to_blank(lines, at)
                yield self.columns(lines[at:end])
            elif _ITEM.match(line) or _is_named_list(lines, at):
                end = yield from self.items(lines, at)
            else:
                end = _paragraph_end(lines, at)
                yield self.paragraph(lines[at:end])
            before = lines[end - 1]
            at = end

    def heading(self, line: str, mark: str) -> str:
        if mark not in self.underlines:
            self.underlines.append(mark)
        rank = min(6, self.level + self.underlines.index(mark))
        return f"<h{rank}>{self.inline(line)}</h{rank}>"

    def indented(self, lines: list[str], before: str) -> Iterator[str]:
        """What stands deeper: code, or more prose."""
        if _is_code(lines, before):
            yield _pre(lines)
        else:
            yield from self.blocks(lines)

    def items(self, lines: list[str], at: int) -> Generator[str, None, int]:
        """A list; returns where it ends."""
        pattern = _ITEM if _ITEM.match(lines[at]) else _NAMED
        yield "<ul>"
        while at < len(lines) and (match := pattern.match(lines[at])):
            end = _while_indented(lines, at + 1, 1)
            if pattern is _ITEM:  # some authors do not indent what follows
                while (
                    end < len(lines)
                    and lines[end]
                    and not _indent(lines[end])
                    and lines[end - 1]
                    and not pattern.match(lines[end])
                ):
                    end += 1
            first = lines[at][match.end() :] if pattern is _ITEM else lines[at]
            rest = lines[at + 1 : end]
            whole = [first, *_dedent(rest)] if rest and rest[0] else [first, "", *_dedent(rest)]
            yield "<li>" + "\n".join(self.blocks(whole)) + "</li>"
            at = end
            following = _skip_blank(lines, at)
            if following < len(lines) and pattern.match(lines[following]):
                at = following
        yield "</ul>"
        return at

    def paragraph(self, lines: list[str]) -> str:
        text = re.sub(r"(?<=[a-z]-) \n(?!and |or |to )", "", " \n".join(line.strip() for line in lines)).replace(
            "\n", ""
        )
        alone = len(lines) == 1 and _SIGNATURE.match(text) and not _PROSE.search(text)
        if alone or all(_reads_like_code(line) for line in lines if not _indent(line)):
            return _pre(lines)
        return f"<p>{self.inline(re.sub(r'::$', ':', text))}</p>"

    def ruled_table(self, lines: list[str]) -> str:
        """A table whose columns are drawn by a line such as "====  ======"."""
        starts = [match.start() for match in re.finditer("=+", lines[0])]
        ends = [*starts[1:], None]
        rows = [line for line in lines if not _RULE.match(line)]
        return self.rows([[line[start:end] for start, end in zip(starts, ends, strict=True)] for line in rows])

    def grid_table(self, lines: list[str]) -> str:
        """A table drawn with "+---+" between its rows; a cell may go over several lines."""
        edges = [match.start() for match in re.finditer(r"\+", lines[0])]
        rows: list[list[str]] = []
        for line in lines:
            if _GRID_RULE.match(line):
                rows.append([""] * (len(edges) - 1))
            else:
                for column, (start, end) in enumerate(pairwise(edges)):
                    rows[-1][column] += " " + line[start + 1 : end]
        return self.rows([row for row in rows if any(cell.strip() for cell in row)])

    def columns(self, lines: list[str]) -> str:
        """Names and what they mean, side by side; a deeper line goes on with the meaning."""
        rows: list[list[str]] = []
        for line in lines:
            if _indent(line):
                rows[-1][1] += " " + line.strip()
            else:
                match = _TWO_COLUMNS.match(line) or re.match(r"\S+\s*", line)
                at = match.end() if match else 0
                rows.append([line[:at], line[at:]])
        return self.rows(rows)

    def rows(self, rows: list[list[str]]) -> str:
        """Cells as a table."""
        shown = ("".join(f"<td>{self.inline(cell)}</td>" for cell in row) for row in rows)
        return "<table>\n" + "\n".join(f"<tr>{row}</tr>" for row in shown) + "\n</table>"

    def inline(self, text: str) -> str:
        """One paragraph's text with its marks of emphasis and code as elements."""
        html = escape(re.sub(r":[a-z:]+:(?=`)", "", " ".join(text.split())), quote=False)
        html = re.sub(r"``(.+?)``|`([^`]+)'|`([^`]+)`", lambda m: f"<code>{m[1] or m[2] or m[3]}</code>", html)
        if self.quoted_is_code:
            html = re.sub(r'"([^"]+)"', r"<code>\1</code>", html)
            html = re.sub(r"\*\*(\S[^*]*?)\*\*(?!\w)", r"<strong>\1</strong>", html)
        return re.sub(r"(?<![\w*])\*(\w[\w ,.-]*?)\*(?![\w*])", r"<em>\1</em>", html)


def _is_code(lines: list[str], before: str) -> bool:
    """Whether an indented block is an example: announced by "::", or with more lines like code than like prose."""
    filled = [line.strip() for line in lines if line]
    if before.endswith("::") or filled[0].startswith((">>>", "$ ")) or "::=" in filled[0]:
        return True
    code = sum(_reads_like_code(line) for line in filled)
    prose = sum(bool(_PROSE.search(line)) and not _reads_like_code(line) for line in filled)
    return code > prose or not prose


def _reads_like_code(line: str) -> bool:
    return bool(_CODE_LINE.match(line)) and not _PROSE.search(re.sub(r"\s#.*", "", line))


def _pre(lines: list[str]) -> str:
    return "<pre>" + escape("\n".join(lines), quote=False) + "</pre>"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _dedent(lines: list[str]) -> list[str]:
    """`lines` moved left by the indentation of the least indented one, blank lines at the end dropped."""
    left = min((_indent(line) for line in lines if line), default=0)
    moved = [line[left:] for line in lines]
    while moved and not moved[-1]:
        moved.pop()
    return moved


def _skip_blank(lines: list[str], at: int) -> int:
    while at < len(lines) and not lines[at]:
        at += 1
    return at


def _to_blank(lines: list[str], at: int) -> int:
    while at < len(lines) and lines[at]:
        at += 1
    return at


def _while_indented(lines: list[str], at: int, least: int) -> int:
    """Where the run of lines indented by `least` or more ends, blank ones between them included."""
    end = at
    while at < len(lines) and (not lines[at] or _indent(lines[at]) >= least):
        at += 1
        if lines[at - 1]:
            end = at
    return end


def _paragraph_end(lines: list[str], at: int) -> int:
    """Where the paragraph at `at` ends. Deeper lines right below belong to it, unless they are examples."""
    stop = _to_blank(lines, at)
    hanging = any(_indent(line) for line in lines[at:stop])
    end = at + 1
    while end < stop:
        line, before = lines[end], lines[end - 1]
        if _indent(line):
            example = before.endswith((":", ".")) or _reads_like_code(line.strip())
            if example and not _reads_like_code(lines[at]):
                break
        else:
            underlined = end + 1 < len(lines) and _UNDERLINE.match(lines[end + 1])
            if line.startswith(">>>") or _ITEM.match(line) or underlined or (hanging and before.endswith(".")):
                break
        end += 1
    return end


def _is_two_columns(lines: list[str], at: int) -> bool:
    """Whether most lines at `at` are a name, wide space and text, three or more of them."""
    flush = [line for line in lines[at : _to_blank(lines, at)] if not _indent(line)]
    return len(flush) > 2 and sum(bool(_TWO_COLUMNS.match(line)) for line in flush) > 0.6 * len(flush)


def _is_named_list(lines: list[str], at: int) -> bool:
    """Whether the lines at `at` begin with a name and a colon or dash, two or more of them, all others being deeper."""
    run = lines[at : _to_blank(lines, at)]
    flush = [line for line in run if not _indent(line)]
    return len(flush) > 1 and all(_NAMED.match(line) for line in flush)

"""Words that are quoted or are code: a title "You Don't Know Me" denies nothing and speaks of nobody (pure)."""

from __future__ import annotations

import re

_QUOTED = re.compile(r'(?<![\w"])"[^"\n]*"(?!\w)|“[^“”\n]*”|«[^«»\n]*»')
_CODE = re.compile(r"`[^`\n]*`|(?<!\w)[\w.]+\((?:[^()\n]|\([^()\n]*\))*\)")


def without_quoted(text: str) -> str:
    """`text` with blanks for what stands in it between double quotes, marks included; its length stays."""
    return _QUOTED.sub(_blank, text)


def without_quoted_or_code(text: str) -> str:
    """`text` with blanks for what is quoted, for code between backticks and for calls; its length stays."""
    return _CODE.sub(_blank, without_quoted(text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])

"""Bytes of a page → text: UTF-8 first, then what the page declares, then what can be read."""

from __future__ import annotations

import codecs
import re

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.I)
_MULTIBYTE = re.compile(rb"[\xc3-\xf4][\x80-\xbf]")
_WESTERN = frozenset(("iso8859-1", "cp1252", "ascii", "utf-8"))


def _one_by_one(error: UnicodeError) -> tuple[str, int]:
    """Read the bytes that are no UTF-8 as Windows-1252, which is what they nearly always are."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return bytes(wrong).decode("cp1252", "replace"), error.end


codecs.register_error("drzero.western", _one_by_one)


def declared_charset(content: bytes, mimetype: str = "") -> str:
    """The canonical name of the charset that the mime type or the page's head gives; "" without one that exists."""
    from bs4.dammit import EncodingDetector

    named = _CHARSET.search(mimetype)
    for name in (named and named.group(1), EncodingDetector.find_declared_encoding(content, is_html=True)):
        try:
            if name:
                return codecs.lookup(name).name
        except LookupError:
            continue
    return ""


def decode(content: bytes, mimetype: str = "") -> tuple[str, bool]:
    """The text of `content`, and whether it is doubtful (bytes that no declared charset explains)."""
    for mark, charset in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if content.startswith(mark):
            try:
                return content.decode(charset).lstrip("\ufeff"), False
            except UnicodeDecodeError:
                break
    try:
        return content.decode(), False
    except UnicodeDecodeError:
        pass
    charset = declared_charset(content, mimetype)
    if charset and charset not in _WESTERN:
        try:
            return content.decode(charset), False
        except (UnicodeError, LookupError):
            pass
    explained = charset in ("iso8859-1", "cp1252") and not _MULTIBYTE.search(content)
    return content.decode("utf-8", "drzero.western"), not explained

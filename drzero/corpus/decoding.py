"""Bytes of a page → text: UTF-8 first, then what the page declares, then what can be read."""

from __future__ import annotations

import codecs
import re

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.I)
_MULTIBYTE = re.compile(rb"[\xc3-\xf4][\x80-\xbf]")
_WESTERN = frozenset(("iso8859-1", "cp1252", "ascii", "utf-8"))

# What browsers read under these names: the charsets that hold all of their letters and more.
_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs",
    "iso8859-9": "cp1254", "tis_620": "cp874", "iso8859-11": "cp874",
}  # fmt: skip
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPE = b"\x1b"
_ESCAPED = frozenset(("iso2022_jp", "iso2022_kr"))  # written in bytes that are UTF-8 too
_HEAD_BYTES = 4096
_ZEROS = 10  # one byte in so many, at least, is zero in a page of two-byte letters with markup
_NEARLY = 10  # whole letters for each broken one
_FEW_WRONG = 50  # less than one character in so many


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
    charset = declared_charset(content, mimetype) if _ESCAPE in content[:_HEAD_BYTES] else ""
    if marked := _marked_charset(content) or (charset if charset in _ESCAPED else ""):
        try:
            return content.decode(marked).lstrip("\ufeff"), False
        except UnicodeDecodeError:
            pass
    try:
        return content.decode().lstrip("\ufeff"), False
    except UnicodeDecodeError:
        pass
    charset = declared_charset(content, mimetype)
    if charset and charset not in _WESTERN and not _is_nearly_utf8(content):
        try:
            return content.decode(_WIDER.get(charset, charset)), False
        except (UnicodeError, LookupError):
            pass
        if (text := _mostly(content, charset)) is not None:
            return text, True
    explained = charset in ("iso8859-1", "cp1252") and not _MULTIBYTE.search(content)
    return content.decode("utf-8", "drzero.western").lstrip("\ufeff"), not explained


def _marked_charset(content: bytes) -> str:
    """The charset that a byte order mark tells, or the zeros of a page of two-byte letters without one; else ""."""
    for mark, charset in _MARKS:
        if content.startswith(mark):
            return charset
    head = content[:_HEAD_BYTES]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) * _ZEROS < len(head) or max(even, odd) <= min(even, odd) * _ZEROS:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_nearly_utf8(content: bytes) -> bool:
    """Whether far more letters of `content` are whole in UTF-8 than broken, which no other charset brings about."""
    text = content.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    return sum(char > "\x7f" for char in text) > wrong * (_NEARLY + 1)


def _mostly(content: bytes, charset: str) -> str | None:
    """`content` read by its declared charset as far as that goes; None when that is not far."""
    try:
        text = content.decode(_WIDER.get(charset, charset), "replace")
    except (UnicodeError, LookupError):
        return None
    return text if text.count("\ufffd") * _FEW_WRONG < len(text) else None

"""Which scraper made an archive, and which of its entries are articles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SCRAPERS = (
    ("mwoffliner", "mwoffliner"),
    ("devdocs2zim", "devdocs"),
    ("fcc2zim", "freecodecamp"),
    ("sotoki", "sotoki"),
    ("gutenberg2zim", "gutenberg"),
    ("gutenbergtozim", "gutenberg"),
    ("zimit", "zimit"),
    ("warc2zim", "zimit"),
    ("zimwriterfs", "zimwriterfs"),
)
_MARKUP = (
    ("mwoffliner", re.compile(r"id=[\"']mw-content-text|mw-parser-output")),
    ("devdocs", re.compile(r"<devdocs-navbar|class=[\"']_page\b")),
    ("sotoki", re.compile(r"js-post-body")),
)
_PATHS = (
    ("freecodecamp", re.compile(r"^content/curriculum/.+\.md$")),
    ("zimit", re.compile(r"^_zim_static/")),
    ("sotoki", re.compile(r"^questions/\d+/")),
)
KINDS = (*dict.fromkeys(kind for _, kind in _SCRAPERS), "text", "html")
_CLOSED = frozenset(("mwoffliner", "devdocs", "freecodecamp", "sotoki", "gutenberg", "zimit"))

_LISTINGS = {
    "sotoki": re.compile(
        r"^(?:questions|tags|users|about|index|home)(?:\.html)?$|^(?:questions/tagged|tags|users)/|_page=\d+|^index$"
    ),
    "gutenberg": re.compile(r"^index/|_cover(?:\.|$)|^(?:Home|bookshelves?)(?:\.html)?$|^bookshelf", re.I),
}
_ASSETS = re.compile(r"^(?:_mw_|_res_|_assets_|_webp_|_zim_static|-)/")
_LESSON = re.compile(r"^content/curriculum/(.+)\.md$")
_STUB = re.compile(r"^index/(.+)\.html$")
_ASSET_SUFFIX = re.compile(
    r"\.(?:css|js|mjs|json|php|map|svg|xml|csv|tsv|ya?ml|ini|ts|woff2?|ttf|ico|png|jpe?g|gif|webp|pdf|zip|vtt|srt)$",
    re.I,
)
_TYPES = (
    ("image", re.compile(r"^image/")),
    ("video", re.compile(r"^video/")),
    ("audio", re.compile(r"^audio/|^application/ogg")),
    ("font", re.compile(r"font")),
    ("style", re.compile(r"css")),
    ("script", re.compile(r"javascript|ecmascript|wasm")),
    ("pdf", re.compile(r"pdf")),
    ("epub", re.compile(r"epub")),
    ("subtitles", re.compile(r"vtt|subrip")),
    ("index", re.compile(r"xapian|zimlisting")),
    ("data", re.compile(r"json|xml|csv|warc|zip")),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One entry looked at to find out the kind: its path, bare mime type and, for a page, how its markup begins."""

    path: str
    mimetype: str
    markup: str = ""


def base_type(mimetype: str) -> str:
    """`mimetype` without parameters, lower-cased."""
    return mimetype.partition(";")[0].strip().lower()


def detect_kind(scraper: str, samples: Iterable[Sample]) -> str:
    """The kind of an archive by its Scraper metadata, the layout of its paths and the markup of its pages.

    One of mwoffliner, devdocs, freecodecamp, sotoki, gutenberg, zimit, zimwriterfs, text, html.
    """
    for name, kind in _SCRAPERS:
        if name in scraper.lower():
            return kind
    seen = list(samples)
    for kind, path in _PATHS:
        if any(path.search(sample.path) for sample in seen):
            return kind
    for kind, markup in _MARKUP:
        if any(markup.search(sample.markup) for sample in seen):
            return kind
    types = {sample.mimetype for sample in seen}
    return "text" if "text/plain" in types and not types & {"text/html", "application/xhtml+xml"} else "html"


def reading_format(kind: str, path: str, mimetype: str) -> tuple[str, str]:
    """How to read an entry, and if not at all, why: ("html" | "markdown" | "text" | "unknown" | "", reason).

    `path` is without the namespace of the old layout; "unknown" has to be told from its first bytes.
    """
    kind_reason = _left_out(kind, path)
    if kind_reason:
        return "", kind_reason
    bare = base_type(mimetype)
    if kind == "freecodecamp" and _LESSON.match(path):
        return "markdown", ""
    if bare in ("text/html", "application/xhtml+xml"):
        return "html", ""
    if bare == "text/markdown":
        return ("", "other") if kind in _CLOSED else ("markdown", "")
    if bare == "text/plain":
        return ("", "other") if kind in _CLOSED or _ASSET_SUFFIX.search(path) else ("text", "")
    if bare in ("", "application/octet-stream"):
        return ("", "other") if kind in _CLOSED or _ASSET_SUFFIX.search(path) else ("unknown", "")
    for reason, pattern in _TYPES:
        if pattern.search(bare):
            return "", reason
    return "", "other"


def _left_out(kind: str, path: str) -> str:
    if _ASSETS.match(path):
        return "asset"
    if (listing := _LISTINGS.get(kind)) and listing.search(path):
        return "listing"
    if kind == "freecodecamp" and path.endswith(".html"):
        return "stub" if _STUB.match(path) else "listing"
    return ""


def cited_path(kind: str, path: str) -> str:
    """The path under which a reader finds the text that lies at `path`."""
    return f"index/{found.group(1)}.html" if kind == "freecodecamp" and (found := _LESSON.match(path)) else path


def source_path(kind: str, path: str) -> str:
    """Where the text lies that a reader finds at `path`: the other way round than `cited_path`."""
    return (
        f"content/curriculum/{found.group(1)}.md" if kind == "freecodecamp" and (found := _STUB.match(path)) else path
    )

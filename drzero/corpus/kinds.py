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
_PACKER = "zimwriterfs"  # packs what other scrapers fetched, so that the paths know better

# Prefixes of paths that one kind has and others have not; each is looked for in the whole archive.
PROBES = (
    "_mw_/", "_zim_static/", "H/", "content/curriculum/", "index/book_", "covers/", "question/", "questions/",
    "navbar.json", "404.html",
)  # fmt: skip
# Path, type and, where the sample shows it, markup; a pattern that says nothing fits all.
_PATHS = (
    ("freecodecamp", re.compile(r"^content/curriculum/.+\.md$"), re.compile(""), re.compile("")),
    ("zimit", re.compile(r"^_zim_static/"), re.compile("javascript|css"), re.compile("")),
    ("zimit", re.compile(r"^H/"), re.compile("warc-headers"), re.compile("")),
    (
        "sotoki",
        re.compile(r"^questions?/\d+(?:/|\.html$)"),
        re.compile("html"),
        re.compile(r"js-post-body|class=[\"']post-container[\"']"),
    ),
    (
        "gutenberg",
        re.compile(r"^index/book_\d+$|_cover\.\d+(?:\.html)?$|^covers/\d+_cover_image"),
        re.compile(""),
        re.compile(""),
    ),
    ("mwoffliner", re.compile(r"^_mw_/"), re.compile(""), re.compile("")),
)
_MARKUP = (
    ("mwoffliner", re.compile(r"id=[\"']mw-content-text|mw-parser-output")),
    ("devdocs", re.compile(r"<devdocs-navbar|class=[\"']_page\b")),
    ("sotoki", re.compile(r"js-post-body")),
    ("gutenberg", re.compile(r"\*\*\* ?START OF TH(?:E|IS) PROJECT GUTENBERG|class=[\"']zim_info[\"']")),
)
# What the archive says of its content elsewhere in its metadata.
_WORDS = (
    ("zimit", re.compile(r"\b_sw:yes\b|\b(?:zimit|warc2zim)\b", re.I)),
    ("sotoki", re.compile(r"stack_?exchange|stack ?overflow", re.I)),
    ("gutenberg", re.compile(r"gutenberg", re.I)),
    ("devdocs", re.compile(r"\bdevdocs\b", re.I)),
    ("freecodecamp", re.compile(r"freecodecamp|\bfcc_", re.I)),
)
_TEXTS = frozenset(("text/plain", "text/markdown"))
_PDFS = frozenset(("application/pdf", "application/x-pdf"))
_PAGES = frozenset(("text/html", "application/xhtml+xml"))
KINDS = (*dict.fromkeys(kind for _, kind in _SCRAPERS), "text", "html")
_CLOSED = frozenset(("mwoffliner", "devdocs", "freecodecamp", "sotoki", "gutenberg", "zimit"))
FURNISHED = frozenset(("html", "zimit", "zimwriterfs"))
"""Kinds whose pages are whole pages of unknown sites, with all that stands around the text."""

_LISTINGS = {
    "sotoki": re.compile(
        r"^(?:questions?|tags?|alltags|users?|about|index|home)(?:\.html)?$"
        r"|^(?:questions/tagged|tags?|users?)/|_page=\d+"
    ),
    "gutenberg": re.compile(
        r"^(?:index|noscript)/|_cover\.\d+(?:\.html)?$|^(?:Home|index|about)(?:\.html)?$|^bookshel(?:f|ves)", re.I
    ),
    "zimit": re.compile(r"^(?:A/)?(?:index|404|topFrame|sw_check|notFoundPage|viewer)\.html$"),
}
_WARC_HEADERS = re.compile(r"^H/")
_FILE_SUFFIX = re.compile(r"\.(?:x?html?|php|aspx?|jsp|pdf|txt|md|epub)$", re.I)
_ASSETS = re.compile(r"^(?:_mw_|_res_|_assets_|_webp_|_zim_static|-)/")
_LESSON = re.compile(r"^content/curriculum/(.+)\.md$")
_STUB = re.compile(r"^index/(.+)\.html$")
_ASSET_SUFFIX = re.compile(
    r"\.(?:css|js|mjs|json|php|map|svg|xml|csv|tsv|ya?ml|ini|ts|woff2?|ttf|ico|png|jpe?g|gif|webp|zip|vtt|srt)$",
    re.I,
)
_TYPES = (
    ("image", re.compile(r"^image/")),
    ("video", re.compile(r"^video/")),
    ("audio", re.compile(r"^audio/|^application/ogg")),
    ("font", re.compile(r"font")),
    ("style", re.compile(r"css")),
    ("script", re.compile(r"javascript|ecmascript|wasm")),
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


def detect_kind(scraper: str, samples: Iterable[Sample], says: str = "") -> str:
    """The kind of an archive, one of `KINDS`: by its Scraper metadata, the layout of its paths, the markup of most of
    its pages, by what its other metadata `says`, and last by the types of its entries.
    """
    named = next((kind for name, kind in _SCRAPERS if name in scraper.lower()), "")
    if named and named != _PACKER:
        return named
    seen = list(samples)
    if kind := next((kind for kind, *patterns in _PATHS if any(_fits(one, *patterns) for one in seen)), named):
        return kind
    pages = [sample.markup for sample in seen if sample.markup]
    for kind, markup in _MARKUP:
        if pages and sum(bool(markup.search(page)) for page in pages) * 2 >= len(pages):
            return kind
    types = {sample.mimetype for sample in seen}
    if not types & _PAGES:
        return "text" if types & _TEXTS else "html"
    return next((kind for kind, words in _WORDS if words.search(says)), "html")


def _fits(sample: Sample, path: re.Pattern[str], mimetype: re.Pattern[str], markup: re.Pattern[str]) -> bool:
    """Whether a sample shows all of this; its markup only counts where it was looked at."""
    if not path.search(sample.path) or not mimetype.search(sample.mimetype):
        return False
    return not sample.markup or bool(markup.search(sample.markup))


def reading_format(kind: str, path: str, mimetype: str) -> tuple[str, str]:
    """How to read an entry, and if not at all, why: ("html" | "markdown" | "text" | "pdf" | "unknown" | "", reason).

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
    if bare in _PDFS:
        return "pdf", ""
    if bare in ("", "application/octet-stream"):
        known = path.lower().endswith(".pdf") or not (kind in _CLOSED or _ASSET_SUFFIX.search(path))
        return ("unknown", "") if known else ("", "other")
    for reason, pattern in _TYPES:
        if pattern.search(bare):
            return "", reason
    return "", "other"


def _left_out(kind: str, path: str) -> str:
    if _ASSETS.match(path):
        return "asset"
    if kind == "zimit" and _WARC_HEADERS.match(path):
        return "headers"
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


def is_name(kind: str, title: str, path: str) -> bool:
    """Whether the title of a redirect at the bare `path` is a name that people look for, not an address."""
    if kind == "mwoffliner":
        return True
    if not any(char.isalpha() for char in title):
        return False
    return title != path or (kind != "zimit" and "/" not in path and not _FILE_SUFFIX.search(path))

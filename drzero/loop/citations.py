"""Whether a claim cites what it was given: each source is one of the passages, and its text names no other (pure)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence

import regex

from drzero.normalising import normalise
from drzero.text import usual_width, words
from drzero.types import Citation, Claim, Fault, Passage

_NUMBERED = re.compile(
    r"(?P<word>[\w)]*)(?P<mark>(?:[\[【]\^?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*(?:[†:][^\]】]*)?[\]】])+)"
)
_RAISED = regex.compile(  # but no power: `metre²`, `(a+b)⁴`
    r"(?<=\p{L}{4}|[.,;:!?\"”])(?<!(?:met(?:re|er)|mile|yard|second)s?|inch(?:es)?|feet|foot|sinh|cosh|tanh)"
    r"(?P<mark>[⁰¹²³⁴-⁹]{1,2})(?!\w)"
)
_KEYWORD = r"(?:sources?|refs?|references?|citations?|cites?|cited|passages?|documents?|docs?|excerpts?|footnotes?)"
_NAMED = re.compile(
    rf"\[\s*{_KEYWORD}\b(?P<square>[^\]]*)\]|【\s*{_KEYWORD}\b(?P<thick>[^】]*)】"
    rf"|\(\s*{_KEYWORD}\b(?P<round>\s*(?:[:=][^)]*|(?:no\.?|#)?\s*\d{{1,3}}\s*)?)\)"
    rf"|(?:^|(?<=[.!?;\n]\s)|(?<=[–—-]\s)){_KEYWORD}\s*:\s*(?P<line>[^\n]+)$"
    r"|<ref\b(?P<tag>[^>]*)>|\\cite\w*\{(?P<tex>[^}]*)\}",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\b(?:source|passage|document|excerpt|reference|footnote|citation)\s*(?:no\.?\s*|number\s*|#\s*)?[\[(]?(?P<n>\d{1,3})\b"
    r"(?![.,]\d)",
    re.IGNORECASE,
)
_DOUBTED = re.compile(r"\[(?:[a-z ]{3,24} needed|failed verification|(?:when|who|which|by whom)\?)\]", re.IGNORECASE)
_MEMORY = re.compile(
    r"\bcommon knowledge\b|\b(?:based on|according to|judging by|drawing on|relying on|per|from) (?:my|our|general"
    r"|prior|background|public)(?: own)? (?:knowledge|training)|\b(?:my|our) training(?: data)?\b|\bas an ai\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b(?:https?://|www\.)[^\s\])}>\"”]+", re.IGNORECASE)
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


def citations_fault(claim: Claim, passages: Sequence[Passage]) -> Fault | None:
    """Why the citations of a claim do not hold: there is none, one names nothing given, or the text names another."""
    if not claim.citations:
        return Fault("no-citation", "The claim cites no passage.")
    for citation in claim.citations:
        if fault := source_fault(citation, passages):
            return fault
    cited = " ".join(passages[citation.n - 1].chunk.text for citation in claim.citations)
    own = {citation.n for citation in claim.citations}
    return marks_fault(claim.text, cited, passages, own) or joinable(claim.citations)


def source_fault(citation: Citation, passages: Sequence[Passage]) -> Fault | None:
    """Why a citation names nothing given: its number, archive, path, part, index, title or heading is another's."""
    if not 1 <= citation.n <= len(passages):
        return Fault("invented-citation", never_given(citation.n, len(passages)))
    given = passages[citation.n - 1]
    chunk, source = given.chunk, f"Source [{citation.n}]"
    if citation.zim_id != chunk.zim_id:
        reason = f"{source} is of the archive {chunk.zim_id}, not of {citation.zim_id or 'none'} as the citation says."
    elif citation.path != chunk.path:
        reason = _other_path(citation, passages)
    elif citation.chunk_id != chunk.id:
        reason = f"{source} is another part of “{chunk.title}” than the citation names."
    elif citation.index != given.index:
        reason = (
            f"{source} was found in the index {given.index}, not in {citation.index or 'none'} as the citation says."
        )
    elif citation.title != chunk.title:
        reason = f"{source} has the title “{chunk.title}”, not “{citation.title}” as the citation says."
    elif citation.heading != chunk.heading:
        reason = (
            f"{source} stands under {_named(chunk.heading)}, not under {_named(citation.heading)} as the citation says."
        )
    else:
        return None
    return Fault("invented-citation", reason)


def _named(heading: Sequence[str]) -> str:
    """A path of headings as a sentence names it."""
    return f"“{' › '.join(heading)}”" if heading else "no heading"


def _other_path(citation: Citation, passages: Sequence[Passage]) -> str:
    """The sentence for a path that is not that of the source: it is another source's, or was not retrieved."""
    for n, passage in enumerate(passages, 1):
        if (passage.chunk.zim_id, passage.chunk.path) == (citation.zim_id, citation.path):
            return f"{citation.path} is source [{n}], not [{citation.n}] as the citation says."
    return f"{citation.path or 'The empty path'} is not among the passages given."


def never_given(n: int, given: int) -> str:
    """The sentence for a source that is not among those given."""
    return f"Source [{n}] was never given; there were {given}."


def marks_fault(text: str, cited: str, passages: Sequence[Passage], own: Collection[int]) -> Fault | None:
    """The first source that the text of a claim names and that was not given; what the cited text says itself is none.

    Numbers in marks (`[3]`, `【3】`, a raised ³, "according to source 3") must be those of passages, and of one that
    the claim quotes (`own`), so that `[1][2][3]` on every sentence lends it nothing; a name in `(source: …)` must be
    that of a passage; "[ref]", "[citation needed]", an address or "common knowledge" is no source.
    """
    text = usual_width(text).replace("［", "[").replace("］", "]")
    named = [n for n, said in _numbers(text) if n not in own and not _is_stated(said, cited)]
    for n in named:
        if not 1 <= n <= len(passages):
            return Fault("invented-citation", never_given(n, len(passages)))
    if named:
        return Fault("invented-citation", f"The claim names source [{named[0]}], but quotes nothing of it.")
    for match in _NAMED.finditer(text):
        if _is_stated(match[0], cited) or _DOUBTED.fullmatch(match[0]):
            continue
        name = next((group for group in match.groups() if group is not None), "").strip(" :=.#")
        if re.fullmatch(r"(?:no\.?\s*)?\d{1,3}(?:\s*[,;]\s*\d{1,3})*", name):
            continue  # a number: looked at above
        if not name:
            return Fault("invented-citation", f"The claim has the mark “{match[0].strip()}”, which names no passage.")
        if not _is_given(name, passages):
            return Fault("invented-citation", f"The claim names the source “{name}”, which was never given.")
        if not _is_given(name, [passages[n - 1] for n in own]):
            return Fault("invented-citation", f"The claim names the source “{name}”, but quotes nothing of it.")
    for pattern, reason in (
        (_DOUBTED, "The claim has the mark “{}”, which says that a source is missing."),
        (_MEMORY, "The claim leans on “{}”, not on a passage."),
        (_ADDRESS, "The claim names the address {}, which the passages cited do not."),
    ):
        for match in pattern.finditer(text):
            if not _is_stated(match[0].rstrip(".,;:"), cited):
                return Fault("invented-citation", reason.format(match[0].rstrip(".,;:")))
    return None


def _numbers(text: str) -> Iterator[tuple[int, str]]:
    """The numbers of sources that `text` seems to name, each with the words that do."""
    for match in _NUMBERED.finditer(text):
        if match["word"] and match["mark"] == "[0]":
            continue  # code: no source has this number
        for mark in re.findall(r"[\[【]([^\]】]*)", match["mark"]):
            yield from ((int(n), match[0]) for n in re.findall(r"\d+", re.split("[†:]", mark)[0]))
    for match in _RAISED.finditer(text):
        yield int(unicodedata.normalize("NFKC", match["mark"])), text[max(0, match.start() - 4) : match.end()]
    for match in _SAID.finditer(text):
        yield int(match["n"]), match[0]


def _is_stated(said: str, cited: str) -> bool:
    """Whether the cited text says so, capitals, spaces and dress aside; `a[3]` has no `[3]` that stands alone."""
    alone = r"(?<![\w)\]])" if said[0] in "[【" else ""
    pattern = re.compile(alone + r"\s*".join(re.escape(sign) for sign in "".join(said.split())), re.IGNORECASE)
    return bool(pattern.search(cited) or pattern.search(normalise(cited).text))


def _is_given(name: str, passages: Sequence[Passage]) -> bool:
    """Whether a passage has this title, path or index, capitals and signs aside."""
    wanted = words(name)
    return any(
        wanted == words(known)
        for passage in passages
        for known in (passage.chunk.title, passage.chunk.path, passage.index)
    )


def distinct(citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """The citations without those that name the same place again."""
    return tuple({(one.n, one.start, one.end): one for one in citations}.values())


def joinable(citations: Sequence[Citation]) -> Fault | None:
    """Why citations must not be joined in one claim: two articles of one name, such as the two Mercurys.

    Titles that agree but for a qualifier in brackets, or behind their one comma, are of different things.
    """
    seen: dict[tuple[str, ...], str] = {}
    for citation in citations:
        other = seen.setdefault(_base(citation.title), citation.title)
        if words(other) != words(citation.title):
            reason = (
                f"“{other}” and “{citation.title}” are two things of one name and cannot support one claim together."
            )
            return Fault("mixed-subjects", reason)
    return None


def _base(title: str) -> tuple[str, ...]:
    """The words of a title without what tells it from others of its name."""
    bare = _QUALIFIER.sub("", title) or title
    return tuple(words(bare.split(",")[0] if bare.count(",") == 1 else bare))

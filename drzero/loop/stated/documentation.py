"""What documentation of code states of a function, class or attribute below its signature (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drzero.loop.stated.statement import Measure, Stated, filled
from drzero.text import Span, sentences
from drzero.types import Chunk

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_SIGNATURE = re.compile(
    r"(?:(?:class|coroutine|async|classmethod|staticmethod|abstractmethod|abstract|exception|property|final|awaitable)\s)*"
    r"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?P<args>\(.*\))?(?:\s->\s.+)?"
)
_DEFAULT = re.compile(
    r"[(,]\s*(?P<parameter>[a-z_]\w*)(?:\s*:\s*[\w.]+\s*)?=(?P<value>True|False|-?\d+(?:\.\d+)?|'[^',()]*'|\"[^\",()]*\")(?=\s*[,)\]])"
)
_RAISES = re.compile(
    r"^(?:It |This (?:method|function) |The (?:method|function) )?[Rr]aises?\s(?:an?\s)?"
    r"(?P<error>[A-Z]\w*|[a-z_.]+\.[A-Z]\w*)(?:\sexception)?\s(?P<cause>(?:if|when)\s[^;]+)\.$"
)
_RAISED = re.compile(
    r"^(?P<cause>(?:If|When)\s[^;,]+),\s(?:an?\s)?(?P<error>[A-Z]\w*|[a-z_.]+\.[A-Z]\w*)(?:\sexception)?\sis\sraised\.$"
)
_ERROR = re.compile(r"(?:\w+\.)*\w*(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Full|Empty|Timeout|Expired)")
_NEW = re.compile(r"New in version (?P<version>\d[\w.]*)\.")
_TRAILING = re.compile(r"New in|Changed in|Deprecated|Availability|Note|See also|Raises an auditing event|Tip|Warning")
_DEPRECATED = re.compile(
    r"Deprecated since version (?P<version>\d[\d.]*\d)(?:, (?:will be )?removed in version [\d.]+)?"
    r"(?:\.|: (?:Please )?[Uu]se (?P<instead>(?:the )?[\w.()]+(?: (?:method|function|class|module|attribute))?)"
    r"(?: instead)?\.)"
)
# What leans on words outside its sentence.
_LEANS = re.compile(
    r"\b(?:this|these|those|that is|it|its|they|them|their|above|below|following|such|here|same|see"
    r"|described|note|former|latter|also|e\.g|i\.e|you|your|we|our|another|other)\b|:$|\n|“[^”]*$",
    re.IGNORECASE,
)
VERBS = frozenset(
    "add append apply build calculate call cancel change check clear close compare compile compute concatenate"
    " connect construct convert copy count create decode decompress delete destroy detach determine disable"
    " display divide drop dump emit enable encode encrypt end enter escape evaluate execute exit expand extend"
    " extract fetch fill filter find flush force format free generate get handle import initialize insert install"
    " invoke iterate join kill launch list load locate lock log look make map mark match merge modify move"
    " multiply notify obtain open parse pass perform pop prepare print process produce push put query raise read"
    " receive record reduce register release reload remove rename render replace report request reset resize"
    " resolve restore resume retrieve reverse rotate round run save scan search seek select send serialize set"
    " shift shuffle shut skip sleep sort split start stop store strip submit subtract suspend swap switch tell"
    " terminate test transform translate truncate try turn unlock unpack unregister update upload validate verify"
    " wait walk wrap write yield".split()
)
_BUT = re.compile(
    r"(?:If|Only|Otherwise|When|Unless|But|However|Except|Else|For|Otherwise|In (?:that|this) case|Return(?:s|ed)?)\b"
)
_SECOND = re.compile(rf"(?:[,;]|\b(?:and|or|then|but))\s+(?:{'|'.join(sorted(VERBS | {'return', 'do', 'be'}))})\b")
_HISTORY = {  # relation, question, statement and type of what a line tells of versions
    "new": ("new in", "In which version was {} added?", "{} was added in version %.", "conceptual"),
    "deprecated": (
        "deprecated since",
        "In which version was {} deprecated?",
        "{} is deprecated since version %.",
        "conceptual",
    ),
    "instead": (
        "instead",
        "What should be used instead of the deprecated {}?",
        "Instead of the deprecated {}, % should be used.",
        "refactoring",
    ),
}
_PREPOSITIONS = "upon|in|to|at|and|or|with|by|from|that|which|if|when|on|as"
MOST_WORDS = 30
LEAST_CAUSE = 4  # words that tell when an error comes
MOST_DEFAULTS = 2  # of one signature


@dataclass(frozen=True, slots=True)
class _Member:
    """A thing of code with the name that means it alone: `json.dumps()`, `asyncio.Condition.acquire()`.

    It `runs` when it is called, or made as a class is; `prose` is where the text behind the `signature` begins.
    """

    name: str
    shown: str
    signature: str
    prose: int
    runs: bool


def documented(chunk: Chunk) -> Iterator[Stated]:
    """What `chunk` states of the function, class or attribute that its heading names."""
    member = _member(chunk)
    if member is None:
        return
    yield from _defaults(chunk, member)
    spans = [(start, end) for start, end in sentences(chunk.text) if start >= member.prose]
    goes_on = len(spans) > 1 and _BUT.match(chunk.text[slice(*spans[1])])
    if spans and not goes_on:  # "If none is found, return None." belongs to what a function returns
        yield from _purpose(chunk, member, *spans[0])
    for start, end in spans if member.runs else ():
        yield from _errors(chunk, member, start, end)
    yield from _versions(chunk, member)


def _member(chunk: Chunk) -> _Member | None:
    """What `chunk` is about; None where it does not begin with a signature.

    Behind the first chunk of a long section stands what is said of one parameter, or of the constants below.
    """
    if not chunk.heading or not _NAME.fullmatch(chunk.heading[-1]):
        return None
    own, lines = chunk.heading[-1], chunk.text.split("\n")
    first = _SIGNATURE.fullmatch(lines[0])
    name = _qualified(own, chunk)
    if name is None or first is None or first["name"].split(".")[-1] != own.split(".")[-1]:
        return None
    second = _SIGNATURE.fullmatch(lines[1]) if len(lines) > 1 else None
    if second is not None and second["args"]:
        return None  # two signatures: of which is what follows?
    kind = lines[0].split(" ", 1)[0] if lines[0].startswith(("class ", "exception ")) else ""
    called = first["args"] is not None
    name, _, module = name.partition(" in ")
    shown = f"the {kind} {name}" if kind else f"{name}()" if called else name
    return _Member(name, f"{shown} in {module}" if module else shown, lines[0], len(lines[0]) + 1, runs=called)


def _qualified(own: str, chunk: Chunk) -> str | None:
    """The name with that of its class or module before it; None where that cannot be told."""
    module = re.match(r"([a-z_][\w.]*) — ", chunk.title)
    if "." in own:
        top = own.split(".", maxsplit=1)[0]
        if module and top != module[1].split(".")[0]:
            return f"{own} in {module[1]}"
        return None if top[0].isupper() and not module else own
    parents = [heading for heading in chunk.heading[:-1] if _NAME.fullmatch(heading) and "." in heading]
    if parents:
        return f"{parents[-1]}.{own}"
    if module and not chunk.heading[:-1]:
        return f"{module[1]}.{own}" if own != module[1] else None
    return own if "_" in own.strip("_") else None


def _defaults(chunk: Chunk, member: _Member) -> Iterator[Stated]:
    found = list(_DEFAULT.finditer(member.signature))
    for match in found[:MOST_DEFAULTS]:
        parameter, value = match["parameter"], match["value"]
        if not value.strip("'\" "):
            continue
        yield _stated(
            chunk,
            member,
            f"default of {parameter}",
            value,
            (0, len(member.signature)),
            asks=f"What is the default value of the parameter {parameter} of {{}}?",
            tells=f"The default value of the parameter {parameter} of {{}} is {value}.",
            kind="implementation",
            aspects=(value.strip("'\""),),
        )


def _purpose(chunk: Chunk, member: _Member, start: int, end: int) -> Iterator[Stated]:
    """What a function returns or does, from the first sentence behind its signature."""
    sentence = chunk.text[start:end]
    words = sentence.split()
    if not 4 <= len(words) <= MOST_WORDS or sentence[-1] != "." or _LEANS.search(sentence):
        return
    if _dangles(sentence, member.signature):
        return
    verb, rest = words[0].casefold(), sentence[len(words[0]) :].strip().rstrip(".")
    if verb in ("return", "returns"):
        if _SECOND.search(rest) or ". " in rest:
            return
        yield _stated(
            chunk,
            member,
            "returns",
            rest,
            (start, end),
            asks="What does {} return?",
            tells=f"{{}} returns {rest}.",
            kind="implementation",
        )
    elif verb in VERBS and words[0][0].isupper() and member.runs and not member.shown.startswith("the "):
        if _SECOND.search(rest) or ". " in rest or words[1].casefold() in ("and", "or"):
            return
        yield _stated(
            chunk,
            member,
            "does",
            f"{_third(verb)} {rest}",
            (start, end),
            asks="What does calling {} do?",
            tells=f"{{}} {_third(verb)} {rest}.",
            kind="implementation",
        )


def _dangles(sentence: str, signature: str) -> bool:
    """Whether a sentence says "of thing", which nobody knows who does not see the signature.

    A single letter is what formulas have: "the cosine of x".
    """
    given = re.findall(r"[(,]\s*\*{0,2}([a-z_]\w+)", signature.partition(" -> ")[0])
    return any(re.search(rf"\bof {name}(?:[.,]| (?:{_PREPOSITIONS})\b)", sentence) for name in given)


def _third(verb: str) -> str:
    """A verb as it is told of one: "copies", "pushes", "reads"."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh")) else f"{verb}s"


def _errors(chunk: Chunk, member: _Member, start: int, end: int) -> Iterator[Stated]:
    sentence = chunk.text[start:end]
    found = _RAISES.match(sentence) or _RAISED.match(sentence)
    if found is None or not _ERROR.fullmatch(found["error"]) or _LEANS.search(found["cause"]):
        return
    told = found["cause"].split()
    if not LEAST_CAUSE <= len(told) <= MOST_WORDS or any(_ERROR.fullmatch(word) for word in told) or "default" in told:
        return
    cause = found["cause"][0].lower() + found["cause"][1:]
    yield _stated(
        chunk,
        member,
        f"raises {cause}",
        found["error"],
        (start, end),
        asks=f"Which exception does {{}} raise {cause}?",
        tells=f"{{}} raises {found['error']} {cause}.",
        kind="debugging",
        aspects=(found["error"],),
    )


def _versions(chunk: Chunk, member: _Member) -> Iterator[Stated]:
    at = 0
    lines = chunk.text.split("\n")
    for number, line in enumerate(lines):
        new, old = _NEW.fullmatch(line), _DEPRECATED.fullmatch(line)
        if not all(_TRAILING.match(later) for later in lines[number + 1 :]):
            new = old = None  # said of a parameter, and the next one follows
        found = new or old
        if found:
            which = "new" if new else "instead" if found["instead"] else "deprecated"
            value = found["instead" if which == "instead" else "version"]
            relation, asks, tells, kind = _HISTORY[which]
            yield _stated(
                chunk,
                member,
                relation,
                value,
                (at, at + len(line)),
                asks=asks,
                tells=tells.replace("%", value),
                kind=kind,
                aspects=(_code(value) if which == "instead" else value,),
                measure=None if which == "instead" else _release(value, chunk),
            )
        at += len(line) + 1


def _code(instead: str) -> str:
    """The name of code in "the foo() method"."""
    return instead.removeprefix("the ").split(" ")[0].removesuffix("()")


def _release(version: str, chunk: Chunk) -> Measure | None:
    """Where a version stands among those of the same documentation."""
    parts = version.split(".")
    if len(parts) < 2 or not all(part.isdigit() for part in parts[:3]):
        return None
    numbers = [int(part) for part in (*parts, "0")[:3]]
    place = numbers[0] * 1e6 + numbers[1] * 1e3 + numbers[2]
    return Measure(place, place if len(parts) > 2 else place + 999, f"version of {chunk.zim_id}")


def _stated(
    chunk: Chunk,
    member: _Member,
    relation: str,
    value: str,
    span: Span,
    *,
    asks: str,
    tells: str,
    kind: str,
    aspects: tuple[str, ...] = (),
    measure: Measure | None = None,
) -> Stated:
    start, end = span
    return Stated(
        chunk=chunk,
        subject=member.shown,
        relation=relation,
        value=value,
        start=chunk.start + start,
        end=chunk.start + end,
        quote=chunk.text[start:end],
        statement=filled(tells, member.shown),
        asks=asks,
        tells=tells,
        kind=kind,
        aspects=aspects,
        thing="code",
        name=member.name,
        measure=measure,
    )

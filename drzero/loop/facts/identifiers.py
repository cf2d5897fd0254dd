"""Code names of a text: calls, options, file names, versions, error codes (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drzero.loop.facts.common_words import is_common
from drzero.types import Fault

_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:\w+(?:\.\w+)*\(\)|\w*_\w+|v?\d+(?:\.\d+){2,}\w*|\w+(?:(?:\.|::|->)\w+)+|[a-z]+[A-Z]\w*|--?[a-z][\w-]+"
    r"|-[A-Za-z](?![\w-])|@\w+|\.[a-z]\w+)"
)
_OPTION = re.compile(r"(?<!\S)-[A-Za-z][\w-]*")
_MIXED = re.compile(r"(?<![\w.])(?=\w*[A-Za-z])(?=\w*\d)[A-Za-z]\w*(?:[.-]\d+)*(?!\w)|(?<![\w.,])v?\d+(?:\.\d+){2,}\w*")
_VERSION = re.compile(
    r"(?:\bversions?|\b[A-Z][\w+#.]*)\s(?:version\s)?v?(\d+\.\d+)(?![\d%]|\.\d|\s?(?:million|billion|per))"
)
_CODE_WORD = re.compile(
    r"\b(?:[Tt]he|[Aa]n?)\s[`'\"]?(\w+)[`'\"]?\s(?:module|function|method|class|option|attribute|keyword|argument|parameter|exception"
    r"|command|package|library|statement|operator|type|table|column|variable|flag|tag|header)\b"
    r"|`([\w.]+)`"
)
# Signs between spaces, quotes or figures; dashes and the stars of lists are none.
_OPERATOR = re.compile(
    r"(?:^|(?<=[\s`'\"(\w]))(?:[=!]==?|<=>|[<>]=|<<|>>|&&|\|\||//|\*\*|:=|=>|<>|[+*/%^-]=|[<>#=^~])(?=[\s`'\".,;)]|\d|$)"
)
_SIGNED = re.compile(r"(?<!\w)[A-Za-z]\w{0,9}(?:\+\+|#)(?![\w+#])")
_CALL = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*\((?!\))")
_VALUE = re.compile(r"(?<![\w.])-?\d|\"|\[|\{")
_ADJECTIVE = re.compile(r"(?:al|ive|ous|ic|ary|able|ible|ful|less|ent|ant|er|or)$")
_NO_CODE = re.compile(
    r"(?:[A-Za-z]\.)+[A-Za-z]?|[\d.]+|\d+\.\d+\w*|[A-Za-z]+\.(?:[A-Z][a-z]+)|(?:Mc|Mac|De|Di|La|Le|Van|O)[A-Z]\w+"
)

_PLAIN, _DOTTED = re.compile(r"[A-Za-z_]\w*"), re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_MODULE = re.compile(r"(?P<name>[a-z_][\w.]*) — ")


def qualified(title: str, heading: Sequence[str]) -> str:
    """The dotted name of the piece of code that a section is about, "" where headings do not tell it.

    Documentation puts `sections` under `configparser.ConfigParser`, or alone on the page of a module, "json — …". Only
    headings that are nothing but a name count, and the last of them is the piece itself.
    """
    own, parents = heading[-1] if heading else "", heading[:-1]
    if not _PLAIN.fullmatch(own):
        return ""
    within = [one for one in parents if _DOTTED.fullmatch(one)]
    module = _MODULE.match(title) if not parents else None
    return f"{within[-1]}.{own}" if within else f"{module['name']}.{own}" if module and own != module["name"] else ""


def identifiers(text: str) -> set[str]:
    """Code names in `text`: calls, dotted, underscored or camel-cased words, options; without trailing parentheses."""
    found = {match[0].removesuffix("()") for match in _IDENTIFIER.finditer(text)}
    return {name for name in found if not _NO_CODE.fullmatch(name)} | _versions(text)


def _versions(text: str) -> set[str]:
    """Versions of three parts: no number, as 3.10.1 has two points."""
    return {match[0] for match in re.finditer(r"(?<![\w.])v?\d+(?:\.\d+){2,}\w*", text)}


def mixed_spans(text: str) -> list[tuple[int, int]]:
    """The places of versions and of words of letters and figures that begin with a letter: no numbers in themselves."""
    return [match.span() for match in _MIXED.finditer(text)]


def stands_in(name: str, text: str) -> bool:
    """Whether `name` stands in `text` as a whole: `json.load` does not stand in `json.loads`."""
    before = r"(?<![\w-])" if name[0] == "-" else r"(?<!\w)"
    return re.search(rf"{before}{re.escape(name)}(?!\w)", text) is not None


def _small(name: str) -> str:
    """`name` without the capital that a sentence gives it."""
    return name[0].lower() + name[1:]


def missing_identifiers(claim: str, evidence: str) -> list[str]:
    """Code identifiers of the claim that do not stand in the evidence."""
    told = identifiers(claim)
    if not _OPTION.search(evidence):  # a word torn apart before its hyphen, and no option
        told = {name for name in told if not _OPTION.fullmatch(name)}
    return sorted(name for name in told if not (stands_in(name, evidence) or stands_in(_small(name), evidence)))


def _code_words(text: str) -> set[str]:
    """Words that stand where the name of a piece of code does: "the argparse module", "the function abs"."""
    found = {match[1] or match[2] for match in _CODE_WORD.finditer(text)}
    return {word for word in found if len(word) > 2 and not is_common(word.casefold()) and not _ADJECTIVE.search(word)}


def _missing_signs(claim: str, evidence: str) -> list[str]:
    """Operators for which the evidence has another, and names such as C++ that it has not, or only with such signs."""
    ours, theirs = set(_OPERATOR.findall(claim)), set(_OPERATOR.findall(evidence))
    missing = sorted(ours - theirs) if theirs - ours else []
    stated = set(_SIGNED.findall(evidence))
    missing += sorted(set(_SIGNED.findall(claim)) - stated)
    for letter in sorted({name.rstrip("+#") for name in stated}):
        alone = re.compile(rf"(?<![\w.'-]){re.escape(letter)}(?![\w+#'-]|\.\w)")
        if alone.search(claim) and not alone.search(evidence):
            missing.append(letter)
    return missing


def _missing_calls(claim: str, evidence: str) -> list[str]:
    """Calls with values that the evidence has with other values only: `f([1], 9)` is not what `f([1, 2], 9)` gives."""
    stated = _calls(evidence)
    names = {call.partition("(")[0] for call in stated}
    return sorted(call for call in _calls(claim) - stated if call.partition("(")[0] in names)


def _calls(text: str) -> set[str]:
    """The calls of a text with a value among their arguments, spaces and the kind of quotation marks aside."""
    found = set()
    for match in _CALL.finditer(text):
        depth = 0
        for at in range(match.end() - 1, len(text)):
            depth += (text[at] in "([{") - (text[at] in ")]}")
            if not depth:
                call = re.sub(r"[‘’“”'`\"]", '"', re.sub(r"\s", "", text[match.start() : at + 1]))
                if _VALUE.search(call.partition("(")[2]):
                    found.add(call)
                break
    return found


def identifier_fault(claim: str, evidence: str) -> Fault | None:
    """Code names, versions and words of letters and figures that the evidence does not have."""
    missing = missing_identifiers(claim, evidence)
    folded = evidence.casefold()
    missing += [
        match[0]
        for match in _MIXED.finditer(claim)
        if match[0] not in missing and not stands_in(match[0].casefold(), folded)
    ]
    missing += sorted(
        word for word in _code_words(claim) if word not in missing and not stands_in(word.casefold(), folded)
    )
    missing += _missing_signs(claim, evidence)
    missing += _missing_calls(claim, evidence)
    have = set(_VERSION.findall(evidence)) | set(re.findall(r"\d+\.\d+", evidence))
    missing += [version for version in _VERSION.findall(claim) if version not in have and version.endswith("0")]
    if not missing:
        return None
    return Fault("identifier", f"The evidence does not mention {', '.join(dict.fromkeys(missing[:4]))}.")

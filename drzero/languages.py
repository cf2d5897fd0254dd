"""Which language an archive is in, and whether an embedder knows it (pure functions over language codes)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

import langcodes
from langcodes.tag_parser import LanguageTagError

MANY = "mul"
"""The code of what knows, or holds, many languages."""

_SAYS_NOTHING = frozenset(("und", "mis", "zxx", "qaa", "x", "code"))
_OTHER_NAMES = {"multilingual": MANY, "simple": "en"}
# Codes of one written language that the registry keeps apart: the countries' Arabic, the two Norwegians.
_SAME = dict.fromkeys("acm aeb ajp apc apd arq ars ary arz".split(), "ar") | dict.fromkeys(("nb", "nn"), "no")
_NAMES = dict(
    pair.split("=")
    for pair in (
        "af=Afrikaans am=Amharic ang=Old_English ar=Arabic az=Azerbaijani be=Belarusian bg=Bulgarian bn=Bengali "
        "br=Breton bs=Bosnian ca=Catalan cs=Czech cy=Welsh da=Danish de=German el=Greek en=English eo=Esperanto "
        "es=Spanish et=Estonian eu=Basque fa=Persian fi=Finnish fr=French ga=Irish gl=Galician gu=Gujarati ha=Hausa "
        "he=Hebrew hi=Hindi hr=Croatian hu=Hungarian hy=Armenian id=Indonesian is=Icelandic it=Italian ja=Japanese "
        "ka=Georgian kk=Kazakh km=Khmer kn=Kannada ko=Korean ku=Kurdish la=Latin lo=Lao lt=Lithuanian lv=Latvian "
        "mk=Macedonian ml=Malayalam mn=Mongolian mr=Marathi ms=Malay my=Burmese ne=Nepali nl=Dutch no=Norwegian "
        "pa=Punjabi pl=Polish ps=Pashto pt=Portuguese ro=Romanian ru=Russian sa=Sanskrit si=Sinhala sk=Slovak "
        "sl=Slovenian so=Somali sq=Albanian sr=Serbian sv=Swedish sw=Swahili ta=Tamil te=Telugu th=Thai "
        "tl=Tagalog fil=Filipino tr=Turkish uk=Ukrainian ur=Urdu uz=Uzbek vi=Vietnamese yi=Yiddish zh=Chinese"
    ).split()
)

_WORD = re.compile(r"[^\W\d_]{2,}")
_UNREAD_PIECES = 0.5
"""Tokens a letter from which on a tokenizer cannot have been made for a script. Measured on archives in eleven
languages: English under an English vocabulary .21–.25, French .29, Spanish .32, German .34, Old English .40, Arabic
.60, Russian .65, Belarusian .91; under a multilingual vocabulary .25–.32, Old English .41. So many are proof, and few
are none; rare English words alone make up to .37."""


@lru_cache(maxsize=256)
def codes(language: str) -> tuple[str, ...]:
    """The short codes of all languages in an archive's metadata, each once: "eng,fra-CA" → ("en", "fr").

    Scripts and regions are left out. What says nothing (`und`) and what is no code are left out too; `mul` stays.
    """
    found: dict[str, None] = {}
    for stated in re.split(r"[\s,;]+", language.strip().lower()):
        try:
            tag = langcodes.standardize_tag(_OTHER_NAMES.get(stated, stated), macro=True).split("-")[0]
        except LanguageTagError:
            continue
        code = _SAME.get(tag, tag)
        if code not in _SAYS_NOTHING:
            found[code] = None
    return tuple(found)


def only_code(language: str) -> str:
    """The short code of an archive in one language; "" for several, or none that is known."""
    found = codes(language)
    return found[0] if len(found) == 1 and found[0] != MANY else ""


def speaks(embedder_languages: Sequence[str], archive_language: str) -> bool | None:
    """Whether an embedder of these languages knows all of an archive's; None when either side says nothing.

    `mul` among the embedder's knows every language; `mul` as the archive's is more than any list of languages holds.
    """
    known = {code for stated in embedder_languages for code in codes(stated)}
    wanted = codes(archive_language)
    if not known or not wanted:
        return None
    return MANY in known or known.issuperset(wanted)


def pieces_per_letter(
    texts: Sequence[str], count: Callable[[Sequence[str]], Sequence[int]], *, least_words: int = 200
) -> float | None:
    """How many tokens a tokenizer makes of a letter in running words of `texts`; None for fewer than `least_words`.

    `count` gives the number of tokens of each of some words, special tokens left out. A tokenizer has whole words and
    syllables of the languages it was made for, and takes a script that it was not made for to single letters. Digits,
    words of one letter and names in code do not count; nor do scripts without spaces between words.
    """
    running: Counter[str] = Counter()
    for text in texts:
        running.update(word for word in _WORD.findall(text) if not _unspaced(word))
    if running.total() < least_words:
        return None
    pieces = sum(n * times for n, times in zip(count(list(running)), running.values(), strict=True))
    return pieces / sum(len(word) * times for word, times in running.items())


def reads(pieces: float | None) -> bool | None:
    """False when a tokenizer that makes so many tokens of a letter was not made for this script; None when unsure."""
    return False if pieces is not None and pieces >= _UNREAD_PIECES else None


def language_name(code: str) -> str:
    """The English name of a language, or its code where none is known here; "several languages" for `mul`."""
    return "several languages" if code == MANY else _NAMES.get(code, code).replace("_", " ")


def names_of(languages: Sequence[str]) -> str:
    """The languages of these codes as a person lists them: "English, French and German"; "" for none."""
    known = [language_name(code) for stated in languages for code in codes(stated)]
    known = list(dict.fromkeys(known))
    return " and ".join(filter(None, (", ".join(known[:-1]), known[-1] if known else "")))


def warning(
    index: str, archive_language: str, embedder: str, embedder_languages: Sequence[str], known: bool | None
) -> str:
    """What to say of an index whose embedder does not know its language (`known` is False); "" otherwise.

    `embedder` is the model's name; the archive's language or the embedder's may be unstated, as in `speaks`.
    """
    if known is not False:
        return ""
    spoken, stated = names_of([archive_language]), names_of(embedder_languages)
    if spoken and stated:
        what = f"{spoken}, but {embedder} was made for {stated}"
    else:
        what = f"{spoken}, which {embedder} does not know" if spoken else f"a language that {embedder} does not know"
    return (
        f"{index}: this archive is in {what}, so search goes by words far more than by meaning; for search by meaning "
        "build it with a multilingual model: --embedder multilingual-e5-small, or the folder of one you have, "
        "--embedder PATH."
    )


def _unspaced(word: str) -> bool:
    return "\u0e00" <= word[0] <= "\u0fff" or "\u1000" <= word[0] <= "\u109f" or "\u2e80" <= word[0] <= "\uabff"

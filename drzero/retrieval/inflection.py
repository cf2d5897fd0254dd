"""The words of a language as the word index keeps them: without endings and without signs that writers leave out.

Index and query are treated alike, so an index keeps the language it was made for. FTS5 brings Porter's stemmer for
English, which languages without one of their own have to do with. Recall@5 of BM25 over one handbook in five
translations, 36 questions each and some 270 headings each as queries: Russian .39 → .50 and .45 → .52, Arabic .44 → .56
and .47 → .50, Spanish .67 → .67 and .59 → .63, French .61 → .67 and .61 → .61; German .36 → .33 and .57 → .57, which is
therefore left out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, lru_cache

import regex

_ALGORITHMS = dict(
    pair.split("=")
    for pair in (
        "ar=arabic ca=catalan cs=czech da=danish el=greek eo=esperanto es=spanish et=estonian eu=basque fa=persian "
        "fi=finnish fr=french ga=irish hi=hindi hu=hungarian hy=armenian id=indonesian it=italian lt=lithuanian "
        "ne=nepali nl=dutch no=norwegian pl=polish pt=portuguese ro=romanian ru=russian sr=serbian sv=swedish ta=tamil "
        "tr=turkish yi=yiddish"
    ).split()
)
_LATIN = frozenset("ca cs da eo es et eu fi fr ga hu id it lt nl no pl pt ro sr sv tr".split())
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*+")
# Vowel signs and the stretching stroke of Arabic, which writers set or leave out.
_UNWRITTEN = regex.compile("[\u064b-\u065f\u0670\u0640]+")
_APOSTROPHE = regex.compile(r"(?<=\p{L})['’](?=\p{L})")  # l'archive, dell'archivio: two words
_CACHED_WORDS = 1 << 16


def uninflected(text: str, language: str) -> str:
    """`text` for the word index, or a query, of an archive in `language` (a short code; "" leaves words whole).

    Words of letters come in lower case and lose their endings; in a language of another script Latin words, which are
    names and code, stay. What stands between words stays, so that joined names remain phrases, but for apostrophes.
    """
    stem = _stemmer(language)
    if stem is None:
        return text
    text = _UNWRITTEN.sub("", text).replace("ё", "е").replace("Ё", "Е")
    latin = language in _LATIN
    without = _WORD.sub(lambda match: stem(match[0].casefold()) if latin or not match[0].isascii() else match[0], text)
    return str(_APOSTROPHE.sub(" ", without))


def is_inflected(language: str) -> bool:
    """Whether `uninflected` takes endings off the words of `language`."""
    return _stemmer(language) is not None


@cache
def _stemmer(language: str) -> Callable[[str], str] | None:
    """What takes the ending off a word in lower case; None where there is nothing for `language`."""
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None:
        return None
    import snowballstemmer

    made, lock = snowballstemmer.stemmer(algorithm), threading.Lock()

    @lru_cache(maxsize=_CACHED_WORDS)
    def stem(word: str) -> str:
        with lock:  # it keeps the word it is at
            return str(made.stemWord(word)) or word

    return stem

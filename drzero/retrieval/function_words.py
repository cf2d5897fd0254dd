"""Words that a question is put with and that no passage is about: left out of a query, by language.

In running text such words as "why" are rarer than the subject, so that BM25 would take them for the subject. Those of
English, where a capital tells more, are in `terms`. Recall@5 of BM25 over one handbook, 36 questions in
each language: Russian .50 → .56, German .36 → .42, Japanese .56 → .64, Chinese .69 → .69 (@10 .72 → .78), Spanish .67 →
.67, Arabic .56 → .53, French .67 → .61; with 1,379 headings as queries .565 → .568.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORDS = {
    "ar": "كيف لماذا لم ما ماذا متى أين اين كم هل أي اي بأي من في على إلى الى عن مع أن ان إن لا يجب ينبغي هذا هذه "
    "ذلك تلك التي الذي الذين كل دون قبل بعد بين أو او و إذا اذا منها فيه فيها هو هي",
    "de": "wie warum was wo wohin woher wann wer wem wen wieso weshalb wozu worin womit welche welcher welches "
    "welchen welchem wird werden wurde ist sind war bin ich mein meine meinen man sich soll sollte kann "
    "können muss darf der die das den dem des ein eine einen einem einer eines und oder zu zum zur in im mit "
    "ohne von vom auf für an am bei nach vor über um dass daß wenn es er sie ihr wir nicht noch auch hat "
    "haben gibt",
    "es": "cómo como por qué que cuál cual cuáles cuándo cuando cuánto cuántos cuánta cuántas dónde donde adónde "
    "quién quiénes el la los las lo un una unos unas de del en y o u a al se es son fue está están mi mis su "
    "sus no sin con para si hay tiene tienen puede puedo pueden debe hace hacer más antes después entre sobre",
    "fr": "comment pourquoi quand quel quelle quels quelles où combien que qui quoi lequel laquelle faut il ils "
    "elle elles je on nous vous mon ma mes son sa ses ne pas plus est sont était ce cet cette ces se y a ont "
    "peut peuvent doit à de la le les des du en par pour sur avec sans dans une un et ou si avant après entre "
    "d l s t n m c j qu au aux",
    "it": "come perché quando quale quali dove quanto quanti quanta quante che chi cosa il lo la i gli le un uno "
    "una di del dello della dei degli delle a al allo alla ai agli alle in nel nella nei nelle da dal dalla "
    "su sul sulla con per tra fra e o se si è sono era ho ha hanno può possono deve mio mia suo sua non più "
    "prima dopo l d c",
    "nl": "hoe waarom wat waar wanneer wie welk welke hoeveel waarmee waarvoor is zijn was wordt worden ik mijn men "
    "zich moet kan kunnen mag de het een en of te in met zonder van op voor aan bij naar over om dat als er "
    "niet ook heeft hebben",
    "pt": "como porque por que quê qual quais quando quanto quantos quanta quantas onde quem o a os as um uma uns "
    "umas de do da dos das em no na nos nas e ou ao à aos às se é são foi está meu minha seu sua não sem com "
    "para há tem têm pode podem deve faz mais antes depois entre sobre",
    "ru": "как почему зачем отчего что где куда откуда когда сколько какой какая какое какие каким какую каком кто "
    "кого чем чём чего чему чтобы мой моя моё мои мне я в во на с со из от до по за для при о об и или а но "
    "не ни ли бы же если то это эта этот ту той через перед прежде кроме себе можно нужно надо есть быть "
    "будет был была было были",
    "uk": "як чому навіщо що де куди звідки коли скільки який яка яке які яким хто чим щоб мій моя моє мої мені я в "
    "у на з зі із від до по за для при про і й та або а але не ні чи би ж же якщо то це ця цей через перед "
    "крім можна треба потрібно є бути був була було були",
}
_SETS: Mapping[str, frozenset[str]] = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_CHINESE = re.compile(
    "为什么|為什麼|怎么办|怎麼辦|怎样|怎樣|怎么|怎麼|什么|什麼|哪个|哪個|哪里|哪裡|哪些|多少|[吗嗎呢的了]"
)
_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"(?<=\w)['’](?=\w)")
_HIRAGANA_ONLY = re.compile('"[\u3041-\u309f](?: [\u3041-\u309f])?"')


def without_function_words(query: str, language: str) -> str:
    """`query` without the function words of `language` (a short code); "" when there are no others.

    A word that is part of something longer, such as `as-de-fr` or `de.json`, stays.
    """
    if language == "zh":
        kept = [_CHINESE.sub(" ", query)]
    elif known := _SETS.get(language):
        kept = []
        for piece in _JOINED.sub("’ ", query).split():
            words = _WORD.findall(piece)
            if len(words) != 1 or words[0].casefold() not in known:
                kept.append(piece)
    else:
        return query
    return " ".join(kept) if _WORD.search(" ".join(kept)) else ""


def without_endings(terms: list[str]) -> list[str]:
    """FTS5 strings without those of hiragana alone, which are Japanese endings and particles; all when none is left."""
    return [term for term in terms if not _HIRAGANA_ONLY.fullmatch(term)] or terms

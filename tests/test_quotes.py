"""drzero.loop.quotes: quoted words stand where the citation says, or the fault is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from drzero.corpus.zim import open_archive
from drzero.loop.quotes import in_own_wording, own_wording, quote_fault, quotes_fault
from drzero.normalising import find_quotes
from drzero.text import sentences, words
from drzero.types import Chunk, Citation, Claim, Passage
from tests.dressing import DRESSES, changed, dressed

TEXT = (
    "Ray Charles was born in Albany, Georgia. He won 17 Grammy Awards and never learned to drive. He did not sign the "
    "treaty. In 1950 he moved to Seattle, where he met Quincy Jones at a small club. “I was born with music inside me "
    "… it was there,” he said. He won again."
)
OTHER = "Albany is a city in Georgia. It has a long river and a small old club near the bridge."
CHUNK = Chunk("c1", "z", "Ray_Charles", "Ray Charles", ("Life",), TEXT, 50, 50 + len(TEXT))
ALBANY = Passage(Chunk("c2", "z", "Albany", "Albany", (), OTHER, 0, len(OTHER)), 0.5, 2, "wiki")
LATER = Passage(replace(CHUNK, id="c3", text="He died in 2004 in Beverly Hills.", start=400, end=433), 0.4, 3, "wiki")
PASSAGES = (Passage(CHUNK, 1.0, 1, "wiki"), ALBANY, LATER)
WON = "He won 17 Grammy Awards and never learned to drive."
START, END = 50 + TEXT.index(WON), 50 + TEXT.index(WON) + len(WON)


def fault(quote: str, start: int = START, end: int = END, *, exact: bool = False) -> tuple[str, str] | None:
    found = quote_fault(quote, CHUNK, start, end, PASSAGES, exact=exact)
    if found is None:
        return None
    assert found.verdict == "unsupported"
    return found.code, found.reason


@pytest.mark.parametrize("quote", [WON, f"{WON}[3]", "He won 17 Grammy Awards[3]\nand never learned to drive."])
def test_quotes_stand_in_any_dress(quote: str) -> None:
    assert fault(quote) is None


@pytest.mark.parametrize(
    ("quote", "code", "reason"),
    [
        ("", "quote-empty", "The quote is empty."),
        ("\u200b \n", "quote-empty", "The quote is empty."),
        ("he was the", "quote-too-short", "The quote “he was the” says nothing of its own."),
        (
            "Somebody wrote about cheese",
            "quote-not-found",
            "The quoted words do not stand in “Ray Charles”.",
        ),
        (
            "In 1950 he moved",
            "quote-elsewhere",
            "The quoted words stand at characters 171 to 187 of “Ray Charles”, not at 91 to 142.",
        ),
        (
            "He won",
            "quote-elsewhere",
            "The quoted words stand at characters 91 to 97, 302 to 308 of “Ray Charles”, not at 91 to 142.",
        ),
        (
            "Albany is a city in Georgia.",
            "quote-of-another-passage",
            "The quoted words stand in “Albany”, not in “Ray Charles”, which is cited.",
        ),
        (
            "He died in 2004",
            "quote-of-another-passage",
            "The quoted words stand in another part of “Ray Charles”.",
        ),
        (
            "Ray Charles was born in Albany, Georgia. In 1950 he moved to Seattle",
            "quote-stitched",
            "The quote joins “Ray Charles was born in Albany Georgia” and “In 1950 he moved to Seattle”, which stand "
            "apart in “Ray Charles”.",
        ),
        (
            "Ray Charles was born in a small old club near the bridge",
            "quote-stitched",
            "The quote joins “Ray Charles was born in” and “a small old club near the bridge”, which stand apart in “"
            "Ray Charles” and “Albany”.",
        ),
        (
            "Ray Charles was born in the treaty. In 1950 he met Quincy Jones at a small club",
            "quote-stitched",
            "The quote joins “Ray Charles was born in” and “the treaty In 1950 he”, which stand apart in “Ray "
            "Charles”.",
        ),
        (
            "He won 17 Grammy Awards and never learned to drive,",
            "quote-changed",
            "The quote says “,” where “Ray Charles” says “.”.",
        ),
        (
            "She won 17 Grammy Awards and never learned to drive.",
            "quote-changed",
            "The quote says “She” where “Ray Charles” says “He”.",
        ),
        (
            "In 1950 he moved he met Quincy Jones at a small club.",
            "quote-stitched",
            "The quote joins “In 1950 he moved” and “he met Quincy Jones at a small club”, which stand apart in “Ray "
            "Charles”.",
        ),
        (
            "In 1950 he moved where he met Quincy Jones at a small club.",
            "quote-changed",
            "The quote leaves out “to Seattle,”, which “Ray Charles” has there.",
        ),
        (
            "He won 17 Grammy Awards … drive.",
            "quote-ellipsis",
            "The quote leaves out “and never learned to” at its ellipsis.",
        ),
        (
            "He won 17 Grammy Awards [...] In 1950 he moved to Seattle",
            "quote-ellipsis",
            "The quote leaves out “and never learned to drive. He did not sign the treaty.” at its ellipsis.",
        ),
        (
            "He won 17 ... Grammy Awards",
            "quote-ellipsis",
            "The quote has an ellipsis that does not stand in “Ray Charles”.",
        ),
        (
            "He won 17 Grammy Awards...",
            "quote-ellipsis",
            "The ellipsis at the edge of the quote does not stand in “Ray Charles”.",
        ),
        (
            "He won 18 Grammy Awards and never learned to drive.",
            "quote-changed",
            "The quote says “18” where “Ray Charles” says “17”.",
        ),
        (
            "He did sign the treaty",
            "quote-changed",
            "The quote leaves out “not”, which “Ray Charles” has there.",
        ),
        (
            "He quickly won 17 Grammy Awards and never learned to drive.",
            "quote-changed",
            "The quote adds “quickly”, which “Ray Charles” does not have there.",
        ),
        (
            "He won 17 grammy awards and never learned to drive.",
            "quote-changed",
            "The quote says “grammy awards” where “Ray Charles” says “Grammy Awards”.",
        ),
        (
            "He won 17 Grammy Awards, and never learned to drive.",
            "quote-changed",
            "The quote adds “,”, which “Ray Charles” does not have there.",
        ),
    ],
)
def test_quotes_name_the_fault(quote: str, code: str, reason: str) -> None:
    assert fault(quote) == (code, reason)


def test_quotes_of_an_article_of_the_same_name_in_another_archive_are_told() -> None:
    other = Passage(replace(ALBANY.chunk, zim_id="z2", title="Ray Charles"), 0.1, 4, "old")
    found = quote_fault("Albany is a city in Georgia.", CHUNK, START, END, (other,))
    assert found is not None
    assert found.reason == (
        "The quoted words stand in “Ray Charles” in the archive z2, not in “Ray Charles”, which is cited."
    )


def test_quotes_keep_an_ellipsis_of_the_article() -> None:
    quote = "was born with music inside me ... it was there"
    own = "was born with music inside me … it was there"
    start = 50 + TEXT.index(own)
    assert fault(quote, start, start + len(own)) is None
    assert fault(quote) == (
        "quote-elsewhere",
        f"The quoted words stand at characters {start} to {start + len(own)} of “Ray Charles”, not at 91 to 142.",
    )


@pytest.mark.parametrize(("start", "end"), [(40, 60), (START, END + 900), (END, START), (START, START), (0, 5)])
def test_quotes_at_impossible_places_stand_elsewhere(start: int, end: int) -> None:
    assert fault(WON, start, end) == (
        "quote-elsewhere",
        f"The quoted words stand at characters 91 to 142 of “Ray Charles”, not at {start} to {end}.",
    )


def test_quotes_a_stored_quote_is_the_articles_own_wording() -> None:
    loose = "He won 17 Grammy\u00a0Awards and never learned to drive."
    assert fault(loose) is None
    assert fault(WON, exact=True) is None
    assert fault(loose, exact=True) == (
        "quote-wording",
        "The quote “He won 17 Grammy Awards and never learned to drive.” is not in the article's own spelling and "
        "signs.",
    )
    citation = Citation(1, "wiki", "z", "Ray_Charles", "Ray Charles", ("Life",), "c1", loose, START, END)
    assert own_wording(citation, CHUNK) == replace(citation, quote=WON)
    whole = replace(citation, quote=TEXT.replace(" ", "\n"), start=50, end=50 + len(TEXT))  # from edge to edge
    assert own_wording(whole, CHUNK) == replace(whole, quote=TEXT)
    for other in (
        replace(citation, quote="He won 18 Grammy Awards."),
        replace(citation, start=0),
        replace(citation, end=9**9),
    ):
        assert own_wording(other, CHUNK) == other


def test_quotes_of_a_claim_are_stored_in_the_articles_own_wording() -> None:
    loose = Citation(1, "wiki", "z", "Ray_Charles", "Ray Charles", ("Life",), "c1", f"{WON}[3]", START, END)
    claim = Claim("He won 17 Grammy Awards.", (loose, replace(loose, quote=WON)))
    assert quotes_fault(claim, PASSAGES) is None
    assert quotes_fault(claim, PASSAGES, exact=True).code == "quote-wording"  # type: ignore[union-attr]
    own = in_own_wording(claim, PASSAGES)
    assert [one.quote for one in own.citations] == [WON, WON]
    assert quotes_fault(own, PASSAGES, exact=True) is None


def test_quotes_long_words_are_cut_in_the_sentence() -> None:
    found = fault(f"{TEXT[:40]} … {TEXT[-60:]}")
    assert found is not None
    assert found[1].startswith("The quote leaves out “He won 17 Grammy Awards and ne […] ")
    assert len(found[1]) < 160


def test_quotes_of_a_claim_are_all_looked_at() -> None:
    good = Citation(1, "wiki", "z", "Ray_Charles", "Ray Charles", ("Life",), "c1", WON, START, END)
    bad = replace(good, n=2, chunk_id="c2", path="Albany", title="Albany")
    assert quotes_fault(Claim("x", (good, good)), PASSAGES) is None
    found = quotes_fault(Claim("x", (good, bad)), PASSAGES)
    assert found is not None
    assert found.code == "quote-of-another-passage"
    assert quotes_fault(Claim("x", ()), PASSAGES) is None


# --- honest quotes in other dress, and others -----------------------------------------------------------------------

SCRIPTS = {
    "en": "The “old” bridge—of steel—opened in 1931, didn’t it? Its office was efficient; 9,000 tons of (grey) steel.",
    "fr": "L’été dernier, l’œuvre « complète » fut publiée à l’hôtel : c’était déjà la deuxième édition !",
    "de": "Die „größte“ Straßenbrücke wurde 1931 eröffnet – sie überspannt den Fluß bei Köln.",
    "ru": "Мост через реку Нева был открыт в 1931 году; его длина — 340 метров, ширина «всего» 20 метров.",
    "ar": "افتُتح الجسر القديم في عام 1931، ويبلغ طوله ثلاثمئة متر، وهو أطول جسر في المدينة.",
    "hi": "यह पुराना पुल 1931 में खोला गया था और इसकी लंबाई तीन सौ चालीस मीटर है।",
    "zh": "这座古老的大桥于1931年通车，全长340米，是城里最长的桥梁，每天有很多人走过。",
    "ja": "この古い橋は1931年に開通し、全長は340メートルで、「街で最も長い橋」である。",
    "ko": "이 오래된 다리는 1931년에 개통되었으며 길이는 340미터로 도시에서 가장 긴 다리이다.",
    "th": "สะพานเก่าแห่งนี้เปิดใช้ในปี พ.ศ. 2474 มีความยาว 340 เมตร และเป็นสะพานที่ยาวที่สุดในเมือง",
    "el": "Η παλιά γέφυρα άνοιξε το 1931 και έχει μήκος 340 μέτρα· είναι η μεγαλύτερη της πόλης.",
    "he": "הגשר הישן נפתח בשנת 1931, ואורכו הוא 340 מטרים; זהו הגשר הארוך ביותר בעיר.",
}


@pytest.mark.parametrize("name", list(DRESSES))
@pytest.mark.parametrize("language", list(SCRIPTS))
def test_quotes_in_every_dress_and_script_are_found_in_place(language: str, name: str) -> None:
    quote, before = SCRIPTS[language], "Before. "
    text = f"{before}{quote} Behind."
    chunk = Chunk("c", "z", "p", "T", (), text, 7, 7 + len(text))
    for seed in range(3):
        start = 7 + len(before)
        assert quote_fault(DRESSES[name](quote, Random(seed)), chunk, start, start + len(quote)) is None


@pytest.mark.parametrize("language", list(SCRIPTS))
def test_quotes_with_a_changed_word_are_refused_in_every_script(language: str) -> None:
    quote = SCRIPTS[language]
    chunk = Chunk("c", "z", "p", "T", (), quote, 0, len(quote))
    pool = "bridge 1932 мосты جسور पुल桥橋다리 γέφυρες กลาง"
    for seed in range(20):
        found = quote_fault(changed(quote, pool, Random(seed)), chunk, 0, len(quote))
        assert found is not None
        assert found.code == "quote-changed"


ARCHIVES = {
    "real/wikipedia_en_ray_charles_maxi_2023-09.zim": 30,
    "real/devdocs_en_sqlite_2025-04.zim": 30,
    "real/withns/wikibooks_be_all_nopic_2017-02.zim": 20,
    "real/wikibooks_ang_2014-11.zim": 20,
    "built/docs.python.org_en_3.11.zim": 30,
    "built/coffee.stackexchange.com_en_all_2015.zim": 20,
    "built/fcc_en_javascript_2026-11.zim": 20,
    "built/wikipedia_en_a-sample_2016-05.zim": 30,
}


@pytest.mark.data
@pytest.mark.parametrize("name", list(ARCHIVES))
def test_quotes_of_real_archives_are_found_in_other_dress_and_not_with_another_word(
    shared_data: Path, name: str
) -> None:
    archive, random = open_archive(shared_data / "zims" / name), Random(name)
    tried = 0
    for reading in archive.walk():
        if reading.article is None or not any(words(one.text)[20:] for one in reading.article.sections):
            continue
        text = reading.article.text[:5000]
        spans = [(a, b) for a, b in sentences(text, archive.info.language) if 6 <= len(words(text[a:b])) <= 60]
        for start, end in random.sample(spans, min(2, len(spans))):
            tried += 1
            quote = text[start:end]
            places = find_quotes(dressed(quote, random), text)
            assert any(text[a:b].strip(" \n") in quote and len(quote) - (b - a) <= 2 for a, b in places), quote
            assert find_quotes(changed(quote, text, random), text) == [], quote
        if tried >= ARCHIVES[name]:
            return
    pytest.fail(f"only {tried} sentences")

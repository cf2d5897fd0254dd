from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.errors import IndexFault
from drzero.retrieval.store import FILE_NAME, Store
from drzero.retrieval.terms import MAX_TERMS, query_terms, without_asking
from drzero.retrieval.writing import Batch, StoreWriter
from drzero.text import content_id, embedding_text
from drzero.types import Chunk, TokenisedChunk

TEXTS = (
    ("Rivers", "The Danube flows through Vienna and Budapest."),
    ("Rivers", "Budapest lies on both banks of it."),
    ("Mountains", "The Alps rise above the valleys of Austria."),
)


def chunk(path: str, title: str, text: str, start: int = 0, heading: tuple[str, ...] = ()) -> Chunk:
    return Chunk(content_id("z", path, start, text), "z", path, title, heading, text, start, start + len(text))


def batch(chunks: Iterable[Chunk], aliases: Iterable[tuple[str, ...]] = ()) -> Batch:
    """A batch of whole articles; an alias is (path, alias) or (path, alias, section)."""
    made = Batch(chunks=[TokenisedChunk(one, np.zeros(0, dtype=np.int32)) for one in chunks])
    made.texts = [embedding_text(one.chunk.title, one.chunk.heading, one.chunk.text) for one in made.chunks]
    made.articles |= {
        one.chunk.path: (one.chunk.title, content_id(one.chunk.path), one.chunk.mark, f"https://{one.chunk.path}")
        for one in made.chunks
    }
    made.aliases += ((path, alias, "".join(section)) for path, alias, *section in aliases)
    return made


def written(path: Path, chunks: Iterable[Chunk], aliases: Iterable[tuple[str, ...]] = ()) -> Store:
    with StoreWriter(path) as writer:
        chunks = list(chunks)
        writer.add(batch(chunks, aliases), zim_id="z")
        list(writer.index_words(slice_chunks=2))
    return Store(path)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    chunks = [chunk(f"A/{title}", title, text, start=50 * n) for n, (title, text) in enumerate(TEXTS)]
    return written(
        tmp_path / FILE_NAME, chunks, [("A/Rivers", "Streams"), ("A/Rivers", "Great rivers"), ("A/None", "Gone")]
    )


def rows(store: Store, query: str) -> list[int]:
    return [row for row, _ in store.lexical(query, 10)]


def test_store_returns_chunks_as_they_were(store: Store) -> None:
    first = chunk("A/Rivers", "Rivers", TEXTS[0][1])
    assert store.count == 3
    assert store.chunk(first.id) == first
    assert store.chunk("unknown") is None
    assert [c.text for c in store.chunks_of("A/Rivers")] == [TEXTS[0][1], TEXTS[1][1]]
    assert store.chunks_of("a/rivers") == []
    assert [c.title for c in store.chunks([2, 0])] == ["Mountains", "Rivers"]


def test_store_keeps_the_mark_of_an_article(tmp_path: Path) -> None:
    marked = dataclasses.replace(chunk("a", "A", "text"), mark="disambiguation")
    store = written(tmp_path / FILE_NAME, [marked, chunk("b", "B", "text")])
    assert [one.mark for one in store.chunks([0, 1])] == ["disambiguation", ""]


def test_store_returns_aliases_sorted(store: Store) -> None:
    assert store.aliases("A/Rivers") == ("Great rivers", "Streams")
    assert store.aliases("A/Mountains") == ()


def test_store_tells_aliases_of_an_article_from_those_of_its_sections(tmp_path: Path) -> None:
    names = [("A/Rivers", "Streams"), ("A/Rivers", "Banks", "Banks"), ("A/Rivers", "Streams", "Below")]
    store = written(tmp_path / FILE_NAME, [chunk("A/Rivers", *TEXTS[0])], names)
    assert store.aliases("A/Rivers") == ("Banks", "Streams")
    assert store.aliases("A/Rivers", of_sections=False) == ("Streams",)


def test_store_finds_stems_and_letters_without_marks(tmp_path: Path) -> None:
    store = written(tmp_path / FILE_NAME, [chunk("a", "A", "He was running in São Paulo.")])
    assert rows(store, "run") == [0]
    assert rows(store, "SAO PAULO") == [0]


def test_store_finds_title_heading_and_alias(tmp_path: Path) -> None:
    store = written(
        tmp_path / FILE_NAME,
        [
            chunk("a", "Copper", "A metal.", 0),
            chunk("a", "Copper", "Found early.", 20, ("History",)),
            chunk("b", "Tin", "White.", 0),
        ],
        [("a", "Cuprum")],
    )
    assert sorted(rows(store, "copper")) == [0, 1]
    assert rows(store, "history") == [1]
    assert rows(store, "cuprum") == [0]


def test_store_finds_a_section_by_its_alias(tmp_path: Path) -> None:
    headings = ((), ("Life",), ("Life", "Early life"), ("Life", "Early life"), ("Français & Müller",))
    chunks = [chunk("a", "Ray", f"Text {n}.", 20 * n, heading) for n, heading in enumerate(headings)]
    aliases = [
        ("a", "Childhood", "Early_life"),
        ("a", "Biography", "life"),
        ("a", "Miller", "Fran.C3.A7ais_.26_M.C3.BCller"),
        ("a", "Mueller", "Fran%C3%A7ais_%26_M%C3%BCller"),
        ("a", "Nowhere", "Late_life"),
        ("a", "Genius", ""),
        ("a", "Genius", "Life"),
    ]
    store = written(tmp_path / FILE_NAME, chunks, aliases)
    found = {alias: sorted(rows(store, alias)) for _, alias, _ in aliases}
    assert found == {
        "Childhood": [2], "Biography": [1], "Miller": [4], "Mueller": [4], "Nowhere": [0], "Genius": [0, 1],
    }  # fmt: skip
    assert store.aliases("a") == ("Biography", "Childhood", "Genius", "Miller", "Mueller", "Nowhere")


def test_store_more_words_of_the_query_rank_higher(store: Store) -> None:
    assert rows(store, "Where does the Danube meet Budapest?")[0] == 0


@pytest.mark.parametrize(
    "query",
    ["", "  ", '"', '"""', "'; DROP TABLE chunks; --", "NEAR(a b)", "OR NOT NEAR", "a* ^b col:c", "\x00", "🌊",
     "\ud800", "(", "title:", "-", "{a b}:c", "x" * 10_000, "-danube*", "danube:", "Danube\x00", "danube " * 2000],
)  # fmt: skip
def test_store_any_query_is_safe(store: Store, query: str) -> None:
    assert rows(store, query) == ([0] if "danube" in query.casefold() else [])


@given(st.text(st.characters(), max_size=60))
def test_store_query_terms_are_always_an_expression(text: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(x)")
    terms = query_terms(text)
    if terms:
        db.execute("SELECT 1 FROM t WHERE t MATCH ?", (" OR ".join(terms),)).fetchall()
    db.close()


def test_store_query_terms_keep_joined_words_as_a_phrase_too() -> None:
    assert query_terms("what does sqlite3_open_v2() do") == [
        '"what"', '"does"', '"sqlite3"', '"open"', '"v2"', '"do"', '"sqlite3 open v2"',
    ]  # fmt: skip


def test_store_query_terms_are_distinct_and_bounded() -> None:
    assert query_terms("Tea tea TEA") == ['"tea"']
    assert len(query_terms(" ".join(f"w{n}" for n in range(1000)))) == MAX_TERMS


def test_store_query_terms_pair_the_characters_of_unspaced_scripts() -> None:
    assert query_terms("東京都 Python語 山") == ['"東 京"', '"京 都"', '"python"', '"語"', '"山"']


def test_store_finds_text_without_spaces(tmp_path: Path) -> None:
    store = written(
        tmp_path / FILE_NAME, [chunk("a", "A", "京都は古い都です。"), chunk("b", "B", "東京都は日本の首都です。")]
    )
    assert rows(store, "東京") == [1]


def test_store_words_that_most_chunks_hold_are_left_out(tmp_path: Path) -> None:
    many = [chunk(str(n), "Page", f"It is the number {n} of them.") for n in range(300)]
    store = written(tmp_path / FILE_NAME, many)
    assert rows(store, "what is the number 17") == [17]
    assert len(rows(store, "is the")) == 10  # nothing else is left to look for


def test_store_comparable_scores_are_shares(store: Store) -> None:
    whole = dict(store.lexical("Alps Austria", 10, comparable=True))
    part = dict(store.lexical("Alps glacier", 10, comparable=True))
    assert 0 < part[2] < whole[2] < 1


def test_store_keeps_what_utf8_cannot_hold(tmp_path: Path) -> None:
    odd = chunk("p\udc80#%?", "t\ud800", "text \udfff\x00 end", heading=("h\udcff",))
    store = written(tmp_path / FILE_NAME, [odd], [("p\udc80#%?", "other\ud800")])
    assert store.chunks_of("p\udc80#%?") == [odd]
    assert store.chunk(odd.id) == odd
    assert store.aliases("p\udc80#%?") == ("other\ud800",)
    assert rows(store, "end") == [0]


def test_store_keeps_like_paths_apart(tmp_path: Path) -> None:
    paths = ["Café", "Cafe\u0301", "/leading", "leading", "a%20b", "a b", "C#"]
    store = written(tmp_path / FILE_NAME, [chunk(path, "T", "text") for path in paths])
    assert [store.chunks_of(path)[0].path for path in paths] == paths


def test_store_is_read_without_writing_or_locking(tmp_path: Path, store: Store) -> None:
    (tmp_path / FILE_NAME).chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            Store(tmp_path / FILE_NAME)._db.execute("DELETE FROM chunks")
        assert rows(Store(tmp_path / FILE_NAME), "danube") == [0]
        assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    finally:
        tmp_path.chmod(0o755)


def test_store_damaged_or_missing_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(IndexFault, match="is missing"):
        Store(tmp_path / FILE_NAME)
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 1000)
    with pytest.raises(IndexFault, match="is damaged"):
        Store(tmp_path / FILE_NAME)


def test_store_writer_undoes_an_unfinished_step(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    same = chunk("a", "A", "text")
    with StoreWriter(path) as writer:
        writer.add(batch([same]), mark=1)
        with pytest.raises(sqlite3.IntegrityError):
            writer.add(dataclasses.replace(batch([same]), articles={"b": ("B", content_id("b"), "", "")}), mark=2)
    with StoreWriter(path) as writer:
        assert (writer.state(), writer.count(), writer.has_article("b")) == ({"mark": 1}, 1, False)


def test_store_knows_where_an_article_was_taken_from_and_what_is_no_evidence(tmp_path: Path) -> None:
    signpost = dataclasses.replace(chunk("Mercury", "Mercury", "Mercury may refer to:"), mark="disambiguation")
    with StoreWriter(tmp_path / FILE_NAME) as writer:
        writer.add(batch([chunk("Tea", "Tea", "Tea is hot."), signpost]), zim_id="z")
        assert writer.marks() == {"disambiguation": 1}
        list(writer.index_words())
    store = Store(tmp_path / FILE_NAME)
    assert [chunk.mark for chunk in store.chunks([0, 1])] == ["", "disambiguation"]
    assert (store.source("Tea"), store.source("nowhere")) == ("https://Tea", "")


def test_store_drops_aliases_of_what_is_no_article(tmp_path: Path) -> None:
    with StoreWriter(tmp_path / FILE_NAME) as writer:
        writer.add(batch([chunk("Tea", "Tea", "Tea is hot.")], [("Tea", "Chai"), ("Gone", "Nothing")]), zim_id="z")
        list(writer.index_words())
        assert writer.alias_count() == 1


@pytest.mark.parametrize("word", ["हिन्दी", "ไม่", "C3"])
def test_store_finds_words_with_vowel_signs_and_of_other_width(tmp_path: Path, word: str) -> None:
    texts = ("हिन्दी एक भाषा है।", "เขาไม่ดื่มชา", "Der Ｃ３ ist ein Bus.")
    with StoreWriter(tmp_path / FILE_NAME) as writer:
        writer.add(batch([chunk(str(number), str(number), text) for number, text in enumerate(texts)]), zim_id="z")
        list(writer.index_words())
    ((row, _),) = Store(tmp_path / FILE_NAME).lexical(word, 3)
    assert word in texts[row] or texts[row].startswith("Der")


def test_store_writer_locks_out_others(tmp_path: Path) -> None:
    with StoreWriter(tmp_path / FILE_NAME), pytest.raises(sqlite3.OperationalError, match="locked"):
        StoreWriter(tmp_path / FILE_NAME)


def test_store_word_index_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    chunks = [chunk(str(n), "Page", f"number {n}") for n in range(7)]
    with StoreWriter(path) as writer:
        writer.add(batch(chunks), zim_id="z")
        assert next(iter(writer.index_words(slice_chunks=3))) == 3
    with StoreWriter(path) as writer:
        assert list(writer.index_words(slice_chunks=3)) == [6, 7]
    assert [rows(Store(path), str(n)) for n in range(7)] == [[n] for n in range(7)]


# --- names of articles ----------------------------------------------------------------------------------------------


def named(store: Store, text: str) -> list[list[int]]:
    return store.named(text)


@pytest.fixture
def people(tmp_path: Path) -> Store:
    chunks = [
        chunk("a", "Patti Page", "A singer.", 0),
        chunk("a", "Patti Page", "She sold records.", 40),
        chunk("b", "Mercury (planet)", "The first from the sun."),
        chunk("c", "Mercury (element)", "A metal."),
        chunk("d", "University of Idaho", "A school."),
        chunk("e", "Idaho", "A state."),
        dataclasses.replace(chunk("f", "Hunter", "Hunter may refer to:"), mark="disambiguation"),
    ]
    return written(tmp_path / FILE_NAME, chunks, [("e", "Gem State"), ("e", "Boise life", "Life")])


def test_store_finds_articles_named_in_a_text(people: Store) -> None:
    assert named(people, "It was sung by Patti Page in 1949.") == [[0, 1]]
    assert named(people, "it was sung by PATTI PAGE") == [[0, 1]]
    assert named(people, "The Gem State and Mercury are far apart.") == [[5], [2], [3]]


def test_store_longest_name_counts(people: Store) -> None:
    assert named(people, "He was at the University of Idaho.") == [[4]]
    assert named(people, "He was at the University in Idaho.") == [[5]]


def test_store_no_name_in_small_letters_nor_of_a_section_nor_of_a_signpost(people: Store) -> None:
    assert named(people, "a page of mercury for idaho") == []
    assert named(people, "Boise life of the Hunter") == []
    assert named(people, "Patti. Page one") == []
    assert named(people, "") == []


def test_store_common_word_names_nothing(tmp_path: Path) -> None:
    """An article on the word "It" is not meant by every text."""
    pages = [chunk(f"p{n}", f"Page {n}", f"It is number {n}.") for n in range(100)]
    store = written(tmp_path / FILE_NAME, [chunk("it", "It", "A novel."), chunk("it is", "It Is", "A song."), *pages])
    assert named(store, "It was Page 7.") == [[9]]
    assert named(store, "It is Page 7.") == [[1], [9]]


def test_store_name_of_a_twin_leads_to_the_article(tmp_path: Path) -> None:
    with StoreWriter(tmp_path / FILE_NAME) as writer:
        one = batch([chunk("a", "Cologne", "A town on the Rhine.")], [("b", "Köln")])
        one.twins["b"] = "a"
        writer.add(one, zim_id="z")
        list(writer.index_words())
    assert named(Store(tmp_path / FILE_NAME), "Er kam nach Köln.") == [[0]]


# --- languages ------------------------------------------------------------------------------------------------------

LANGUAGES = {  # title, text, what is asked
    "zh": ("长江", "长江是亚洲最长的河流，流经上海。", ("长江有多长", "亚洲最长的河", "流经上海")),
    "ja": ("富士山", "富士山は日本で一番高い山で、静岡県にある。", ("日本一高い山", "富士山の高さ", "静岡県の山")),
    "th": ("กรุงเทพ", "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", ("เมืองหลวงของไทย", "กรุงเทพ")),
    "hi": ("गंगा", "गंगा भारत की सबसे पवित्र नदी है।", ("पवित्र नदी", "गंगा नदी कहाँ है", "भारत की नदी")),
    "ar": ("النيل", "نهر النيل أطول أنهار أفريقيا ويمر بالقاهرة.", ("نهر النيل", "أطول أنهار أفريقيا")),
    "ru": ("Волга", "Волга впадает в Каспийское море.", ("куда впадает волга", "ВОЛГА", "Каспийское море")),
    "de": (
        "Zürichsee",
        "Der Zürichsee liegt südöstlich von Zürich.",
        ("Zürichsee", "zurichsee", "südöstlich von ZÜRICH"),
    ),
    "el": ("Όλυμπος", "Ο Όλυμπος είναι το ψηλότερο βουνό της Ελλάδας.", ("ολυμπος", "ψηλότερο βουνό")),
    "ko": ("한강", "한강은 서울을 지나 황해로 흐른다.", ("한강은 어디로 흐르는가", "서울을 지나")),
}


@pytest.mark.parametrize(
    ("language", "query"), [(language, query) for language, (_, _, asked) in LANGUAGES.items() for query in asked]
)
def test_store_finds_what_is_asked_in_its_own_language(tmp_path: Path, language: str, query: str) -> None:
    chunks = [chunk(code, title, text) for code, (title, text, _) in LANGUAGES.items()]
    store = written(tmp_path / FILE_NAME, chunks)
    assert rows(store, query)[0] == list(LANGUAGES).index(language)


@pytest.mark.parametrize(
    "text", ["他去了长江的源头。", "長い富士山の話", "वह गंगा के किनारे", "ذهب إلى النيل", "Он видел Волга"]
)
def test_store_names_stand_in_texts_of_every_script(tmp_path: Path, text: str) -> None:
    chunks = [chunk(code, title, text) for code, (title, text, _) in LANGUAGES.items()]
    (found,) = written(tmp_path / FILE_NAME, chunks).named(text)
    title, *_ = list(LANGUAGES.values())[found[0]]
    assert title in text


# --- what counts in a query -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("How do I sort a list in place?", "sort list place?"),
        ("What does the WHO say of IT in May?", "say WHO IT May?"),
        ("who is it", ""),
        ("do-while isn't what I want", "do-while isn't want"),
        ("Danube", "Danube"),
        ("Will Smith", "Smith"),
        ("when did World War I end", "World War I end"),
        ("長江 how", "長江"),
    ],
)
def test_store_words_that_only_ask_are_left_out(query: str, left: str) -> None:
    assert sorted(without_asking(query).split()) == sorted(left.split())


def test_store_query_of_asking_words_alone_is_searched(tmp_path: Path) -> None:
    store = written(tmp_path / FILE_NAME, [chunk("a", "The Who", "A band."), chunk("b", "Them", "Ants.")])
    assert rows(store, "the who") == [0]
    assert sorted(rows(store, "who are them")) == [0, 1]


def test_store_frequent_words_are_left_out_of_long_queries(tmp_path: Path) -> None:
    """Four words always count; of more, those that the fewest chunks hold."""
    pages = [chunk(f"p{n}", f"Page {n}", f"alpha beta gamma delta{n % 9} rare{n // 3}") for n in range(40)]
    store = written(tmp_path / FILE_NAME, pages)
    assert len(store.lexical("alpha", 100)) == 40
    assert len(store.lexical("rare1 rare2 rare3 rare4 alpha", 100)) == 12
    assert len(store.lexical("rare1 rare2 rare3 alpha", 100)) == 40

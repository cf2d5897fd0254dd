"""Words without endings, questions without function words: index and query alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.retrieval.function_words import without_endings, without_function_words
from drzero.retrieval.inflection import uninflected
from drzero.retrieval.layout import FILE_NAME, for_words
from drzero.retrieval.store import Store
from drzero.retrieval.terms import query_terms, without_asking
from drzero.retrieval.writing import StoreWriter
from tests.test_store import batch, chunk

LANGUAGES = ("", "ar", "de", "en", "es", "fr", "hi", "ja", "ru", "tr", "zh", "xx")


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("ru", "резервные копии", "резервных копий"),
        ("ru", "ёлка", "елка"),
        ("es", "las copias diarias", "las copia diaria"),
        ("fr", "les systèmes installés", "les système installée"),
        ("ar", "الكتاب", "كتاب"),
        ("ar", "كِتَابٌ", "كتاب"),
        ("ar", "كتـــاب", "كتاب"),
        ("fa", "کِتاب", "کتاب"),
        ("fr", "l'installateur", "l installateur"),
        ("it", "dell’archivio", "dell archivio"),
        ("fr", "PAQUETS", "paquet"),
    ],
)
def test_inflection_forms_of_a_word_become_one(language: str, one: str, other: str) -> None:
    assert uninflected(one, language) == uninflected(other, language)


@pytest.mark.parametrize("language", ["", "en", "de", "ja", "zh", "xx"])
def test_inflection_other_languages_stay_as_they_are(language: str) -> None:
    text = "Die Häuser of the Installations, l'archive 東京"
    assert uninflected(text, language) == text


def test_inflection_leaves_code_in_another_script_alone() -> None:
    assert uninflected("команды dpkg-reconfigure --Priority и sqlite3_open_v2()", "ru") == (
        "команд dpkg-reconfigure --Priority и sqlite3_open_v2()"
    )


def test_inflection_what_stands_between_words_stays() -> None:
    assert uninflected("paquets/services_v2.conf", "fr") == "paquet/servic_v2.conf"
    assert uninflected("paquet/service_v2.conf", "fr") == "paquet/servic_v2.conf"


@given(st.text(), st.sampled_from(LANGUAGES))
def test_inflection_takes_any_text(text: str, language: str) -> None:
    assert isinstance(uninflected(text, language), str)
    assert isinstance(without_function_words(text, language), str)
    assert all(term.startswith('"') and term.endswith('"') for term in query_terms(text, language))


def test_inflection_is_the_same_from_several_threads() -> None:
    words = [f"{stem}{ending}" for stem in ("работ", "книг", "систем", "машин") for ending in ("ами", "ах", "ой", "у")]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda word: uninflected(word, "ru"), words * 200))
    assert found == [uninflected(word, "ru") for word in words] * 200


@pytest.mark.parametrize(
    ("language", "question", "left"),
    [
        ("fr", "Comment l'ordinateur garde-t-il son nom ?", "ordinateur garde-t-il nom ?"),
        ("fr", "Qu’est-ce que c'est ?", "est-ce ?"),
        ("de", "Wie füge ich einen Benutzer hinzu?", "füge Benutzer hinzu?"),
        ("es", "¿Cómo añado un usuario?", "añado usuario?"),
        ("ru", "Как добавить пользователя?", "добавить пользователя?"),
        ("ar", "كيف أضيف مستخدما؟", "أضيف مستخدما؟"),
        ("zh", "怎样添加用户？", " 添加用户？"),
        ("de", "de.json wie", "de.json"),
        ("en", "How do I add a user?", "How do I add a user?"),
        ("xx", "Comment ?", "Comment ?"),
    ],
)
def test_inflection_function_words_leave_a_question(language: str, question: str, left: str) -> None:
    assert without_function_words(question, language) == left


@pytest.mark.parametrize(("language", "question"), [("fr", "Où est il ?"), ("de", "Wer ist es?"), ("zh", "为什么？")])
def test_inflection_a_question_of_function_words_alone_is_still_asked(
    tmp_path: Path, language: str, question: str
) -> None:
    assert without_function_words("Wer ist es?", "de") == ""
    store = made(tmp_path, language, [("A", f"{question} {question}"), ("B", "42")])
    assert [row for row, _ in store.lexical(question, 5)] == [0]
    store.close()


def test_inflection_each_language_has_its_own_asking_words() -> None:
    assert without_asking("Can I will her go", "de") == "Can I will her go"
    assert without_asking("When is noon", "en") == without_asking("When is noon") == "noon"
    assert without_asking("Quand est midi", "fr") == "midi"


def test_inflection_japanese_endings_are_left_out_unless_alone() -> None:
    assert query_terms("設定するには") == ['"設 定"', '"定 す"']
    assert query_terms("するには") == ['"す る"', '"る に"', '"に は"']
    assert without_endings(['"は"', '"カ ナ"', '"かな"']) == ['"カ ナ"', '"かな"']


def made(folder: Path, language: str, texts: list[tuple[str, str]]) -> Store:
    """The store of an archive in `language` with these (title, text)."""
    chunks = [chunk(f"A/{number}", title, text) for number, (title, text) in enumerate(texts)]
    with StoreWriter(folder / FILE_NAME) as writer:
        writer.add(batch(chunks), zim_id="z")
        list(writer.index_words(language=language))
    return Store(folder / FILE_NAME)


def test_inflection_a_store_is_asked_in_the_language_it_was_made_for(tmp_path: Path) -> None:
    store = made(tmp_path, "ru", [("Копии", "Хранение резервных копий."), ("Время", "Часы машин в сети.")])
    assert [row for row, _ in store.lexical("резервная копия", 5)] == [0]
    assert store.state["words_language"] == "ru"
    store.close()


def test_inflection_a_store_without_a_language_takes_words_whole(tmp_path: Path) -> None:
    store = made(tmp_path, "", [("Копии", "Хранение резервных копий.")])
    assert store.lexical("резервная", 5) == []
    assert [row for row, _ in store.lexical("резервных", 5)] == [0]
    store.close()


def test_inflection_joined_names_are_found_in_an_archive_of_another_language(tmp_path: Path) -> None:
    store = made(
        tmp_path, "fr", [("API", "La fonction sqlite3_open_v2 ouvre."), ("Autre", "Le sqlite3 de la v2, open source.")]
    )
    assert next(row for row, _ in store.lexical("sqlite3_open_v2", 5)) == 0
    store.close()


def test_inflection_the_word_index_keeps_widths_and_spaces() -> None:
    assert for_words("Ｃ３ 東京", "ru") == for_words("C3 東京")

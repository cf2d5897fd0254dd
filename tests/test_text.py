"""drzero.text: sentences, words, titles, ids."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.text import (
    clean_title,
    content_id,
    duration,
    embedding_text,
    is_made_of,
    language_code,
    printable,
    sentences,
    spaced,
    storable,
    token_f1,
    usual_width,
    without_steering,
    word_spans,
    words,
)


def test_text_sentences_keep_abbreviations_initials_and_numbers_together() -> None:
    text = "Dr. J. R. Smith paid $3.5 million in Jan. 1999. He left.\nThe end"
    assert [text[a:b] for a, b in sentences(text)] == [
        "Dr. J. R. Smith paid $3.5 million in Jan. 1999.",
        "He left.",
        "The end",
    ]


def test_text_sentences_go_on_when_the_next_letter_is_small() -> None:
    text = "They sang Got Live If You Want It! in 1965. The end."
    assert [text[a:b] for a, b in sentences(text)] == ["They sang Got Live If You Want It! in 1965.", "The end."]


def test_text_sentences_end_at_a_line_break_and_skip_blank_lines() -> None:
    assert sentences("Birth name: Ray\n\n  Born: 1930  ") == [(0, 15), (19, 29)]


@pytest.mark.parametrize(
    ("language", "found"),
    [
        ("zh", ["今天天气很好。", "我们去公园吧！", "你去吗？", "价格是3.5元。", "“你好。”的意思是问候。"]),
        ("ja", ["彼は「今日は行きません。明日行きます。」と言った。", "「行くの？」", "彼女は聞いた。"]),
        ("ja", ["「はい。」", "はい、そうです。", "（注。）の文です。"]),
        ("hi", ["यह पहला वाक्य है। ", "यह दूसरा है॥ ", "क्या यह तीसरा है?"]),
        ("ar", ["هل أنت بخير؟ ", "نعم، أنا بخير. ", "شكرا!"]),
        ("ur", ["یہ پہلا جملہ ہے۔ ", "یہ دوسرا ہے۔"]),
        ("hy", ["Ես գնում եմ տուն։ ", "Դու ո՞ւր ես գնում։"]),
        ("my", ["ကျွန်တော် သွားမယ်။ ", "သူ လာမယ်။"]),
        ("km", ["ខ្ញុំទៅផ្ទះ។ ", "ផ្ទះ សាលា ។ល។ មក។ ", "«គាត់មក។»"]),
        ("bo", ["བོད་ཡིག་ནི། ", "གཉིས་པ།"]),
        ("am", ["ሰላም ነው። ", "እንዴት ነህ፧ ", "ደህና ነኝ።"]),
    ],
)
def test_text_sentences_end_where_the_script_ends_them(language: str, found: list[str]) -> None:
    text = "".join(found)
    for code in (language, "en"):  # an archive that says the wrong language is cut alike
        assert [text[a:b] for a, b in sentences(text, code)] == [one.strip() for one in found]


def test_text_sentences_of_thai_end_at_a_space_behind_enough_of_them() -> None:
    first = "กรุงเทพมหานครเป็นเมืองหลวงและนครที่มีประชากรมากที่สุดของประเทศไทย"
    second = "เป็นศูนย์กลางการปกครอง การศึกษา การคมนาคมขนส่ง และการเงินการธนาคาร ฯลฯ ในปี 2500"
    text = f"{first} {second}"
    assert [text[a:b] for a, b in sentences(text, "tha")] == [first, second]
    lao = "ປະເທດລາວມີຊາຍແດນຕິດກັບຈີນແລະມຽນມາທາງທິດຕາເວັນຕົກສຽງເໜືອ"
    text = f"{lao} {lao}"
    assert sentences(text, "lao") == [(0, len(lao)), (len(lao) + 1, len(text))]


@pytest.mark.parametrize(
    "found",
    [
        ["It rose at 7:51 a.m. Eastern Standard Time on Monday.", "It set at 5 p.m. Pacific Time.", "It was dark."],
        ["The show ran until 6 p.m. ET for years.", "At 5 a.m. GMT it ended."],
        ["They met at 9 p.m. Friday, then left.", "They met at 9 P.M. Monday to talk."],
        ["He came at 7 p.m.", "The show began."],
        ["He woke at 6 a.m.", "The Time was sold out by 7 a.m.", "Everybody read it."],
        ["He left at 9 a.m.", "Etna was near."],
    ],
)
def test_text_sentences_go_on_behind_an_hour_only_with_its_zone_or_day(found: list[str]) -> None:
    text = " ".join(found)
    assert [text[a:b] for a, b in sentences(text)] == found


@given(st.text(max_size=300))
def test_text_sentences_cover_everything_but_white_space_in_order(text: str) -> None:
    spans = sentences(text)
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert "".join("".join(text[a:b] for a, b in spans).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("metadata", "code"),
    [("eng", "en"), ("fra,eng", "fr"), ("en-GB", "en"), ("ang", "ang"), ("", ""), ("klingonish", "")],
)
def test_text_language_code_is_short_or_empty(metadata: str, code: str) -> None:
    assert language_code(metadata) == code


def test_text_words_fold_case_and_split_unspaced_scripts() -> None:
    assert words("Don’t go to 東京, B_2!") == ["don't", "go", "to", "東", "京", "b", "2"]
    assert word_spans("A 東") == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("กำลังน้ำใจ", ["กำ", "ลั", "ง", "น้ำ", "ใ", "จ"]),
        ("ຊົ່ວ", ["ຊົ່", "ວ"]),
        ("ខ្ញុំជា", ["ខ្ញុំ", "ជា"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("ปี ๒๕๖๗", ["ปี", "๒๕๖๗"]),
        ("東京・大阪、人々〆", ["東", "京", "大", "阪", "人", "々", "〆"]),
        ("𠮷野家", ["𠮷", "野", "家"]),
        ("アイヌㇷ゚ｶﾞ", ["ア", "イ", "ヌ", "ㇷ゚", "ガ"]),
        ("ㄅㄆ ꆈꌠ", ["ㄅ", "ㄆ", "ꆈ", "ꌠ"]),
        ("บริษัท ABC-3", ["บ", "ริ", "ษั", "ท", "abc", "3"]),
        ("\u0e34\u0e48 \u3099", []),
        ("한국어 \u1112\u1161\u11ab", ["한국어", "한"]),
        ("हिन्दी में बोलो", ["हिन्दी", "में", "बोलो"]),
        ("བོད་ཡིག", ["བོད", "ཡིག"]),
        ("الطّوب", ["الطّوب"]),
        ("cafe\u0301 d’e\u0301te\u0301", ["café", "d'été"]),
        ("ＡＢＣ１２３ Ｃ＋＋", ["abc123", "c"]),
        ("x² ½ no_1", ["x²", "½", "no", "1"]),
    ],
)
def test_text_words_are_whole_clusters(text: str, found: list[str]) -> None:
    assert words(text) == found
    assert len(word_spans(text)) == len(found)


def test_text_spaced_sets_each_cluster_apart_and_nothing_else() -> None:
    assert spaced("Don’t ＡＢ हिन्दी 한국") == "Don’t ＡＢ हिन्दी 한국"
    assert spaced("น้ำ2ใจ") == " น้ำ 2 ใ  จ "
    assert spaced("東京、") == " 東  京 、"


@given(
    st.text(
        st.sampled_from("aé'’ \u0301\u0e01\u0e34\u0e48\u1019\u102c\u1780\u17d2東\U00020bb7ｶﾞ\u200dＡ3_"), max_size=30
    )
)
def test_text_spaced_and_words_agree(text: str) -> None:
    assert spaced(text).replace(" ", "") == text.replace(" ", "")
    found = [text[a:b] for a, b in word_spans(text)]
    assert [word for piece in found for word in words(piece)] == words(text)
    for word in found:
        assert word[0].isalnum()
        assert spaced(word) in (word, f" {word} ")


def test_text_usual_width_folds_letters_digits_and_katakana_only() -> None:
    assert usual_width("Ｃ３ ｶﾞｲﾄﾞ，²㍿①") == "C3 ガイド，²㍿①"


def test_text_content_id_depends_on_every_part_and_its_border() -> None:
    assert content_id("ab", "c") != content_id("a", "bc")
    assert content_id("a", 1) == content_id("a", "1")
    assert len(content_id("\ud800")) == 32


def test_text_clean_title_removes_what_does_not_print() -> None:
    assert clean_title("A\u200fB\x07\n  C\ud800") == "AB C"
    assert clean_title(" \u202bבית\u202c\u200b\u00a0\ufeff C#\x00 ") == "בית C#"
    assert clean_title("Cafe\u0301  \t100% ") == "Cafe\u0301 100%"
    assert clean_title("\u200f\x07") == ""


def test_text_printable_escapes_what_does_not_print() -> None:
    assert printable("A/Café 橋 e\u0301.html") == "A/Café 橋 e\u0301.html"
    assert printable("a\tb\nc\x07\x9b\u202ed\ud800") == r"a\tb\nc\x07\x9b\u202ed\ud800"


def test_text_without_steering_keeps_lines_and_what_joins_letters() -> None:
    assert without_steering("a\tb\nc\x1b[31m\x9b\x07 \u202edef\u202c\u2067g") == "a\tb\nc[31m defg"
    assert without_steering("می\u200cخواهم\u200f 1") == "می\u200cخواهم\u200f 1"


def test_text_embedding_text_names_the_place_once_and_bounds_it() -> None:
    assert embedding_text("Ray", ("Ray", "Life"), "Text") == "Ray › Life\nText"
    assert embedding_text("", (), "Text") == "Text"
    assert len(embedding_text("t" * 1000, (), "")) == 161


def test_text_token_f1_ignores_case_articles_and_punctuation() -> None:
    assert token_f1("The cat sat.", "cat SAT") == 1.0
    assert token_f1("the cat", "a dog") == 0.0
    assert token_f1("", "") == 1.0
    assert token_f1("cat sat", "cat sat down") == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("text", "pieces", "made"),
    [
        ("It is. It was.", ("It is.", "It was."), True),
        (" It  is.\n\nIt was. ", ("It is. ", "It\nwas."), True),
        ("書は何。何は書。", ("書は何。", "何は書。"), True),
        ("", (), True),
        ("It is. It was.", ("It is.",), False),
        ("It is.", ("It is.", "It was."), False),
        ("It is. It was.", ("It was.", "It is."), False),
        ("It is, it was.", ("It is", "it was."), False),
        ("It is.", ("it is.",), False),
        ("It is.", ("It is.", ""), False),
        ("It is.", (), False),
        ("therapist", ("the rapist",), False),
        ("It is. It is. It was.", ("It is.", "It was."), False),
    ],
)
def test_text_is_made_of_its_pieces_in_order_and_nothing_else(text: str, pieces: tuple[str, ...], made: bool) -> None:
    assert is_made_of(text, pieces) is made


@given(st.text(alphabet="aA.!?“”書。 \n()1", max_size=60))
def test_text_is_made_of_its_sentences(text: str) -> None:
    assert is_made_of(text, [text[start:end] for start, end in sentences(text)])


def test_text_storable_is_utf_8() -> None:
    assert storable("a\ud800b\0ü書\udfff") == "a\ufffdb\0ü書\ufffd"


@pytest.mark.parametrize("name", ["types.NoneType", "ssl.HAS_TLSv1_1", "plistlib.UID", "concurrent.futures.BrokenPool"])
def test_text_a_stop_within_a_name_of_code_ends_no_sentence(name: str) -> None:
    text = f"{name} was added in version 3.8. It is {name}. More."
    assert [text[start:end] for start, end in sentences(text)] == [
        f"{name} was added in version 3.8.",
        f"It is {name}.",
        "More.",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (9.96, "10.0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7640, "2 h 07 min"),
    ],
)
def test_text_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text

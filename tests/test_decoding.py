import pytest

from drzero.corpus.decoding import declared_charset, decode

WORDS = "<p>déjà vu</p>"


@pytest.mark.parametrize(
    ("content", "mimetype", "doubtful"),
    [
        (('<meta charset="iso-8859-1">' + WORDS).encode("latin-1"), "text/html", False),
        (('<meta charset="iso-8859-1">' + WORDS).encode(), "text/html", False),
        (('<meta charset="x-invented">' + WORDS).encode(), "text/html", False),
        (WORDS.encode("latin-1"), "text/html; charset=ISO-8859-1", False),
        (WORDS.encode("utf-8-sig"), "text/html", False),
        (WORDS.encode("utf-16"), "text/html", False),
        (WORDS.encode("latin-1"), "text/html", True),
        (('<meta charset="x-invented">' + WORDS).encode("latin-1"), "text/html", True),
    ],
)
def test_decoding_reads_utf8_first_then_the_declared_charset(content, mimetype, doubtful):
    text, is_doubtful = decode(content, mimetype)
    assert text.endswith(WORDS)
    assert "\ufeff" not in text
    assert is_doubtful is doubtful


def test_decoding_keeps_what_can_be_read_of_a_mixed_page():
    content = b'<meta charset="latin-1">' + "déjà".encode() + " vu à".encode("latin-1")
    assert decode(content) == ('<meta charset="latin-1">déjà vu à', True)


def test_decoding_reads_a_declared_charset_of_another_script():
    assert decode("日本".encode("shift_jis"), "text/plain; charset=Shift_JIS") == ("日本", False)


@pytest.mark.parametrize("name", ["hex", "idna", "undefined", "nosuch"])
def test_decoding_survives_a_charset_that_is_none(name):
    text, doubtful = decode(b"caf\xe9", f"text/html; charset={name}")
    assert (text, doubtful) == ("café", True)


def test_decoding_names_the_charset_of_the_mime_type_first():
    assert declared_charset(b'<meta charset="utf-8">', "text/html; charset=latin1") == "iso8859-1"
    assert declared_charset(b"<p>", "text/html; charset=nosuch") == ""


@pytest.mark.parametrize(
    ("charset", "words"),
    [
        ("gb2312", "中文网页"), ("shift_jis", "日本語のページ"), ("koi8-r", "Русская страница"), ("euc-jp", "日本語"),
        ("windows-1251", "Русская"), ("big5", "中文網頁"), ("euc-kr", "한국어"), ("iso-8859-2", "żółw"),
        ("tis-620", "ภาษาไทย"), ("iso-2022-jp", "日本語のページ"), ("windows-1256", "صفحة"),
    ],
)  # fmt: skip
def test_decoding_reads_what_the_page_or_its_type_declares(charset, words):
    page = f'<html><head><meta charset="{charset}"></head><body>{words}'
    assert decode(page.encode(charset), "text/html") == (page, False)
    http = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}"><p>{words}'
    assert decode(http.encode(charset), "text/html") == (http, False)
    assert decode(f"<p>{words}".encode(charset), f"text/html; charset={charset.upper()}") == (f"<p>{words}", False)


def test_decoding_reads_the_wider_charset_that_browsers_read():
    assert decode("<p>朱镕基".encode("gb18030"), "text/html; charset=GB2312") == ("<p>朱镕基", False)
    assert decode("<p>①髙".encode("cp932"), "text/html; charset=Shift_JIS") == ("<p>①髙", False)


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("words", ["déjà vu", "Русская страница", "Plain"])
def test_decoding_knows_two_byte_letters_without_a_mark(charset, words):
    page = f"<html><head><title>{words}</title></head><body><p>{words}</p></body></html>"
    assert decode(page.encode(charset), "text/html") == (page, False)


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32"])
def test_decoding_believes_the_mark_before_the_header(charset):
    page = '<meta charset="koi8-r"><p>déjà vu'
    assert decode(page.encode(charset), "text/html; charset=ISO-8859-1") == (page, False)


def test_decoding_ignores_a_mark_that_is_wrong():
    assert decode(b"\xef\xbb\xbfcaf\xe9", "text/html; charset=latin1") == ("café", True)


def test_decoding_keeps_most_of_a_page_with_a_broken_letter():
    content = ("<p>" + "日本語のページ" * 30).encode("shift_jis") + b"\x81"
    text, doubtful = decode(content, "text/html; charset=shift_jis")
    assert (text, doubtful) == ("<p>" + "日本語のページ" * 30 + "\ufffd", True)


def test_decoding_reads_utf8_under_the_header_of_another_script():
    assert decode("<p>Русская".encode(), "text/html; charset=koi8-r") == ("<p>Русская", False)
    mixed = ("<p>Русская страница " * 20).encode() + b"caf\xe9"
    assert decode(mixed, "text/html; charset=koi8-r") == ("<p>Русская страница " * 20 + "café", True)

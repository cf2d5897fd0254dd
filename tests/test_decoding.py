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

from drzero.corpus.plain import is_source, read_plain


def test_plain_joins_wrapped_lines_and_keeps_verse():
    long = (
        "This line of prose is long enough to have been wrapped\nby hand, and so is the second line, which ends here."
    )
    page = read_plain(f"{long}\r\n\r\nRoses are red\n  violets are blue\n\n\n")
    assert page.sections[0].text == long.replace("\n", " ") + "\nRoses are red\n  violets are blue"


def test_plain_of_nothing_has_no_sections():
    assert read_plain(" \n\n ").sections == ()


def test_plain_tells_source_from_prose():
    assert is_source("(function(a){return a})(b)")
    assert is_source("a { color: red;\n}\nb {\n  x: y;\n}\n")
    assert not is_source("Use braces {like this}; then go on.\nAnother line.")

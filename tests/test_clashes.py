"""drzero.loop.clashes: which sentences cannot both be true, and above all which can."""

from __future__ import annotations

import pytest

from drzero.loop.clashes import clash, terms


@pytest.mark.parametrize(
    ("claim", "other", "code"),
    [
        ("The Forth Bridge was opened in 1890.", "The Forth Bridge was opened in 1891.", "date"),
        ("The Forth Bridge opened in 1890.", "The Forth Bridge was opened in 1891.", "date"),
        ("The Forth Bridge was opened on 4 March 1890.", "The Forth Bridge was opened on 5 March 1890.", "date"),
        ("The Forth Bridge was opened on 4 March 1890.", "The Forth Bridge was opened on 5 May 1891.", "date"),
        ("The Forth Bridge was opened on 4 March 1890.", "The Forth Bridge was opened in 1893.", "date"),
        ("Ray Charles died in June 2004.", "Ray Charles died in July 2004.", "date"),
        ("Ray Charles was born on September 23, 1930.", "Ray Charles was born on September 23, 1932.", "date"),
        ('The song "Georgia" was published in 1930.', 'The song "Georgia" was published in 1931.', "date"),
        ("The Eiffel Tower is 330 metres high.", "The Eiffel Tower is 324 metres high.", "number"),
        ("The Seine is 777 km long.", "The Seine is 770 km long.", "number"),
        ("math.cbrt() was added in version 3.11.", "math.cbrt() was added in version 3.12.", "number"),
        ('sumDigits("f0e") should return 29.', 'sumDigits("f0e") should return 30.', "number"),
        ("convertCtoF(30) should return -22.", "convertCtoF(30) should return 86.", "number"),
        ("The Spider contains 8 legs.", "The Spider contains 6 legs.", "number"),
        ("The capital of Ruritania is Strelsau.", "The capital of Ruritania is Zenda.", "name"),
        ("The Forth Bridge was designed by John Fowler.", "The Forth Bridge was designed by Joan Miller.", "name"),
        ("Salt is toxic to fish.", "Salt is not toxic to fish.", "negation"),
        ("Salt does not dissolve in oil.", "Salt dissolves in oil.", "negation"),
        ("zlib.crc32() was added in Python 3.3.", "zlib.crc32() was added in Python 3.4.", "number"),
    ],
)
def test_clashes_what_cannot_both_be_true(claim: str, other: str, code: str) -> None:
    assert clash(claim, other) == clash(other, claim) == code


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("The Forth Bridge was opened in 1890.", "The Forth Bridge was opened in 1890."),
        ("The Forth Bridge was opened in 1890.", "In 1890 the Forth Bridge was opened."),
        ("The Forth Bridge was opened on 4 March 1890.", "The Forth Bridge was opened in 1890."),  # less exact
        ("Ray Charles died in June 2004.", "Ray Charles died on June 10, 2004."),
        ("Ray Charles died in June 2004.", "Ray Charles died in Beverly Hills."),
        ("Ray Charles was born in Albany.", "Ray Charles was born in Georgia."),  # one lies in the other
        ("Ray Charles won a Grammy in 1961.", "Ray Charles won a Grammy in 1963."),  # more than once
        ("Ray Charles played in Paris in 1961.", "Ray Charles played in Paris in 1962."),
        ("Ray Charles was married in 1951.", "Ray Charles was married in 1955."),
        ("The Forth Bridge was opened in 1890.", "The Tay Bridge was opened in 1887."),  # of other things
        ("The album Blue was released in 1961.", "The album Red was released in 1962."),
        ("The song was released in 1961.", "The song was released in 1962."),  # of which song?
        ("It opened in 1931.", "It opened in 1932."),  # of what?
        ("Its default value is 5 seconds.", "Its default value is 30 seconds."),
        ("This attribute may be assigned to.", "This attribute should not be assigned to."),
        ("This option needs OpenSSL 1.1.1.", "This option needs OpenSSL 3.0.0."),
        ("Python has support for the TLS 1.0 protocol.", "Python has support for the TLS 1.1 protocol."),
        ("Whether Python has support for 3 of them.", "Whether Python has support for 4 of them."),
        ("If TOS is None, Python increments it.", "If TOS is not None, Python increments it."),
        ("Return a is b.", "Return a is not b."),
        ("Limited by Python.", "Not limited by Python."),
        ("Isaac (?=Asimov) will match it.", "Isaac (?!Asimov) will not match it."),
        ("Take the member as the next Ludic number 3.", "Take the member as the next Ludic number 5."),
        ("return test.Inorder() is 567;", "return test.Inorder() is 1248;"),
        ("Python types of proxies which are not callable are slow.", "Python types of callable proxies are slow."),
        ("The Eiffel Tower is 330 metres high.", "The Eiffel Tower is 1,083 feet high."),  # in another unit
        ("The Seine is 777 km long.", "The Seine is 780 km long."),  # rounded
        ("The Seine is 777 km long.", "The Seine is about 770 km long."),
        ("The Seine is 777 km long.", "The Seine is more than 700 km long."),
        ("The Rock weighs 1.5 tonnes.", "The Rock weighs 1.46 tonnes."),
        ("The Rock weighs 1,500 kg.", "The Rock weighs 1500 kg."),
        ("convertCtoF(-30) should return -22.", "convertCtoF(30) should return 86."),
        ("new Num(3) + new Num(4) should equal 7.", "new Num(3) * new Num(4) should equal 12."),
        ("Bath has 3 bridges.", "Bath has 5 museums."),  # of other kinds
        ("Bath has 94,000 people as of 2011.", "Bath has 101,000 people as of 2021."),  # at other times
        ("f(1970, 2017) should return [1977, 1983].", "f(1977, 2016) should return [1977, 1988]."),
        ("The Forth Bridge was designed by John Fowler.", "The Forth Bridge was designed by Fowler."),
        ("The Forth Bridge was designed by John Fowler.", "The Forth Bridge was painted by Joan Miller."),
        ("The Volcano album was produced by Joe Adams.", "The Volcano album was produced by Sid Feller."),
        ("Paris is a city.", "Rome is a city."),
        ("", ""),
        ("1890", "1891"),
        ("Die Brücke wurde 1890 eröffnet.", "Die Brücke wurde 1891 eröffnet."),
    ],
)
def test_clashes_what_both_may_be_true(claim: str, other: str) -> None:
    assert clash(claim, other) == clash(other, claim) == ""


def test_clashes_terms_are_the_words_that_tell() -> None:
    assert terms("The Forth Bridge was opened on 4 March 1890.") == ["forth", "bridge", "opened"]
    assert terms("It opened in 1931.") == ["opened"]
    assert terms("math.acosh() returns 1.") == ["math.acosh", "returns"]
    assert terms("") == []

"""drzero.normalising: quoted words in other dress are found, other words are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drzero.normalising import find_quote, find_quotes, normalise, same_words


@pytest.mark.parametrize(
    ("quote", "stated"),
    [
        ('"coffee"-it is', "“coffee”—it is"),
        ("soft hyphen", "soft hy\u00adphen"),
        ("from 1875 –– 1947 on", "from 1875 -- 1947 on"),
        ("from 1875—1947 on", "from 1875–––1947 on"),
        ("office café", "oﬃce cafe\u0301"),
        ("opened in 1931.", "opened  in\n1931.[3][citation needed]"),
        ("encyclopedia entry", "encyclo-\npedia entry"),
        ("opened in 1931.[3]", "opened in 1931."),
    ],
)
def test_normalising_find_quote_folds_dress_on_both_sides(quote: str, stated: str) -> None:
    span = find_quote(quote, f"It was said: {stated}")
    assert span is not None
    assert span[0] == 13


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("opened 1931", "It opened in 1931."),
        ("art", "The article."),
        ("", "Anything"),
        ("odds were 1.5 .", "odds were 1.5 [1.3-1.7]."),
        ("Not here", "not here"),
    ],
)
def test_normalising_find_quote_refuses_other_words(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


def test_normalising_normalise_keeps_intervals_and_subscripts() -> None:
    text = "The odds were 1.5 [1.3-1.7]. Use a[0] in C, x[3](y)."
    assert normalise(text).text == text
    assert normalise("Opened in 1931.[3][citation needed] It rained,[12] he said.").text == (
        "Opened in 1931. It rained, he said."
    )


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("He said « bonjour » – 'twas", 'He said"bonjour"-\'twas'),
        ("Ray Charles , born ( 1930 ) ;", "Ray Charles, born (1930);"),
        ("word--word -- `--verbose` i-- of -5", "word-word-'--verbose' i--of -5"),
        ("10⁵ is 10⁻⁵, m² and cos⁻¹", "10^5 is 10^-5, m2 and cos-1"),
        ("1010₂ is H₂O, (a+b)² and f'²", "1010_2 is H2O, (a+b)2 and f'2"),
        ("5½ and ¾ of 1.5", "5 1/2 and 3/4 of 1.5"),
        ("soft hy\u00ad\n phen \u200bzero\ufeff", "soft hyphen zero"),
        ("the encyclo-\n  pedia of Anglo-\nSaxon 1914-\n1918", "the encyclopedia of Anglo-Saxon 1914-1918"),
        ("so—\nhe went", "so-he went"),
        ("WASHING-\nTON, हिन्-\nदी", "WASHINGTON, हिन्दी"),
        ("今天\n天气。 使用 Python 语言", "今天天气。使用Python语言"),
        ("a \u00a0\u2009b\t\r\nc", "a b c"),
        ("Tokyo、 Osaka 、 Kyoto 〃 Nara", "Tokyo、Osaka、Kyoto〃Nara"),
        ("한국 책 ｶﾞ Ａ１", "한국 책ガA1"),
        ("الطــوب", "الطوب"),
        ("1931.¹ It rained,² but faster¹ ran", "1931. It rained, but faster1 ran"),
        ("1931[3] and (see below)[4].[a][note 2][N 1]【7】 so.[3–5] [when?]", "1931 and (see below). so."),
        ("a[0], f(x)[1], 'abc'[2], [[1],[2]], a.split()[3]; x[1][2]", None),
        ("The odds were 1.5 [1.3-1.7], 2 [1, 3]; see [sic], [a] man", None),
    ],
)
def test_normalising_normalise_folds_dress_alone(text: str, folded: str | None) -> None:
    assert normalise(text).text == (text if folded is None else folded)


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("The bridge[2] opened in 1931[3].", "The bridge opened in 1931.", "The bridge opened in 1931."),
        ("a[0] in C[3]", "Use a[0] in C.", "a[0] in C"),
        ("one leap for [a] man[3] said", "one leap for [a] man said", "one leap for [a] man said"),
        ("well-\nknown man", "a well-known man", "well-known man"),
        ("well-known man", "a well-\nknown man", "well-\nknown man"),
        ("天气很好", "今天天气很好。", "天气很好"),
        ("“He won it.”", "Then he won. He won it. So he left.", "He won it."),
        ("'won it'", "He “won it” so.", "won it"),
        ("हिन्दी भाषा", "यह हिन्दी भाषा है", "हिन्दी भाषा"),
    ],
)
def test_normalising_find_quote_gives_the_place_in_its_own_dress(quote: str, text: str, found: str) -> None:
    span = find_quote(quote, text)
    assert span is not None
    assert text[slice(*span)] == found
    assert same_words(quote, found)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("Use a in C", "Use a[0] in C."),
        ("Use a[1] in C", "Use a[0] in C."),
        ("data.split()[1]", "x data.split()[0] y"),
        ("[[1],[2]]", "[[1],[3]]"),
        ("105", "10⁵"),
        ("102", "10₂"),
        ("(a+b) is", "(a+b)² is"),
        ("51/2", "5½"),
        ("हिन्द", "हिन्दी"),
        ("हि", "हिन्दी"),
        ("กำ", "กำ\u0e48"),
        ("recover it", "re-cover it"),
        ("rose by 1", "It rose by 1.5 percent."),
        ("5 percent", "It rose by 1.5 percent."),
        ("000 people", "Some 1,000 people."),
        ("at 10", "It left at 10:30."),
        ("about 10", "about 10⁵ people"),
        ("5 degrees", "It was -5 degrees."),
        ("was-5", "It was -5 degrees."),
        ("Use json", "Use json.dumps here."),
        ("dumps here", "Use json.dumps here."),
    ],
)
def test_normalising_find_quote_takes_no_other_code_power_or_half_a_letter(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


def test_normalising_find_quotes_gives_every_place_in_order() -> None:
    assert find_quotes("it won", "it won, it lost, it won.") == [(0, 6), (17, 23)]
    assert find_quotes("it won", "it won " * 30, most=3) == [(0, 6), (7, 13), (14, 20)]
    assert find_quotes("", "it won") == []


@given(st.text(max_size=200))
def test_normalising_normalise_maps_every_character_to_its_source(text: str) -> None:
    folded = normalise(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(0 <= a < b <= len(text) for a, b in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)

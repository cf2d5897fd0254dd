from drzero.corpus.furniture import compare, find_furniture
from drzero.corpus.zim import open_archive
from drzero.types import Section


def page(*blocks):
    """A page of sections from (heading, lines…) pairs."""
    return [Section(heading, "\n".join(lines), 0) for heading, lines in blocks]


MENU = ("Home · About", "Contact us")
FOOT = ("Was this page helpful?", "© Tea House")


def site(number, body=()):
    return page(
        (("Navigation",), MENU),
        ((f"Title {number}",), (*body, f"Text {number}.", "Parameters:", "Example", f"More {number}.", *FOOT)),
    )


def test_furniture_is_what_surrounds_most_pages():
    found = find_furniture([site(n, ("Print this", f"About {n}.")) for n in range(12)])
    assert found == {"Navigation", *MENU, *FOOT, "Print this"}


def test_furniture_is_never_what_stands_amid_a_page():
    pages = [site(n) for n in range(12)]
    pages[3] = site(3, ("In brief:", "Contact us", "x"))
    pages[4] = page(((), (*MENU, "All about us.", "© Tea House", "Some more.")))
    assert find_furniture(pages) == {"Navigation", "Home · About", "Was this page helpful?"}


def test_furniture_behind_a_heading_must_stand_on_nearly_all_pages():
    words = [page(((f"Word {n}",), ("Noun" if n % 4 else "Verb", f"Meaning {n}.", *FOOT))) for n in range(20)]
    assert find_furniture(words) == set(FOOT)


def test_furniture_of_few_pages_is_unknown():
    assert find_furniture([site(n) for n in range(9)]) == frozenset()
    assert find_furniture([]) == frozenset()


def test_furniture_that_half_of_the_pages_lack_is_none():
    pages = [site(n) if n < 9 else page(((f"Title {n}",), (f"Text {n}.", f"More {n}."))) for n in range(20)]
    assert find_furniture(pages) == frozenset()


def test_furniture_is_sought_among_few_pages_first():
    read = []

    def one(number):
        read.append(number)
        return page(((f"Title {number}",), (f"Text {number}.", f"More {number}.")))

    assert compare(5000, one) == frozenset()
    assert len(read) == 12
    assert read == sorted(set(read))
    assert read[-1] > 4000
    read.clear()
    assert compare(5000, lambda number: one(number) and site(number)) == {"Navigation", *MENU, *FOOT}
    assert len(set(read)) == len(read) == 48
    assert compare(0, one) == compare(9, site) == frozenset()
    assert compare(10, site) == {"Navigation", *MENU, *FOOT}


def test_furniture_is_dropped_alike_by_walk_and_by_path(make_zim):
    def html(number):
        return (
            f"<div>Home · About</div><div>Contact us</div><h1>Title {number}</h1><p>Text {number}.</p><h2>Example</h2>"
            f"<p>More {number}.</p><div>© Tea House</div>"
        )

    path = make_zim({f"p{n}.html": (f"Title {n}", html(n), "text/html") for n in range(14)})
    walked = {r.path: r.article for r in open_archive(path).walk()}
    assert [s.text for s in walked["p3.html"].sections] == ["Text 3.", "More 3."]
    assert {place: open_archive(path).article(place) for place in walked} == walked
    kept = open_archive(path, kind="devdocs").article("p3.html")
    assert kept.text.startswith("Home · About\nContact us\nText 3.")

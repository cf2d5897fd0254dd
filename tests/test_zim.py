import re

import pytest

from drzero.corpus import contents, zim
from drzero.corpus.chunking import chunk_article
from drzero.corpus.html import Page
from drzero.corpus.zim import DOUBTFUL, find_archives, open_archive
from drzero.errors import ArchiveError
from drzero.types import Section
from tests.fakes import WordTokenizer
from tests.test_files import split

PAGES = {
    "Home": ("Home", "<html><h1>Home</h1><p>Welcome.</p></html>", "text/html"),
    "A/B": ("A slash", "<p>Slashed.</p>", "TEXT/HTML; charset=utf-8"),
    "pic.png": ("", b"\x89PNG", "image/png"),
    "empty": ("Empty", "<html><body></body></html>", "text/html"),
    "moved": ("Moved", '<meta http-equiv="refresh" content="0; url=Home#part">', "text/html"),
    "lost": ("Lost", '<meta http-equiv="refresh" content="0; url=https://example.org/">', "text/html"),
}
REDIRECTS = {
    "chain1": ("One", "chain2"),
    "chain2": ("Two", "chain3"),
    "chain3": ("Three", "Home"),
    "photo": ("Photo", "pic.png"),
}


def readings(archive, **options):
    return list(archive.walk(**options))


def test_zim_reads_articles_aliases_and_reasons(make_zim):
    archive = open_archive(make_zim(PAGES, redirects=REDIRECTS))
    found = readings(archive)
    assert [reading.position for reading in found] == list(range(archive.info.entry_count))
    assert {r.path: r.article.text for r in found if r.article} == {"Home": "Welcome.", "A/B": "Slashed."}
    assert sorted((r.alias, r.path) for r in found if r.alias) == [
        ("Moved", "Home"), ("One", "Home"), ("Three", "Home"), ("Two", "Home"),
    ]  # fmt: skip
    assert sorted((r.path, r.skipped) for r in found if r.skipped) == [
        ("empty", "no-text"), ("lost", "moved"), ("photo", "image"), ("pic.png", "image"),
    ]  # fmt: skip


def test_zim_walk_resumes_behind_a_position(make_zim):
    archive = open_archive(make_zim(PAGES, redirects=REDIRECTS))
    everything = readings(archive)
    assert everything == readings(archive)
    for start in range(len(everything) + 2):
        assert readings(archive, start=start) == everything[start:]


def test_zim_walk_takes_globs(make_zim):
    archive = open_archive(make_zim(PAGES, redirects=REDIRECTS))
    found = readings(archive, include=["H*", "A/*"], exclude=["*/B"])
    assert [r.path for r in found if r.article] == ["Home"]
    assert [r.path for r in found if r.skipped == "excluded"].count("A/B") == 1


def test_zim_article_is_the_one_walked(make_zim):
    archive = open_archive(make_zim(PAGES, redirects=REDIRECTS))
    for reading in readings(archive):
        if reading.article:
            assert archive.article(reading.path) == reading.article
    assert archive.article("chain1").path == "Home"
    for path in ("pic.png", "empty", "nowhere", "C/Home", "Counter", "moved"):
        assert archive.article(path) is None


def test_zim_info_tells_what_the_archive_says(make_zim):
    path = make_zim(PAGES, name="a#b & c.zim", metadata={"License": "CC BY", "Source": "x.org", "Title": "A \u200fB"})
    info = open_archive(path).info
    assert (info.name, info.kind, info.title, info.date) == ("a#b & c", "html", "A B", "2026-01-01")
    assert (info.language, info.licence, info.source, info.entry_count) == ("eng", "CC BY", "x.org", 6)
    assert re.fullmatch(r"[0-9a-f-]{36}", info.id)


def test_zim_titles_leave_out_the_name_of_the_site(make_zim):
    pages = {
        "a": ("Queues — The 3.11 manual", "<h1>Queues<a class=headerlink>¶</a></h1><p>x", "text/html"),
        "b": ("Queues (film)", "<h1>Queues</h1><p>x", "text/html"),
        "c": ("Up - and down", "<h1>Up - and down</h1><p>x", "text/html"),
    }
    archive = open_archive(make_zim(pages))
    assert [archive.article(path).title for path in pages] == ["Queues", "Queues (film)", "Up - and down"]


def test_zim_titles_fall_back_to_heading_then_path(make_zim):
    pages = {
        "a": ("", "<h1>Own heading</h1><p>x", "text/html"),
        "b c": ("", "<p>x", "text/html"),
        "d": ("\u200fBell\u0007\n s\u200e", "<p>x", "text/html"),
    }
    found = {r.path: r.article.title for r in open_archive(make_zim(pages)).walk() if r.article}
    assert found == {"a": "Own heading", "b c": "b c", "d": "Bell s"}


def test_zim_titles_escaped_once_too_often_are_read_as_they_were_meant(make_zim):
    pages = {
        "a": ("Driver&apos;s seat", "<p>x", "text/html"),
        "b": ("Salt &amp; pepper &#38; oil", "<h1>Salt &amp; pepper &#38; oil</h1><p>x", "text/html"),
        "c": ("What is &nbsp;?", "<h1>What is &amp;nbsp;?</h1><p>x", "text/html"),
        "d": ("&nbsp;", "<h1>A blank</h1><p>x", "text/html"),
        "e": ("AT&T &copy R&D; &nosuch;", "<p>x", "text/html"),
    }
    archive = open_archive(make_zim(pages))
    assert {path: archive.article(path).title for path in pages} == {
        "a": "Driver's seat", "b": "Salt & pepper & oil", "c": "What is &nbsp;?", "d": "&nbsp;",
        "e": "AT&T &copy R&D; &nosuch;",
    }  # fmt: skip
    wiki = {"X&amp;Y": ("X&amp;Y", "<h1>X&amp;amp;Y</h1><p>x", "text/html")}
    path = make_zim(wiki, name="wiki.zim", redirects={"Z": ("Z&amp;X", "X&amp;Y")})
    archive = open_archive(path, kind="mwoffliner")
    assert archive.article("X&amp;Y").title == "X&Y"
    assert [(r.alias, r.path) for r in archive.walk() if r.alias] == [("Z&X", "X&amp;Y")]


def test_zim_counts_pages_in_two_encodings_as_doubtful(make_zim):
    pages = {"x": ("X", "déjà ".encode() + "vu à".encode("latin-1"), "text/html"), "y": "<p>clear"}
    found = {r.path: (r.article.text, r.detail) for r in open_archive(make_zim(pages)).walk()}
    assert found == {"x": ("déjà vu à", DOUBTFUL), "y": ("clear", "")}


def test_zim_reads_plain_text_markdown_and_untyped_pages(make_zim):
    pages = {
        "t": ("T", "Plain words.", "text/plain"),
        "m": ("M", "# M\n\n*Marked* words.", "text/markdown"),
        "u": ("U", "<p>Untyped words.", "application/octet-stream"),
        "b": ("B", b"\0\1\2", "application/octet-stream"),
        "s.css": ("S", "p{}", "text/plain"),
    }
    found = {r.path: r.article.text for r in open_archive(make_zim(pages)).walk() if r.article}
    assert found == {"t": "Plain words.", "m": "Marked words.", "u": "Untyped words."}


def test_zim_cites_lessons_by_their_page(make_zim):
    pages = {
        "index.html": "<div id=app></div>",
        "index/a/b.html": ("B", '<meta http-equiv="refresh" content="0;URL=\'../../index.html#a/b\'">', "text/html"),
        "content/curriculum/a/b.md": ("", "---\ntitle: Bee\n---\n# --seed--\n```js\n x\n```", "application/javascript"),
    }
    archive = open_archive(make_zim(pages, metadata={"Scraper": "fcc2zim v1.2.0"}))
    (article,) = [r.article for r in archive.walk() if r.article]
    assert (article.path, article.title, article.sections[0].heading) == ("index/a/b.html", "Bee", ("Seed",))
    assert article.text == " x"
    assert archive.article("index/a/b.html") == article
    assert archive.article("content/curriculum/a/b.md") is None


def test_zim_split_or_whole_reads_the_same(make_zim, tmp_path):
    path = make_zim(PAGES, redirects=REDIRECTS)
    whole = open_archive(path)
    expected, zim_id = readings(whole), whole.info.id
    first = split(path, 3)
    for name in (first, tmp_path / "small.zim"):
        archive = open_archive(name)
        assert (archive.info.id, archive.info.name) == (zim_id, "small")
        assert readings(archive) == expected


def test_zim_says_that_an_archive_is_damaged(make_zim):
    path = make_zim(PAGES)
    content = bytearray(path.read_bytes())
    content[32:40] = b"\xff" * 8
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match=r"small\.zim is damaged .*: fetch it again\."):
        open_archive(path)


def test_zim_check_reads_the_checksum(make_zim):
    path = make_zim(PAGES)
    assert open_archive(path).check()
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert not open_archive(path).check()


def test_zim_reads_redirects_to_a_section_as_its_aliases(make_zim):
    def moved(address):
        return f'<html><head><meta http-equiv="refresh" content="0;URL=\'{address}\'"></head><body></body></html>'

    pages = {
        "Tea": ("Tea", "<h1>Tea</h1><p>All of tea.<h2>Green tea</h2><p>It is green.", "text/html"),
        "Café au lait": ("Café au lait", "<p>White.", "text/html"),
        "Sencha": ("Sencha", moved("./Tea#Green_tea"), "text/html"),
        "Matcha": ("Matcha", moved("Tea#Kinds%20of_tea"), "text/html"),
        "folder/Brew": ("Brew", moved("../Tea"), "text/html"),
        "Milk": ("Milk", moved("Caf%C3%A9_au_lait#A"), "text/html"),
        "Latte": ("Latte", moved("Caf%C3%A9%20au%20lait"), "text/html"),
        "Self": ("Self", moved("#part"), "text/html"),
        "Away": ("Away", moved("//example.org/Tea"), "text/html"),
        "Odd": ("Odd", moved("http://[broken"), "text/html"),
        "photo": ("", b"x", "image/png"),
        "Look": ("Look", moved("photo"), "text/html"),
    }
    found = {r.alias: (r.path, r.section) for r in open_archive(make_zim(pages)).walk() if r.alias}
    assert found == {
        "Sencha": ("Tea", "Green tea"), "Matcha": ("Tea", "Kinds of tea"), "Brew": ("Tea", ""),
        "Latte": ("Café au lait", ""),
    }  # fmt: skip
    moved_away = {r.path for r in open_archive(make_zim(pages)).walk() if r.skipped == "moved"}
    assert moved_away == {"Milk", "Self", "Away", "Odd", "Look"}


def test_zim_takes_no_address_for_a_name(make_zim):
    redirects = {
        "a/7": ("a/7", "Tea"), "c.html": ("", "Tea"), "77": ("77", "Tea"), "Chai": ("", "Tea"), "x/1": ("Cha", "Tea"),
        "AC/DC": ("AC/DC", "Tea"),
    }  # fmt: skip
    path = make_zim({"Tea": "<p>x"}, redirects=redirects)
    found = [(r.alias, r.skipped) for r in open_archive(path).walk() if r.path == "Tea" and not r.article]
    assert sorted(found, key=str) == sorted([("Cha", None), ("Chai", None), *[(None, "address")] * 4], key=str)
    wiki = {r.alias for r in open_archive(path, kind="mwoffliner").walk() if r.alias}
    assert wiki == {"a/7", "c.html", "77", "Chai", "Cha", "AC/DC"}


def test_zim_reads_a_page_stored_under_two_names_once(make_zim):
    def page(name, text="One text."):
        head = f'<head><title>Ray Charles</title><link rel="canonical" href="https://example.org/{name}"></head>'
        return ("Ray Charles", f"<html>{head}<h1>Ray Charles</h1><p>{text}</p><p>{text * 9}</p></html>", "text/html")

    pages = {
        "Ray_Charles": page("Ray_Charles"),
        "The_Pages_of_My_Mind": page("The_Pages_of_My_Mind"),
        "Ray_Charles_(album)": page("Ray_Charles_(album)", "Two texts"),
    }
    archive = open_archive(make_zim(pages))
    found = {r.path: r.article for r in archive.walk() if r.article}
    assert sorted(found) == ["Ray_Charles", "Ray_Charles_(album)"]
    assert [(r.alias, r.path) for r in archive.walk() if r.alias] == [("The Pages of My Mind", "Ray_Charles")]
    assert archive.article("The_Pages_of_My_Mind") == found["Ray_Charles"]


def test_zim_says_which_kinds_there_are(make_zim):
    path = make_zim(PAGES)
    with pytest.raises(ArchiveError) as caught:
        open_archive(path, kind="wiki")
    assert str(caught.value) == (
        "There is no kind of archive called wiki: choose one of mwoffliner, devdocs, freecodecamp, sotoki, gutenberg, "
        "zimit, zimwriterfs, text, html."
    )
    assert open_archive(path, kind="text").info.kind == "text"


def test_zim_skips_a_page_that_is_too_large_and_says_how_large(make_zim, monkeypatch):
    monkeypatch.setattr(zim, "_MAX_BYTES", 1000)
    path = make_zim({"a": "<p>" + "x" * 2000, "b": "<p>y"})
    found = {r.path: (r.skipped, r.detail) for r in open_archive(path).walk()}
    assert found == {"a": ("too-large", "2003 bytes"), "b": (None, "")}


def test_zim_skips_what_its_reader_calls_a_placeholder_and_marks_the_rest(make_zim, monkeypatch):
    path = make_zim({"Tea": "<p>Tea may mean:"}, redirects={"Cha": ("Cha", "Tea")})
    for mark, skipped in (("placeholder", "placeholder"), ("disambiguation", None)):
        page = Page("Tea", (Section((), "Tea may mean:", 0),), mark=mark)
        monkeypatch.setattr(contents, "read_html", lambda text, page=page, **_: page)
        archive = open_archive(path)
        assert [(r.path, r.skipped) for r in archive.walk() if not r.alias] == [("Tea", skipped)]
        for place in ("Tea", "Cha"):
            article = archive.article(place)
            assert (article.mark if article else None) == (None if skipped else mark)


@pytest.mark.parametrize(
    ("title", "text", "skipped"),
    [
        ("404 Not Found", "<h1>404 Not Found</h1><hr>nginx", "placeholder"),
        ("Page not found | Tea House", "<h1>Oops</h1><p>Nothing here.", "placeholder"),
        ("Error 503: Service Unavailable", "<p>Try again later.", "placeholder"),
        ("x", "<h1>Just a moment...</h1><p>Checking your browser.", "placeholder"),
        ("500 Days of Summer", "<p>A film.", None),
        ("404", "<p>404 is the number that follows 403. " + "It is even. " * 60, None),
        ("Not found in nature", "<p>Plastic.", None),
    ],
)
def test_zim_knows_the_pages_of_a_server_that_failed(make_zim, title, text, skipped):
    path = make_zim({"site/a": (title, text, "text/html")}, metadata={"Scraper": "zimit"})
    assert [reading.skipped for reading in open_archive(path).walk()] == [skipped]


ODD_PATHS = (
    "/leading", "//two", "a//b", "..", "./x", "x/../y", " space ", "tab\tx", "new\nline", "bell\x07", "emoji 😀", "C/x",
    "A/x", "x", "M/x", "a%2Fb", "a/b", "a%20b", "a b", "a+b", "a&b;c", "q?x=1#f", "q", "Caf\u00e9", "Cafe\u0301", "C#",
    "100%", "AC/DC", "What is this?", "long" * 50, "\u202eright", "\u200b", "-", "X/listing", "index.html", "0",
)  # fmt: skip


def test_zim_finds_what_lies_at_any_path(make_zim):
    path = make_zim({place: ("", f"<p>Text {number}.", "text/html") for number, place in enumerate(ODD_PATHS)})
    archive = open_archive(path)
    found = {r.path: r.article for r in archive.walk() if r.article}
    assert {place: article.text for place, article in found.items()} == {
        place: f"Text {number}." for number, place in enumerate(ODD_PATHS)
    }
    for place, article in found.items():
        assert (article.path, archive.article(place)) == (place, article)
        assert article.title.strip()
        assert not any(ord(char) < 32 or char in "\u202e\x7f" for char in article.title)
    for place in ("leading", "a%2fb", "q?x=1", "C/q", "Q", "nowhere", "", "C/A/x"):
        assert archive.article(place) is None, place


def test_zim_follows_chains_however_long(make_zim):
    redirects = {f"r{n:03}": (f"Name {n}", f"r{n + 1:03}" if n < 199 else "Home") for n in range(200)}
    archive = open_archive(make_zim({"Home": "<p>Welcome."}, redirects=redirects))
    assert {r.alias for r in archive.walk() if r.path == "Home" and r.alias} == {f"Name {n}" for n in range(200)}
    assert archive.article("r000").path == "Home"


# --- real archives --------------------------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "kind", "articles"),
    [
        ("real/wikipedia_en_ray_charles_maxi_2023-09.zim", "mwoffliner", 139),
        ("real/wikipedia_en_ray_charles_2015-06.zimaa", "mwoffliner", 85),
        ("real/wikipedia_en_ray_charles_2015-06.zim", "mwoffliner", 85),
        ("real/wikibooks_ang_2014-11.zim", "mwoffliner", 177),
        ("real/withns/wikibooks_be_all_nopic_2017-02.zim", "mwoffliner", 66),
        ("real/devdocs_en_sqlite_2025-04.zim", "devdocs", 525),
        ("built/wikipedia_en_a-sample_2016-05.zim", "mwoffliner", 107),
        ("built/fcc_en_javascript_2026-11.zim", "freecodecamp", 510),
        ("built/coffee.stackexchange.com_en_all_2015.zim", "sotoki", 225),
        ("built/docs.python.org_en_3.11.zim", "zimwriterfs", 378),
        ("edge/foo-zstd.zim", "text", 16),
    ],
)
def test_zim_reads_real_archives(shared_data, name, kind, articles):
    archive = open_archive(shared_data / "zims" / name)
    tokenizer = WordTokenizer(256)
    count = 0
    for reading in archive.walk():
        assert reading.skipped != "unreadable"
        if not reading.article:
            continue
        count += 1
        text = reading.article.text
        chunks = chunk_article(reading.article, tokenizer, target_tokens=256)
        assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
        assert "".join("".join(chunk.text for chunk in chunks).split()) == "".join(text.split())
        if kind == "mwoffliner":
            assert not re.search(r"@media|\.mw-parser|\[edit\]|citation needed|issued from|display:", text), (
                reading.path
            )
    assert (archive.info.kind, count) == (kind, articles)


@pytest.mark.data
def test_zim_reads_the_infobox_of_ray_charles(shared_data):
    archive = open_archive(shared_data / "zims/real/wikipedia_en_ray_charles_maxi_2023-09.zim")
    lead = archive.article("A/Ray_Charles").sections[0].text.split("\n")
    assert "Born: Ray Charles Robinson; September 23, 1930; Albany, Georgia, U.S." in lead
    assert "Occupations: Singer, pianist, songwriter, composer" in lead


@pytest.mark.data
@pytest.mark.parametrize("name", ["withns", "nons", "noTitleListingV0"])
def test_zim_gives_the_same_text_in_every_layout(shared_data, name):
    texts = []
    for folder in ("withns", name):
        archive = open_archive(shared_data / "zims/real" / folder / "wikibooks_be_all_nopic_2017-02.zim")
        texts.append({r.article.path.removeprefix("A/"): r.article.text for r in archive.walk() if r.article})
    assert texts[0] == texts[1]


@pytest.mark.data
def test_zim_bounds_rings_of_redirects(shared_data):
    found = list(open_archive(shared_data / "zims/edge/loop.zim").walk())
    assert sorted((r.path, r.skipped) for r in found if r.skipped) == [
        ("R1", "redirect-loop"), ("R2", "redirect-loop"), ("R3", "redirect-loop"),
    ]  # fmt: skip
    assert [r.path for r in found if r.article] == ["Zed"]


@pytest.mark.data
def test_zim_finds_every_odd_path_again(shared_data):
    archive = open_archive(shared_data / "zims/edge/edge.zim")
    articles = [r.article for r in archive.walk() if r.article]
    assert {article.path for article in articles} >= {"/leading", "100%", "AC/DC", "a%20b", "Cafe\u0301", "Caf\u00e9"}
    assert all(archive.article(article.path) == article for article in articles)
    assert archive.article("leading") is None
    assert archive.article("a b") is None
    assert {a.path: a.title for a in articles}["rtl"] == "HTML Code Issue"


@pytest.mark.data
@pytest.mark.parametrize("folder", ["", "nons", "withns", "noTitleListingV0"])
def test_zim_survives_every_damaged_archive(shared_data, folder):
    for path in find_archives(shared_data / "zims/invalid" / folder):
        try:
            archive = open_archive(path)
        except ArchiveError:
            continue
        found = list(archive.walk())
        assert len(found) == archive.info.entry_count
        for reading in found:
            if reading.article:
                assert archive.article(reading.path) == reading.article

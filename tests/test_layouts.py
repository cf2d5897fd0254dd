"""Archives laid out as each scraper lays them out, made small: what is an article, and what it reads."""

from drzero.corpus.zim import open_archive


def read(path, **options):
    """The archive, path → article, and what else became of the entries as sorted (path, skipped or "alias: name")."""
    archive = open_archive(path, **options)
    found = list(archive.walk())
    articles = {reading.path: reading.article for reading in found if reading.article}
    for place, article in articles.items():
        assert archive.article(place) == article
        for section in article.sections:
            assert article.text[section.start : section.start + len(section.text)] == section.text
    rest = sorted((r.path, f"alias: {r.alias}" if r.alias else r.skipped) for r in found if not r.article)
    return archive, articles, rest


def parts(article):
    return [(section.heading, section.text) for section in article.sections]


# --- sotoki ---------------------------------------------------------------------------------------------------------


def post(body, *, score, comments="", accepted=False):
    mark = '<div class="js-accepted-answer-indicator"></div>' if accepted else ""
    listed = f'<div class="comments js-comments-container"><ul class="comments-list">{comments}</ul></div>'
    return (
        f'<div class="post-layout"><div class="votecell"><div class="js-vote-count" data-value="{score}">{score}</div>'
        f'{mark}</div><div class="postcell"><div class="s-prose js-post-body">{body}</div>'
        '<div class="post-taglist"><a class="post-tag">tea</a></div>'
        '<div class="post-signature"><div class="user-info">asked by <span>Ann</span></div></div></div>'
        f'<div class="post-layout--right js-post-comments-component">{listed}</div></div>'
    )


QUESTION = (
    '<html><head><title>How hot? - Tea Stack Exchange</title></head><body><header class="site-header">Tea</header>'
    '<div id="content"><div id="question-header"><h1><a>How hot?</a></h1></div><div>Asked 2015, viewed 130 times</div>'
    '<div id="mainbar" role="main"><div id="question" class="question" data-score="3">'
    + post("<p>How hot must the water be?</p>", score=3, comments="<li>Which tea? – Bob</li>")
    + '</div><div id="answers"><div id="answers-header"><h2>2 Answers</h2></div>'
    '<div id="answer-7" class="answer accepted-answer" data-score="12">'
    + post("<h2>Green tea</h2><p>Eighty degrees.</p>", score=12, accepted=True)
    + '</div><div id="answer-8" class="answer" data-score="-1">'
    + post("<p>Just boil it.</p><pre>boil()</pre>", score=-1, comments="<li>No! – Cy</li>")
    + '</div></div></div><div id="sidebar"><h4>Related</h4><a>Other question</a></div></div></body></html>'
)


def test_layouts_sotoki_reads_a_question_and_each_answer(make_zim):
    pages = {
        "questions/5/how-hot": ("How hot?", QUESTION, "text/html"),
        "questions": ("Questions", "<h1>Top questions</h1><p>How hot?", "text/html"),
        "questions/tagged/tea": ("tea", "<p>How hot?", "text/html"),
        "questions_page=2": ("Questions", "<p>How hot?", "text/html"),
        "users/1/ann": ("Ann", "<p>Ann likes tea.", "text/html"),
        "about": ("About", "<p>About this site.", "text/html"),
        "tags": ("Tags", "<p>tea", "text/html"),
    }
    redirects = {"questions/5": ("questions/5", "questions/5/how-hot"), "a/7": ("", "questions/5/how-hot")}
    archive, articles, rest = read(make_zim(pages, redirects=redirects, metadata={"Scraper": "libzim"}))
    assert archive.info.kind == "sotoki"
    assert list(articles) == ["questions/5/how-hot"]
    article = articles["questions/5/how-hot"]
    assert article.title == "How hot?"
    assert parts(article) == [
        ((), "How hot must the water be?"),
        (("Accepted answer (score 12)", "Green tea"), "Eighty degrees."),
        (("Answer (score -1)",), "Just boil it.\nboil()"),
    ]
    assert rest == [
        ("about", "listing"), ("questions", "listing"),
        ("questions/5/how-hot", "address"), ("questions/5/how-hot", "address"),
        ("questions/tagged/tea", "listing"), ("questions_page=2", "listing"), ("tags", "listing"),
        ("users/1/ann", "listing"),
    ]  # fmt: skip
    assert archive.article("a/7") == archive.article("questions/5") == article


def old_post(body, score, *, accepted=False):
    mark = '<div class="accepted"><p><i></i></p></div>' if accepted else ""
    return (
        f'<div class="post"><div class="post-container"><div class="reputation"><div class="score"><p><i></i></p>'
        f'<p>{score}</p></div>{mark}</div><div class="body">{body}</div></div><div class="tags"><ul><li>tea</li></ul>'
        '</div><div class="author"><p>Ann</p></div>'
        '<div class="comments"><div class="comment"><p>Hm.</p></div></div></div>'
    )


def test_layouts_sotoki_reads_the_older_form_of_question(make_zim):
    page = (
        '<body class="question"><div class="row"><h2 class="title">How hot?</h2></div><div class="row">'
        f'<div class="col-md-9"><div id="question">{old_post("<p>How hot must it be?</p>", 3)}</div><h2>Answers</h2>'
        f'<div id="answers"><div id="a7">{old_post("<p>Eighty.</p>", 12, accepted=True)}</div>'
        f'<div id="a8">{old_post("<p>Boil it.</p>", 0)}</div></div></div>'
        '<div class="row col-md-3"><div class="metadata"><p>Viewed: 9 times</p></div></div></div>'
        '<div id="footer">This question is issued from tea.stackexchange.com.</div></body>'
    )
    pages = {"question/5.html": ("How hot?", page, "text/html"), "tag/tea/1.html": "<p>How hot?", "index.html": "<p>x"}
    archive, articles, _ = read(make_zim(pages))
    assert archive.info.kind == "sotoki"
    assert list(articles) == ["question/5.html"]
    assert parts(articles["question/5.html"]) == [
        ((), "How hot must it be?"),
        (("Accepted answer (score 12)",), "Eighty."),
        (("Answer (score 0)",), "Boil it."),
    ]


# --- gutenberg2zim --------------------------------------------------------------------------------------------------

BOOK = (
    "<html><head><title>Tea and Time</title></head><body>"
    '<section id="pg-header"><h2 id="pg-header-heading">The Project Gutenberg eBook of Tea and Time</h2>'
    "<div><p>This ebook is for the use of anyone anywhere at no cost.</p></div>"
    "<div><p><strong>Title</strong>: Tea and Time</p></div><div><p><strong>Author</strong>: Ann Brewer</p></div>"
    "<div><p><strong>Release date</strong>: May 1, 1999 [eBook #77]</p></div>"
    '<div id="pg-start-separator"><span>*** START OF THE PROJECT GUTENBERG EBOOK TEA AND TIME ***</span></div>'
    "</section><h1>Tea and Time</h1><p>by Ann Brewer</p>"
    "<h2>Chapter I</h2><p>It was late.</p><h2>Chapter II</h2><p>It was later.</p>"
    '<section id="pg-footer"><div id="pg-end-separator"><span>*** END OF THE PROJECT GUTENBERG EBOOK TEA AND TIME ***'
    "</span></div><h2>THE FULL PROJECT GUTENBERG LICENSE</h2><p>Section 1. General Terms.</p></section></body></html>"
)
BOOK_PARTS = [
    ((), "Title: Tea and Time\nAuthor: Ann Brewer\nby Ann Brewer"),
    (("Chapter I",), "It was late."),
    (("Chapter II",), "It was later."),
]


def test_layouts_gutenberg_finds_the_book_behind_its_stub(make_zim):
    stub = '<html><head><title>T</title><meta http-equiv="refresh" content="0;URL=\'../index.html#/book/77\'" /></head>'
    pages = {
        "index.html": ("Gutenberg", "<div id=app></div>", "text/html"),
        "Tea and Time.77": ("Tea and Time", BOOK, "text/html", False),
        "77_notes.html": ("", "<h1>Notes</h1><p>A companion page.", "text/html", False),
        "index/book_77": ("Tea and Time", stub + "<body>A blurb on tea.</body></html>", "text/html"),
        "index/author_9": ("Ann Brewer", stub + "<body>Ann Brewer</body></html>", "text/html"),
        "noscript/books.html": ("All Books", "<p>Tea and Time</p>", "text/html", False),
        "Tea and Time.77.epub": ("", b"PK", "application/epub+zip", False),
        "Tea and Time.77.pdf": ("", b"%PDF-1.4", "application/pdf", False),
        "covers/77_cover_image.webp": ("", b"x", "image/webp", False),
    }
    archive, articles, rest = read(make_zim(pages, metadata={"Scraper": ""}))
    assert archive.info.kind == "gutenberg"
    assert sorted(articles) == ["77_notes.html", "Tea and Time.77"]
    book = articles["Tea and Time.77"]
    assert (book.title, book.aliases, parts(book)) == ("Tea and Time", ("Tea and Time by Ann Brewer",), BOOK_PARTS)
    assert rest == [
        ("Tea and Time.77.epub", "epub"), ("Tea and Time.77.pdf", "duplicate"),
        ("covers/77_cover_image.webp", "image"), ("index.html", "listing"), ("index/author_9", "listing"),
        ("index/book_77", "listing"), ("noscript/books.html", "listing"),
    ]  # fmt: skip


def test_layouts_gutenberg_leaves_out_covers_of_the_second_layout(make_zim):
    pages = {
        "Home.html": ("Home", "<p>All books</p>", "text/html"),
        "Tea and Time.77.html": ("Tea and Time", BOOK, "text/html"),
        "Tea and Time_cover.77.html": ("Tea and Time", "<p>Language: English", "text/html"),
        "bookshelves_home.html": ("Shelves", "<p>Shelves", "text/html"),
    }
    archive, articles, rest = read(make_zim(pages, metadata={"Scraper": "zimwriterfs-2.0"}))
    assert archive.info.kind == "gutenberg"
    assert [parts(article) for article in articles.values()] == [BOOK_PARTS]
    assert [path for path, reason in rest if reason == "listing"] == [
        "Home.html", "Tea and Time_cover.77.html", "bookshelves_home.html",
    ]  # fmt: skip


# --- warc2zim -------------------------------------------------------------------------------------------------------

MENU = '<div class="top"><a>Start</a></div><div>Products and prices</div>'
FOOT = "<div>Share this page</div><p>© Tea House. We use cookies to make tea.</p>"


def site(number):
    return (
        f"<html><head><title>Page {number}</title></head><body>{MENU}<h1>Page {number}</h1><p>Text {number}.</p>{FOOT}"
    )


def test_layouts_zimit_reads_a_site_without_its_menus(make_zim):
    pages = {
        "_zim_static/wombat.js": ("", "x", "text/javascript", False),
        "_zim_static/frame.html": ("", "<p>x", "text/html", False),
        **{f"tea.example/p/{n}?a=1&b=%20": (f"Page {n}", site(n), "text/html") for n in range(12)},
        "tea.example/gone": ("404 Not Found", f"<body>{MENU}<h1>404 Not Found</h1><p>nginx</p>{FOOT}", "text/html"),
        "tea.example/style.css": ("", "p{}", "text/css", False),
    }
    archive, articles, rest = read(
        make_zim(pages, redirects={"tea.example/old": ("", "tea.example/p/1?a=1&b=%20")}, metadata={"Scraper": "x"})
    )
    assert archive.info.kind == "zimit"
    assert sorted(articles) == sorted(f"tea.example/p/{n}?a=1&b=%20" for n in range(12))
    assert parts(articles["tea.example/p/7?a=1&b=%20"]) == [((), "Text 7.")]
    assert rest == [
        ("_zim_static/frame.html", "asset"), ("_zim_static/wombat.js", "asset"), ("tea.example/gone", "placeholder"),
        ("tea.example/p/1?a=1&b=%20", "address"), ("tea.example/style.css", "style"),
    ]  # fmt: skip


def test_layouts_zimit_of_the_first_format_keeps_headers_out(make_zim):
    def headers(status):
        return ("", f"WARC/1.0\r\nWARC-Type: response\r\n\r\nHTTP/1.1 {status}\r\n", "application/warc-headers", False)

    pages = {
        "A/index.html": ("", "<iframe></iframe><p>Loading…", "text/html", False),
        "A/sw.js": ("", "x", "application/javascript", False),
        "A/tea.example/": ("Tea", "<h1>Tea</h1><p>All of tea.", "text/html"),
        "A/tea.example/nothing": ("Tea", "<h1>Tea</h1><p>We could not find it.", "text/html"),
        "H/tea.example/": headers("200 OK"),
        "H/tea.example/nothing": headers("404 Not Found"),
    }
    archive, articles, rest = read(make_zim(pages, metadata={"Scraper": ""}))
    assert archive.info.kind == "zimit"
    assert list(articles) == ["A/tea.example/"]
    assert rest == [
        ("A/index.html", "listing"), ("A/sw.js", "script"), ("A/tea.example/nothing", "placeholder"),
        ("H/tea.example/", "headers"), ("H/tea.example/nothing", "headers"),
    ]  # fmt: skip

"""Archives laid out as each scraper lays them out, made small: what is an article, under which path, with which text."""

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
        '</div><div class="author"><p>Ann</p></div><div class="comments"><div class="comment"><p>Hm.</p></div></div></div>'
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

import time

import pytest

from drzero.corpus.html import read_html


def blocks(html: str, title: str = "") -> list[tuple[tuple[str, ...], str]]:
    return [(section.heading, section.text) for section in read_html(html, title=title).sections]


def text(html: str) -> str:
    return "\n".join(section.text for section in read_html(html).sections)


def test_html_reads_headings_paragraphs_and_lists():
    page = """<html><body><h1>Tea</h1><p>Tea is <b>hot</b>.</p><h2>Kinds</h2><ul><li>green
      <li>black<ul><li>Assam</li></ul></li></ul><h3>Oolong</h3>Loose text<div>in divs</div></body></html>"""
    assert blocks(page, "Tea") == [
        ((), "Tea is hot."),
        (("Kinds",), "green\nblack\nAssam"),
        (("Kinds", "Oolong"), "Loose text\nin divs"),
    ]


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 6 + "Deep words" + "</div>" * 6,
        "<body>Deep words</body>",
        "Deep words",
        "<p>Deep words",
        "<?xml version='1.0' encoding='utf-8'?><html xmlns='x'><head><title/><script src='a'/></head><p>Deep words</p>",
    ],
)
def test_html_finds_text_however_it_is_wrapped(page):
    assert text(page) == "Deep words"


def test_html_drops_what_is_no_text():
    page = """<head><title>T</title><style>p{color:red}</style></head><body><nav>Home</nav><header><a>Logo</a></header>
    <script>var a = 1;</script><noscript>Enable it</noscript><p>Kept.<svg><text>drawn</text></svg></p>
    <div hidden>no</div><span style="display: none">00sort</span><button>Copy</button><ul role="navigation"><li>x</ul>
    <header><h1>Head</h1><nav>n</nav></header><footer>Imprint</footer></body>"""
    assert text(page) == "Kept."


def test_html_keeps_a_header_with_a_lead():
    assert text("<body><header><h2>News</h2><p>Lead.</p></header></body>") == "Lead."


def test_html_removes_footnote_marks_but_no_index_or_interval():
    page = "<p>The bridge opened in 1931.[3][citation needed] The odds were 1.5 [1.3-1.7]. Use a[0] in C.</p>"
    assert text(page) == "The bridge opened in 1931. The odds were 1.5 [1.3-1.7]. Use a[0] in C."
    assert text("<p>So.<sup><a>[1]</a></sup><sup>[note 2]</sup> 10<sup>6</sup> m<sup>2</sup></p>") == "So. 10⁶ m²"
    assert text("<p>Call <code>f.[0]</code>.</p>") == "Call f.[0]."


def test_html_keeps_code_whole():
    page = "<pre><code>def f(x):\n    if x:\n\n        return <b>1</b></code></pre><p>a <code>x  y</code></p>"
    assert text(page) == "def f(x):\n    if x:\n\n        return 1\na x y"
    assert text("<pre>one<br>  two</pre>") == "one\n  two"


def test_html_puts_short_terms_before_their_definitions():
    assert text("<dl><dt>Cat</dt><dd><p>An animal.</p><p>It purrs.</p></dd><dt>Dog:</dt><dd>Barks.</dd></dl>") == (
        "Cat: An animal.\nIt purrs.\nDog: Barks."
    )
    assert text("<dl><dt>Code</dt><dd><pre>x = 1</pre></dd></dl>") == "Code\nx = 1"
    assert text("<dl><dt>One</dt><dt>Two</dt><dd>Both.</dd></dl>") == "One\nTwo: Both."


def test_html_makes_signatures_sections_of_their_own():
    page = """<dl class="py"><dt class="sig" id="m.f"><em>class </em><span class="sig-prename">m.</span><span
    class="sig-name">f</span>(x)<a class="headerlink">¶</a></dt><dd><p>Does it.</p>
    <dl><dt class="sig"><span class="sig-name">g</span>()</dt><dd>Inner.</dd></dl></dd></dl><p>After.</p>"""
    assert blocks(page) == [
        (("m.f",), "class m.f(x)\nDoes it."),
        (("m.f", "g"), "g()\nInner."),
        ((), "After."),
    ]


def test_html_keeps_collapsed_parts_under_their_summary():
    page = "<h2>A</h2><details><summary>More</summary><p>Folded.</p></details><p>Open.</p>"
    assert blocks(page) == [(("A", "More"), "Folded."), (("A",), "Open.")]


def test_html_reads_a_formula_once():
    tex = r"{\displaystyle x^{2}}"
    page = f"""<p>So <span class="mwe-math-element"><span style="display:none"><math alttext="{tex}"><mi>x</mi>
    <annotation encoding="application/x-tex">{tex}</annotation></math></span><img alt="{tex}"></span> holds.</p>"""
    assert text(page) == "So x^{2} holds."
    assert text("<p><math><mi>a</mi><mo>+</mo><mi>b</mi></math></p>") == "a + b"
    assert text('<p><script type="math/tex">a^2</script></p>') == "a^2"


WIKI = """<html><head><title>Ada</title></head><body class="mediawiki"><h1 id="firstHeading">Ada</h1><div
id="siteSub">From</div><div id="mw-content-text"><div class="hatnote">For others, see X.</div><p>Ada<sup
class="mw-ref">[1]</sup> wrote.</p>
<details data-level="2"><summary class="section-heading"><h2 id="Life">Life<span
class="mw-editsection">[edit]</span></h2></summary><p><em>Main article: Life of Ada</em></p><p>Born 1815.</p></details>
<h2>References</h2><ol class="references"><li>Book</li></ol><p>Stray.</p><table
class="navbox"><tr><td>Links</td></tr></table>
<!--htdig_noindex--><div>This article is issued from Wikipedia.</div><!--/htdig_noindex--></div></body></html>"""


def test_html_reads_mediawiki_pages():
    assert blocks(WIKI, "Ada") == [((), "Ada wrote."), (("Life",), "Born 1815.")]


def test_html_reads_devdocs_pages():
    page = """<main class="_content"><div class="_page _x"><div><h1>F</h1><p>Text.</p></div><script>1</script>
    <div class="_attribution">© SQLite</div></div></main><div>Menu</div>"""
    assert blocks(page, "F") == [((), "Text.")]


def test_html_drops_tables_of_contents():
    page = "<details><summary>Table Of Contents</summary><a>1. One</a></details><h2>1. One</h2><p>Text.</p>"
    assert blocks(page) == [(("1. One",), "Text.")]


def test_html_reads_on_behind_a_body_closed_too_early():
    assert text("<html><body><p>One.</p></body></html><p>Two.</p>") == "One.\nTwo."


def test_html_falls_back_when_the_main_part_is_empty():
    assert text("<body><main></main><p>Elsewhere.</p></body>") == "Elsewhere."


def test_html_tells_where_a_page_moved():
    page = """<head><title>Old</title><meta http-equiv="refresh" content="0;URL='./New#Part'"/></head><body></body>"""
    assert (read_html(page).moved_to, read_html(page).sections) == ("./New#Part", ())
    assert read_html(page + "<p>" + "Long text. " * 40).moved_to == ""


@pytest.mark.parametrize("page", ["", "  \n", "<!-- only -->", "<html></html>", "\0"])
def test_html_of_nothing_has_no_sections(page):
    assert read_html(page).sections == ()


def test_html_takes_its_title_from_the_heading_then_the_head():
    assert read_html("<title>T</title><h1>Big <i>head</i></h1>").title == "Big head"
    assert read_html("<title>T &apos;s</title><p>x").title == "T 's"
    assert (
        read_html('<h1><a class="reference">json</a> — Encoder<a class="headerlink">¶</a></h1>').title
        == "json — Encoder"
    )


def test_html_survives_20000_nested_divs():
    page = (
        "<body><h2>Top</h2>" + "<div>" * 20_000 + "deep" + "</div>" * 20_000 + "<p>after</p><style>p{}</style></body>"
    )
    assert blocks(page) == [(("Top",), "deep\nafter")]


def test_html_reads_a_table_of_60000_rows_in_seconds():
    rows = "".join(f"<tr><td>Bird {n}</td><td>{n} g</td></tr>" for n in range(60_000))
    start = time.perf_counter()
    lines = text(f"<table><tr><th>Name</th><th>Weight</th></tr>{rows}</table>").split("\n")
    assert time.perf_counter() - start < 20
    assert (lines[0], lines[-1], len(lines)) == (
        "Name: Bird 0; Weight: 0 g",
        "Name: Bird 59999; Weight: 59999 g",
        60_000,
    )


def test_html_removes_editors_notes_that_are_written_out():
    page = (
        "<p>As of 2016[update], it grew.[not in citation given] It is string theory.:212–219 So.[verification needed]"
    )
    assert text(page) == "As of 2016, it grew. It is string theory. So."
    assert text("<p>At 10:30 the ratio was 3:1.</p>") == "At 10:30 the ratio was 3:1."


def wiki(body: str) -> str:
    return text(f"<div id='mw-content-text'>{body}</div>")


def test_html_removes_what_belongs_to_a_footnote_mark():
    mark = '<sup class="reference">[2]</sup>'
    assert wiki(f"<p>It melts.{mark}1729–1730 It is code.{mark}217, 236 § 5 It ran{mark}:12 on.</p>") == (
        "It melts. It is code. It ran on."
    )
    assert wiki(f"<p>In 1999{mark} 2000 came.</p>") == "In 1999 2000 came."
    assert wiki('<ul><li><sup><style>.x{y:z}</style><a href="#a">^[a]</a></sup> co-producer</li></ul>') == "co-producer"


def test_html_removes_a_footnotes_bare_number_behind_a_word_but_no_power():
    assert text("<p>Add salt<sup>1</sup> to the <b>water</b><sup>12</sup>.</p>") == "Add salt to the water."
    page = "<p>Five miles<sup>2</sup>, x<sup>2</sup>, sinh<sup>2</sup> y</p>"
    assert text(page) == "Five miles², x², sinh² y"
    assert wiki("<p>volume<sup>3</sup></p>") == "volume³"


def test_html_closes_the_gap_where_a_pronunciation_was():
    assert (
        wiki("<p>Ann Lee (; born 1 May) and Bo (Latin Bo, ) met.</p>") == "Ann Lee (born 1 May) and Bo (Latin Bo) met."
    )
    assert wiki("<p>Aruba ( ; ) lies west. He (; ; 14 May) left.</p>") == "Aruba lies west. He (14 May) left."
    assert text("<p>(; a comment)</p>") == "(; a comment)"


def test_html_drops_a_pointer_before_a_paragraph():
    assert wiki("<p><em>Main article: Walker v. Smith</em> A walker helps.</p>") == "A walker helps."
    assert wiki("<p>Titled <em>See also: Me</em>, it sold.</p>") == "Titled See also: Me, it sold."


def test_html_reads_a_row_of_stars():
    stars = "".join(f'<img alt="" src="../I/Star_{kind}.svg.png">' for kind in ("full", "full", "half", "empty"))
    assert text(f'<p>Rated <span role="img">{stars}</span> by us</p>') == "Rated 2.5/4 stars by us"
    assert text(f'<p><span title="3.5/5 stars">{stars}</span></p>') == "3.5/5 stars"
    assert text('<p><span role="img"><img src="map.png"></span>Map</p>') == "Map"


def test_html_drops_what_a_page_says_of_itself():
    page = "<p>{}</p><p>Text.</p>"
    for line in (
        "<i>This page last modified on <a>2024-11-29 21:09:04</a> UTC</i>",
        "Last updated: 3 Feb. 2020",
        "See also lists of <a>Objects</a>, <a>Constants</a>, and <a>Functions</a>.",
        "See also: lang_expr.html lang_select.html#compound",
    ):
        assert text(page.format(line)) == "Text."
    for line in ("The key was last modified in 1999.", "See also: column_count()"):
        assert text(page.format(line)) == f"{line}\nText."


def test_html_drops_the_name_of_a_drawing():
    drawing = "<div><svg><text>SELECT</text></svg></div>"
    assert text(f"<p>Before.</p><p><b><a>select-stmt:</a></b></p>{drawing}") == "Before."
    assert (
        text(f"<p><b>expr:</b> <button data-toggle='x'>show</button></p><div style='display:none'>{drawing}</div>")
        == ""
    )
    assert text(f"<p>It is parsed as follows:</p>{drawing}") == "It is parsed as follows:"
    assert text("<p>Example:</p><div>Text.</div>") == "Example:\nText."


def test_html_keeps_the_text_of_footnotes_without_their_labels():
    page = """<p>Sums<a class="footnote-reference brackets" href="#f">1</a> differ.</p><aside class="footnote-list
    brackets"><aside class="footnote brackets"><span class="label"><span class="fn-bracket">[</span><a>1</a><span
    class="fn-bracket">]</span></span><span class="backrefs">(<a>1</a>,<a>2</a>)</span><p>Due to
    rounding.</p></aside>"""
    assert text(page) == "Sums differ.\nDue to rounding."


def test_html_keeps_answers_apart():
    page = """<h1>Coffee?</h1><h2>2 Answers</h2><div class="answer accepted-answer"><p>Grind it.</p>
    <h1>Method</h1><p>Slowly.</p></div><div class="answer" data-answerid="7"><p>Buy it.</p></div>"""
    assert blocks(page) == [
        (("Accepted answer",), "Grind it."),
        (("Accepted answer", "Method"), "Slowly."),
        (("Answer",), "Buy it."),
    ]


def test_html_reads_text_that_the_parser_puts_into_the_head():
    assert text("<title>T</title><section>Read me.</section>") == "Read me."
    assert text("<script>x()</script><aside>Read me.</aside>") == "Read me."


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            '<div class="highlight-python3 notranslate"><div class="highlight"><pre><span></span>'
            '<span class="k">if</span> <span class="n">x</span>:\n    <span class="c1"># no [3]</span></pre></div>',
            "```python\nif x:\n    # no [3]\n```",
        ),
        ('<pre><code class="language-c++">a;\nb;</code></pre>', "```c++\na;\nb;\n```"),
        ('<pre class="brush: js">a;\nb;</pre>', "```js\na;\nb;\n```"),
        ('<div class="highlight highlight-source-ruby"><pre>a\nb</pre></div>', "```ruby\na\nb\n```"),
        ('<div class="mw-highlight mw-highlight-lang-lua mw-content-ltr"><pre>a\nb</pre></div>', "```lua\na\nb\n```"),
        ('<pre class="language-none">a\nb</pre>', "a\nb"),
        ('<pre data-language="sql">int f();\nint g();</pre>', "int f();\nint g();"),
        ('<pre class="language-js">one();</pre>', "one();"),
        ('<div class="doctest highlight-default"><pre>>>> 1\n1</pre></div>', "```pycon\n>>> 1\n1\n```"),
        ('<pre class="language-md">a\n```js\nb\n```</pre>', "a\n```js\nb\n```"),
        ("<pre>a\nb</pre>", "a\nb"),
    ],
)
def test_html_names_the_language_of_code(page, expected):
    assert text(page) == expected


def test_html_notes_where_code_stands():
    page = '<p>Say:</p><pre class="language-js">a();\n\nb();</pre><p>Or</p><pre>c()</pre><pre>d\n e</pre>'
    (section,) = read_html(page).sections
    assert section.text == "Say:\n```js\na();\n\nb();\n```\nOr\nc()\nd\n e"
    assert [section.text[start:end] for start, end in section.code] == ["```js\na();\n\nb();\n```", "d\n e"]


@pytest.mark.parametrize(
    "spans",
    [
        '<span class="lineno">12</span><span class="k">if</span>',
        '<span class="k" style="display:none">gone</span><span class="k">if</span>',
        '<span class="k">if</span><span title="3/5 stars"></span>',
    ],
)
def test_html_looks_at_the_spans_of_code_that_are_not_for_colour(spans):
    assert text(f"<pre>{spans} x</pre>").removeprefix("3/5 stars") in ("if x", "if3/5 stars x")


def test_html_takes_a_lone_article_for_the_page_only_when_most_text_is_in_it():
    aside = "<p>What was said before, at some length, in so many words.</p>"
    assert text(f"<body>{aside}<article><p>A comment.</p></article></body>") == (
        "What was said before, at some length, in so many words.\nA comment."
    )
    assert text(f"<body><p>Menu</p><article>{aside}</article></body>") == aside[3:-4]


def test_html_reads_a_page_of_mediawiki_without_the_notice_that_it_is_a_stub():
    page = (
        '<div id="mw-content-text"><p>Tea is hot and good.</p><p>This drink article is a stub. You can help.</p></div>'
    )
    assert text(page) == "Tea is hot and good."
    faq = '<h2>Is it hot?</h2><div class="answer"><p>Yes.</p></div><h2>Why?</h2><div class="answer"><p>Fire.</p></div>'
    assert blocks(faq) == [(("Is it hot?",), "Yes."), (("Why?",), "Fire.")]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<ol><li>one<li><p>two</p><p>more</p></ol><ul><li>dot</ul>", "1. one\n2. two\nmore\ndot"),
        ("<ol start=4><li>four<li value=9>nine<li>ten</ol>", "4. four\n9. nine\n10. ten"),
        ("<ol reversed><li>c<li>b<li>a</ol>", "3. c\n2. b\n1. a"),
        ("<ol><li>step<ol type=a><li>first<li>then</ol><li>end</ol>", "1. step\na. first\nb. then\n2. end"),
        ("<ol type=I><li>x<li>y</ol><ol type=a start=30><li>z</ol>", "I. x\nII. y\n30. z"),
        ("<ol><li></li><li>two</li></ol><p>after</p>", "2. two\nafter"),
        ("<ol><li><pre>a\nb</pre></ol>", "1.\na\nb"),
        ("<ol><ul><li>dot</ul><li>one</ol>", "dot\n1. one"),
    ],
)
def test_html_numbers_ordered_lists_as_the_page_does(page, expected):
    assert text(page) == expected


def test_html_puts_the_title_of_a_note_before_it():
    page = (
        '<div class="admonition note"><p class="admonition-title">Note</p><p>Mind it.</p><p>More.</p></div><p>On.</p>'
    )
    assert text(page) == "Note: Mind it.\nMore.\nOn."


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("x<sup>16</sup> + x<sup>12</sup>, O(n<sup>2</sup>), 5 km<sup>2</sup>", "x¹⁶ + x¹², O(n²), 5 km²"),
        ("2<sup>K</sup> and 2<sup>P-1</sup> and (a+b)<sup>n</sup>", "2^K and 2^(P-1) and (a+b)^n"),
        ("<b>1234</b><sub>10</sub> is 4D2<sub>16</sub>, H<sub>2</sub>O", "1234₁₀ is 4D2₁₆, H2O"),
        ("the 1<sup>st</sup>, M<sup>me</sup>, n<sup>o</sup> 5", "the 1st, Mme, no 5"),
        ("access them <a class=footnote-reference>[1]</a>. Then", "access them. Then"),
        ("dependence <sup><a href=x>1</a></sup>.", "dependence."),
    ],
)
def test_html_reads_raised_and_lowered_numbers_for_what_they_are(page, expected):
    assert text(f"<p>{page}</p>") == expected


def test_html_keeps_a_heading_that_is_the_anchor_of_a_list_of_contents():
    assert blocks('<h2 id="toc">List of pragmas</h2><p>One.</p><div id="toc">menu</div>') == [
        (("List of pragmas",), "One.")
    ]


def test_html_drops_signs_that_stand_alone():
    assert text("<ul><li>?</li><li>?NNN</li><li>+ -</li></ul>") == "?\n?NNN\n+ -"
    assert text("<div>“</div><p>Quoted.</p><div>”</div><p>↙</p><p>C</p>") == "Quoted.\nC"


@pytest.mark.parametrize(
    ("paragraph", "kept"),
    [
        ("<a>Contents</a> | Last chapter | <a>Next chapter</a>", False),
        ("<a>Part one</a> • <a>Part two</a>", False),
        ("<a>Go to contents</a> >>", False),
        ("<b><a>Go to contents >></a></b>", False),
        ("<a>Contents</a> | Last chapter | Next chapter", False),
        ("^ <a>Contents</a> ^ (<a>edit</a>)", False),
        ("(<a>Tea</a>)", True),
        ("<a>Tea</a>", True),
        ("<a>Tea</a> | hot | good | black", True),
        ("<a>Tea</a> is made of <a>leaves</a> - never of <a>stones</a>", True),
    ],
)
def test_html_drops_rows_of_links_on_wiki_pages(paragraph, kept):
    shown = wiki(f"<p>{paragraph}</p><p>Text.</p>").splitlines()
    assert (len(shown) == 2) is kept


def test_html_drops_the_link_to_where_a_rating_was_taken_from():
    rating = '<table class="wikitable"><tr><th>Source</th><th>Rating</th></tr><tr><td>Allmusic</td><td>3/5 '
    assert (
        wiki(rating + '<a class="external text" href="x">link</a></td></tr></table>') == "Source: Allmusic; Rating: 3/5"
    )


def test_html_keeps_sentences_apart_where_only_a_footnote_mark_was_between_them():
    assert (
        wiki('<p>the rest.<sup class="mw-ref reference">[117]</sup>Agriculture is.</p>') == "the rest. Agriculture is."
    )
    note = '<p>Chart A<span class="citation" id="endnote_a"><b><a>^</a></b></span> counts.</p>'
    assert wiki(note) == "Chart A counts."


def test_html_takes_its_title_from_the_part_that_holds_the_text():
    page = "<body><header><h1>The Book</h1></header><main><h1>Installing</h1><p>Read on.</p></main></body>"
    assert read_html(page).title == "Installing"
    assert read_html("<body><h1>The Book</h1><main><p>Read on.</p></main></body>").title == "The Book"
    page = (
        "<head><title>Chapter 1</title></head><body><h1>The Book</h1><main><h2>Begin</h2><p>Read on.</p></main></body>"
    )
    assert read_html(page).title == "Chapter 1"


def test_html_drops_links_to_the_very_place_and_to_a_programs_source():
    page = '<p><a class="anchor" href="#x">§</a>Gets a key. <a class="src" href="y">Source</a></p>'
    assert text(page) == "Gets a key."
    assert text('<p><a class="anchor" name="x">Gets</a> a key. <a href="y">Source</a></p>') == "Gets a key. Source"


def test_html_keeps_the_authors_notes_but_no_sources():
    page = """<p>Read.</p><details><summary><h2>Notes</h2></summary><div class="reflist">
    <ol class="mw-references references" data-mw-group="nb">
    <li id="cite_note-1"><span class="mw-cite-backlink">↑</span><span class="reference-text">He said so.</span></li>
    <li id="cite_note-2"><span><cite>Smith (2004). Tea.</cite></span></li></ol></div></details>
    <div class="reflist"><ol class="references"><li id="cite_note-3">Jones 1999</li></ol></div>"""
    assert wiki(page) == "Read.\n1. He said so."


def test_html_drops_lists_of_sources_but_no_works():
    books = "<ul><li>Evans, Mike (2005). Tea. Omnibus Press. ISBN 1-84449-764-5.</li><li>Kay (1999). Cups. B.</li></ul>"
    assert wiki(f"<p>Read.</p><h2>Bibliography</h2>{books}") == "Read."
    assert (
        wiki("<p>Read.</p><h2>Bibliography</h2><ul><li>The Cup</li><li>The Pot</li></ul>") == "Read.\nThe Cup\nThe Pot"
    )


def test_html_keeps_an_albums_box_without_its_player():
    box = (
        '<table class="infobox haudio"><tr><th>Label</th><td>Atlantic</td></tr><tr class="haudio"><td>Play<td>help</tr>'
    )
    assert wiki(f"{box}</table><p>Text.</p>") == "Label: Atlantic\nText."

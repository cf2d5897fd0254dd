import pytest

from drzero.corpus.html import Page, read_html


def wiki(body: str, title: str = "Tea") -> Page:
    return read_html(f'<h1>{title}</h1><div id="mw-content-text"><div class="mw-parser-output">{body}</div></div>')


@pytest.mark.parametrize(
    ("note", "aliases"),
    [
        ('"Chai" redirects here. For the drink, see <a>Masala chai</a>.', ("Chai",)),
        ("“Chai” and “Cha” redirect here.", ("Chai", "Cha")),
        (
            "&quot;Tea party&quot;, &quot;Teas&quot; and &quot;Tea leaf&quot; redirect here.",
            ("Tea party", "Teas", "Tea leaf"),
        ),
        ("For other uses, see Tea (disambiguation).", ()),
        ("This article is about the drink. For the plant, see Camellia.", ()),
    ],
)
def test_marks_keep_the_names_that_lead_to_an_article(note, aliases):
    page = wiki(f'<div class="hatnote">{note}</div><p>Tea is a hot drink made of leaves.</p>')
    assert page.aliases == aliases
    assert [section.text for section in page.sections] == ["Tea is a hot drink made of leaves."]


def test_marks_take_no_alias_from_running_text():
    assert wiki('<p>The page "Chai" redirects here, he said.</p>').aliases == ()


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Mercury (disambiguation)", "<p>Mercury is a planet with a name of its own.</p>"),
        ("Mercury", "<p><b>Mercury</b> may refer to:</p><ul><li>Mercury (planet)</li><li>Mercury (element)</li></ul>"),
        (
            "Ada",
            "<p>Ada is a town in Ohio.</p><p>Ada may also refer to:</p><h2>People</h2><ul><li>Ada Lovelace</li></ul>",
        ),
        ("Merkur (Begriffsklärung)", "<p>Merkur steht für:</p><ul><li>Merkur (Planet)</li></ul>"),
        ("Merkur", "<p>Merkur bezeichnet:</p><ul><li>Merkur (Planet)</li></ul>"),
        (
            "Mercury",
            '<p>Of one name are:</p><ul><li>A planet of the sun</li></ul><table id="disambigbox"><tr><td>x</table>',
        ),
    ],
)
def test_marks_tell_pages_that_only_tell_names_apart(title, body):
    assert wiki(body, title).mark == "disambiguation"


@pytest.mark.parametrize(
    "body",
    [
        "<p>The term altruism may also refer to an ethical doctrine that claims something.</p><p>More follows.</p>",
        "<p>The specifier may refer to:</p>" + f"<p>{'A long paragraph of running text follows. ' * 6}</p>" * 3,
    ],
)
def test_marks_take_an_article_that_speaks_of_references_for_an_article(body):
    assert wiki(body).mark == ""


@pytest.mark.parametrize(
    "text",
    [
        "404 Not Found",
        "Error 404",
        "Page not found",
        "The requested page could not be found on this server.",
        "Sorry, the page you look for doesn't exist.",
        "This page is under construction. Come back soon!",
        "You need to enable JavaScript to run this app.",
        "Redirecting to the new site…",
        "Wikipedia does not have an article with this exact name. Please search for it.",
    ],
)
def test_marks_tell_what_stands_where_nothing_is_to_be_read(text):
    assert read_html(f"<body><p>{text}</p></body>").mark == "placeholder"


@pytest.mark.parametrize(
    "text",
    [
        "404 errors are sent when a page is not there, as RFC 9110 says.",
        "Loading docks are platforms for lorries. " * 8,
        "The page boy was not found until the morning after the storm.",
        "Sorry is a card game that four people can play.",
    ],
)
def test_marks_leave_short_statements_alone(text):
    assert read_html(f"<body><p>{text}</p></body>").mark == ""


def test_marks_tell_stubs():
    notice = '<div class="asbox">This tea-related article is a stub. You can help by expanding it.</div>'
    page = wiki(f"<p>Oolong is a tea of China.</p>{notice}")
    assert (page.mark, [section.text for section in page.sections]) == ("stub", ["Oolong is a tea of China."])
    assert wiki(f"<p>{'Oolong is a tea of China, half fermented. ' * 9}</p>{notice}").mark == ""
    assert wiki("<p>Of tea</p>").mark == "stub"
    assert wiki("<p>Oolong is a tea of China.</p>").mark == ""


@pytest.mark.parametrize(
    ("page", "source"),
    [
        (
            '<link rel="canonical" href="https://en.wikipedia.org/wiki/Tea"><p>Read.</p><div class="zim-footer">This'
            ' article is issued from <a class="external text" href="https://en.wikipedia.org/wiki/?title=Tea&amp;oldid=17">W</a>.'
            ' The text is under <a href="https://creativecommons.org/licenses/by-sa/4.0/">CC</a></div>',
            "https://en.wikipedia.org/wiki/?title=Tea&oldid=17",
        ),
        (
            '<p>Read.</p><div class="_attribution"><p class="_attribution-p">Free.<br>'
            '<a href="https://sqlite.org/lang.html" class="_attribution-link">x</a></p></div>',
            "https://sqlite.org/lang.html",
        ),
        (
            '<link rel="canonical" href="https://en.wikipedia.org/wiki/Tea"><p>Read.</p>',
            "https://en.wikipedia.org/wiki/Tea",
        ),
        ('<p>Read <a href="https://example.org/">on</a>.</p>', ""),
    ],
)
def test_marks_keep_the_address_a_page_was_taken_from(page, source):
    assert read_html(page).source == source

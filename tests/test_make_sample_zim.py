from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from libzim.reader import Archive

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import make_sample_zim as sample  # noqa: E402
from docstring_html import to_html  # noqa: E402


def html(*lines: str, code: bool = False) -> str:
    return to_html("\n".join(lines), quoted_is_code=code)


def test_make_sample_zim_joins_wrapped_lines() -> None:
    assert html("One sentence that", "goes on.", "", "Another.") == "<p>One sentence that goes on.</p>\n<p>Another.</p>"
    assert html("A line-", "based tool, low- ", "and high-level.") == "<p>A line-based tool, low- and high-level.</p>"


def test_make_sample_zim_keeps_examples() -> None:
    expected = "<p>Example:</p>\n<pre>&gt;&gt;&gt; f(1)\n2</pre>\n<p>So it is.</p>"
    assert html("Example:", "", "    >>> f(1)", "    2", "", "So it is.") == expected
    assert html("Use::", "", "    x = 1", "", "    y = 2") == "<p>Use:</p>\n<pre>x = 1\n\ny = 2</pre>"


def test_make_sample_zim_reads_indented_prose() -> None:
    assert html("width (default: 70)", "  the widest line", "  there may be") == (
        "<p>width (default: 70) the widest line there may be</p>"
    )
    assert html("Note:", "", "  This is a long line of words.") == "<p>Note:</p>\n<p>This is a long line of words.</p>"


def test_make_sample_zim_lists_headings_and_tables() -> None:
    assert html("- one thing", "  and more", "- another") == (
        "<ul>\n<li><p>one thing and more</p></li>\n<li><p>another</p></li>\n</ul>"
    )
    assert html("1. First.", "", "2. Second.") == "<ul>\n<li><p>First.</p></li>\n<li><p>Second.</p></li>\n</ul>"
    assert html("sep - what parts", "end - what ends", "    all of it").count("<li>") == 2
    assert html("Averages", "========", "", "Text here.") == "<h2>Averages</h2>\n<p>Text here.</p>"
    assert html("====  ====", "Name  What", "====  ====", "mean  Average", "====  ====") == (
        "<table>\n<tr><td>Name</td><td>What</td></tr>\n<tr><td>mean</td><td>Average</td></tr>\n</table>"
    )
    assert html("+---+-----+", "| a | one |", "|   | two |", "|===|=====|", "| b | c   |", "+---+-----+") == (
        "<table>\n<tr><td>a</td><td>one two</td></tr>\n<tr><td>b</td><td>c</td></tr>\n</table>"
    )


def test_make_sample_zim_marks_code_and_emphasis() -> None:
    assert html("See ``a<b`` and :mod:`json` of *x*.") == (
        "<p>See <code>a&lt;b</code> and <code>json</code> of <em>x</em>.</p>"
    )
    assert html('The "with" statement of *args and **kwargs.', code=True) == (
        "<p>The <code>with</code> statement of *args and **kwargs.</p>"
    )
    assert html("bisect(a, x) -> i") == "<pre>bisect(a, x) -&gt; i</pre>"


def test_make_sample_zim_module_page() -> None:
    page = sample.module_page("bisect")
    assert page is not None
    assert (page.path, page.title, page.summary) == ("modules/bisect", "bisect", "Bisection algorithms.")
    assert page.html.startswith("<h1>bisect</h1>\n<p>Bisection algorithms.</p>")
    assert "<h2>bisect.bisect_left</h2>\n<pre>bisect_left(a, x, lo=0, hi=None, *, key=None)</pre>" in page.html
    assert sample.module_page("no_such_module") is None


def test_make_sample_zim_pages_have_no_addresses_of_this_run() -> None:
    pages = sample.make_pages()
    assert len(pages) > 100
    assert len({page.path for page in pages}) == len(pages)
    assert not [page.path for page in pages if " at 0x" in page.html and "<pre>" not in page.html]
    assert str(Path.home()) not in "".join(page.html for page in pages)


def test_make_sample_zim_archive_is_sound_and_the_same_each_time(tmp_path: Path) -> None:
    pages = [page for name in ("bisect", "json") if (page := sample.module_page(name))]
    pages = [sample.index_page(pages), *pages]
    sample.write_zim(pages, tmp_path / "a" / "one.zim")
    sample.write_zim(pages, tmp_path / "two.zim")
    archive = Archive(tmp_path / "a" / "one.zim")
    assert archive.check()
    assert archive.uuid == Archive(tmp_path / "two.zim").uuid
    assert archive.has_fulltext_index
    assert archive.main_entry.get_item().path == "index"
    assert archive.get_metadata("License") == b"PSF-2.0"
    assert archive.get_metadata("Language") == b"eng"
    content = bytes(archive.get_entry_by_path("modules/bisect").get_item().content).decode()
    assert content.startswith("<!DOCTYPE html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "two.zim"]


def test_make_sample_zim_leaves_an_archive_that_is_there(tmp_path: Path) -> None:
    target = tmp_path / "python.zim"
    target.write_text("mine")
    command = [sys.executable, str(SCRIPTS / "make_sample_zim.py"), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{target} is there already\n"
    assert target.read_text() == "mine"


@pytest.mark.parametrize(
    "text", ["", "\n\n", "====", "- ", "  x", ">>> ", "a\n\n\n   b\n c", "*", "``", "x\n==\n", "+--+\n| x"]
)
def test_make_sample_zim_survives_odd_text(text: str) -> None:
    to_html(text)

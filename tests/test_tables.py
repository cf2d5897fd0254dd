import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from drzero.corpus.noise import Noise
from drzero.corpus.tables import Cell, grid_lines, is_layout, table_lines


def lines(markup: str, title: str = "") -> list[str]:
    return list(table_lines(html.fragment_fromstring(markup), Noise(wiki=True), title=title))


NUMBERS = st.integers(10_000, 99_999).map(str)
CELLS = st.tuples(st.sampled_from(["td", "th"]), NUMBERS, st.integers(1, 3), st.integers(1, 3), st.booleans())


@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=5), st.sampled_from(["", "infobox"]))
def test_tables_form_no_number_of_two_cells_and_lose_no_value(rows: list[list[Any]], classes: str) -> None:
    markup = "".join(
        "<tr>"
        + "".join(
            f"<{tag} colspan={columns} rowspan={down}>{f'<div>{number}</div>' if block else number}</{tag}>"
            for tag, number, columns, down, block in row
        )
        for row in rows
    )
    found = set(re.findall(r"\d+", "\n".join(lines(f'<table class="{classes}">{markup}</table>'))))
    assert found <= {number for row in rows for _, number, *_ in row}
    assert found >= {number for row in rows for tag, number, *_ in row if tag == "td"}


def test_tables_read_an_infobox_as_labels_and_values():
    box = """<table class="infobox vcard"><caption>Town</caption><tr><th colspan=2>Springfield</th></tr>
    <tr><th>Population</th><td>100,123<sup class="reference">[1]</sup></td></tr>
    <tr><td><b>Area:</b></td><td>7 km2</td></tr>
    <tr><th>Born</th><td><div style="display:inline">Ann</div><br><span style="display:none">(1930)</span>May 1<br>
    (aged 7)</td></tr>
    <tr><th>Jobs</th><td><ul><li>Singer</li><li>pianist</li></ul></td></tr>
    <tr><td colspan=2><img alt=""></td></tr></table>"""
    assert lines(box, "Springfield") == [
        "Town", "Population: 100,123", "Area: 7 km2", "Born: Ann; May 1 (aged 7)", "Jobs: Singer, pianist",
    ]  # fmt: skip


def test_tables_read_a_table_set_into_an_infobox():
    box = """<table class="infobox"><tr><td colspan=2><table><tr><td>"A"<br>(1954)</td><td>"B"<br>(1955)</td></tr>
    </table></td></tr></table>"""
    assert lines(box) == ['"A" (1954) | "B" (1955)']


def test_tables_label_every_value_with_its_header():
    table = "<table><tr><th>Year<th>Peak<br>position</tr><tr><td>1960<td>1</tr><tr><td>1961<td></tr></table>"
    assert lines(table) == ["Year: 1960; Peak position: 1", "Year: 1961"]


def test_tables_resolve_spans():
    table = """<table><tr><th rowspan=2>Title</th><th colspan=2>Chart</th></tr><tr><th>US</th><th>UK</th></tr>
    <tr><td rowspan=2>Song</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>
    <tr><td>Other</td><td colspan=2>none</td></tr>
    </table>"""
    assert lines(table) == [
        "Title: Song; Chart US: 1; Chart UK: 2",
        "Title: Song; Chart US: 3; Chart UK: 4",
        "Title: Other; Chart / US / UK: none",
    ]


def test_tables_read_a_total_below_several_columns():
    table = """<table><tr><th>No.<th>Title<th>Length</tr><tr><td>1.<td>Song<td>2:35</tr>
    <tr><th colspan=2>Total length:<td>20:26</tr></table>"""
    assert lines(table) == ["No.: 1.; Title: Song; Length: 2:35", "Total length: 20:26"]


def test_tables_without_headers_keep_cells_apart():
    assert lines("<table><tr><td>a<td>b</tr><tr><td>c<td>d</tr></table>") == ["a | b", "c | d"]
    assert lines("<table><tr><th>Type<td>Private</tr><tr><th>Size<td>3<td>4</tr></table>") == [
        "Type: Private", "Size: 3 | 4",
    ]  # fmt: skip


def test_tables_start_anew_at_a_header_row_in_the_middle():
    head, other = Cell("A", header=True), Cell("B", header=True)
    rows = [[head, other], [Cell("1", header=False), Cell("2", header=False)], [other, head]]
    assert list(grid_lines([*rows, [Cell("3", header=False), Cell("4", header=False)]])) == ["A: 1; B: 2", "B: 3; A: 4"]
    assert list(grid_lines([[head, other]])) == ["A | B"]


def test_tables_say_what_a_picture_says():
    table = """<table><tr><th>Phone<th>Radio</tr><tr><td>X1<td><img alt="Yes"></tr>
    <tr><td>X2<td><img alt="a.png"></tr></table>"""
    assert lines(table) == ["Phone: X1; Radio: Yes", "Phone: X2"]


@pytest.mark.parametrize(
    ("markup", "layout"),
    [
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>", False),
        ("<table role=presentation><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", True),
        ("<table><tr><td>only</td></tr><tr><td>column</td></tr></table>", True),
        ("<table><tr><td>one</td><td>row</td></tr></table>", False),
        (f"<table><tr><td>one</td><td>{'long ' * 20}</td></tr></table>", True),
        ("<table><tr><th>h</th><td><pre>a\nb</pre></td></tr></table>", True),
        ("<table><tr><th>h</th><td><pre>a</pre></td></tr></table>", False),
        ("<table class=infobox><tr><td><table><tr><td>x</td></tr></table></td></tr></table>", False),
        ("<table></table>", True),
    ],
)
def test_tables_tell_layout_from_data(markup, layout):
    assert is_layout(html.fragment_fromstring(markup), Noise(wiki=False)) is layout


@pytest.mark.parametrize("span", ["0", "-1", "x", "99999999999999", "", "²"])
def test_tables_survive_impossible_spans(span):
    assert lines(f"<table><tr><td colspan='{span}' rowspan='{span}'>a<td>b</tr></table>") == ["a | b"]


def test_tables_leave_out_the_file_name_of_a_picture():
    box = (
        "<table class=infobox><tr><th>Flag</th><td>Flag of X.svg</td></tr><tr><th>Site</th><td>x.org</td></tr></table>"
    )
    assert lines(box) == ["Site: x.org"]


def test_tables_join_the_paragraphs_of_a_cell():
    cell = "<p>The value is first converted to text.</p><p>Then it is read.</p>"
    assert lines(f"<table><tr><th>Type<th>Rule<tr><td>REAL<td>{cell}</table>") == [
        "Type: REAL; Rule: The value is first converted to text. Then it is read."
    ]


def test_tables_with_a_header_row_are_no_boxes():
    rows = "<tr><th>Source</th><th>Rating</th></tr><tr><td>Allmusic</td><td>4.5/5</td></tr>"
    assert lines(f'<table class="wikitable infobox">{rows}</table>') == ["Source: Allmusic; Rating: 4.5/5"]


def test_tables_find_headers_in_bold_however_it_is_wrapped():
    rows = "<tr><td><p><strong>Name</strong></p></td><td><i><b>Age</b></i></td></tr><tr><td>Ada</td><td>36</td></tr>"
    assert lines(f"<table>{rows}</table>") == ["Name: Ada; Age: 36"]


def test_tables_read_a_single_bold_cell_as_the_title_of_the_rows_below():
    rows = "<tr><th>Year</th><th>Won</th></tr><tr><td><b>Slams</b></td><td></td></tr><tr><td>1999</td><td>2</td></tr>"
    assert lines(f"<table>{rows}</table>") == ["Slams", "Year: 1999; Won: 2"]


def test_tables_read_a_note_across_the_columns_alone():
    rows = "<tr><th>A</th><th>B</th><th>C</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr>"
    assert lines(f'<table>{rows}<tr><td colspan=2>"—" did not chart</td></tr></table>') == [
        "A: 1; B: 2; C: 3",
        '"—" did not chart',
    ]
    note = '<tr><td></td><td colspan="2">"—" did not chart</td></tr>'
    assert lines(f"<table>{rows.replace(' rowspan=2', '')}{note}</table>")[1:] == ['"—" did not chart']
    plain = "<tr><td rowspan=2>before</td><td>first</td><td rowspan=2>after</td></tr><tr><td>second</td></tr>"
    assert lines(f"<table>{plain}</table>") == ["before | first | after", "before | second | after"]


def test_tables_take_no_label_from_a_later_column():
    rows = (
        "<tr><td>&nbsp;</td><td><b>e</b></td><td>manuale</td></tr><tr><td>m.</td><td><b>o</b></td><td>libro</td></tr>"
    )
    assert lines(f"<table>{rows}</table>") == ["e | manuale", "m. | o | libro"]


def test_tables_keep_label_and_value_of_a_row_without_header_row():
    rows = "<tr><td>SQLite 2.7.6:</td><td>1.121</td></tr><tr><td><b>I like it.</b></td><td>Ich mag es.</td></tr>"
    assert lines(f"<table>{rows}</table>") == ["SQLite 2.7.6: 1.121", "I like it. | Ich mag es."]


def test_tables_keep_what_belongs_to_an_item_together():
    item = "<li><span>“{}”<br>Released: {}</span></li>"
    box = (
        f"<table class=infobox><tr><td><ol>{item.format('Gin', 1953)}{item.format('Rum', 1955)}</ol></td></tr></table>"
    )
    assert lines(box) == ["“Gin”, Released: 1953; “Rum”, Released: 1955"]

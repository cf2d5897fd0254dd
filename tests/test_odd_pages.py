"""Pages that are known to be read wrongly, through the commands: what stands in the chunks of an index."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from libzim.reader import Archive

from drzero.corpus.chunking import tokenised_chunks
from drzero.corpus.html import read_html
from drzero.corpus.zim import open_archive
from drzero.models.embedding import load_tokenizer
from drzero.models.tokenizing import ModelTokenizer
from drzero.retrieval.index import open_index
from drzero.text import embedding_text
from drzero.types import Chunk
from tests.conftest import MODELS, MakeZim, Run, fetched_model
from tests.fakes import HashEmbedder

ROOT = Path(__file__).resolve().parents[1]
RAY = "wikipedia_en_ray_charles_maxi_2023-09"


def built(run: Run, desk: Path, archive: Path, *words: object) -> tuple[dict[str, Any], list[Chunk]]:
    """The report and the chunks of the archive's index."""
    result = run("build-index", archive, *words, "--json")
    assert result.exit_code == 0, result.stderr
    (report,) = json.loads(result.stdout)
    with open_index(desk / "indexes" / report["index"]) as index:
        return report, index.chunks(range(index.count))


# --- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("embedder")
def test_odd_pages_keep_label_and_value_of_a_box_together(run: Run, desk: Path, make_zim: MakeZim) -> None:
    box = (
        '<table class="infobox"><tr><th>Population</th><td>100,123</td></tr>'
        "<tr><th>Area</th><td>7 km<sup>2</sup></td></tr></table>"
    )
    grid = (
        "<table><tr><th rowspan=2>Town<th colspan=2>Census<tr><th>1991<th>2001"
        "<tr><th rowspan=2>Aber<td>12<td>345<tr><td>67<td>89</table>"
    )
    _, chunks = built(run, desk, make_zim({"Box": f"<p>A town.{box}", "Grid": grid}))
    assert {chunk.path: chunk.text for chunk in chunks} == {
        "Box": "A town.\nPopulation: 100,123\nArea: 7 km²",
        "Grid": "Town: Aber; Census 1991: 12; Census 2001: 345\nTown: Aber; Census 1991: 67; Census 2001: 89",
    }


@pytest.mark.usefixtures("embedder")
def test_odd_pages_repeat_the_labels_in_every_chunk_of_a_long_table(run: Run, desk: Path, make_zim: MakeZim) -> None:
    rows = "".join(f"<tr><td>Town {n}<td>{n * 7}<td>{n * 11} km" for n in range(500))
    page = f"<h1>Towns</h1><table><tr><th>Town<th>People<th>Way{rows}</table>"
    _, chunks = built(run, desk, make_zim({"Towns": page}))
    lines = [line for chunk in chunks for line in chunk.text.split("\n")]
    assert lines == [f"Town: Town {n}; People: {n * 7}; Way: {n * 11} km" for n in range(500)]
    assert len(chunks) > 20


@pytest.mark.data
@pytest.mark.usefixtures("embedder")
def test_odd_pages_give_the_birth_of_ray_charles_in_one_chunk(run: Run, desk: Path, shared_data: Path) -> None:
    _, chunks = built(run, desk, shared_data / "zims/real" / f"{RAY}.zim", "--include", "A/Ray_Charles")
    assert {chunk.path for chunk in chunks} == {"A/Ray_Charles"}
    (born,) = [chunk.text for chunk in chunks if re.search("^Born: ", chunk.text, re.M)]
    assert "Born: Ray Charles Robinson; September 23, 1930; Albany, Georgia, U.S." in born.split("\n")
    hit = json.loads(run("search", "Ray Charles Robinson born Albany Georgia", "-k", "1", "--json").stdout)["hits"][0]
    assert "Born: Ray Charles Robinson; September 23, 1930" in hit["text"]


@pytest.mark.data
@pytest.mark.usefixtures("embedder")
def test_odd_pages_form_no_number_of_two_cells(run: Run, desk: Path, shared_data: Path) -> None:
    zim = shared_data / "zims/real" / f"{RAY}.zim"
    paths = ("A/Ray_Charles", "A/Ray_Charles_discography", "A/What'd_I_Say", "A/Georgia_on_My_Mind")
    _, chunks = built(run, desk, zim, *[word for path in paths for word in ("--include", path)])
    assert {chunk.path for chunk in chunks} == set(paths)
    for path in paths:
        soup = BeautifulSoup(bytes(Archive(zim).get_entry_by_path(path).get_item().content), "lxml")
        for mark in soup.select("sup.reference"):
            mark.decompose()
        blocks = soup.find_all(["td", "th", "p", "li", "dd", "dt", "h1", "h2", "h3", "h4", "figcaption", "div"])
        leaves = [block for block in blocks if not block.find(["td", "p", "li", "div"])]
        stated = soup.get_text(" ") + " " + " ".join(leaf.get_text() for leaf in leaves)
        known = set(re.findall(r"\d+", stated))
        found = {number for chunk in chunks if chunk.path == path for number in re.findall(r"\d+", chunk.text)}
        assert found - known == set()
        assert len(found) > 30


# --- large pages ----------------------------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.usefixtures("embedder")
def test_odd_pages_of_drawings_give_their_text_alone(run: Run, desk: Path, shared_data: Path) -> None:
    name = "devdocs_en_sqlite_2025-04"
    path = shared_data / "zims/real" / f"{name}.zim"
    source = bytes(Archive(path).get_entry_by_path("lang_select").get_item().content).decode()
    assert len(source) > 1_700_000
    assert source.count("<svg") > 10
    began = time.perf_counter()
    _, chunks = built(run, desk, path, "--include", "lang_select")
    assert time.perf_counter() - began < 20
    text = "\n".join(chunk.text for chunk in chunks)
    assert text.startswith("The SELECT statement is used to query the database.")
    assert "The list of expressions between the SELECT and FROM keywords is known as the result expression list" in text
    assert 25_000 < len(text) < 35_000
    assert re.findall(r"svg|path d=|stroke|polyline|[MLQ]\d+[, ]\d+|\d+\.\d+[ ,]-?\d+\.\d+", text) == []


def test_odd_pages_with_60000_rows_are_indexed_from_beginning_to_end(
    run: Run, desk: Path, make_zim: MakeZim, embedder: HashEmbedder
) -> None:
    count = 60_000
    items = [f"Bird {n}, of the family no. {n % 97}, weighs {n} g" for n in range(count)]
    page = (
        "<h1>Birds</h1><ul>" + "".join(f'<li><a href="./Bird_{n}">{one}</a>' for n, one in enumerate(items)) + "</ul>"
    )
    assert len(page) > 4_000_000
    began = time.perf_counter()
    report, chunks = built(run, desk, make_zim({"Birds": page, "Other": "<p>A page of its own."}))
    assert time.perf_counter() - began < 20
    listed = [chunk for chunk in chunks if chunk.path == "Birds"]
    assert [line for chunk in listed for line in chunk.text.split("\n")] == items
    assert max(embedder.tokenizer.count(embedding_text(c.title, c.heading, c.text)) for c in listed) <= 256
    assert report["crowding"] == {"Birds": len(listed)}
    for number in (0, count // 2, count - 1):
        hits = json.loads(run("search", f"Bird {number}", "--mode", "lexical", "-k", "1", "--json").stdout)["hits"]
        assert items[number] in hits[0]["text"].split("\n")
    shown = run("build-index", desk.parent / "small.zim").stdout
    assert f"small crowded: {len(listed):,} of {len(listed) + 1:,} chunks are of Birds; --exclude" in shown


@pytest.mark.data
@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="the system does not say how much a child held")
def test_odd_pages_that_are_large_are_read_in_bounded_memory(shared_data: Path) -> None:
    code = """
import sys
from pathlib import Path
from drzero.corpus.chunking import tokenised_chunks
from drzero.corpus.html import read_html
from drzero.corpus.zim import open_archive
from drzero.types import Article
from tests.fakes import WordTokenizer
from tests.small_index import peak_bytes
tokenizer, archive = WordTokenizer(256), open_archive(Path(sys.argv[1]))
tokenised_chunks(archive.article("walformat"), tokenizer, target_tokens=200)
before = peak_bytes()
tokenised_chunks(archive.article("lang_select"), tokenizer, target_tokens=200)
drawings = peak_bytes()
row = "<tr><td><a href='./Bird_{0}'>Bird {0}</a><td>a bird of the family no. {0}<td>{0} g"
rows = "".join(row.format(n) for n in range(60_000))
sections = read_html(f"<table><tr><th>Name<th>Kind<th>Weight{rows}</table>").sections
tokenised_chunks(Article("z", "p", "Birds", sections), tokenizer, target_tokens=200)
print(drawings - before, peak_bytes() - before)
"""
    path = shared_data / "zims/real/devdocs_en_sqlite_2025-04.zim"
    done = subprocess.run([sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True, check=True)
    drawings, rows = map(int, done.stdout.split())
    assert drawings < 100 * 2**20
    assert rows < 400 * 2**20


@pytest.mark.parametrize("tag", ["div", "span", "blockquote", "section", "ul><li", "table><tr><td"])
def test_odd_pages_nested_20000_deep_are_read_in_seconds(tag: str) -> None:
    closed = "".join(f"</{name}>" for name in reversed(tag.split("><")))
    page = f"<body><p>Before.</p>{f'<{tag}>' * 20_000}Deep.{closed * 20_000}<p>Behind.</p></body>"
    began = time.perf_counter()
    text = "\n".join(section.text for section in read_html(page).sections)
    assert time.perf_counter() - began < 20
    assert text.split() == ["Before.", "Deep.", "Behind."]


@pytest.mark.usefixtures("embedder")
def test_odd_pages_nested_20000_deep_stand_in_the_index(run: Run, desk: Path, make_zim: MakeZim) -> None:
    page = f"<body>{'<div>' * 20_000}Deep words.{'</div>' * 20_000}</body>"
    began = time.perf_counter()
    _, chunks = built(run, desk, make_zim({"Deep": page, "Flat": "<p>Flat words."}))
    assert time.perf_counter() - began < 20
    assert {chunk.path: chunk.text for chunk in chunks} == {"Deep": "Deep words.", "Flat": "Flat words."}


# --- footnote marks -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("embedder")
def test_odd_pages_lose_footnote_marks_and_keep_other_brackets(run: Run, desk: Path, make_zim: MakeZim) -> None:
    plain = "<p>The bridge opened in 1931.[3][citation needed] The odds were 1.5 [1.3-1.7]. Use a[0] in C."
    marked = (
        '<p>The bridge opened in 1931.<sup class="reference"><a href="#cite_note-3">[3]</a></sup>'
        '<sup class="noprint Inline-Template">[<i><a>citation needed</a></i>]</sup> '
        "The odds were 1.5 [1.3-1.7]. Use <code>a[0]</code> in C."
    )
    _, chunks = built(run, desk, make_zim({"plain": plain, "marked": f"<h1>Marked</h1>{marked} It is so."}))
    text = "The bridge opened in 1931. The odds were 1.5 [1.3-1.7]. Use a[0] in C."
    assert {chunk.path: chunk.text for chunk in chunks} == {"plain": text, "marked": f"{text} It is so."}


# --- dense text -----------------------------------------------------------------------------------------------------

chance = random.Random()


def code(words: int) -> str:
    def number(below: int) -> int:
        return chance.randrange(below)

    return "\n".join(
        f"r{number(999):x}[0x{number(65536):04X}]^=(~q{number(99)}&0xFF{n:02X})>>{n % 8}; "
        f"*(p+{number(9999)})|=m_{number(9999):x}->k[{n}]<<0x{number(255):X};"
        for n in range(words // 2)
    )


def dump(words: int) -> str:
    return "\n".join(
        f"{n * 16:08x} " + " ".join(f"{chance.randrange(256):02x}" for _ in range(16)) for n in range(words // 17)
    )


def chemistry(words: int) -> str:
    stems = "benzo pyrido thieno imidazo oxazolo quinazolino phenanthro".split()
    return " ".join(
        f"{chance.randrange(1, 9)}-({chance.randrange(2, 9)},{n % 7 + 1}-dimethoxyphenyl)-{stems[n % 7]}"
        f"[{chance.randrange(1, 5)},2-b]indol-{n % 9}-ylmethanol,"
        for n in range(words)
    )


def grid(words: int) -> str:
    rows = "".join(
        f"<tr><td>{chance.random():.9f}<td>{chance.randrange(10**9):,}<td>{n}±{chance.random():.4f}%"
        for n in range(words // 3)
    )
    return f"<table><tr><th>Specific rotation<th>Dissociation<th>Deviation{rows}</table>"


MARKERS = {
    "code": ("The lighthouse keeper at Grimsholm counted forty grey seals.", "Who counted grey seals at Grimsholm?"),
    "dump": ("A wedding cake was stolen from the bakery in Ludlow.", "What was stolen from the bakery in Ludlow?"),
    "chemistry": ("The orchestra rehearsed Mahler in an empty swimming pool.", "Where did the orchestra rehearse?"),
    "table": ("Queen Matilda's falcon refused to return to her glove.", "Which bird would not return to the queen?"),
    "mixed": ("The village blacksmith repaired a Venetian gondola.", "What did the blacksmith of the village repair?"),
}


def dense_pages() -> dict[str, str]:
    """Pages of 400 words, the marker among the last 40, and more of the same behind them."""

    def page(*parts: str) -> str:
        return "<html><body><h1>Notes</h1>" + "".join(parts) + "</body></html>"

    chance.seed(5)
    said = {name: f"<p>{marker}</p>" for name, (marker, _) in MARKERS.items()}
    return {
        "code": page(f"<pre>{code(370)}\n/* {MARKERS['code'][0]} */\n{code(60)}</pre>"),
        "dump": page(f"<pre>{dump(380)}</pre>{said['dump']}<pre>{dump(60)}</pre>"),
        "chemistry": page(f"<p>{chemistry(370)} {MARKERS['chemistry'][0]} {chemistry(60)}</p>"),
        "table": page(grid(370), said["table"], grid(60)),
        "mixed": page(
            f"<pre>{code(100)}</pre><pre>{dump(90)}</pre><p>{chemistry(90)}</p>", grid(90), said["mixed"], grid(60)
        ),
    }


@pytest.mark.model
def test_odd_pages_of_dense_text_are_found_to_their_end(
    run: Run, desk: Path, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fetched_model("all-MiniLM-L6-v2", "embedder")
    tokenizer = load_tokenizer(folder)
    assert tokenizer.limit_tokens == 256
    monkeypatch.setenv("DRZERO_MODELS", str(MODELS))
    pages = dense_pages()
    for name, (marker, _) in MARKERS.items():
        words = " ".join(BeautifulSoup(pages[name], "lxml").get_text(" ").split()[:400])
        before = words[: words.index(marker)]
        assert len(before.split()) >= 360, name
        assert tokenizer.count(before) > 256  # a chunk of 400 words would lose it
    archive = make_zim(pages)
    report, chunks = built(run, desk, archive)
    assert (report["truncated_chunks"], report["chunks"], len(chunks) > 60) == (0, len(chunks), True)
    assert max(tokenizer.count(embedding_text(one.title, one.heading, one.text)) for one in chunks) <= 256
    for mode in ("dense", "hybrid"):
        for name, (marker, question) in MARKERS.items():
            found = json.loads(run("search", question, "--mode", mode, "-k", "3", "--json").stdout)["hits"]
            assert name in [hit["path"] for hit in found if marker in hit["text"]], (mode, name)
    prefixed = ModelTokenizer((folder / "tokenizer.json").read_text(), "passage of a document: ", 256)
    for path in pages:  # and when longer chunks are asked for than the embedder reads, or it puts words before each
        article = open_archive(archive).article(path)
        assert article
        for one in (tokenizer, prefixed):
            made = tokenised_chunks(article, one, target_tokens=400)
            assert 200 < max(len(piece.tokens) for piece in made) <= 256
            texts = [embedding_text(c.title, c.heading, c.text) for c in (piece.chunk for piece in made)]
            assert one.counts(texts) == [len(piece.tokens) for piece in made]

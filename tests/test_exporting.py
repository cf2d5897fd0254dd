"""drzero.exporting and `drzero kb export`: from the knowledge base to what people carry away."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drzero import cli_export, exporting
from drzero.corpus.zim import open_archive
from drzero.errors import KnowledgeBaseError, OutputFault
from drzero.exporting import export, make_plan, profile_types
from drzero.kb.entries import admit, set_entry_status
from drzero.kb.schema import open_knowledge_base, transaction
from drzero.publishing import MARKER
from drzero.results import Exported, ExportOptions
from drzero.retrieval.store import FILE_NAME
from drzero.text import title_key, without_steering
from drzero.types import Citation, Claim, Entry, Progress
from drzero.workspace import Workspace
from tests.conftest import MakeZim, Run
from tests.samples import CITATION, SUPPORTED, make_entry


def cited(title: str, quote: str, start: int = 0, zim_id: str = "zim-1") -> Citation:
    end = start + len(quote)
    return replace(CITATION, title=title, path=f"A/{title}", quote=quote, start=start, end=end, zim_id=zim_id)


def made(number: int, question: str, claims: Sequence[tuple[str, Citation]], **changes: Any) -> Entry:
    return make_entry(
        id=f"n{number}",
        question=question,
        answer=" ".join(text for text, _ in claims),
        claims=tuple(Claim(text, (citation,)) for text, citation in claims),
        judgements=(SUPPORTED,) * len(claims),
        episode_id="",
        **changes,
    )


ENTRIES = (
    made(0, "What is salt?", [("Salt is a mineral.", cited("Salt (mineral)", "a mineral"))]),
    made(1, "When was pepper first sold?", [("Pepper was sold in 900.", cited("Pepper", "in 900"))], type="temporal"),
    made(
        2,
        "Which is older, salt or pepper?",
        [("Salt is from 700.", cited("Salt (mineral)", "700", 9)), ("Pepper is from 900.", cited("Pepper", "900", 9))],
        type="comparative",
        created_at="2026-05-06T07:08:09+00:00",
    ),
    made(3, "What does f() do?", [("f() does | <nothing> & #1.", cited("f — a_b", "nothing"))], profile="coding"),
)


@pytest.fixture
def workspace(desk: Path) -> Workspace:
    """A workspace whose knowledge base has `ENTRIES`."""
    workspace = Workspace(desk)
    with open_knowledge_base(workspace.database) as db:
        for entry in ENTRIES:
            assert admit(db, entry)
    return workspace


def quiet(_: Progress) -> None:
    """No progress."""


def exported(workspace: Workspace, format_: str, output: str, **options: Any) -> Exported:
    return export(workspace, ExportOptions(format_, workspace.root / output, **options), quiet)


def pages(workspace: Workspace, **options: Any) -> dict[str, str]:
    exported(workspace, "markdown", "wiki", **options)
    folder = workspace.root / "wiki"
    return {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in folder.rglob("*.md")}


def lines(workspace: Workspace, **options: Any) -> list[dict[str, Any]]:
    exported(workspace, "jsonl", "x.jsonl", force=True, **options)
    return [json.loads(line) for line in (workspace.root / "x.jsonl").read_text("utf-8").splitlines()]


def test_exporting_counts_what_was_written(workspace: Workspace) -> None:
    told: list[tuple[int, int, str]] = []
    options = ExportOptions("markdown", workspace.root / "wiki")
    found = export(workspace, options, lambda one: told.append((one.done, one.total, one.unit)))
    assert replace(found, bytes=0, elapsed_s=0.0) == Exported(
        format="markdown",
        output=str(workspace.root / "wiki"),
        subjects=3,
        entries=4,
        statements=7,
        references=7,
        archives=1,
        bytes=0,
        elapsed_s=0.0,
        unlicensed=("kitchen",),
    )
    assert found.bytes == sum(file.stat().st_size for file in (workspace.root / "wiki").rglob("*") if file.is_file())
    assert told == [(1, 3, "subjects"), (2, 3, "subjects"), (3, 3, "subjects")]


def test_exporting_a_comparison_stands_in_both_articles(workspace: Workspace) -> None:
    found = pages(workspace)
    assert sorted(found) == ["f/f-a-b.md", "index.md", "p/pepper.md", "s/salt.md", "sources.md"]
    for page in ("s/salt.md", "p/pepper.md"):
        assert "## Comparisons\n\n- Salt is from 700. [\\[2\\]](#references)\n- Pepper is from 900. " in found[page]
    assert "[Pepper](../p/pepper.md)" in found["s/salt.md"]
    assert found["s/salt.md"].startswith("# Salt\n\nSalt is a mineral. ")


def test_exporting_every_sentence_is_a_claim_of_the_knowledge_base(workspace: Workspace, monkeypatch: Any) -> None:
    known = {without_steering(claim.text) for entry in ENTRIES for claim in entry.claims}
    articles = []

    def keep(place: Path, edition: exporting.Edition) -> Counter[str]:
        articles.extend(edition.articles())
        place.touch()
        return Counter()

    monkeypatch.setitem(exporting._WRITE, "kept", keep)
    exported(workspace, "kept", "x")
    printed = [one for article in articles for part in (article, *article.sections) for one in statements(part)]
    assert len(printed) == 7
    assert {one.text for one in printed} == known
    assert all(one.references for one in printed)


def statements(part: Any) -> Sequence[Any]:
    found: Sequence[Any] = part.lead if hasattr(part, "lead") else part.statements
    return found


def test_exporting_lines_keep_the_order_of_the_knowledge_base(workspace: Workspace, monkeypatch: Any) -> None:
    for at_once in (1, 2, 400):
        monkeypatch.setattr(exporting, "_AT_ONCE", at_once)
        assert [(line["id"], line["subjects"]) for line in lines(workspace)] == [
            ("n0", ["Salt"]),
            ("n1", ["Pepper"]),
            ("n2", ["Pepper", "Salt"]),
            ("n3", ["f — a_b"]),
        ]


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ({}, ["n0", "n3"]),
        ({"include": ("stale",)}, ["n0", "n1", "n3"]),
        ({"include": ("stale", "disputed")}, ["n0", "n1", "n2", "n3"]),
        ({"profile": "coding"}, ["n3"]),
        ({"topics": ("SALT",)}, ["n0"]),
        ({"topics": ("mineral salt", "a b")}, ["n0", "n3"]),
        ({"topics": ("pepper",), "include": ("disputed",)}, ["n2"]),
    ],
)
def test_exporting_only_what_was_asked_for(workspace: Workspace, options: dict[str, Any], ids: list[str]) -> None:
    with open_knowledge_base(workspace.database) as db:
        set_entry_status(db, "n1", "stale", ["It is gone."])
        set_entry_status(db, "n2", "disputed", ["It is wrong."])
    assert [line["id"] for line in lines(workspace, **options)] == ids


def test_exporting_a_topic_has_no_article_on_what_is_told_along(workspace: Workspace) -> None:
    assert [name for name in pages(workspace, topics=("salt",)) if "/" in name] == ["s/salt.md"]


def test_exporting_never_has_what_a_person_retired(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db, transaction(db):
        db.execute("update entries set status = 'retired' where id in ('n1', 'n2')")
    assert [line["id"] for line in lines(workspace, include=("stale", "disputed"))] == ["n0", "n3"]


def test_exporting_marks_both_sides_of_a_dispute(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db:
        for id_ in ("n1", "n2"):
            set_entry_status(db, id_, "disputed")
    page = pages(workspace, include=("disputed",))["p/pepper.md"]
    assert page.count("*(Disputed: another source or check says otherwise.)*") == 3


@pytest.mark.parametrize(("format_", "name"), [("markdown", "x"), ("jsonl", "x.jsonl"), ("anki", "x.apkg")])
def test_exporting_the_same_knowledge_base_gives_the_same_bytes(workspace: Workspace, format_: str, name: str) -> None:
    def content(place: Path) -> dict[str, bytes]:
        files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
        return {file.relative_to(place).as_posix(): file.read_bytes() for file in files}

    exported(workspace, format_, name)
    first = content(workspace.root / name)
    exported(workspace, format_, f"again-{name}")
    assert first == content(workspace.root / f"again-{name}")
    assert first


def test_exporting_sources_are_completed_from_the_archive(
    desk: Path, make_zim: MakeZim, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace(desk)
    workspace.zims.mkdir()
    metadata = {"Title": "Kitchen", "License": "CC BY-SA 4.0", "Source": "k.example", "Language": "fra"}
    zim = make_zim({"Salt": "<p>Salt</p>"}, name=str(workspace.zims / "kitchen.zim"), metadata=metadata)
    zim_id = open_archive(zim).info.id
    with open_knowledge_base(workspace.database) as db:
        admit(db, made(0, "What is salt?", [("Salt is white.", cited("Salt", "white", zim_id=zim_id))]))
        admit(db, made(1, "What is rye?", [("Rye is grey.", cited("Rye", "grey", zim_id="gone"))]))
    found = {archive["zim_id"]: archive for line in lines(workspace) for archive in line["archives"]}
    assert found[zim_id] | {"creator": "", "publisher": ""} == {
        "zim_id": zim_id, "name": "kitchen", "title": "Kitchen", "date": "2026-01-01", "language": "fra", "creator": "",
        "publisher": "", "licence": "CC BY-SA 4.0", "source": "k.example",
    }  # fmt: skip
    assert found["gone"]["licence"] == found["gone"]["title"] == ""
    assert exported(workspace, "jsonl", "y.jsonl").unlicensed == ("gone",)
    monkeypatch.setattr(exporting, "find_archives", lambda _: pytest.fail("all is known"))
    with open_knowledge_base(workspace.database) as db:
        plan = make_plan(db, ExportOptions("jsonl", Path("x")))
        assert exporting.sources_of(db, workspace, plan.archives - {"gone", zim_id}) == {}


def test_exporting_aliases_come_from_the_index(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, bool]] = []

    class Known:
        """An index of the archive, as far as names go."""

        def __init__(self, path: Path) -> None:
            assert path == workspace.index_folder("kitchen") / FILE_NAME

        def aliases(self, path: str, *, of_sections: bool) -> tuple[str, ...]:
            asked.append((path, of_sections))
            return ("Halite",) if path == "A/Salt (mineral)" else ()

        def close(self) -> None:
            asked.append(("closed", True))

    class Made:
        archive = replace(open_info(), id="zim-1")

        @classmethod
        def load(cls, folder: Path) -> Made:
            return cls()

    workspace.index_folder("kitchen").mkdir(parents=True)
    (workspace.index_folder("kitchen") / "manifest.json").write_text("{}")
    monkeypatch.setattr(exporting, "Manifest", Made)
    monkeypatch.setattr(exporting, "Store", Known)
    assert "*Names that lead here: Halite.*" in pages(workspace)["s/salt.md"]
    assert asked == [("A/f — a_b", False), ("A/Pepper", False), ("A/Salt (mineral)", False), ("closed", True)]


def open_info() -> Any:
    from drzero.types import ArchiveInfo

    return ArchiveInfo("zim-1", "kitchen", "", "other", "Kitchen", "2026", "eng", 1, "CC0", "k.example")


def test_exporting_types_of_a_profile_that_is_not_here_have_no_order() -> None:
    assert profile_types("wikipedia")[:2] == ("factual", "temporal")
    assert profile_types("my-own") == ()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"topics": ("zzqq",)}, "ask for less with --topic and --profile, or see what there is with `drzero kb list`"),
        ({"profile": "zzqq"}, "ask for less with --topic and --profile, or see what there is with `drzero kb list`"),
    ],
)
def test_exporting_nothing_is_told_and_leaves_nothing(workspace: Workspace, options: Any, said: str) -> None:
    with pytest.raises(KnowledgeBaseError) as told:
        exported(workspace, "markdown", "wiki", **options)
    assert str(told.value) == f"No entry fits, so there is nothing to export: {said}."
    assert not (workspace.root / "wiki").exists()


def test_exporting_from_a_knowledge_base_without_current_entries_says_why(desk: Path) -> None:
    workspace = Workspace(desk)
    with open_knowledge_base(workspace.database) as db:
        with pytest.raises(KnowledgeBaseError, match="make entries with `drzero evolve`"):
            exported(workspace, "jsonl", "x.jsonl")
        admit(db, ENTRIES[0])
        set_entry_status(db, "n0", "stale")
    with pytest.raises(KnowledgeBaseError, match="all are stale or disputed; check them again with `drzero kb verify`"):
        exported(workspace, "jsonl", "x.jsonl")


def test_exporting_to_a_name_of_another_kind_is_refused(workspace: Workspace) -> None:
    with pytest.raises(OutputFault, match=r"knowledge\.db is to be a jsonl file: let its name end in \.jsonl\."):
        exported(workspace, "jsonl", "knowledge.db", force=True)


def test_exporting_over_an_archive_is_refused_even_when_forced(workspace: Workspace, monkeypatch: Any) -> None:
    workspace.zims.mkdir()
    (workspace.zims / "a.zim").write_bytes(b"ZIM")
    with pytest.raises(OutputFault, match="is an archive to read, which drzero never writes to"):
        exported(workspace, "zim", "zims/a.zim", force=True)


def test_exporting_reads_a_knowledge_base_of_another_schema_without_new_columns(workspace: Workspace) -> None:
    with open_knowledge_base(workspace.database) as db:
        columns = {column.name for column in db.table("archives").columns}
    assert {"id", "name", "date"} <= columns
    assert lines(workspace)[0]["archives"][0]["name"] == "kitchen"


ODD_TITLES = (
    "<script>alert(1)</script>", "a|b#c [d](e)", "&amp; &lt;", "\u202eesrever", "NUL\x00byte\nline", "CON", "con",
    "x" * 300, "Ünï/..\\..", "ملح الطعام", "塩", "e\u0301te\u0301", "été", "???", "{{c1::x}}", "index", "C", "C++",
    "C#", "\u200f", " ",
)  # fmt: skip


@pytest.mark.parametrize(
    ("format_", "name"),
    [("zim", "x.zim"), ("html", "x"), ("markdown", "x"), ("jsonl", "x.jsonl"), ("anki", "x.apkg")],
)
def test_exporting_titles_of_all_kinds_go_out_in_every_format(desk: Path, format_: str, name: str) -> None:
    workspace = Workspace(desk)
    with open_knowledge_base(workspace.database) as db:
        for number, title in enumerate(ODD_TITLES):
            text = f"{title.strip() or 'It'} is number {number}."
            assert admit(db, made(number, f"What is number {number}?", [(text, cited(title, text, number))]))
    found = exported(workspace, format_, name)
    keys = {title_key(title) or "a/" for title in ODD_TITLES}
    assert (found.entries, found.subjects) == (len(ODD_TITLES), len(keys))
    if format_ in ("html", "markdown"):
        names = [path.relative_to(desk / name).as_posix() for path in (desk / name).rglob("*")]
        assert len({name.casefold() for name in names}) == len(names)
        assert max(len(name.encode()) for name in names) < 200


def test_cli_export_formats_are_those_there_are() -> None:
    assert sorted(cli_export.FORMATS) == sorted(exporting.FORMATS)


def test_cli_export_writes_and_tells(workspace: Workspace, run: Run) -> None:
    result = run("kb", "export", "--format", "anki", "--output", "salt.apkg", "--topic", "salt", "--title", "Salz")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Wrote salt.apkg (0.0 MB) in ")
    assert result.stdout.endswith(": entries 2, subjects 1, statements 3, references 3, archives 1.\n")
    assert result.stderr == "No licence is known for kitchen: find it before you pass the export on.\n"
    assert zipfile.is_zipfile("salt.apkg")


def test_cli_export_as_json(workspace: Workspace, run: Run) -> None:
    result = run("kb", "export", "--format", "markdown", "--output", "wiki", "--json")
    document = json.loads(result.stdout)
    assert (document["format"], document["output"], document["subjects"]) == ("markdown", "wiki", 3)
    assert document["unlicensed"] == ["kitchen"]
    assert (workspace.root / "wiki" / MARKER).is_file()
    assert run("kb", "export", "--format", "markdown", "--output", "wiki").exit_code == 0


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--output", "x"), 2, "Missing option '--format'"),
        (("--format", "pdf", "--output", "x"), 2, "'pdf' is not one of"),
        (("--format", "jsonl", "--output", "x"), 1, "Error: x is to be a jsonl file: let its name end in .jsonl."),
        (("--format", "markdown", "--output", "none/x"), 1, "does not exist: make it, or write the export elsewhere."),
        (("--format", "markdown", "--output", "."), 1, "holds files that no export made"),
    ],
)
def test_cli_export_refuses(workspace: Workspace, run: Run, words: tuple[str, ...], status: int, said: str) -> None:
    result = run("kb", "export", *words)
    assert result.exit_code == status
    assert said in result.stderr


def test_cli_export_without_a_knowledge_base_says_what_to_do(run: Run) -> None:
    result = run("kb", "export", "--format", "jsonl", "--output", "x.jsonl")
    assert result.exit_code == 1
    assert "There is no knowledge base at" in result.stderr

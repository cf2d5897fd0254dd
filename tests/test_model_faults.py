"""Case D03: a wrong or broken model file is one sentence, told before an index is opened or a model loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from drzero import answering, pipeline
from drzero.errors import ModelError
from drzero.models.gguf import check_gguf
from tests.conftest import MakeZim, Run, fetched_model
from tests.fakes import HashEmbedder
from tests.made_index import index_archive
from tests.samples import BRIDGE_PAGES
from tests.test_gguf import gguf_bytes, shard

Make = Callable[[Path], Path]


def file(name: str, data: bytes) -> Make:
    """Writes one file."""

    def make(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return make


def shards(named: int, *there: int) -> Make:
    """Writes the shards `there` of three and names one of them."""

    def make(folder: Path) -> Path:
        for number in there:
            (folder / f"big-{number:05d}-of-00003.gguf").write_bytes(shard(number - 1, 3))
        return folder / f"big-{named:05d}-of-00003.gguf"

    return make


def folder_of(*names: str) -> Make:
    """Makes a folder with these files in it and names the folder."""

    def make(folder: Path) -> Path:
        (folder / "model").mkdir()
        for name in names:
            (folder / "model" / name).write_bytes(gguf_bytes())
        return folder / "model"

    return make


VOCABULARY = {"tokenizer.ggml.tokens": [f"token{i}" for i in range(5000)]}
BROKEN: dict[str, tuple[Make, str]] = {
    "missing": (lambda folder: folder / "none.gguf", "There is no model at "),
    "an empty folder": (folder_of(), "holds no GGUF file: name the one .gguf file that is to write."),
    "a folder of an embedder": (folder_of("config.json"), "holds no GGUF file but an embedder or an unconverted model"),
    "a folder of two": (folder_of("a.gguf", "b.gguf"), "holds 2 GGUF files: name the one .gguf file"),
    "0 bytes": (file("a.gguf", b""), "is empty (0 bytes): fetch or copy it again."),
    "cut in its head": (file("a.gguf", gguf_bytes(VOCABULARY)[:10_000]), "is incomplete: it ends inside its own head"),
    "cut in its weights": (file("a.gguf", gguf_bytes(rows=640)[:-9_000]), "bytes; fetch or copy it again."),
    "old format": (file("a.gguf", b"tjgg" + bytes(99)), "is in an old GGML format"),
    "a text": (file("a.gguf", "Guten Tag, schöne Welt.".encode()), "is not a GGUF file, whatever its name"),
    "a web page": (file("a.gguf", b"<!DOCTYPE html><title>404</title>"), "is not a GGUF file, whatever its name"),
    "a zip": (file("a.gguf", b"PK\3\4" + bytes(99)), "is not a GGUF file, whatever its name"),
    "second shard": (shards(2, 1, 2, 3), "is part 2 of 3: name the first part, big-00001-of-00003.gguf."),
    "last shard missing": (shards(1, 1, 2), "needs big-00003-of-00003.gguf beside it, which is missing"),
    "shards joined": (file("a.gguf", shard(0, 2) + shard(1, 2)), "is 2 parts joined to one file"),
    "vocabulary alone": (file("a.gguf", gguf_bytes(VOCABULARY, tensors=0)), "holds a vocabulary and no weights"),
    "an embedder": (file("a.gguf", gguf_bytes({"general.architecture": "bert"})), "(bert) does not generate text"),
    "a re-ranker": (file("a.gguf", gguf_bytes({"llama.pooling_type": 4})), "(llama) does not generate text"),
    "an adapter": (file("a.gguf", gguf_bytes({"general.type": "adapter"})), "is an adapter, which goes with a model"),
    "a base model": (file("a.gguf", gguf_bytes({"tokenizer.chat_template": None})), "has no chat template"),
}


@pytest.fixture
def nothing_opens(
    desk: Path, make_zim: MakeZim, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> HashEmbedder:
    """A workspace with an index, where opening it or loading anything fails the test."""
    index_archive(make_zim(BRIDGE_PAGES, name="bridges.zim"), desk / "indexes" / "bridges")
    for module, name in ((pipeline, "open_index"), (answering, "open_index"), (answering, "load_writer")):
        monkeypatch.setattr(module, name, lambda *_, **__: pytest.fail("opened before the model was looked at"))
    return embedder


@pytest.mark.parametrize("words", [("evolve",), ("ask", "When did the bridge open?")], ids=["evolve", "ask"])
@pytest.mark.parametrize("how", BROKEN)
def test_case_d03_a_broken_writer_is_one_sentence(
    run: Run, nothing_opens: HashEmbedder, tmp_path: Path, how: str, words: tuple[str, ...]
) -> None:
    make, sentence = BROKEN[how]
    place = tmp_path / "brought models, früher"
    place.mkdir()
    path = make(place)
    result = run(*words, "--llm", path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Error: ")
    assert sentence in result.stderr
    assert str(path) in result.stderr
    assert nothing_opens.texts_embedded == 0


@pytest.mark.parametrize("words", [("evolve",), ("ask", "When did the bridge open?")], ids=["evolve", "ask"])
def test_case_d03_a_name_that_nothing_has_says_where_it_was_looked_for(
    run: Run, nothing_opens: HashEmbedder, words: tuple[str, ...]
) -> None:
    result = run(*words, "--llm", "no-such-writer")
    assert result.exit_code == 1
    assert "There is no writer no-such-writer in " in result.stderr
    assert nothing_opens.texts_embedded == 0


WRITERS = ("smollm2-135m-instruct", "qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct")


@pytest.mark.model
@pytest.mark.parametrize("name", WRITERS)
def test_case_d03_an_ordinary_good_file_is_not_refused(name: str) -> None:
    path = fetched_model(name, "writer")
    head = check_gguf(path)
    assert head.chat_template
    assert head.context_tokens >= 8192
    assert head.end == path.stat().st_size


@pytest.mark.model
@pytest.mark.parametrize("kept", [3, 10_000, 4_000_000])
def test_case_d03_an_ordinary_file_that_was_cut_is_incomplete(tmp_path: Path, kept: int) -> None:
    cut = tmp_path / "cut.gguf"
    with open(fetched_model(WRITERS[0], "writer"), "rb") as stream:
        cut.write_bytes(stream.read(kept))
    with pytest.raises(ModelError, match=r"cut\.gguf is (?:incomplete|not a GGUF file)"):
        check_gguf(cut)

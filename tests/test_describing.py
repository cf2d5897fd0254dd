from __future__ import annotations

import json
from pathlib import Path

import pytest

from drzero.models import fingerprints
from drzero.models.describing import describe, describe_files, languages_of, read_settings
from drzero.models.fingerprints import embedder_id
from tests.test_resolve import make_embedder


@pytest.mark.parametrize(
    ("card", "codes"),
    [
        ("---\nlanguage: en\n---\n# Model\n", ["en"]),
        ("---\nlanguage:\n- en\n- fr\n- en\ntags: [x]\n---\n", ["en", "fr"]),
        ("---\nlanguage: [no, yes]\n---\n", ["no", "yes"]),
        ("---\nlanguage: multilingual\n---\n", ["mul"]),
        ("---\nlanguage:\n- multilingual\n- af\n---\n", ["mul"]),
        ("---\nlicense: mit\n---\nlanguage: en\n", []),
        ("---\nlanguage: [\n---\n", []),
        ("---\nlanguage: {a: b}\n---\n", []),
        ("# Model\n", []),
    ],
)
def test_describing_languages_of_the_card(tmp_path: Path, card: str, codes: list[str]) -> None:
    assert languages_of(tmp_path) == []
    (tmp_path / "README.md").write_text(card)
    assert languages_of(tmp_path) == codes


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode": "lasttoken"}, "lasttoken"),
        ({"pooling_mode": ["cls", "mean"]}, "cls+mean"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, "mean+max"),
        ({"pooling_mode_mean_tokens": False}, "none"),
    ],
)
def test_describing_pooling(tmp_path: Path, config: dict[str, object], pooling: str) -> None:
    folder = make_embedder(tmp_path / "e5")
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(config))
    settings = read_settings(folder)
    assert settings.pooling == pooling
    assert settings.beyond_us == (None if pooling in ("lasttoken", "cls") else f"its pooling is {pooling}")


@pytest.mark.parametrize(
    ("bert", "tokenizer", "config", "limit"),
    [
        (256, 512, {"max_position_embeddings": 512}, 256),
        (None, 512, {"max_position_embeddings": 512}, 512),
        (None, 10**30, {"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1}, 512),
        (None, 10**30, {"model_type": "mpnet", "max_position_embeddings": 514}, 512),
        (1024, None, {"max_position_embeddings": 512}, 512),
        (None, None, {}, 1 << 20),
    ],
)
def test_describing_the_lowest_stated_limit_counts(
    tmp_path: Path, bert: int | None, tokenizer: int | None, config: dict[str, object], limit: int
) -> None:
    folder = make_embedder(tmp_path / "e5")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": bert}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": tokenizer}))
    (folder / "config.json").write_text(json.dumps(config))
    assert read_settings(folder).limit_tokens == limit


def test_describing_says_what_the_files_say(tmp_path: Path) -> None:
    folder = make_embedder(tmp_path / "e5")
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "mean"}')
    here = describe(read_settings(folder), embedder_id="e5@0123", dim=8, precision="int8")
    assert (here["name"], here["fingerprint"], here["pooling"], here["dim"]) == ("e5", "0123", "mean", 8)
    files = describe_files(read_settings(folder), "e5@0123")
    assert here == files | {"dim": 8, "precision": "int8"}


def test_describing_ids_are_noted_until_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRZERO_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(fingerprints, "_WORTH_NOTING", 1)
    folder = make_embedder(tmp_path / "e5")
    made = embedder_id(folder)
    notes = tmp_path / "models" / ".onnx" / "fingerprints.json"
    assert not notes.exists()  # the files are too young to be told by their times
    monkeypatch.setattr(fingerprints, "_SETTLED_NS", -(10**12))
    assert embedder_id(folder) == made
    noted = json.loads(notes.read_text())
    assert noted[str(folder)][1] == made
    noted[str(folder)][1] = "e5@from-the-notes"
    notes.write_text(json.dumps(noted))
    assert embedder_id(folder) == "e5@from-the-notes"
    (folder / "tokenizer.json").write_text('{"changed": true}')
    assert embedder_id(folder) not in (made, "e5@from-the-notes")
    notes.write_text("[")
    assert embedder_id(folder) != made
    notes.unlink()
    notes.mkdir()
    assert embedder_id(folder) != made

"""drzero.models.nli: NLI folders as judges, by graphs written node by node and by tiny models with random weights."""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from drzero.errors import ModelError
from drzero.models import conversions, nli_export
from drzero.models.conversions import Conversion, Refusal
from drzero.models.nli import NliModel, NliSettings, load_nli, log_odds, nli_id, read_nli_settings, windows
from drzero.models.pairs import PairGraph, read_tokenizer
from drzero.models.resolve import ResolvedModel, check_judge_folder, find_models, resolve_model
from drzero.models.torch_nli import TorchClassifier, load_classifier, load_tokenizer
from tests.made_nli import ORDER, make_nli
from tests.tiny_models import LIMIT, make_tiny_nli


def odds(*logits: float) -> list[float]:
    """Log-odds of the first and the last of three logits."""
    one, two, three = logits
    return [one - math.log(math.exp(two) + math.exp(three)), three - math.log(math.exp(one) + math.exp(two))]


# --- signals --------------------------------------------------------------------------------------------------------


def test_nli_signals_are_log_odds_of_the_labels(tmp_path: Path) -> None:
    judge = load_nli(make_nli(tmp_path / "n"))
    assert judge.names == ("entailment", "contradiction")
    found = judge.signals([("sea high", "sea"), ("storm", "sea"), ("deep", "sea")])
    assert found.dtype == np.float32
    assert found.tolist() == [pytest.approx(odds(*row), abs=1e-5) for row in ((3, 0, 0), (0, 0, 4), (0, 1, 0))]
    assert judge.signals([]).shape == (0, 2)
    assert judge.id == nli_id(tmp_path / "n")


@pytest.mark.parametrize(
    "labels",
    [
        ("contradiction", "neutral", "entailment"),
        ("neutral", "contradiction", "entailment"),
        ("neutral", "entailment", "contradiction"),
    ],
)
def test_nli_the_order_of_labels_is_that_of_config(tmp_path: Path, labels: tuple[str, ...]) -> None:
    pairs = [("sea high", "sea"), ("storm sea", "sea"), ("deep calm", "sea")]
    plain = load_nli(make_nli(tmp_path / "plain")).signals(pairs)
    turned = load_nli(make_nli(tmp_path / "turned", labels=labels)).signals(pairs)
    assert turned.tolist() == [pytest.approx(row, abs=1e-6) for row in plain.tolist()]


def test_nli_labels_read_the_wrong_way_round_would_give_other_signals(tmp_path: Path) -> None:
    folder = make_nli(tmp_path / "n")
    right = load_nli(folder).signals([("storm", "sea")])
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "contradiction", "1": "neutral", "2": "entailment"}
    (folder / "config.json").write_text(json.dumps(config))
    assert load_nli(folder).signals([("storm", "sea")]).tolist() == [pytest.approx(right[0][::-1].tolist())]


def test_nli_a_model_of_two_labels_has_one_signal(tmp_path: Path) -> None:
    folder = make_nli(tmp_path / "n", labels=("neutral", "entailment"))
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "not_entailment", "1": "entailment"}
    (folder / "config.json").write_text(json.dumps(config))
    judge = load_nli(folder)
    assert judge.names == ("entailment",)
    assert judge.signals([("sea high deep", "sea")]).tolist() == [[pytest.approx(3 - 1)]]


def test_nli_many_pairs_at_once_are_as_one_by_one(tmp_path: Path) -> None:
    judge = load_nli(make_nli(tmp_path / "n"), threads=2)
    pairs = [("sea " * (n % 7) + "high", "deep " * (n % 3 + 1)) for n in range(40)]
    together = judge.signals(pairs)
    assert together.tolist() == [judge.signals([pair])[0].tolist() for pair in pairs]
    assert together[:, 0].tolist() == [pytest.approx(odds(n % 7 + 2, 0, 0)[0], abs=1e-5) for n in range(40)]


def test_nli_log_odds_of_far_logits_are_finite() -> None:
    assert log_odds(np.array([2000.0, -2000.0, 0.0]), 0) == 2000
    assert log_odds(np.array([2000.0, -2000.0, 0.0]), 1) == -4000


# --- what is too long or no text ------------------------------------------------------------------------------------


def test_nli_a_long_premise_is_read_in_windows(tmp_path: Path) -> None:
    judge = load_nli(make_nli(tmp_path / "n", limit=24), threads=1)
    # 24 places, of them 3 special and 2 for the hypothesis, two spare: 17 for the premise
    calm, best, worst = "Calm calm calm calm calm calm.", "High high high high.", "Storm."
    together = judge.signals([(" ".join([calm, calm, calm, calm, best, calm, calm, worst, calm]), "sea sea")])
    first, last = judge.signals([(f"{calm} {best}", "sea sea"), (f"{calm} {worst} {calm}", "sea sea")])
    assert together[0].tolist() == [first[0], last[1]]
    assert first.tolist() == pytest.approx(odds(2, 0, 0), abs=1e-5)


def test_nli_a_graph_of_one_length_is_filled_up_and_read_in_windows(tmp_path: Path) -> None:
    judge = load_nli(make_nli(tmp_path / "n", length=24))
    pairs = [("Sea high.", "sea"), ("High. " * 9 + "Sea sea", "sea sea")]
    assert judge.signals(pairs)[:, 0].tolist() == pytest.approx([odds(3, 0, 0)[0], odds(16, 0, 0)[0]], abs=1e-5)


def test_nli_a_graph_that_cannot_be_run_is_one_sentence(tmp_path: Path) -> None:
    folder = make_nli(tmp_path / "n")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["bridge"] = 99  # a token that the graph does not have
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ModelError, match=r"The NLI model .*model\.onnx cannot be run \(.*\): copy or export"):
        load_nli(folder)


def test_nli_a_premise_that_just_fits_is_read_whole(tmp_path: Path) -> None:
    judge = load_nli(make_nli(tmp_path / "n", limit=24), threads=1)
    fitting = "High. " * 9 + "Sea"  # 19 tokens
    assert judge.signals([(fitting, "sea sea")])[0].tolist() == pytest.approx(odds(19, 0, 0), abs=1e-5)
    longer = judge.signals([(f"{fitting} sea", "sea sea")])[0, 0]
    assert longer == pytest.approx(odds(16, 0, 0)[0], abs=1e-5)  # eight times "High."


def test_nli_a_hypothesis_is_never_cut(tmp_path: Path) -> None:
    judge = load_nli(make_nli(tmp_path / "n", limit=24))
    found = judge.signals([("sea", "sea " * 5), ("sea", "sea " * 6), ("sea", "sea")])
    assert np.isnan(found).tolist() == [[False, False], [True, True], [False, False]]


@pytest.mark.parametrize(
    "pair", [("", "sea"), ("sea", " "), ("sea \ud800", "sea"), ("sea", "\udfff"), ("broken", "sea")]
)
def test_nli_what_cannot_be_asked_is_no_number(tmp_path: Path, pair: tuple[str, str]) -> None:
    found = load_nli(make_nli(tmp_path / "n")).signals([("sea", "sea"), pair])
    assert np.isnan(found).tolist() == [[False, False], [True, True]]


def spans(text: str) -> list[tuple[int, int]]:
    """Each word of a text is a token."""
    found, start = [], 0
    for word in text.split(" "):
        found.append((start, start + len(word)))
        start += len(word) + 1
    return found


def parts(text: str, most: int) -> list[str]:
    return [text[start:end] for start, end in windows(text, spans(text), most)]


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("One two. Three four.", 9, ["One two. Three four."]),
        ("One two. Three four.", 3, ["One two.", "Three four."]),
        (
            "One two. Three four. Five six. Seven eight.",
            4,
            ["One two. Three four.", "Three four. Five six.", "Five six. Seven eight."],
        ),
        ("One two three. Four five six. Seven.", 4, ["One two three.", "Four five six. Seven."]),
        (
            "Here one long sentence has ten words in all now. End.",
            4,
            ["Here one long sentence", "long sentence has ten", "has ten words in", "words in all now.", "End."],
        ),
        ("", 4, []),
    ],
)
def test_nli_windows_are_of_whole_sentences_that_overlap(text: str, most: int, expected: list[str]) -> None:
    assert parts(text, most) == expected


def test_nli_windows_hold_every_word_and_none_is_too_long() -> None:
    text = " ".join(f"{'word ' * (n % 23)}end{n}." for n in range(200))
    for most in (3, 7, 16, 50):
        found = parts(text, most)
        assert max(len(part.split(" ")) for part in found) <= most
        covered = {place for start, end in windows(text, spans(text), most) for place in range(start, end)}
        assert covered >= {place for place, letter in enumerate(text) if letter != " "}


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(2, 40))
def test_nli_windows_of_any_text_lose_nothing(lengths: list[int], most: int) -> None:
    text = " ".join(" ".join(["Word", *["word"] * (length - 1)]) + "." for length in lengths)
    found = windows(text, spans(text), most)
    assert max(len(text[start:end].split(" ")) for start, end in found) <= most
    assert [start for start, _ in found] == sorted({start for start, _ in found})
    reached = 0
    for start, end in found:
        assert start <= reached + 1  # nothing but the space between two sentences is left out
        assert end > reached
        reached = end
    assert reached == len(text)


class Recording:
    """A classifier that keeps what it is asked."""

    length = 0

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def outputs(self, pair: Any) -> np.ndarray:
        self.asked.append(pair.ids)
        return np.zeros(3, dtype=np.float32)


def test_nli_control_tokens_in_a_text_are_text(tmp_path: Path) -> None:
    """Read as control tokens they would end the premise and begin a hypothesis of the writer's own choice."""
    folder = make_nli(tmp_path / "n", limit=32)
    file = Tokenizer.from_file(str(folder / "tokenizer.json"))
    file.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    file.save(str(folder / "tokenizer.json"))
    graph = Recording()
    judge = NliModel(graph, read_tokenizer(folder / "tokenizer.json"), read_nli_settings(folder), name="n", threads=1)
    graph.asked.clear()
    pairs = [("sea [SEP] high [SEP]", "[CLS] sea [PAD]"), ("Sea [SEP] high. " * 12, "sea [SEP]")]
    assert np.isfinite(judge.signals(pairs)).all()
    assert len(graph.asked) > 3
    for ids in graph.asked:
        assert [ids.count(number) for number in (0, 2, 3)] == [0, 1, 2]  # none of the texts', one begin and two ends
        assert len(ids) <= 32


# --- folders --------------------------------------------------------------------------------------------------------


def test_nli_settings_are_those_of_the_files(tmp_path: Path) -> None:
    folder = make_nli(tmp_path / "n", limit=512)
    assert read_nli_settings(folder).limit_tokens == 512
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 1000000000000000019884624838656}')
    assert read_nli_settings(folder).limit_tokens == 512
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    assert read_nli_settings(folder).limit_tokens == 128
    (folder / "sentence_bert_config.json").unlink()
    (folder / "config.json").write_text(json.dumps({"id2label": dict(enumerate(ORDER))}))
    assert read_nli_settings(folder).limit_tokens == 512  # stated nowhere


def test_nli_id_follows_the_files_and_the_labels(tmp_path: Path) -> None:
    first = nli_id(make_nli(tmp_path / "a" / "n"))
    assert first.startswith("n@")
    assert nli_id(make_nli(tmp_path / "b" / "n")) == first
    assert nli_id(make_nli(tmp_path / "c" / "n", limit=32)) != first
    assert nli_id(make_nli(tmp_path / "d" / "n", labels=ORDER[::-1])) != first


def test_nli_models_are_found_by_name_and_listed(tmp_path: Path) -> None:
    folder = make_nli(tmp_path / "n")
    expected = ResolvedModel("n", "judge", folder)
    assert find_models((tmp_path,)) == (expected,)
    assert resolve_model("n", "judge", folders=(tmp_path,)) == expected
    with pytest.raises(ModelError, match="There is no judge d in"):
        resolve_model("d", "judge", folders=(tmp_path,))
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2 is an embedder, not a judge"):
        resolve_model("all-MiniLM-L6-v2", "judge", folders=(tmp_path,))


def test_nli_names_what_a_folder_lacks(tmp_path: Path) -> None:
    folder = tmp_path / "n"
    with pytest.raises(ModelError, match=r"There is no model folder .*n: name the folder of an NLI model, or `writer`"):
        check_judge_folder(folder)
    folder.write_text("")
    with pytest.raises(
        ModelError, match="is a file: a judge is the folder of an NLI model as transformers writes it, or `writer`"
    ):
        check_judge_folder(folder)
    folder.unlink()
    make_nli(folder)
    (folder / "tokenizer.json").rename(tmp_path / "tokenizer.json")
    with pytest.raises(ModelError, match=r"n is incomplete: tokenizer\.json is missing"):
        check_judge_folder(folder)
    (folder / "onnx" / "model.onnx").unlink()
    with pytest.raises(ModelError, match=r"n is incomplete: model\.safetensors is missing"):
        check_judge_folder(folder)
    (folder / "config.json").write_text("[1]")
    with pytest.raises(ModelError, match=r"config\.json is of no classifier"):
        check_judge_folder(folder)
    (folder / "config.json").unlink()
    with pytest.raises(ModelError, match=r"n is incomplete: config\.json is missing"):
        check_judge_folder(folder)
    (folder / "modules.json").write_text("[]")
    with pytest.raises(ModelError, match="is an embedder, not a judge: name the folder of an NLI model, or `writer`"):
        check_judge_folder(folder)


def test_nli_refuses_a_graph_with_other_outputs_than_labels(tmp_path: Path) -> None:
    folder = make_nli(tmp_path / "n")
    (folder / "config.json").write_text(json.dumps({"id2label": {"0": "entailment", "1": "other"}}))
    with pytest.raises(ModelError, match=r"gives 3 numbers for a pair, but its config\.json names 2 labels"):
        load_nli(folder)


def test_nli_says_when_its_files_do_not_load(tmp_path: Path) -> None:
    folder = make_nli(tmp_path / "n")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json is no tokenizer"):
        load_nli(folder)
    (folder / "onnx" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"The NLI model .*model\.onnx does not load"):
        load_nli(folder)


class Silent:
    """A classifier without an answer."""

    length = 0

    def outputs(self, pair: object) -> np.ndarray:
        return np.full(3, np.nan, dtype=np.float32)


def test_nli_refuses_a_model_that_gives_no_numbers(tmp_path: Path) -> None:
    folder = make_nli(tmp_path / "n")
    settings: NliSettings = read_nli_settings(folder)
    with pytest.raises(ModelError, match="gives no number for a pair"):
        NliModel(Silent(), read_tokenizer(folder / "tokenizer.json"), settings, name="n")


# --- of weights -----------------------------------------------------------------------------------------------------

TEXTS = [
    ("the sea is high. it is deep.", "the sea is deep."),
    ("a", "b"),
    ("bread rises, since yeast makes gas!", "it is yeast."),
    ("one two. " * 3, "three"),
]


@pytest.fixture(autouse=True)
def conversion_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRZERO_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "models" / ".onnx"


def of_torch(folder: Path) -> NliModel:
    """The model as transformers has it."""
    reference = TorchClassifier(folder)
    return NliModel(reference, reference.tokenizer, read_nli_settings(folder), name="reference", threads=1)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_nli(tmp_path_factory.mktemp("made") / "tiny")


@pytest.fixture(scope="module")
def exported(tiny: Path) -> tuple[Path, np.ndarray]:
    """The graph of the tiny model in full precision, and its own logits of the probes."""
    graph = tiny.with_name("exported.onnx")
    tokenizer = load_tokenizer(tiny)
    tokenizer.enable_truncation(LIMIT, strategy="longest_first")
    probes = [tokenizer.encode(*pair) for pair in nli_export.probe_pairs()]
    return graph, nli_export.export(load_classifier(tiny), probes, graph)


@pytest.fixture
def in_process(exported: tuple[Path, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Conversions run in this process, with the tiny model exported beforehand; returns the folders converted."""
    converted: list[Path] = []

    def export(model: object, pairs: object, target: Path) -> np.ndarray:
        shutil.copy(exported[0], target)
        return exported[1]

    def here(settings: NliSettings, target: Path) -> tuple[str, bool] | None:
        converted.append(settings.folder)
        try:
            nli_export.convert(settings.folder, target)
        except (nli_export.Refused, ModelError) as error:
            return str(error), True
        return None

    monkeypatch.setattr(nli_export, "export", export)
    monkeypatch.setattr(conversions, "_run", here)
    return converted


def bare(judge: NliModel) -> str:
    """A judge's id without the precision of its graph, under which that graph is kept."""
    return judge.id.rpartition("/")[0]


def test_nli_weights_become_a_graph_that_agrees(tiny: Path, in_process: list[Path]) -> None:
    told: list[str] = []
    unmade = nli_id(tiny)
    judge = load_nli(tiny, note=told.append)
    assert bare(judge) == unmade
    assert told == ["Preparing the NLI model tiny for this machine, once; this takes up to some minutes."]
    found, wanted = judge.signals(TEXTS), of_torch(tiny).signals(TEXTS)
    record = conversions.find_conversion(read_nli_settings(tiny), bare(judge))
    assert isinstance(record, Conversion)
    assert record.record["apart_fp32"]["most"] < 1e-4
    assert np.abs(1 / (1 + np.exp(-found)) - 1 / (1 + np.exp(-wanted))).max() < (
        1e-4 if record.precision == "fp32" else nli_export.INT8_MOST
    )
    assert len(np.unique(wanted.round(3))) == wanted.size  # the pairs can be told apart
    assert nli_id(tiny) == judge.id == f"{bare(judge)}/{record.precision}"
    again = load_nli(tiny, note=told.append)
    assert (len(told), in_process) == (1, [tiny])
    assert again.signals(TEXTS).tolist() == found.tolist()


@pytest.mark.parametrize("kind", ["roberta", "deberta"])
def test_nli_other_kinds_are_exported_too(tmp_path: Path, kind: str) -> None:
    folder = make_tiny_nli(tmp_path / "tiny", kind=kind, labels=("neutral", "contradiction", "entailment"))
    tokenizer, graph = load_tokenizer(folder), tmp_path / "graph.onnx"
    nli_export.export(load_classifier(folder), [tokenizer.encode(*pair) for pair in TEXTS], graph)
    judge = NliModel(PairGraph(graph, "NLI model"), tokenizer, read_nli_settings(folder), name="n", threads=1)
    np.testing.assert_allclose(judge.signals(TEXTS), of_torch(folder).signals(TEXTS), atol=1e-4)


def test_nli_int8_stays_where_it_agrees_and_is_quicker(
    tiny: Path, in_process: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nli_export, "seconds", lambda _: {"int8": 1.0, "fp32": 2.0})
    monkeypatch.setattr(nli_export, "INT8_MEAN", 1.0)
    monkeypatch.setattr(nli_export, "INT8_MOST", 1.0)
    judge = load_nli(tiny)
    assert nli_id(tiny) == judge.id == f"{bare(judge)}/int8"
    found = conversions.find_conversion(read_nli_settings(tiny), bare(judge))
    assert isinstance(found, Conversion)
    assert (found.precision, found.record["int8_times_quicker"], found.record["tables"]) == ("int8", 2.0, "int8")
    conversions.drop_conversion(bare(judge))
    monkeypatch.setattr(nli_export, "INT8_MOST", 0.0)
    exact = load_nli(tiny)
    assert nli_id(tiny) == exact.id == f"{bare(judge)}/fp32"  # another judge: its probabilities are others
    found = conversions.find_conversion(read_nli_settings(tiny), bare(judge))
    assert isinstance(found, Conversion)
    assert (found.precision, found.record["why_fp32"]) == ("fp32", "int8 does not agree well enough")


def test_nli_a_graph_that_does_not_agree_is_refused(
    tiny: Path, in_process: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nli_export, "FULL_PRECISION_MOST", -1.0)
    told: list[str] = []
    judge = load_nli(tiny, note=told.append)
    assert told[-1].startswith(
        "The NLI model tiny runs on transformers, at a third of the usual speed: "
        "the exported graph's probabilities are up to 0.00"
    )
    assert judge.signals(TEXTS).tolist() == of_torch(tiny).signals(TEXTS).tolist()
    assert isinstance(conversions.find_conversion(read_nli_settings(tiny), bare(judge)), Refusal)
    assert nli_id(tiny) == judge.id == f"{bare(judge)}/fp32"


def test_nli_a_damaged_conversion_is_made_anew(tiny: Path, in_process: list[Path], conversion_places: Path) -> None:
    judge = load_nli(tiny)
    graph = conversion_places / bare(judge) / "model.onnx"
    stamp = graph.stat()
    graph.write_bytes(b"x" * stamp.st_size)
    os.utime(graph, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert load_nli(tiny).signals(TEXTS).tolist() == judge.signals(TEXTS).tolist()
    assert len(in_process) == 2


def test_nli_a_list_of_words_becomes_a_tokenizer_in_a_process_of_its_own(
    tmp_path: Path, conversion_places: Path
) -> None:
    folder = make_tiny_nli(tmp_path / "tiny")
    whole = of_torch(folder).signals(TEXTS)
    words = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(sorted(words, key=words.get)))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer", "model_max_length": 48}')
    judge = load_nli(folder)
    assert (conversion_places / bare(judge) / "tokenizer.json").is_file()
    assert np.abs(judge.signals(TEXTS) - whole).max() < 0.5


def test_nli_a_model_without_a_trained_head_is_refused(tiny: Path, tmp_path: Path, in_process: list[Path]) -> None:
    from transformers import AutoModel

    folder = tmp_path / "base"
    AutoModel.from_pretrained(str(tiny)).save_pretrained(folder)
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(tiny / name, folder)
    with pytest.raises(
        ModelError, match=r"base lack classifier\.bias: this model was never trained to tell entailment"
    ):
        load_nli(folder)


def test_nli_a_cross_encoder_as_sentence_transformers_saves_it(tiny: Path, tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    folder = tmp_path / "saved"
    CrossEncoder(str(tiny), device="cpu").save_pretrained(str(folder))
    assert read_nli_settings(folder).labels == read_nli_settings(tiny).labels
    assert find_models((tmp_path,)) == (ResolvedModel("saved", "judge", folder),)
    with pytest.raises(ModelError, match="saved is a cross-encoder, not an embedder"):
        resolve_model(str(folder), "embedder", folders=())


def test_nli_weights_that_do_not_load_are_one_sentence(tiny: Path, tmp_path: Path, in_process: list[Path]) -> None:
    folder = shutil.copytree(tiny, tmp_path / "tiny")
    shutil.copy(make_tiny_nli(tmp_path / "other", labels=ORDER[:2]) / "model.safetensors", folder)
    with pytest.raises(ModelError, match=r"The NLI model in .*tiny does not load"):
        load_nli(folder)

"""Embedders and NLI models with random weights, as their libraries write them: small enough for a test."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *".,?!", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
LIMIT = 48


def make_tiny_model(
    folder: Path, *, pooling: str = "mean", prompts: Mapping[str, str] | None = None, modules: tuple[str, ...] = ()
) -> Path:
    """A BERT of two layers and 32 numbers a vector, which reads the letters of LETTERS and at most LIMIT tokens."""
    import torch
    from sentence_transformers import SentenceTransformer

    with warnings.catch_warnings():  # the modules have moved in version 6
        warnings.simplefilter("ignore", DeprecationWarning)
        from sentence_transformers.models import Dense, Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel

    torch.manual_seed(4)
    base = folder.with_name(f"{folder.name}-base")
    _save_tokenizer(base)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(VOCABULARY), max_position_embeddings=64, initializer_range=0.2, **size)
    BertModel(config).save_pretrained(base)
    made = [Transformer(str(base), max_seq_length=LIMIT), Pooling(32, pooling_mode=pooling)]
    made += [{"Dense": lambda: Dense(32, 16), "Normalize": Normalize}[name]() for name in modules or ("Normalize",)]
    SentenceTransformer(modules=made, device="cpu").save(str(folder), create_model_card=False)
    shutil.rmtree(base)
    if prompts is not None:
        (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": dict(prompts)}))
    return folder


def make_tiny_nli(
    folder: Path, *, kind: str = "bert", labels: Sequence[str] = ("entailment", "neutral", "contradiction")
) -> Path:
    """A classifier of two layers ("bert", "roberta" or "deberta") with these labels, which reads as the others do."""
    import torch
    import transformers

    torch.manual_seed(9)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    size |= {"vocab_size": len(VOCABULARY), "max_position_embeddings": 64}
    relative = {"relative_attention": True, "position_buckets": 16, "pos_att_type": ["p2c", "c2p"]}
    relative |= {"norm_rel_ebd": "layer_norm", "share_att_key": True, "position_biased_input": False}
    made, more = {
        "bert": ("Bert", {"type_vocab_size": 2}),
        "roberta": ("Roberta", {"type_vocab_size": 1, "pad_token_id": 0}),
        "deberta": ("DebertaV2", {"type_vocab_size": 0} | relative),
    }[kind]
    config = getattr(transformers, f"{made}Config")(
        **size, **more, initializer_range=0.5, id2label=dict(enumerate(labels)), label2id={}
    )
    getattr(transformers, f"{made}ForSequenceClassification")(config).save_pretrained(folder)
    _save_tokenizer(folder)
    return folder


def _save_tokenizer(folder: Path) -> None:
    """BERT's kind of tokenizer, of VOCABULARY."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    ids = {token: number for number, token in enumerate(VOCABULARY)}
    read = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    read.normalizer, read.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    read.post_processor = processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    read.decoder = decoders.WordPiece()
    PreTrainedTokenizerFast(
        tokenizer_object=read,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=LIMIT,
    ).save_pretrained(folder)

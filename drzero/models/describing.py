"""What an embedder's own files say of it: prefixes, pooling, limit and languages.

Read from modules.json and the files that it names, as sentence-transformers writes them; nothing is loaded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drzero.models.resolve import read_json

POOLINGS = ("cls", "lasttoken", "max", "mean")
"""The ways from the vectors of the tokens to the one of the text that drzero knows itself."""

_NO_LIMIT_TOKENS = 1 << 20  # tokenizers without a limit state an absurdly large one
_NO_POOLING = "none"
_OLD_POOLINGS = {  # a switch each, up to sentence-transformers 5
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
}
# Models of this kind count places from the padding token's number on, so that the first two or so are never used.
_PADDED_PLACES = frozenset(("camembert", "mpnet", "roberta", "xlm-roberta", "xlm-roberta-xl"))
_FRONT_MATTER = re.compile(r"---\s*\n(.*?\n)---\s*\n", re.DOTALL)
_MANY = frozenset(("multilingual", "multi", "mul"))


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How an embedder reads: `parts` are the kinds of its modules, in order; `reader` the folder of the first.

    `pooling` is one of POOLINGS, another name, several joined by +, or "none"; `pools_prefix` says whether the tokens
    of the passage prefix count in it. `limit_tokens` counts special tokens and the prefix.
    """

    folder: Path
    parts: tuple[str, ...]
    reader: Path
    query_prefix: str
    passage_prefix: str
    pooling: str
    pools_prefix: bool
    limit_tokens: int

    @property
    def maker(self) -> str:
        """The module that converts such a folder (`conversions`)."""
        return "drzero.models.onnx_export"

    @property
    def is_static(self) -> bool:
        """Whether a table of word vectors is all there is to it."""
        return self.parts[0] == "StaticEmbedding"

    @property
    def beyond_us(self) -> str | None:
        """Why only sentence-transformers itself can compute this model, in a few words; None for the usual kind."""
        if self.parts not in (("Transformer", "Pooling"), ("Transformer", "Pooling", "Normalize")):
            return f"it is made of {', '.join(self.parts)}"
        if self.pooling not in POOLINGS:
            return f"its pooling is {self.pooling}"
        if self.passage_prefix and not self.pools_prefix:
            return "its pooling leaves the prefix out"
        return None


def read_settings(folder: Path) -> ModelSettings:
    """The settings in a folder that `check_embedder_folder` accepts. Raises ModelError for a broken one."""
    modules = read_json(folder, "modules.json")
    parts = tuple(str(row["type"]).rsplit(".", 1)[-1] for row in modules)
    reader = folder / modules[0]["path"]
    pooling = stated(folder / modules[parts.index("Pooling")]["path"], "config.json") if "Pooling" in parts else {}
    query_prefix, passage_prefix = _prefixes(folder)
    limit = stated(reader, "sentence_bert_config.json").get("max_seq_length")
    tokenizer_limit = stated(reader, "tokenizer_config.json").get("model_max_length")
    return ModelSettings(
        folder=folder,
        parts=parts,
        reader=reader,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
        pooling=_pooling(pooling),
        pools_prefix=bool(pooling.get("include_prompt", True)),
        limit_tokens=int(min(limit or math.inf, tokenizer_limit or math.inf, places(reader), _NO_LIMIT_TOKENS)),
    )


def describe(settings: ModelSettings, *, embedder_id: str, dim: int, precision: str) -> dict[str, Any]:
    """What an index keeps of the embedder that made it: all that changes a vector, and the model's languages.

    `precision` is int8, fp32, torch fp32 or static; `languages` the codes of the model's card, ["mul"] for many,
    [] where it says nothing. Vectors have length 1 whether or not the model has a module for that.
    """
    return describe_files(settings, embedder_id) | {"dim": dim, "precision": precision}


def describe_files(settings: ModelSettings, embedder_id: str) -> dict[str, Any]:
    """What `describe` says, but for what only the loaded model tells: the length of a vector and the precision."""
    name, _, fingerprint = embedder_id.rpartition("@")
    return {
        "name": name,
        "fingerprint": fingerprint,
        "limit_tokens": settings.limit_tokens,
        "query_prefix": settings.query_prefix,
        "passage_prefix": settings.passage_prefix,
        "pooling": settings.pooling,
        "normalised": True,
        "languages": languages_of(settings.folder),
    }


def languages_of(folder: Path) -> list[str]:
    """The `language` in the head of the model card README.md: codes as stated, ["mul"] for "multilingual", else []."""
    try:
        card = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    head = _FRONT_MATTER.match(card)
    if head is None:
        return []
    import yaml

    try:  # as words alone: to YAML the code of Norwegian is a falsehood
        found = yaml.load(head[1], Loader=yaml.BaseLoader)  # noqa: S506 (the loader makes nothing but words)
    except yaml.YAMLError:
        return []
    value = found.get("language") if isinstance(found, dict) else None
    codes = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    codes = [str(code).strip().lower() for code in codes if str(code).strip()]
    return ["mul"] if _MANY & set(codes) else list(dict.fromkeys(codes))


def stated(folder: Path, name: str) -> dict[str, Any]:
    """The settings in a JSON file that a model may lack; {} then. Raises ModelError for a broken file."""
    found = read_json(folder, name) if (folder / name).is_file() else {}
    return found if isinstance(found, dict) else {}


def _prefixes(folder: Path) -> tuple[str, str]:
    """What the model wants before a query and before a passage."""
    settings = stated(folder, "config_sentence_transformers.json")
    prompts = settings.get("prompts") or {}
    default = prompts.get(settings.get("default_prompt_name") or "", "")
    return prompts.get("query") or default, prompts.get("document") or prompts.get("passage") or default


def _pooling(config: Mapping[str, Any]) -> str:
    named = config.get("pooling_mode")
    if named is None:
        named = [pooling for key, pooling in _OLD_POOLINGS.items() if config.get(key)]
    return named if isinstance(named, str) else "+".join(named) or _NO_POOLING


def places(reader: Path) -> float:
    """How many tokens the model in the folder `reader` has places for; infinity where it does not say."""
    config = stated(reader, "config.json")
    places = config.get("max_position_embeddings")
    if not isinstance(places, int) or places <= 0:
        return math.inf
    return places - config.get("pad_token_id", 1) - 1 if config.get("model_type") in _PADDED_PLACES else places

"""Where settings come from, and what is said of wrong ones."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

import pytest

from drzero.config import TABLES, Settings, as_toml, load_settings, setting_names
from drzero.errors import SettingsError


def fault(tmp_path: Path, text: str = "", environ: dict[str, str] | None = None, options: dict | None = None) -> str:
    if text:
        (tmp_path / "drzero.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path, environ or {}, options)
    return str(caught.value)


def test_config_defaults_are_those_of_the_contract(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {})
    assert settings == Settings()
    assert settings.loop.profile == "wikipedia"
    assert (settings.curriculum.promotion, settings.curriculum.demotion) == (0.75, 0.40)
    assert dataclasses.astuple(settings.metrics) == (80, 400, 8, 12)


def test_config_later_sources_win(tmp_path: Path) -> None:
    (tmp_path / "drzero.toml").write_text('[loop]\niterations = 3\nchallenges = 4\nprofile = "coding"\n')
    environ = {"DRZERO_LOOP_CHALLENGES": "5", "DRZERO_LOOP_PROFILE": "mine.toml", "HOME": "/"}
    settings = load_settings(tmp_path, environ, {"loop.profile": "wikipedia", "loop.attempts": None})
    loop = settings.loop
    assert (loop.iterations, loop.challenges, loop.profile, loop.attempts) == (3, 5, "wikipedia", 2)


def test_config_every_setting_has_a_variable_and_stands_in_the_sample_file(tmp_path: Path) -> None:
    (tmp_path / "drzero.toml").write_text(as_toml(), encoding="utf-8")
    assert load_settings(tmp_path, {}) == Settings()
    environ = {f"DRZERO_{name.replace('.', '_').upper()}": str(value) for name, value in setting_names().items()}
    assert load_settings(tmp_path, environ) == Settings()
    assert list(tomllib.loads(as_toml())) == list(TABLES)


def test_config_reads_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "drzero.toml").write_bytes(b"\xef\xbb\xbf[search]\r\nk = 7\r\n")
    assert load_settings(tmp_path, {}).search.k == 7


def test_config_whole_numbers_do_for_settings_with_a_fraction(tmp_path: Path) -> None:
    (tmp_path / "drzero.toml").write_text("[curriculum]\npromotion = 1\n")
    promotion = load_settings(tmp_path, {}).curriculum.promotion
    assert (promotion, type(promotion)) == (1.0, float)


def test_config_variables_of_others_are_left_alone(tmp_path: Path) -> None:
    environ = {"DRZERO_MODELS": "/models", "DRZERO_WORKSPACE": "/w", "DRZERO_TORCH_INDEX": "x", "DRZERO_LOOP_SEED": ""}
    environ.pop("DRZERO_LOOP_SEED")
    assert load_settings(tmp_path, environ) == Settings()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[loop]\niteration = 3\n", "There is no setting loop.iteration (in {file}): did you mean loop.iterations?"),
        ("[loops]\n", "In {file}, there is no setting or table called loops: did you mean loop?"),
        ("loop = 3\n", "In {file}, loop must be a table: write [loop] on a line, its keys below."),
        ('[loop]\niterations = "3"\n', "loop.iterations must be a whole number, such as 10, but is '3' in {file}."),
        ("[loop]\niterations = true\n", "loop.iterations must be a whole number, such as 10, but is True in {file}."),
        ("[loop]\niterations = 0\n", "loop.iterations must be 1 or more, but is 0 in {file}: change it there."),
        (
            "[index]\nchunk_tokens = 32\n",
            "index.chunk_tokens must be 64 or more, but is 32 in {file}: change it there.",
        ),
        (
            "[models]\ncontext_tokens = 512\n",
            "models.context_tokens must be 2048 or more, but is 512 in {file}: change it there.",
        ),
        (
            "[verify]\nmin_probability = 2\n",
            "verify.min_probability must be between 0 and 1, but is 2 in {file}: change it there.",
        ),
        (
            "[verify]\nmin_probability = nan\n",
            "verify.min_probability must be a number, such as 0, but is nan in {file}.",
        ),
        (
            "[models]\nllm = 3\n",
            'models.llm must be text in quotes, such as "qwen2.5-coder-1.5b-instruct", but is 3 in {file}.',
        ),
        (
            "[curriculum]\npromotion = 0.3\n",
            "curriculum.demotion (0.4) must be below curriculum.promotion (0.3): change one of them in {file}.",
        ),
    ],
)
def test_config_faults_of_the_file_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    assert fault(tmp_path, text) == sentence.format(file=tmp_path / "drzero.toml")


def test_config_a_broken_file_is_named_with_the_place(tmp_path: Path) -> None:
    said = fault(tmp_path, "[loop\n")
    assert said.startswith(f"{tmp_path / 'drzero.toml'} is not valid TOML (")
    assert "line 1" in said
    (tmp_path / "drzero.toml").write_bytes(b"\xff\xfe")
    assert "is not valid TOML" in fault(tmp_path)


def test_config_faults_of_variables_and_options_are_named(tmp_path: Path) -> None:
    assert fault(tmp_path, environ={"DRZERO_LOOP_ITERATIONS": "many"}) == (
        "loop.iterations must be a whole number, such as 10, but is 'many' "
        "in the environment variable DRZERO_LOOP_ITERATIONS."
    )
    assert "no setting loop.itertions (in the environment variable DRZERO_LOOP_ITERTIONS)" in fault(
        tmp_path, environ={"DRZERO_LOOP_ITERTIONS": "3"}
    )
    assert fault(tmp_path, options={"models.llm": " "}) == (
        'models.llm must be a name or a path, not empty, but is " " on the command line: change it there.'
    )


def test_config_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().loop.iterations = 3  # type: ignore[misc]

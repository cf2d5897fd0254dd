"""What all commands share: their common options, the one place where errors become sentences, and the progress line."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import shutil
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, TextIO, TypeVar

import click

from drzero.errors import DrZeroError

if TYPE_CHECKING:
    from drzero.config import Settings
    from drzero.types import Progress
    from drzero.workspace import Workspace

FAILED, LOST, INTERRUPTED = 1, 3, 130
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)

F = TypeVar("F", bound=Callable[..., Any])
V = TypeVar("V")
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(slots=True)
class Call:
    """What the common options of one call said."""

    workspace_option: str = ""
    verbose: int = 0
    quiet: bool = False
    as_json: bool = False
    options: dict[str, Any] = field(default_factory=dict)  # settings given as options, by `table.key`

    @property
    def workspace(self) -> Workspace:
        """The workspace this call works in; raises SettingsError when there is none."""
        from drzero.workspace import find_workspace

        return find_workspace(self.workspace_option, os.environ, Path.cwd())

    def settings(self) -> Settings:
        """The settings of this call, options included; raises SettingsError."""
        from drzero.config import load_settings

        return load_settings(self.workspace.root, os.environ, self.options)

    def note(self, text: str) -> None:
        """Say something on stderr that is no data, unless told to be quiet."""
        if not self.quiet and text:
            click.echo(text, err=True)

    def warn(self, text: str) -> None:
        """Say on stderr why the exit status is not 0."""
        click.echo(f"Error: {text}", err=True)

    def give(self, value: V, to_json: Callable[[V], object], to_text: Callable[[V], str]) -> None:
        """Give the result on stdout: as one JSON document after --json, else as text for a person.

        The document is plain ASCII where stdout cannot hold every letter.
        """
        if self.as_json:
            unicode_out = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
            click.echo(json.dumps(to_json(value), ensure_ascii=not unicode_out, indent=2))
        elif text := to_text(value):
            click.echo(text)

    def progress(self) -> ProgressLine:
        """A progress line on stderr, for a `with`."""
        return ProgressLine(sys.stderr, quiet=self.quiet)


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep a common option wherever it stood: before the command's name or after it."""
    call = context.ensure_object(Call)
    if value:
        setattr(call, str(parameter.name), value)
    if parameter.name == "verbose" and value:
        logging.basicConfig(format="%(name)s: %(message)s", stream=sys.stderr)
        logging.getLogger("drzero").setLevel(logging.DEBUG if value > 1 else logging.INFO)
    if parameter.name == "quiet" and value:
        logging.getLogger("drzero").setLevel(logging.ERROR)  # warnings come on stderr without any set-up


def _remember_setting(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is not None:
        context.ensure_object(Call).options[str(parameter.name).replace("__", ".", 1)] = value


def common(command: F) -> F:
    """Add --workspace, -v and -q to a command or group."""
    for option in (
        click.option(
            "-q", "--quiet", is_flag=True, expose_value=False, callback=_remember, help="No progress, no notes."
        ),
        click.option(
            "-v",
            "--verbose",
            count=True,
            expose_value=False,
            callback=_remember,
            help="Say more; -vv also where it failed.",
        ),
        click.option(
            "--workspace",
            "workspace_option",
            metavar="DIR",
            expose_value=False,
            callback=_remember,
            help="Folder to work in (default: DRZERO_WORKSPACE, or the current folder).",
        ),
    ):
        command = option(command)
    return command


def setting(flag: str, name: str, *, kind: Any = str, metavar: str | None = None, text: str) -> Callable[[F], F]:
    """An option that overrides the setting `name` (`table.key`) for this call."""
    return click.option(
        flag,
        name.replace(".", "__"),
        type=kind,
        metavar=metavar,
        expose_value=False,
        callback=_remember_setting,
        help=text,
    )


json_option = click.option(
    "--json", "as_json", is_flag=True, expose_value=False, callback=_remember, help="Print one JSON document."
)
pass_call = click.make_pass_decorator(Call, ensure=True)

embedder_option = setting(
    "--embedder",
    "models.embedder",
    metavar="MODEL",
    text="Embedder: fast, balanced or best (default balanced), a catalogue name, or a folder.",
)
reranker_option = setting(
    "--reranker",
    "models.reranker",
    metavar="MODEL",
    text="What reads the first passages again: auto (as the embedder has it), none, a catalogue name, or a folder.",
)
llm_option = setting("--llm", "models.llm", metavar="MODEL", text="Writer: a catalogue name or a GGUF file.")
judge_option = setting(
    "--judge",
    "models.judge",
    metavar="MODEL",
    text="Judge of support: auto or writer (the writer itself), or the folder of an NLI model.",
)
profile_option = setting(
    "--profile", "loop.profile", metavar="NAME", text="Profile: wikipedia, coding, or your own file."
)
index_option = click.option(
    "--index", "indexes", multiple=True, metavar="NAME", help="Use this index only; may be repeated (default: all)."
)
mode_option = click.option(
    "--mode",
    type=click.Choice(["hybrid", "dense", "lexical"]),
    default="hybrid",
    show_default=True,
    help="By meaning (dense), by words (lexical), or both.",
)


def stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator; the help shows them in this order."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


judging_options = stacked(llm_option, judge_option)
searching_options = stacked(embedder_option, reranker_option)
answering_options = stacked(judging_options, searching_options)


def json_command(command: Callable[Concatenate[Call, P], R]) -> Callable[P, R]:
    """What every command ends with: --json, the common options, and the call as its first argument."""
    return json_option(common(pass_call(command)))


def not_blank(_: click.Context, __: click.Parameter, value: str) -> str:
    """Refuse words that are none."""
    if not value.strip():
        raise click.BadParameter("it is empty")
    return value


class Program(click.Group):
    """The group of all commands: here, and nowhere else, a fault becomes a sentence and an exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command named; what it returns is the exit status. DrZeroError → 1, Ctrl-C → 130, no traceback."""
        try:
            status = super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            _leave(ctx, "Interrupted: what was finished is kept, and the same command goes on from there.", INTERRUPTED)
        except Exception as error:  # noqa: BLE001 the one place that turns every fault into a sentence
            if ctx.ensure_object(Call).verbose > 1:
                click.echo(traceback.format_exc(), err=True, nl=False)
            _leave(ctx, f"Error: {sentence(error)}", FAILED)
        if isinstance(status, int) and status:
            ctx.exit(status)
        return status


def _leave(context: click.Context, text: str, status: int) -> NoReturn:
    click.echo(text, err=True)
    context.exit(status)


def sentence(error: Exception) -> str:
    """What to tell the user of `error`: what happened, where, what to do next."""
    if isinstance(error, DrZeroError):
        return str(error)
    if isinstance(error, MemoryError):
        return (
            "Memory ran out; what was finished is kept: close other programs or choose a smaller model, "
            "then run the same command again."
        )
    if isinstance(error, OSError) and error.errno in _DISK_FULL:
        place = f" that holds {error.filename}" if error.filename else ""
        return f"The disk{place} is full; what was finished is kept: free some space and run the same command again."
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}: check that path and its permissions, then run the same command again."
    if isinstance(error, ImportError):
        return (
            f"A library that drzero needs does not load ({error}): run ./scripts/quickstart, or install drzero again."
        )
    if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
        return "The disk is full; what was finished is kept: free some space and run the same command again."
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return "Another program is writing to the same database: wait for it to end and run the same command again."
    if isinstance(error, sqlite3.OperationalError) and "readonly" in str(error):
        return "The database cannot be written to: check the permissions of the workspace, or work in another."
    if isinstance(error, sqlite3.DatabaseError) and "malformed" in str(error):
        return f"An index is damaged ({error}): run `drzero build-index --force` to make it anew."
    return (
        f"This is a fault in drzero ({type(error).__name__}: {error}): run the same command with -vv to see where, "
        "and report that."
    )


class ProgressLine:
    """Shows progress on stderr: one line rewritten on a terminal, a new line every few seconds elsewhere."""

    def __init__(self, stream: TextIO, *, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._quiet, self._clock = stream, quiet, clock
        self._terminal = stream.isatty()
        self._every_s = 0.2 if self._terminal else 5.0
        self._due = clock() + (0.0 if self._terminal else self._every_s)
        self._open = False

    def __call__(self, progress: Progress) -> None:
        """Show `progress` if it is time to."""
        from drzero import output

        now = self._clock()
        if self._quiet or now < self._due:
            return
        self._due = now + self._every_s
        text = output.progress_line(progress)
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r{text[:width]:<{width}}")
            self._open = True
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open:
            self._stream.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            self._stream.flush()


def prepare_streams() -> None:
    """A letter that the console cannot show becomes a question mark instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def refuse_models_unless(with_model: bool, call: Call) -> None:
    """Refuse options that name a model where none is asked; raises UsageError."""
    if not with_model and call.options:
        named = sorted(f"--{name.removeprefix('models.')}" for name in call.options)
        are = f"{' and '.join(named)} {'are' if len(named) > 1 else 'is'}"
        raise click.UsageError(f"{are} of use only with --with-model: without it, no model is asked.")

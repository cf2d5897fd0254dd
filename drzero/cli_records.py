"""The commands that look into the knowledge base: `drzero kb` and `drzero episodes`."""

from __future__ import annotations

import click

from drzero.terminal import LOST, Call, common, json_option, judge_option, llm_option, not_blank, pass_call

limit_option = click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many to show at most."
)


@click.group()
@common
def kb() -> None:
    """Look into the knowledge base: what was verified."""


@kb.command("list")
@limit_option
@json_option
@common
@pass_call
def kb_list(call: Call, limit: int) -> None:
    """List entries, the newest first.

    \b
    Example:
      drzero kb list --limit 5
    """
    from drzero import documents, listings, records

    call.give(records.entries(call.workspace, limit=limit), documents.entries_json, listings.entries_text)


@kb.command("search")
@click.argument("query", callback=not_blank)
@limit_option
@json_option
@common
@pass_call
def kb_search(call: Call, query: str, limit: int) -> None:
    """Find entries by the words of QUERY.

    \b
    Example:
      drzero kb search piano
    """
    from drzero import documents, listings, records

    call.give(records.entries(call.workspace, query=query, limit=limit), documents.entries_json, listings.found_text)


@kb.command("show")
@click.argument("entry_id", metavar="ID")
@json_option
@common
@pass_call
def kb_show(call: Call, entry_id: str) -> None:
    """Show one entry with its claims and the words that support them.

    \b
    Example:
      drzero kb show 3f2a
    """
    from drzero import documents, listings, records

    call.give(records.entry(call.workspace, entry_id), documents.entry_json, listings.entry_text)


@kb.command("verify")
@click.option("--with-model", is_flag=True, help="Ask the judge again, too, whether each quote supports its claim.")
@judge_option
@llm_option
@json_option
@common
@pass_call
def kb_verify(call: Call, with_model: bool) -> int:
    """Read every cited place again and judge every claim again.

    An entry whose source is missing or reads otherwise becomes stale. One whose claim no longer passes the checks of
    citations, quotes and facts becomes disputed, and is current again when it passes. No model is needed, except
    after --with-model; --judge and --llm name it.

    \b
    Example:
      drzero kb verify
      drzero kb verify --with-model
    """
    if not with_model and call.options:
        named = sorted(f"--{name.removeprefix('models.')}" for name in call.options)
        are = f"{' and '.join(named)} {'are' if len(named) > 1 else 'is'}"
        raise click.UsageError(f"{are} of use only with --with-model: without it, no model is asked.")
    from drzero import documents, listings, rechecking
    from drzero.records import knowledge_base

    with knowledge_base(call.workspace), call.workspace.locked("kb verify"):
        pass  # that there is none, or that it is in use, is told before a model is loaded
    chosen = rechecking.load_claim_judge(call.workspace, call.settings()) if with_model else None
    with call.progress() as progress:
        result = rechecking.verify_entries(call.workspace, progress, judge=chosen)
    call.give(result, documents.recheck_json, listings.recheck_text)
    return LOST if result.stale or result.disputed else 0


@click.group()
@common
def episodes() -> None:
    """Look into everything that was tried, accepted or not."""


@episodes.command("list")
@click.option("--run", default="", metavar="RUN", help="Only episodes of this run.")
@limit_option
@json_option
@common
@pass_call
def episodes_list(call: Call, run: str, limit: int) -> None:
    """List episodes, the newest first.

    \b
    Example:
      drzero episodes list --limit 5
    """
    from drzero import documents, listings, records

    call.give(records.episodes(call.workspace, run=run, limit=limit), documents.episodes_json, listings.episodes_text)


@episodes.command("show")
@click.argument("episode_id", metavar="ID")
@json_option
@common
@pass_call
def episodes_show(call: Call, episode_id: str) -> None:
    """Show one episode with its whole trace.

    \b
    Example:
      drzero episodes show 3f2a --json
    """
    from drzero import documents, listings, records

    call.give(records.episode(call.workspace, episode_id), documents.trace_json, listings.episode_text)


@episodes.command("runs")
@click.argument("run", metavar="[RUN]", default="")
@limit_option
@json_option
@common
@pass_call
def episodes_runs(call: Call, run: str, limit: int) -> None:
    """List runs, the newest first, or show what RUN did beside its episodes.

    That is how the level moved, which iterations brought nothing new, what was changed then and why, and how it fared
    with the articles it asked about most.

    \b
    Example:
      drzero episodes runs
    """
    from drzero import documents, listings, records

    call.give(records.runs(call.workspace, run=run, limit=limit), documents.runs_json, listings.runs_text)

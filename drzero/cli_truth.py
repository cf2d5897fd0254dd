"""The commands that keep the knowledge base true: `drzero kb verify` and `drzero kb merge`."""

from __future__ import annotations

from pathlib import Path

import click

from drzero.terminal import LOST, Call, json_command, judging_options, refuse_models_unless


@click.command("verify")
@click.option("--with-model", is_flag=True, help="Ask the judge again, too, whether each quote supports its claim.")
@click.option("--update", is_flag=True, help="Move citations to where their words stand now, as in a newer edition.")
@judging_options
@json_command
def kb_verify(call: Call, with_model: bool, update: bool) -> int:
    """Read every cited place again and judge every claim again.

    An entry whose source reads otherwise becomes stale; of one whose archive is not here nothing is said. Where a newer
    edition of an archive is here, that one counts. One whose claim no longer passes the checks of citations, quotes and
    facts becomes disputed, and is current again when it passes; so do two entries that contradict each other, until a
    person decides. No model is needed, except after --with-model; --judge and --llm name it. Leaves with 3 if an entry
    is stale, disputed, or cites what is not here.

    \b
    Example:
      drzero kb verify
      drzero kb verify --update
      drzero kb verify --with-model
    """
    refuse_models_unless(with_model, call)
    from drzero import documents, listings, rechecking
    from drzero.records import knowledge_base

    with knowledge_base(call.workspace), call.workspace.locked("kb verify"):
        pass  # that there is none, or that it is in use, is told before a model is loaded
    chosen = rechecking.load_claim_judge(call.workspace, call.settings()) if with_model else None
    with call.progress() as progress:
        result = rechecking.verify_entries(call.workspace, progress, judge=chosen, update=update)
    call.give(result, documents.recheck_json, listings.recheck_text)
    return LOST if result.stale or result.disputed or result.missing else 0


@click.command("merge")
@click.argument("other", metavar="OTHER.db", type=click.Path(path_type=Path))
@json_command
def kb_merge(call: Call, other: Path) -> None:
    """Bring in what another knowledge base holds, OTHER.db.

    Entries, episodes, runs, archives and what people decided come over with their ids; OTHER.db stays as it is. Of two
    entries with one answer the older is kept, supported by both. Where answers differ, the entry here becomes disputed,
    with the other answer beside it. All or nothing; a second time changes nothing.

    \b
    Example:
      drzero kb merge /media/stick/knowledge.db
    """
    from drzero import documents, listings, merging

    with call.progress() as progress:
        result = merging.merge_knowledge_base(call.workspace, other, progress)
    call.give(result, documents.merged_json, listings.merged_text)

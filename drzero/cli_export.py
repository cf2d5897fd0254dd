"""The command that carries the knowledge base away: `drzero kb export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from drzero.terminal import Call, json_command

FORMATS = ("zim", "html", "markdown", "jsonl", "anki")


@click.command("export")
@click.option("--format", type=click.Choice(FORMATS), required=True, help="What to write.")
@click.option(
    "--output", type=click.Path(path_type=Path), required=True, metavar="PATH", help="File or new folder to write."
)
@click.option(
    "--topic", "topics", multiple=True, metavar="TEXT", help="Only subjects with these words; may be repeated."
)
@click.option("--profile", default="", metavar="NAME", help="Only entries of this profile.")
@click.option("--title", default="", metavar="TEXT", help="What it is called (default: Verified encyclopedia).")
@click.option(
    "--include",
    multiple=True,
    type=click.Choice(("stale", "disputed")),
    help="Entries that are not current as well, marked so; may be repeated.",
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@json_command
def kb_export(call: Call, /, **chosen: Any) -> None:
    """Write the knowledge base as an encyclopedia, as lines or as cards.

    zim is an archive for Kiwix; html is a folder of pages with a search that any browser opens from a stick; markdown
    has an article for each subject, for a wiki; jsonl an entry with all its evidence on each line; anki is a package of
    cards. A folder that an earlier export made is replaced; anything else that is there already stays.

    \b
    Example:
      drzero kb export --format zim --output encyclopedia.zim
      drzero kb export --format html --output encyclopedia
      drzero kb export --format anki --output salt.apkg --topic salt
    """
    from drzero import documents, exporting, listings, results

    with call.progress() as progress:
        result = exporting.export(call.workspace, results.ExportOptions(**chosen), progress)
    call.give(result, documents.exported_json, listings.exported_text)
    if result.unlicensed:
        call.note(f"No licence is known for {', '.join(result.unlicensed)}: find it before you pass the export on.")

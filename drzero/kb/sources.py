"""What cited archives say of themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from drzero.kb.schema import transaction
from drzero.text import storable
from drzero.types import ArchiveInfo

if TYPE_CHECKING:
    from sqlite_utils import Database

_SAID_BY_ARCHIVES = ("title", "language", "creator", "publisher", "licence", "source")


def describe_archives(db: Database, infos: Iterable[ArchiveInfo]) -> None:
    """Keep what cited archives say of themselves, where that is not known yet; those not cited are left out."""
    with transaction(db):
        for info in infos:
            said = [storable(getattr(info, name)) for name in _SAID_BY_ARCHIVES]
            columns = ", ".join(f"{name} = iif({name} = '', ?, {name})" for name in _SAID_BY_ARCHIVES)
            unknown = " or ".join(f"({name} = '' and ? <> '')" for name in _SAID_BY_ARCHIVES)
            db.execute(f"update archives set {columns} where id = ? and ({unknown})", (*said, info.id, *said))

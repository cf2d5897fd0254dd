"""What drzero raises when it must stop.

Each error is one sentence for the user: what happened, where, and what to do next. The command line prints it
and leaves with status 1; nothing else in the package catches a `DrZeroError`, but for `evolving`, which lets a
challenge fail and goes on.
"""

from __future__ import annotations


class DrZeroError(Exception):
    """Work cannot go on; `str(error)` is the sentence to show."""


class ArchiveError(DrZeroError):
    """An archive is missing, damaged, incomplete or no ZIM file."""


class ModelError(DrZeroError):
    """A model is missing, incomplete, of the wrong kind or has the wrong hash."""


class IndexFault(DrZeroError):
    """An index is missing, out of step with itself, or made with other settings."""


class SettingsError(DrZeroError):
    """A setting or profile is unknown, of the wrong type or impossible."""


class ContextFault(SettingsError, ValueError):
    """A prompt and its answer do not fit into the writer's context."""


class KnowledgeBaseError(DrZeroError):
    """The knowledge base cannot be opened, read or written."""


class OutputFault(DrZeroError):
    """What was to be written has no place: something else is there, or nothing can be made."""


class LoopFault(DrZeroError):
    """Challenge after challenge was ended by an unexpected error."""

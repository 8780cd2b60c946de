"""An import step by step: upload, reading, names, check, run, undo. Nothing reaches the league before the run.

`create_batch` keeps the file as it came. `looked` shows how it is read and `read_as` changes that; `names_in` shows
whose names are in it and `decide_names` says who is meant; `checked` tells what the run would do. `start_import` runs
it, at once or as a job; `undo_import` takes it back for seven days.
"""

from collections.abc import Callable, Mapping

from league.models import ImportBatch, Job, League
from league.services.history import Actor
from league.services.imports.values import Look, NameMatch, Reading, Report, Undone

MOST_BYTES = 32 * 1024 * 1024
"""An upload beyond this is refused."""

AT_ONCE = 200
"""More games than this run as a job."""

NEW = "new"
"""Makes a new player of a name."""

GUEST = "guest"
"""Makes a new guest of a name."""


def create_batch(*, league: League, file_name: str, data: bytes, by: Actor) -> ImportBatch:
    """Keep an upload (a pasted text is its UTF-8 bytes). Raises ImportFileError "empty", "too_large", "not_a_table"."""
    raise NotImplementedError


def looked(batch: ImportBatch) -> Look:
    """Return the file as it is read: as chosen, as the same columns were read last time, or as they suggest."""
    raise NotImplementedError


def read_as(batch: ImportBatch, reading: Reading) -> Look:
    """Read the file in another way, remember that, and return it. What `columns` leaves out is suggested anew.

    Raises ImportFileError for a reading that cannot be, such as an encoding nobody knows; the old one stays then.
    """
    raise NotImplementedError


def names_in(batch: ImportBatch) -> list[NameMatch]:
    """Return the names of the file in its order, those nobody has decided about first. Raises ImportFileError."""
    raise NotImplementedError


def decide_names(batch: ImportBatch, choices: Mapping[str, str], *, unknown: str = "") -> None:
    """Say who names mean: by NameMatch.key a player's primary key as text, NEW, GUEST, or "" for as found.

    `unknown` is NEW or GUEST for all others nobody is found for, "" to ask. Raises ImportFileError "not_in_league".
    """
    raise NotImplementedError


def set_options(batch: ImportBatch, *, leave_out_errors: bool) -> None:
    """Say whether games with errors are left out instead of stopping the import."""
    raise NotImplementedError


def checked(batch: ImportBatch, report: Callable[[int, int], None] | None = None) -> Report:
    """Return what running it would do, and keep that with the batch. `report` hears games done and in all.

    A file that cannot be read at all is a report with problems.
    """
    raise NotImplementedError


def start_import(batch: ImportBatch, by: Actor) -> Job | None:
    """Run the import: at once, or return the job that does. One that was run already does nothing.

    Raises ImportFileError "not_ready" and what `checked` would list, JobRunningError.
    """
    raise NotImplementedError


def undo_import(batch: ImportBatch, *, reason: str, by: Actor) -> Undone:
    """Take back what the import added and changed. Raises ImportFileError "too_late", "not_done", "reason_missing"."""
    raise NotImplementedError


def may_be_undone(batch: ImportBatch) -> bool:
    """Whether the import was run within the last seven days and not undone."""
    raise NotImplementedError


def error_file(batch: ImportBatch) -> tuple[str, bytes]:
    """Return name and content of a file like the upload with only the games that have errors, and why."""
    raise NotImplementedError

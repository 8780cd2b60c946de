"""What the pages of an import show: how a file is read, whose names are in it, what it would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from league.core.imports.games import ImportNote
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.dates import DateOrder, OrderGuess
from league.models import Player

IGNORED = ""
"""The target of a column that is not read."""

MISSING = "missing"
"""What a sum lacks are riichi sticks that were left on the table."""


@dataclass(frozen=True, slots=True)
class FileReading:
    """How the bytes become rows. `columns` has a target for every column: "date", "raw", "raw2", or IGNORED.

    `header_row` counts the rows above the header, `header_rows` how many rows it takes. `year` completes dates that
    name none; 0 takes the latest that is not in the future. `delimiter` and `encoding` are empty in a workbook, `sheet`
    is empty in a text.

    What was answered about the file: `date_order` is a DateOrder, `undated` one of UNDATED or a day, `sticks` is MISSING
    where riichi sticks make up what is missing in a sum, `comma` is THOUSANDS or DECIMAL; each is empty until somebody
    has said it.
    """

    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    header_row: int = 0
    header_rows: int = 1
    form: str = RowShape.LONG
    columns: tuple[str, ...] = ()
    year: int = 0
    date_order: DateOrder = DateOrder.UNKNOWN
    undated: str = ""
    sticks: str = ""
    comma: str = ""


@dataclass(frozen=True, slots=True)
class FileQuestions:
    """What a file leaves open, and how it is answered so far.

    `samples` are dates as they stand there, with the day that each is in every order. `guess` is the order they seem to
    have. `undated` games have no date; `ways` are the answers of UNDATED that this file allows. `day_column` says which
    column gives the days: "date", "stamp", or "" for none. In `short` games sticks would make up what is missing. `comma` is
    a number in the file of which nothing tells whether its comma is a decimal mark.
    """

    samples: tuple[tuple[str, Mapping[DateOrder, date | None]], ...] = ()
    guess: OrderGuess = field(default_factory=OrderGuess)
    day_column: str = ""
    undated: int = 0
    ways: tuple[str, ...] = ()
    short: int = 0
    comma: str = ""

    def is_open(self, reading: FileReading) -> bool:
        order_unsure = bool(self.guess.dates) and not self.guess.is_sure and not reading.date_order
        comma_unsure = bool(self.comma) and not reading.comma
        return order_unsure or comma_unsure or (bool(self.undated) and not reading.undated)


@dataclass(frozen=True, slots=True)
class PreviewColumn:
    index: int
    header: str
    target: str
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name of the file and whom it means. `key` stands for it in `decide_names`.

    `how` is "key", "number", "exact", "alias", "honorific", "kana", "chosen", "new", "guest", or "ask" while nobody
    has said who it is; then `candidates` come first to mind. `count` is in how many games the name stands.
    """

    key: str
    written: str
    how: str
    player: Player | None
    candidates: tuple[Player, ...]
    count: int


ASKED = frozenset({"similar_scores", "same_scores_twice", "others_planned"})
"""Notes that ask: is it another hanchan than one that is there or stands in the file before, and did these people play it?"""

NO_WARNING = frozenset({"changes", "raw_worked_out", "points_alone"})
"""Notes that only explain what becomes of a game."""


UNBALANCED = frozenset({"unbalanced", "unbalanced_sticks", "points_unbalanced"})
"""What scoring says of games that do not add up."""


@dataclass(frozen=True, slots=True)
class RowStatus:
    """What becomes of one game of the file. `lines` are its lines there, `label` names it for people.

    `status` is "added", "changed", "same", "error" or "left_out"; `notes` say why, or what to look at all the same.
    """

    lines: tuple[int, ...]
    status: str
    label: str
    notes: tuple[ImportNote, ...]

    @property
    def is_wrong(self) -> bool:
        return self.status in {"error", "left_out"}

    @property
    def is_unbalanced(self) -> bool:
        """Whether nothing but its sum is wrong with a game, so that somebody may take it as it is."""
        wrong = [note for note in self.notes if note.code not in NO_WARNING]
        return self.is_wrong and all(note.code == "scoring" and note.values["scoring"] in UNBALANCED for note in wrong)

    @property
    def is_as_it_is(self) -> bool:
        return any(note.code == "as_is" for note in self.notes)

    @property
    def off_by(self) -> str:
        """By how much the sum is off of a game that does not add up, taken as it is or not; empty for one that does."""
        said = [note.values.get("values", note.values) for note in self.notes if note.code in {"scoring", "as_is"}]
        return next((str(values["difference"]) for values in said if "difference" in values), "")

    @property
    def is_warned(self) -> bool:
        return not self.is_wrong and any(note.code not in NO_WARNING for note in self.notes)

    @property
    def is_asked(self) -> bool:
        return self.status == "added" and any(note.code in ASKED for note in self.notes)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What running the import would do, or did.

    `rows` lists the first games of each kind: those with errors, those with something to say, then the others. `errors`
    counts games that cannot be stored; they stop the whole import unless they are left out. `asked` counts those that may
    be there already; they stop it until somebody says that they are other hanchan. `unbalanced` ones are errors that somebody
    may take as they are, `as_is` those that are taken so. `renumbered` are sessions of the league that would be called by other
    numbers: day, before and after. `problems` stop it in any case.
    """

    games: int = 0
    added: int = 0
    changed: int = 0
    same: int = 0
    errors: int = 0
    warnings: int = 0
    asked: int = 0
    unbalanced: int = 0
    as_is: int = 0
    leaves_out_errors: bool = False
    takes_asked: bool = False
    people: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    renumbered: tuple[str, ...] = ()
    rows: tuple[RowStatus, ...] = ()
    problems: tuple[ImportNote, ...] = ()
    notes: tuple[ImportNote, ...] = ()

    @property
    def is_ready(self) -> bool:
        is_decided = (self.leaves_out_errors or not self.errors) and (self.takes_asked or not self.asked)
        return not self.problems and bool(self.added or self.changed) and is_decided


LISTED_OF_A_KIND = 200
"""So many games that come to the same end are listed at most; the counts are of all."""

LISTED_ERRORS = 1000
"""Of games with errors more are listed: they are mended in the table."""


@dataclass(frozen=True, slots=True)
class ImportUndoReport:
    voided: int = 0
    corrected: int = 0
    sessions: int = 0
    people: int = 0
    left: tuple[str, ...] = ()

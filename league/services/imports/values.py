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
"""Wrong sums that riichi sticks explain."""


@dataclass(frozen=True, slots=True)
class FileReading:
    """How bytes become rows. `columns`: a target per column: "date", "raw", "raw2", or IGNORED.

    `header_row`: rows above the header; `header_rows`: its rows. `year`: for dates without one, 0 for the latest that
    is not in the future. `delimiter` and `encoding` are "" for workbooks, `sheet` for texts.

    Answers, "" if not given: `date_order`: a DateOrder; `undated`: one of UNDATED or a date; `sticks`: MISSING if
    sticks explain short totals; `comma`: THOUSANDS or DECIMAL.
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
    """Open questions of a file and current answers.

    `samples`: dates with their meaning per order; `guess`: the likely order; `undated`: games without a date; `ways`:
    possible answers of UNDATED; `day_column`: "date", "stamp" or ""; `short`: games that sticks would explain; `comma`:
    an ambiguous number.
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
    """A name and its player. `key`: its id for `decide_names`.

    `how`: "key", "number", "exact", "alias", "honorific", "kana", "chosen", "new", "guest", or "ask"; then `candidates`
    are likely players. `count`: number of games.
    """

    key: str
    written: str
    how: str
    player: Player | None
    candidates: tuple[Player, ...]
    count: int


ASKED = frozenset({"similar_scores", "same_scores_twice", "others_planned"})
"""Notes that ask whether it is another hanchan, and whether these players played."""

NO_WARNING = frozenset({"changes", "raw_worked_out", "points_alone"})
"""Notes that only explain what becomes of a game."""


UNBALANCED = frozenset({"unbalanced", "unbalanced_sticks", "points_unbalanced"})
"""Scoring errors of wrong sums."""


@dataclass(frozen=True, slots=True)
class RowStatus:
    """The outcome of a game. `lines`: its lines in the file; `label`: its display name.

    `status`: "added", "changed", "same", "error" or "left_out"; `notes`: reasons and remarks.
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
        """Whether a wrong total is the only error."""
        wrong = [note for note in self.notes if note.code not in NO_WARNING]
        return self.is_wrong and all(note.code == "scoring" and note.values["scoring"] in UNBALANCED for note in wrong)

    @property
    def is_as_it_is(self) -> bool:
        return any(note.code == "as_is" for note in self.notes)

    @property
    def off_by(self) -> str:
        """The difference of a wrong total, accepted or not; "" if right."""
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
    """The outcome of an import, before or after running it.

    `rows`: first games of each kind: errors, remarks, others. `errors`: games that cannot be stored, which block the
    import unless left out. `asked`: possible duplicates, which block it until confirmed. `unbalanced`: errors that can
    be accepted; `as_is`: accepted ones. `renumbered`: sessions with day, old and new number. `problems` always block
    it.
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
"""Games listed per result; counts cover all."""

LISTED_ERRORS = 1000
"""Games with errors listed, as they are corrected there."""


@dataclass(frozen=True, slots=True)
class ImportUndoReport:
    voided: int = 0
    corrected: int = 0
    sessions: int = 0
    people: int = 0
    left: tuple[str, ...] = ()

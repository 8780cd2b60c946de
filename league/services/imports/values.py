from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from league.core.imports.games import ImportNote
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.dates import DateOrder
from league.core.spreadsheets.headers import form_of

BESIDE, INCLUDED = "beside", "included"
"""Answers: points without raw scores do not contain the points of chips, or do."""

MISSING, AS_IS, LEAVE_OUT, APART = "missing", "as_is", "leave_out_errors", "apart"
"""Answers: games with wrong totals are accepted, with leftover riichi sticks for missing points or not, or left out; APART:
days with sessions under other rules than the chosen ones get new sessions.
"""

NO_PRIZE, ASK = "none", "ask"
"""Answers: busts by unknown causes pay no prize, or the user chooses their causes."""

TAKE, SKIP = "take", "skip"
"""Answers: games that may be duplicates are imported, or not."""

NEW, GUEST = MADE = ("new", "guest")
SAME = "same"
"""Answers: a name means a new player, a new guest, or the person of another spelling in the file."""


@dataclass(frozen=True, slots=True)
class FileReading:
    """How an upload is read and imported, as stored in `ImportBatch.reading`.

    `columns`: one target per column, such as "date", "raw" or "raw2", "" if it is not read.

    `layout`: one of core.spreadsheets.layouts. `header_row`: number of rows above the header, -1 to find it;
    `header_rows`: rows of the header itself. `year`: for dates without
    one, 0 for the latest year that is not in the future. `rules`: key in `choosable_versions` of the version that new sessions play
    by, "" for that of the sessions before. `encoding` is "" for workbooks, `sheet` for
    text files.

    The other fields are the answers to the questions of the same name, "" if not answered. `undated`: one of UNDATED or
    a date; `comma`: THOUSANDS or DECIMAL; `as_is`: about wrong totals; `asked`: about possible duplicates;
    `leave_out_errors`: about games with other errors; `by_date`: "1" if existing sessions are renumbered, "0" if not;
    `unknown`: what names mean that resemble no other; `payers`: the causes of busts as cells of a file, each after the
    number of its game and the seat.
    """

    encoding: str = ""
    sheet: str = ""
    layout: str = ""
    header_row: int = -1
    header_rows: int = 1
    columns: tuple[str, ...] = ()
    year: int = 0
    rules: str = ""
    date_order: DateOrder = DateOrder.UNKNOWN
    undated: str = ""
    comma: str = ""
    chips: str = ""
    busts: str = ""
    payers: tuple[tuple[int, int, str], ...] = ()
    as_is: str = ""
    asked: str = ""
    leave_out_errors: bool = False
    by_date: str = ""
    unknown: str = NEW

    @property
    def form(self) -> RowShape:
        return form_of(self.columns)

    @property
    def leaves_out(self) -> bool:
        return self.leave_out_errors or self.as_is == LEAVE_OUT


ASKED = frozenset({"similar_scores", "same_scores_twice", "others_planned"})
"""Notes asking whether a game is a duplicate, or whether these players really played it."""

NO_WARNING = frozenset({"raw_worked_out", "points_alone", "no_prize"})
"""Notes that only inform."""

REMARKS = ASKED | NO_WARNING | {"as_is", "points_differ", "placement_differs"}
"""Notes on a game that can be stored."""

WAITING = frozenset({"name_unknown", "bust_unexplained"})
"""Errors that the answer to a question removes."""

UNBALANCED = frozenset({"unbalanced", "unbalanced_sticks", "points_unbalanced"})
"""Scoring errors about a wrong total."""


@dataclass(frozen=True, slots=True)
class RowStatus:
    """The outcome for a game. `lines`: its first and last line in the file or its `sheet`; `label`: its display name.

    `status`: "added", "same", "error" or "left_out"; `notes`: errors and remarks. `number`: its position in the
    file; `seats`: name, raw score and points of each player; `busted`: seats that are bust by no known cause.
    """

    lines: str
    status: str
    label: str
    notes: tuple[ImportNote, ...]
    day: date | None = None
    number: int = 0
    seats: tuple[tuple[str, int | None, int | None], ...] = ()
    busted: tuple[int, ...] = ()
    sheet: str = ""
    table: int = 0
    round: int = 0

    @property
    def read(self) -> tuple[date | None, list[tuple[str, int | None]]]:
        """The day and scores, as a page shows them before the points are calculated."""
        return self.day, [(name, points if raw is None else raw) for name, raw, points in self.seats]

    @property
    def total(self) -> tuple[int, int] | None:
        """The total of the raw scores and the number of players; None if a raw score is unknown."""
        raw = [score for _name, score, _points in self.seats if score is not None]
        return (sum(raw), len(raw)) if len(raw) == len(self.seats) else None

    @property
    def expected(self) -> int:
        """The total that the rules require if it is another one."""
        total = self.total[0] if self.total else 0
        wrong = [note.values["values"] for note in self.notes if note.values.get("scoring") in UNBALANCED]
        taken = [note.values for note in self.notes if note.code == "as_is"]
        return next((total - int(values["difference"]) for values in wrong + taken), 0)

    @property
    def under(self) -> int:
        """The version that rejects it, of a session that is there already; 0 if it is none."""
        return next((note.values["under"] for note in self.notes if "under" in note.values), 0)

    @property
    def is_wrong(self) -> bool:
        return self.status in {"error", "left_out"}

    @property
    def waits(self) -> bool:
        """Whether answers to questions remove all its errors."""
        return self.status == "error" and not self.errors

    @property
    def is_bad(self) -> bool:
        """Whether it has an error that no question covers."""
        return self.is_wrong and bool(self.errors)

    @property
    def is_unbalanced(self) -> bool:
        """Whether a wrong total is its only such error."""
        return self.is_bad and self.errors <= UNBALANCED

    @property
    def is_as_it_is(self) -> bool:
        return any(note.code == "as_is" for note in self.notes)

    @property
    def is_warned(self) -> bool:
        return not self.is_wrong and any(note.code not in NO_WARNING for note in self.notes)

    @property
    def is_asked(self) -> bool:
        return self.status in {"added", "left_out"} and any(note.code in ASKED for note in self.notes)

    @property
    def told(self) -> list[ImportNote]:
        """Errors and warnings that are not in WAITING."""
        return [note for note in self.notes if note.values.get("scoring", note.code) not in WAITING | NO_WARNING]

    @property
    def errors(self) -> set[str]:
        """Codes of the errors that are not in WAITING."""
        return {note.values.get("scoring", note.code) for note in self.told} - REMARKS


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of checking an import, as stored in `ImportBatch.report`.

    `rows`: the first games of each kind: errors, remarks, others. `errors`: number of games that cannot be stored; they
    block the import unless left out. `waiting`: those that an answer to an open question corrects. `asked`: possible
    duplicates; they block it until decided. `unbalanced`: errors that can be accepted; `as_is`: accepted ones. `busts`:
    games with a bust by no known cause. `unneeded`: keys of names in games with errors alone. `totals`: points outside
    hanchan that will be stored: name, points, number of hanchan. `sessions`: day and title of
    new ones, `beside`: day, number and title of others on these days, `versions`: primary keys of the rules they play by; `joined`: day, number and title of others that get results; `days`: of all of these; `renumbered`: day,
    old and new number. `problems` always block the import, as does `is_asking`: a question about the file.
    """

    games: int = 0
    added: int = 0
    same: int = 0
    errors: int = 0
    warnings: int = 0
    asked: int = 0
    unbalanced: int = 0
    as_is: int = 0
    busts: int = 0
    waiting: int = 0
    is_asking: bool = False
    leaves_out_errors: bool = False
    is_asked_decided: bool = False
    people: tuple[str, ...] = ()
    unneeded: tuple[str, ...] = ()
    totals: tuple[tuple[str, int, int], ...] = ()
    sessions: tuple[tuple[date, str], ...] = ()
    beside: tuple[tuple[date, int, str], ...] = ()
    versions: tuple[int, ...] = ()
    joined: tuple[tuple[date, int, str], ...] = ()
    days: tuple[date, ...] = ()
    renumbered: tuple[tuple[date, int, int], ...] = ()
    rows: tuple[RowStatus, ...] = ()
    problems: tuple[ImportNote, ...] = ()
    notes: tuple[ImportNote, ...] = ()

    @property
    def same_total(self) -> tuple[int, int] | None:
        """The total of raw scores and the number of players, if those of all games agree but the rules reject some."""
        found = {row.total for row in self.rows if row.seats and (not row.is_bad or row.is_unbalanced)}
        is_alike = len(found) == 1 and self.games > 1 and self.unbalanced + self.as_is > 0
        return found.pop() if is_alike else None

    @property
    def wrong(self) -> int:
        """Errors that no question covers."""
        return self.errors - self.waiting

    @property
    def is_decided(self) -> bool:
        is_decided = (self.leaves_out_errors or not self.errors) and (self.is_asked_decided or not self.asked)
        return not (self.problems or self.is_asking or self.waiting) and is_decided

    @property
    def is_ready(self) -> bool:
        return self.is_decided and bool(self.added or self.totals)

    def has_shown(self, later: ImportReport) -> bool:
        """Return whether a page with this report showed the days, scores, points and numbers of a `later` one."""
        read = {row.number: row.read for row in self.rows if row.seats}
        same = all(read.get(row.number, row.read) == row.read for row in later.rows if row.seats)
        is_same = (self.totals, self.renumbered) == (later.totals, later.renumbered)
        return is_same and same and bool(read or not later.games)


LISTED_OF_A_KIND = 200
"""Games listed per kind; the counts include all."""


@dataclass(slots=True)
class ImportUndoReport:
    """How many hanchan, sessions and players an undo took back, and what it left because it had changed."""

    voided: int = 0
    sessions: int = 0
    people: int = 0
    left: list[str] = field(default_factory=list)

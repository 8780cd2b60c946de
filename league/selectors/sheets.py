"""A session as the paper shows it: a score table of rounds and players."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from operator import attrgetter

from django.db.models import F, Q, Sum

from league.core.periods import Period
from league.models import Hanchan, Incident, Player, Seat, Session
from league.selectors.games import game_from, seats_of
from league.selectors.points_without_hanchan import points_without_hanchan
from scoring.core import Ledger, ScoringError, ScoringRules, score
from scoring.core.hanchan import STICK

TWELFTHS = 12
"""Placements are counted in twelfths: players who share a placement share the places they cover."""


class SumVerdict(StrEnum):
    """Whether a row of the sheet adds up."""

    BALANCED = "balanced"
    EXPLAINED = "explained"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class SumOfRow:
    """The sum of a row, in 1/1000 pt or raw; `sticks` is how many riichi sticks nobody got, when that explains it."""

    total: int
    verdict: SumVerdict
    sticks: int = 0


@dataclass(frozen=True, slots=True)
class SheetCell:
    """One player's result in one round; `points` in 1/1000 pt of the sheet's ledger, `counts` unless it is disputed.

    `table` is 0 in a session of one table.
    """

    seat: Seat
    table: int
    points: int
    counts: bool


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One round: its hanchan, each with its table or 0, and one cell per column; None means that the player sat out.

    `sums` is what each column has after the round, in 1/1000 pt, before what lies on the totals only. `waits` while a
    table of the evening has not brought its result: then nobody can tell who sat out.
    """

    round: int
    hanchan: tuple[tuple[int, Hanchan], ...]
    cells: tuple[SheetCell | None, ...]
    sums: tuple[int, ...]
    check: SumOfRow
    raw_check: SumOfRow
    waits: bool = False

    @property
    def columns(self) -> tuple[tuple[SheetCell | None, int], ...]:
        """Each column's cell and sum."""
        return tuple(zip(self.cells, self.sums, strict=True))

    @property
    def sum(self) -> int:
        """What all columns have after the round."""
        return sum(self.sums)


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """One player's sums of the session, in 1/1000 pt; `places` in twelfths, first place first.

    `rank` is by the total among the players of the session; equal totals share it.
    """

    player: Player
    subtotal: int
    total_only: int
    adjustment: int
    without_hanchan: int
    places: tuple[int, ...]
    before: int
    chips: int
    rank: int = 0

    @property
    def total(self) -> int:
        """What the session brought altogether."""
        return self.subtotal + self.total_only + self.adjustment + self.without_hanchan

    @property
    def running(self) -> int:
        """The total of the year after the session."""
        return self.before + self.total


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score table of a session, in one ledger. `year` is the period that the running total belongs to."""

    ledger: str
    year: Period
    columns: tuple[SheetColumn, ...]
    rows: tuple[SheetRow, ...]
    voided: tuple[Hanchan, ...]
    has_tables: bool
    seats_per_table: int

    @property
    def hanchan(self) -> int:
        """How many hanchan count."""
        return sum(len(row.hanchan) for row in self.rows)

    @property
    def subtotal(self) -> int:
        """The sum of all points of all hanchan."""
        return sum(column.subtotal for column in self.columns)

    @property
    def total_only(self) -> int:
        """The sum of what lies on the totals only."""
        return sum(column.total_only for column in self.columns)

    @property
    def adjustment(self) -> int:
        """The sum of the day's adjustments."""
        return sum(column.adjustment for column in self.columns)

    @property
    def without_hanchan(self) -> int:
        """The sum of the points without hanchan of those who also played some."""
        return sum(column.without_hanchan for column in self.columns)

    @property
    def total(self) -> int:
        """The sum of everything."""
        return sum(column.total for column in self.columns)

    @property
    def has_adjustments(self) -> bool:
        """Whether anybody's total was adjusted on the day."""
        return any(column.adjustment for column in self.columns)

    @property
    def has_points_without_hanchan(self) -> bool:
        """Whether anybody of the table also has points of hanchan that nobody has."""
        return any(column.without_hanchan for column in self.columns)

    @property
    def has_chips(self) -> bool:
        """Whether chips changed hands."""
        return any(cell and cell.seat.chips for row in self.rows for cell in row.cells)

    @property
    def chips(self) -> int:
        """The sum of all chips; 0 unless somebody brought some."""
        return sum(column.chips for column in self.columns)

    @property
    def is_split(self) -> bool:
        """Whether more players played than sit at one table."""
        return len(self.columns) > self.seats_per_table

    @property
    def next_round(self) -> int | None:
        """The round that comes next; None where several tables may be at different ones."""
        return None if self.has_tables or not self.rows else self.rows[-1].round + 1

    @property
    def adds_up(self) -> bool:
        """Whether every row does."""
        return all(row.check.verdict != SumVerdict.WRONG for row in self.rows)


def sheet_of(session: Session, ledger: str) -> Sheet:
    """Return the score table of a session. Six queries, whatever the number of hanchan."""
    hanchan = list(
        session.hanchan.select_related("ruleset_version")
        .prefetch_related("seats__player", "incidents")
        .order_by("round", "table", "played_at", "pk")
    )
    for game in hanchan:
        game.league = session.league
    standing = [game for game in hanchan if not game.is_voided]
    counted = [game for game in standing if game.counts]
    players = _in_order_of_appearance(standing)
    year = session.league.periods_of(session.date)[1]
    has_tables = session.tables > 1 or any(game.table > 1 for game in standing)
    rules = _rules_of(standing)
    sums = _Sums(session, year, players, ledger)
    rows = (_row(games, players, ledger, rules, has_tables=has_tables) for games in _rounds(standing))
    return Sheet(
        ledger=ledger,
        year=year,
        columns=_ranked([sums.column(player, counted) for player in players.values()]),
        rows=tuple(_with_sums(_with_gaps(rows, session))),
        voided=tuple(game for game in hanchan if game.is_voided),
        has_tables=has_tables,
        seats_per_table=len(seats_of(standing[0])) if standing else 0,
    )


def points_in(seat: Seat, ledger: str) -> int:
    """Return a seat's points in a ledger."""
    return seat.settlement if ledger == Ledger.SETTLEMENT else seat.points


def _in_order_of_appearance(hanchan: Iterable[Hanchan]) -> dict[int, Player]:
    return {seat.player_id: seat.player for game in hanchan for seat in seats_of(game)}


def _rounds(hanchan: Sequence[Hanchan]) -> list[list[Hanchan]]:
    """Return the hanchan in rows: a row per round, more when somebody sat at two tables of it."""
    rows: list[list[Hanchan]] = []
    for _, games in groupby(hanchan, key=attrgetter("round")):
        taken: list[tuple[list[Hanchan], set[int]]] = []
        for game in games:
            seated = {seat.player_id for seat in game.seats.all()}
            free = next((row for row in taken if not row[1] & seated), None)
            if free is None:
                taken.append(([game], seated))
            else:
                free[0].append(game)
                free[1].update(seated)
        rows += [row for row, _ in taken]
    return rows


def _row(
    games: Sequence[Hanchan],
    players: Mapping[int, Player],
    ledger: str,
    rules: Mapping[int, ScoringRules | None],
    *,
    has_tables: bool,
) -> SheetRow:
    cells = {
        seat.player_id: SheetCell(seat, game.table if has_tables else 0, points_in(seat, ledger), game.counts)
        for game in games
        for seat in seats_of(game)
    }
    return SheetRow(
        round=games[0].round,
        hanchan=tuple((game.table if has_tables else 0, game) for game in games),
        cells=tuple(cells.get(player) for player in players),
        sums=(),
        check=_check(games, ledger, rules),
        raw_check=_raw_check(games, rules),
    )


def _with_gaps(rows: Iterable[SheetRow], session: Session) -> Iterator[SheetRow]:
    """Yield the rows of an evening that goes on with those marked in which a table is still missing."""
    rows = list(rows)
    tables = {game.table for row in rows for _table, game in row.hanchan}
    is_open = session.state == Session.State.OPEN
    for row in rows:
        here = {game.table for _table, game in row.hanchan}
        yield replace(row, waits=is_open and here != tables)


def _with_sums(rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
    """Yield the rows with what every column has after each; what does not count is left out, as in the subtotal."""
    sums: list[int] = []
    for row in rows:
        sums = [
            before + (cell.points if cell and cell.counts else 0)
            for before, cell in zip(sums or [0] * len(row.cells), row.cells, strict=True)
        ]
        yield replace(row, sums=tuple(sums))


def _ranked(columns: Sequence[SheetColumn]) -> tuple[SheetColumn, ...]:
    totals = [column.total for column in columns]
    return tuple(
        replace(column, rank=1 + sum(other > total for other in totals))
        for column, total in zip(columns, totals, strict=True)
    )


def _rules_of(hanchan: Iterable[Hanchan]) -> dict[int, ScoringRules | None]:
    versions = {game.ruleset_version_id: game.ruleset_version for game in hanchan}
    return {pk: version.readable() for pk, version in versions.items()}


def _check(games: Iterable[Hanchan], ledger: str, rules: Mapping[int, ScoringRules | None]) -> SumOfRow:
    total, sticks, is_right = 0, 0, True
    for game in games:
        seats = seats_of(game)
        points = sum(points_in(seat, ledger) for seat in seats)
        total += points
        sticks += game.sticks_left if points else 0
        is_right = is_right and points == _expected(game, seats, ledger, rules[game.ruleset_version_id])
    if not is_right:
        return SumOfRow(total, SumVerdict.WRONG)
    return SumOfRow(total, SumVerdict.EXPLAINED, sticks) if total else SumOfRow(total, SumVerdict.BALANCED)


def _raw_check(games: Iterable[Hanchan], rules: Mapping[int, ScoringRules | None]) -> SumOfRow:
    """Return whether the raw scores and the sticks on the table are what the players sat down with."""
    total, sticks, is_right = 0, 0, True
    for game in games:
        version, seats = rules[game.ruleset_version_id], seats_of(game)
        raw = sum(seat.raw_score for seat in seats)
        expected = len(seats) * (version.start_points or 0) if version else None
        total += raw
        sticks += game.sticks_left
        is_right = is_right and raw + STICK * game.sticks_left == expected
    if not is_right:
        return SumOfRow(total, SumVerdict.WRONG)
    return SumOfRow(total, SumVerdict.EXPLAINED, sticks) if sticks else SumOfRow(total, SumVerdict.BALANCED)


def _expected(game: Hanchan, seats: Sequence[Seat], ledger: str, rules: ScoringRules | None) -> int | None:
    """Return what the points of a hanchan must add up to under its rules; None if they cannot score it."""
    if rules is None:
        return None
    incidents: Iterable[Incident] = game.incidents.all()
    try:
        scored = score(game_from(game.sticks_left, seats, incidents), rules)
    except ScoringError:
        return None
    return sum(seat.points[Ledger(ledger)] for seat in scored.seats)


class _Sums:
    """What each player of a session has besides its hanchan: adjustments and points of the day, the year before."""

    def __init__(self, session: Session, year: Period, players: Mapping[int, Player], ledger: str) -> None:
        self._ledger = ledger
        self._places = int(session.ruleset_version.parameters.get("players", 4))
        self._adjusted: Counter[int] = Counter()
        self._without_hanchan: Counter[int] = Counter()
        self._before: Counter[int] = Counter()
        earlier = Q(hanchan__session__date__lt=session.date) | Q(
            hanchan__session__date=session.date, hanchan__session__number__lt=session.number
        )
        column = "settlement" if ledger == Ledger.SETTLEMENT else "points"
        seats = Seat.objects.counted().in_period(year).filter(earlier, league=session.league, player__in=players)
        for player, points in seats.order_by().values_list("player").annotate(sum=Sum(F(column) + F("total_only"))):
            self._before[player] += points
        self._add_extras(session, year, players)

    def _add_extras(self, session: Session, year: Period, players: Iterable[int]) -> None:
        """Add what comes from no hanchan; what belongs to no session of its day stands with the first one."""
        earlier = session.league.sessions.filter(date=session.date, number__lt=session.number)
        first = None if earlier.exists() else session.number
        for extra in points_without_hanchan(session.league, year, players):
            number = first if extra.session is None else extra.session
            if extra.day == session.date and number == session.number:
                sums = self._without_hanchan if extra.stands_for else self._adjusted
                sums[extra.player] += extra.points
            elif (extra.day, number or 0) < (session.date, session.number):
                self._before[extra.player] += extra.points

    def column(self, player: Player, hanchan: Iterable[Hanchan]) -> SheetColumn:
        seats = [seat for game in hanchan for seat in game.seats.all() if seat.player_id == player.pk]
        return SheetColumn(
            player=player,
            subtotal=sum(points_in(seat, self._ledger) for seat in seats),
            total_only=sum(seat.total_only for seat in seats),
            adjustment=self._adjusted[player.pk],
            without_hanchan=self._without_hanchan[player.pk],
            places=places_of(seats, self._places),
            before=self._before[player.pk],
            chips=sum(seat.chips for seat in seats),
        )


def places_of(seats: Iterable[Seat], places: int) -> tuple[int, ...]:
    """Return how often each place was taken, in twelfths; players who share a placement share the places it covers."""
    counts: Counter[int] = Counter()
    for seat in seats:
        for place in range(seat.placement, seat.placement + seat.sharing):
            counts[place] += TWELFTHS // seat.sharing
    return tuple(counts[place] for place in range(1, max(places, *counts, 0) + 1))

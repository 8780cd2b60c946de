"""A session's score table: rounds as rows, players as columns, with totals and checks of sums."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from operator import attrgetter

from django.db.models import F, Prefetch, Q, Sum

from league.core.board_lines import TWELFTHS
from league.core.periods import Period
from league.models import Hanchan, Incident, Player, Seat, Session
from league.selectors.games import game_from, seats_of
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.sessions import house_of
from scoring.core import Ledger, ScoringError, ScoringRules, score
from scoring.core.hanchan import STICK


class SumVerdict(StrEnum):
    BALANCED = "balanced"
    EXPLAINED = "explained"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class SumOfRow:
    """The sum of a row, in 1/1000 pt or raw points; `sticks`: leftover riichi sticks that explain a difference."""

    total: int
    verdict: SumVerdict
    sticks: int = 0


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A player's result in a round; `points` in 1/1000 pt of the sheet's ledger.

    `table`: 0 if the session has a single table. `counts`: not disputed. `beside`: same table as the previous cell.
    """

    seat: Seat
    table: int
    points: int
    counts: bool
    beside: bool = False


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A round: its hanchan with their tables (or 0), and a cell per column, None if the player sat out.

    `sums`: running totals in 1/1000 pt without adjustments. `waits`: a table has no result, so it is unknown who sat out.
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
        return tuple(zip(self.cells, self.sums, strict=True))

    @property
    def sum(self) -> int:
        return sum(self.sums)


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A player's totals of the session, in 1/1000 pt. `places`: counts in twelfths, 1st place first.

    `rank`: by total within the session; ties share a rank, house players have 0. `placements`: in order of play.
    """

    player: Player
    subtotal: int
    total_only: int
    adjustment: int
    without_hanchan: int
    places: tuple[int, ...]
    before: int
    chips: int
    placements: tuple[int, ...]
    rank: int = 0

    @property
    def total(self) -> int:
        return self.subtotal + self.total_only + self.adjustment + self.without_hanchan

    @property
    def running(self) -> int:
        return self.before + self.total


class Totals:
    """Sums over all players of a session."""

    __slots__ = ()
    columns: tuple[SheetColumn, ...]

    @property
    def ranking(self) -> list[SheetColumn]:
        return sorted(self.columns, key=lambda column: (not column.rank, column.rank, column.player.sort_key))

    @property
    def has_ties(self) -> bool:
        ranks = [column.rank for column in self.columns if column.rank]
        return len({*ranks}) < len(ranks)

    @property
    def total(self) -> int:
        return sum(column.total for column in self.columns)

    @property
    def has_chombo(self) -> bool:
        return any(column.total_only for column in self.columns)

    @property
    def has_before(self) -> bool:
        return any(column.before for column in self.columns)

    @property
    def has_adjustments(self) -> bool:
        return any(column.adjustment for column in self.columns)

    @property
    def has_points_without_hanchan(self) -> bool:
        return any(column.without_hanchan for column in self.columns)


@dataclass(frozen=True, slots=True)
class Sheet(Totals):
    """The score table of a session in one ledger. `year`: the period of the running totals."""

    ledger: str
    year: Period
    columns: tuple[SheetColumn, ...]
    rows: tuple[SheetRow, ...]
    voided: tuple[Hanchan, ...]
    has_tables: bool
    seats_per_table: int

    @property
    def hanchan(self) -> int:
        return sum(len(row.hanchan) for row in self.rows)

    @property
    def standing(self) -> list[Hanchan]:
        return [game for row in self.rows for _table, game in row.hanchan]

    @property
    def subtotal(self) -> int:
        return sum(column.subtotal for column in self.columns)

    @property
    def total_only(self) -> int:
        return sum(column.total_only for column in self.columns)

    @property
    def adjustment(self) -> int:
        return sum(column.adjustment for column in self.columns)

    @property
    def without_hanchan(self) -> int:
        return sum(column.without_hanchan for column in self.columns)

    @property
    def has_chips(self) -> bool:
        return any(cell and cell.seat.chips for row in self.rows for cell in row.cells)

    @property
    def has_chip_prizes(self) -> bool:
        return pays_prizes_in_chips(self.standing)

    @property
    def chips(self) -> int:
        return sum(column.chips for column in self.columns)

    @property
    def is_split(self) -> bool:
        return len(self.columns) > self.seats_per_table

    @property
    def adds_up(self) -> bool:
        return all(row.check.verdict != SumVerdict.WRONG for row in self.rows)


def pays_prizes_in_chips(hanchan: Iterable[Hanchan]) -> bool:
    """Return whether bust prizes are paid in chips under the rules of any of these hanchan.

    The prizes are not part of the entered chips.
    """
    bust = (game.ruleset_version.parameters.get("bust") or {} for game in hanchan)
    return any(rule.get("prize") and rule.get("prize_in") == "chips" for rule in bust)


def points_in(seat: Seat, ledger: str) -> int:
    return seat.settlement if ledger == Ledger.SETTLEMENT else seat.points


def rules_of(hanchan: Iterable[Hanchan]) -> dict[int, ScoringRules | None]:
    """Return the rules of these hanchan by primary key of the version; None if they cannot be read."""
    versions = {game.ruleset_version_id: game.ruleset_version for game in hanchan}
    return {pk: version.readable() for pk, version in versions.items()}


def points_check(games: Iterable[Hanchan], ledger: str, rules: Mapping[int, ScoringRules | None]) -> SumOfRow:
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


def raw_check(games: Iterable[Hanchan], rules: Mapping[int, ScoringRules | None]) -> SumOfRow:
    """Check whether raw scores and riichi sticks add up to the start points."""
    total, sticks, is_right = 0, 0, True
    for game in games:
        version, seats = rules[game.ruleset_version_id], seats_of(game)
        if not game.has_raw_scores:
            continue
        raw = sum(seat.raw_score or 0 for seat in seats)
        expected = len(seats) * (version.start_points or 0) if version else None
        total += raw
        sticks += game.sticks_left
        is_right = is_right and raw + STICK * game.sticks_left == expected
    if not is_right:
        return SumOfRow(total, SumVerdict.WRONG)
    return SumOfRow(total, SumVerdict.EXPLAINED, sticks) if sticks else SumOfRow(total, SumVerdict.BALANCED)


def _expected(game: Hanchan, seats: Sequence[Seat], ledger: str, rules: ScoringRules | None) -> int | None:
    """Return the expected sum of points under the hanchan's rules, or None if they cannot score it."""
    if rules is None:
        return None
    incidents: Iterable[Incident] = game.incidents.all()
    try:
        scored = score(game_from(game.sticks_left, seats, incidents, as_is=game.as_is), rules)
    except ScoringError:
        return None
    return sum(seat.points[Ledger(ledger)] for seat in scored.seats)


def points_before(session: Session, year: Period, players: Collection[int], points: str) -> Counter[int]:
    """Return players' points from the year's hanchan before a session, in 1/1000 pt. At most one query.

    `points`: the column of the ledger.
    """
    if not players:
        return Counter()
    is_before = Q(hanchan__session__date__lt=session.date) | Q(
        hanchan__session__date=session.date, hanchan__session__number__lt=session.number
    )
    seats = Seat.objects.counted().filter(
        is_before, league=session.league_id, player__in=players, day__gte=year.start, day__lt=year.end
    )
    gained = seats.order_by().values_list("player").annotate(gained=Sum(F(points) + F("total_only")))
    return Counter({player: int(found) for player, found in gained})


class PlayerSums:
    def __init__(self, session: Session, year: Period, players: Collection[int], ledger: str) -> None:
        self._ledger = ledger
        self.places = int(session.ruleset_version.parameters.get("players", 4))
        self._adjusted: Counter[int] = Counter()
        self._without_hanchan: Counter[int] = Counter()
        column = "settlement" if ledger == Ledger.SETTLEMENT else "points"
        self._before = points_before(session, year, players, column)
        self._add_points_without_hanchan(session, year, players)

    def _add_points_without_hanchan(self, session: Session, year: Period, players: Iterable[int]) -> None:
        """Add points without hanchan; those without a session belong to the first session of their day."""
        earlier = session.league.sessions.filter(date=session.date, number__lt=session.number)
        lines = points_without_hanchan(session.league, year, players)
        is_first = any(line.session is None for line in lines) and not earlier.exists()
        first = session.number if is_first else None
        for line in lines:
            number = first if line.session is None else line.session
            if line.day == session.date and number == session.number:
                sums = self._without_hanchan if line.is_sum else self._adjusted
                sums[line.player] += line.points
            elif (line.day, number or 0) < (session.date, session.number):
                self._before[line.player] += line.points

    def column(self, player: Player, seats: Sequence[Seat]) -> SheetColumn:
        return SheetColumn(
            player=player,
            subtotal=sum(points_in(seat, self._ledger) for seat in seats),
            total_only=sum(seat.total_only for seat in seats),
            adjustment=self._adjusted[player.pk],
            without_hanchan=self._without_hanchan[player.pk],
            places=places_of(seats, self.places),
            before=self._before[player.pk],
            chips=sum(seat.chips for seat in seats),
            placements=tuple(seat.placement for seat in seats),
        )


def places_of(seats: Iterable[Seat], places: int) -> tuple[int, ...]:
    """Return how often each placement was reached, in twelfths; a shared placement is split over those it covers."""
    counts: Counter[int] = Counter()
    for seat in seats:
        for place in range(seat.placement, seat.placement + seat.sharing):
            counts[place] += TWELFTHS // seat.sharing
    return tuple(counts[place] for place in range(1, max(places, *counts, 0) + 1))


def sheet_of(session: Session, ledger: str) -> Sheet:
    """Return the score table of a session. Five queries."""
    hanchan = hanchan_of(session)
    standing = [game for game in hanchan if not game.is_voided]
    has_tables = session.tables > 1 or any(game.table > 1 for game in standing)
    rules = rules_of(standing)
    columns = columns_of(session, standing, ledger)
    players = [column.player.pk for column in columns]
    rows = [_row(games, players, ledger, rules, has_tables=has_tables) for games in _rounds(standing)]
    return Sheet(
        ledger=ledger,
        year=session.league.periods_of(session.date)[1],
        columns=columns,
        rows=tuple(_with_sums(_with_gaps(rows))),
        voided=tuple(game for game in hanchan if game.is_voided),
        has_tables=has_tables,
        seats_per_table=len(seats_of(standing[0])) if standing else 0,
    )


def hanchan_of(session: Session) -> list[Hanchan]:
    """Return the hanchan of a session by round and table, with seats and players."""
    hanchan = list(
        session.hanchan.select_related("ruleset_version")
        .prefetch_related(Prefetch("seats", Seat.objects.select_related("player").order_by("seat")), "incidents")
        .order_by("round", "table", "played_at", "pk")
    )
    for game in hanchan:
        game.league = session.league
    return hanchan


def columns_of(session: Session, standing: Iterable[Hanchan], ledger: str) -> tuple[SheetColumn, ...]:
    """Return the totals of the players of these hanchan, ranked; disputed results do not count."""
    seats: dict[Player, list[Seat]] = {}
    for game in standing:
        for seat in seats_of(game):
            seats.setdefault(seat.player, [])
            if game.counts:
                seats[seat.player].append(seat)
    year = session.league.periods_of(session.date)[1]
    sums = PlayerSums(session, year, [player.pk for player in seats], ledger)
    house = {player for known in house_of for _session, player in known([session])}
    return ranked([sums.column(player, taken) for player, taken in seats.items()], house)


def _rounds(hanchan: Sequence[Hanchan]) -> list[list[Hanchan]]:
    """Group hanchan into rows, one per round; more if a player sat at two tables in the same round."""
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
    players: Iterable[int],
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
        cells=tuple(_grouped(cells.get(player) for player in players)),
        sums=(),
        check=points_check(games, ledger, rules),
        raw_check=raw_check(games, rules),
    )


def _grouped(cells: Iterable[SheetCell | None]) -> Iterator[SheetCell | None]:
    """Yield the cells of a row; if all players of a table are in a row, `beside` marks all but the first."""
    found, table = [*cells], None
    runs = Counter(table for table, _same in groupby(cell.table for cell in found if cell))
    for cell in found:
        yield replace(cell, beside=cell.table == table and runs[table] == 1) if cell else None
        table = cell.table if cell else table


def _with_gaps(rows: Sequence[SheetRow]) -> Iterator[SheetRow]:
    """Yield the rows; `waits` marks those where a table of the session has no result."""
    tables = {game.table for row in rows for _table, game in row.hanchan}
    for row in rows:
        here = {game.table for _table, game in row.hanchan}
        yield replace(row, waits=here != tables)


def _with_sums(rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
    """Yield the rows with running totals by column; disputed results do not count, as in the subtotal."""
    sums: list[int] = []
    for row in rows:
        sums = [
            before + (cell.points if cell and cell.counts else 0)
            for before, cell in zip(sums or [0] * len(row.cells), row.cells, strict=True)
        ]
        yield replace(row, sums=tuple(sums))


def ranked(columns: Sequence[SheetColumn], house: Collection[int] = ()) -> tuple[SheetColumn, ...]:
    """Return the columns in the same order with ranks by total; ties share a rank, house players have none."""
    totals = sorted((column.total for column in columns if column.player.pk not in house), reverse=True)
    first = {total: rank for rank, total in reversed([*enumerate(totals, start=1)])}
    return tuple(replace(each, rank=0 if each.player.pk in house else first[each.total]) for each in columns)

"""Builds the score table of a session from its hanchan."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from django.db.models import Prefetch

from league.models import Hanchan, Player, Seat, Session
from league.selectors.games import seats_of
from league.selectors.sheets.sums import PlayerSums, points_check, points_in, raw_check, rules_of
from league.selectors.sheets.table import Sheet, SheetCell, SheetColumn, SheetRow
from scoring.core import ScoringRules


def sheet_of(session: Session, ledger: str) -> Sheet:
    """Return the score table of a session. Five queries."""
    hanchan = hanchan_of(session)
    standing = [game for game in hanchan if not game.is_voided]
    has_tables = session.tables > 1 or any(game.table > 1 for game in standing)
    rules = rules_of(standing)
    columns = columns_of(session, standing, ledger)
    players = [column.player.pk for column in columns]
    rows = (_row(games, players, ledger, rules, has_tables=has_tables) for games in _rounds(standing))
    return Sheet(
        ledger=ledger,
        year=session.league.periods_of(session.date)[1],
        columns=columns,
        rows=tuple(_with_sums(_with_gaps(rows, session))),
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
    return ranked([sums.column(player, taken) for player, taken in seats.items()])


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
    """Yield the cells of a row; `beside` marks a cell at the same table as the last cell before it."""
    table = None
    for cell in cells:
        yield replace(cell, beside=cell.table == table) if cell else None
        table = cell.table if cell else table


def _with_gaps(rows: Iterable[SheetRow], session: Session) -> Iterator[SheetRow]:
    """Yield the rows; `waits` marks those of an open session where a table's result is missing."""
    rows = list(rows)
    tables = {game.table for row in rows for _table, game in row.hanchan}
    is_open = session.state == Session.State.OPEN
    for row in rows:
        here = {game.table for _table, game in row.hanchan}
        yield replace(row, waits=is_open and here != tables)


def _with_sums(rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
    """Yield the rows with running totals by column; disputed results do not count, as in the subtotal."""
    sums: list[int] = []
    for row in rows:
        sums = [
            before + (cell.points if cell and cell.counts else 0)
            for before, cell in zip(sums or [0] * len(row.cells), row.cells, strict=True)
        ]
        yield replace(row, sums=tuple(sums))


def ranked(columns: Sequence[SheetColumn]) -> tuple[SheetColumn, ...]:
    """Return the columns in the same order with ranks by total; ties share a rank."""
    first = {
        total: rank
        for rank, total in reversed([*enumerate(sorted((column.total for column in columns), reverse=True), start=1)])
    }
    return tuple(replace(column, rank=first[column.total]) for column in columns)

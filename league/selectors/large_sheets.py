"""Sessions too large for one score table: totals as a list, and hanchan by round or table in parts."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.lookups import GreaterThan

from league.core.periods import Period
from league.models import Hanchan, Seat, Session
from league.selectors import sheets
from league.selectors.games import seats_of

MOST_PLAYERS, MOST_HANCHAN = 48, 40
"""Limits of a score table with all players and rounds."""

HANCHAN_OF_PART = 48
"""Hanchan per part; rounds with more tables are split."""

ROUND, TABLE = "round", "table"


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A round or table, or a part of one with many hanchan. `name`: its name in URLs."""

    number: int
    name: str
    hanchan: tuple[Hanchan, ...]


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """A hanchan of the shown part; seats with points of the sheet's ledger, first dealer first."""

    hanchan: Hanchan
    seats: tuple[tuple[Seat, int], ...]
    check: sheets.SumOfRow


@dataclass(frozen=True, slots=True)
class LargeSheet(sheets.Totals):
    """A session with many players: totals, and one part of its hanchan."""

    ledger: str
    year: Period
    by: str
    hanchan: int
    columns: tuple[sheets.SheetColumn, ...]
    parts: tuple[SheetPart, ...]
    shown: SheetPart
    tables: tuple[PlayedTable, ...]
    standing: tuple[Hanchan, ...]
    marked: tuple[Hanchan, ...]
    voided: tuple[Hanchan, ...]

    @property
    def has_chips(self) -> bool:
        return any(column.chips for column in self.columns)

    @property
    def has_chip_prizes(self) -> bool:
        return sheets.pays_prizes_in_chips(self.standing)


def with_size(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Annotate sessions with `is_large`, and `has_parts` (tables postponed to other sessions)."""
    seats = Seat.objects.valid().filter(hanchan__session=OuterRef("pk")).order_by().values("hanchan__session")
    players = seats.values(size=Count("player", distinct=True))
    hanchan = seats.values(size=Count("hanchan", distinct=True))
    sized: QuerySet[Session] = sessions.annotate(
        is_large=Q(GreaterThan(Subquery(players), MOST_PLAYERS)) | Q(GreaterThan(Subquery(hanchan), MOST_HANCHAN)),
        has_parts=Exists(Session.objects.filter(postponed_from=OuterRef("pk"))),
    )
    return sized


def large_sheet(session: Session, ledger: str, by: str, part: str) -> LargeSheet:
    """Return a large session with the named part, by default the latest round or first table."""
    hanchan = sheets.hanchan_of(session)
    standing = tuple(game for game in hanchan if not game.is_voided)
    parts = _parts(standing, by)
    shown = next((each for each in parts if each.name == part), parts[-1] if by == ROUND else parts[0])
    rules = sheets.rules_of(shown.hanchan)
    return LargeSheet(
        ledger=ledger,
        year=session.league.periods_of(session.date)[1],
        by=by,
        hanchan=len(standing),
        columns=sheets.columns_of(session, standing, ledger),
        parts=parts,
        shown=shown,
        tables=tuple(
            PlayedTable(
                game,
                tuple((seat, sheets.points_in(seat, ledger)) for seat in seats_of(game)),
                sheets.points_check([game], ledger, rules),
            )
            for game in shown.hanchan
        ),
        standing=standing,
        marked=tuple(game for game in hanchan if game.is_disputed),
        voided=tuple(game for game in hanchan if game.is_voided),
    )


def _parts(hanchan: Iterable[Hanchan], by: str) -> tuple[SheetPart, ...]:
    found: dict[int, list[Hanchan]] = defaultdict(list)
    for game in hanchan:
        found[game.table if by == TABLE else game.round].append(game)
    parts: list[SheetPart] = []
    for number, games in sorted(found.items()):
        starts = range(0, len(games), HANCHAN_OF_PART)
        names = [f"{number}-{place}" for place in range(1, len(starts) + 1)] if len(starts) > 1 else [str(number)]
        begun = zip(names, starts, strict=True)
        parts += [SheetPart(number, name, tuple(games[start : start + HANCHAN_OF_PART])) for name, start in begun]
    return tuple(parts)

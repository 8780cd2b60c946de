"""Sessions too large for one score table: totals as a list, and hanchan by round or table in parts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, prefetch_related_objects
from django.db.models.lookups import GreaterThan

from league.core.periods import Period
from league.models import Hanchan, Incident, Player, RulesetVersion, Seat, Session
from league.selectors.sheets.session import ranked
from league.selectors.sheets.sums import PlayerSums, places_from, points_check, points_in, rules_of
from league.selectors.sheets.table import SheetColumn, SumOfRow, Totals, pays_prizes_in_chips

MOST_PLAYERS, MOST_HANCHAN = 48, 40
"""Limits of a score table with all players and rounds."""

HANCHAN_OF_PART = 48
"""Hanchan per part; rounds with more tables are split."""

ROUND, TABLE = "round", "table"


class PlayedSeat(NamedTuple):
    """Columns of a seat for a session's totals; points in 1/1000 pt of the sheet's ledger."""

    hanchan: int
    round: int
    table: int
    counts: bool
    player: int
    points: int
    total_only: int
    chips: int
    placement: int
    sharing: int


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A round or table, or a part of one with many hanchan. `name`: its name in URLs."""

    number: int
    name: str
    hanchan: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """A hanchan of the shown part; seats with points of the sheet's ledger, first dealer first."""

    hanchan: Hanchan
    seats: tuple[tuple[Seat, int], ...]
    check: SumOfRow


@dataclass(frozen=True, slots=True)
class LargeSheet(Totals):
    """A session with many players: totals, and one part of its hanchan."""

    ledger: str
    year: Period
    by: str
    hanchan: int
    columns: tuple[SheetColumn, ...]
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
        return pays_prizes_in_chips(self.standing)


def with_size(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Annotate sessions with `is_large`, and `has_parts` (tables postponed to other sessions)."""
    seats = Seat.objects.valid().filter(hanchan__session=OuterRef("pk")).order_by().values("hanchan__session")
    players = seats.values(size=Count("player", distinct=True))
    hanchan = seats.values(size=Count("hanchan", distinct=True))
    parts = Session.objects.filter(postponed_from=OuterRef("pk"))
    sized: QuerySet[Session] = sessions.annotate(
        is_large=Q(GreaterThan(Subquery(players), MOST_PLAYERS)) | Q(GreaterThan(Subquery(hanchan), MOST_HANCHAN)),
        has_parts=Exists(parts),
    )
    return sized


def large_sheet(session: Session, ledger: str, by: str, part: str) -> LargeSheet:
    """Return a large session with the named part, by default the latest round or first table. Seven queries."""
    seats = _played(session, ledger)
    parts = _parts(seats, by)
    shown = next((each for each in parts if each.name == part), parts[-1] if by == ROUND else parts[0])
    players = Player.objects.order_by().in_bulk({seat.player for seat in seats})
    year = session.league.periods_of(session.date)[1]
    sums = PlayerSums(session, year, players, ledger)
    counted = [seat for seat in seats if seat.counts]
    games = _hanchan(session, shown.hanchan)
    return LargeSheet(
        ledger=ledger,
        year=year,
        by=by,
        hanchan=len({seat.hanchan for seat in seats}),
        columns=ranked(_columns(counted, players, sums)),
        parts=parts,
        shown=shown,
        tables=_tables([games[pk] for pk in shown.hanchan], players, ledger),
        standing=tuple(game for game in games.values() if not game.is_voided),
        marked=tuple(game for game in games.values() if game.is_disputed),
        voided=tuple(game for game in games.values() if game.is_voided),
    )


PLAYED = """
    SELECT hanchan.id, hanchan.round, hanchan."table", seat.counted, seat.player_id, seat.{points}, seat.total_only,
           seat.chips, seat.placement, seat.sharing
    FROM league_hanchan AS hanchan JOIN league_seat AS seat ON seat.hanchan_id = hanchan.id
    WHERE hanchan.session_id = %s AND hanchan.state <> 'voided'
    ORDER BY hanchan.round, hanchan."table", hanchan.played_at, hanchan.id, seat.seat
"""
"""The seats of a session by round and table; `points` is a column name."""


def _played(session: Session, ledger: str) -> list[PlayedSeat]:
    points = "settlement" if ledger == session.league.RankingLedger.SETTLEMENT else "points"
    with connection.cursor() as cursor:
        cursor.execute(PLAYED.format(points=points), [session.pk])
        return [PlayedSeat(*row) for row in cursor.fetchall()]


def _parts(seats: Iterable[PlayedSeat], by: str) -> tuple[SheetPart, ...]:
    found: dict[int, dict[int, None]] = defaultdict(dict)
    for seat in seats:
        found[seat.table if by == TABLE else seat.round].setdefault(seat.hanchan)
    parts: list[SheetPart] = []
    for number in sorted(found):
        chunks = [*_chunks(list(found[number]))]
        several = len(chunks) > 1
        parts += [
            SheetPart(number, f"{number}-{place}" if several else str(number), chunk)
            for place, chunk in enumerate(chunks, start=1)
        ]
    return tuple(parts)


def _chunks(hanchan: Sequence[int]) -> Iterable[tuple[int, ...]]:
    for start in range(0, len(hanchan), HANCHAN_OF_PART):
        yield tuple(hanchan[start : start + HANCHAN_OF_PART])


def _columns(seats: Iterable[PlayedSeat], players: dict[int, Player], sums: PlayerSums) -> list[SheetColumn]:
    points, total_only, chips = Counter[int](), Counter[int](), Counter[int]()
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for seat in seats:
        points[seat.player] += seat.points
        total_only[seat.player] += seat.total_only
        chips[seat.player] += seat.chips
        places[seat.player].append((seat.placement, seat.sharing))
    return [
        replace(
            sums.column(player, ()),
            subtotal=points[pk],
            total_only=total_only[pk],
            chips=chips[pk],
            places=places_from(places[pk], sums.places),
            placements=tuple(placement for placement, _sharing in places[pk]),
        )
        for pk, player in players.items()
    ]


def _hanchan(session: Session, shown: Sequence[int]) -> dict[int, Hanchan]:
    """Return all hanchan of a session by primary key; seats are prefetched only where needed. Four queries.

    Needed for the shown part, and for voided, disputed and unconfirmed hanchan. Three queries if all use the session's
    rules.
    """
    found = list(session.hanchan.order_by("round", "table", "played_at", "pk"))
    others = {game.ruleset_version_id for game in found} - {session.ruleset_version_id}
    versions = RulesetVersion.objects.in_bulk(others) if others else {}
    for game in found:
        game.league = session.league
        game.ruleset_version = versions.get(game.ruleset_version_id, session.ruleset_version)
    told = [game for game in found if game.pk in {*shown} or game.is_voided or game.is_disputed or game.is_awaiting]
    parts = (Prefetch("seats", Seat.objects.order_by("seat")), Prefetch("incidents", Incident.objects.order_by("pk")))
    prefetch_related_objects(told, *parts)
    return {game.pk: game for game in found}


def _tables(hanchan: Sequence[Hanchan], players: Mapping[int, Player], ledger: str) -> tuple[PlayedTable, ...]:
    rules = rules_of(hanchan)
    for game in hanchan:
        for seat in game.seats.all():
            seat.player = players[seat.player_id]
    return tuple(
        PlayedTable(
            game,
            tuple((seat, points_in(seat, ledger)) for seat in game.seats.all()),
            points_check([game], ledger, rules),
        )
        for game in hanchan
    )

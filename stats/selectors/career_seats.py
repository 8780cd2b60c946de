"""Careers computed from seats: all seats of some hanchan with related facts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import Q

from league.core.board_lines import halves_of
from league.models import Hanchan, Incident, League, RulesetVersion, Seat
from league.selectors.games import game_in_columns
from league.selectors.standings_sql import points_column
from scoring.core import Ledger, ScoringRules, score
from scoring.core.ruleset import Part
from stats.core.careers import Career, career_of
from stats.core.statistics import Meeting, PlayedHanchan

BELOW_ZERO = -100
"""A raw score that means bust under every rule set with busts."""

SCORE_PARTS = (Part.BASE, Part.OKA, Part.LEFTOVER, Part.ROUNDING, Part.FLOOR)
"""Parts of the points that depend on the raw score."""


class CareerSeat(NamedTuple):
    """One player's line in a hanchan; `points` of the league's ledger, parts of the ranking points, in 1/1000 pt."""

    hanchan: int
    player: int
    day: date
    seat: int
    placement: int
    sharing: int
    raw: int | None
    points: int
    total_only: int
    is_bust: bool
    base: int
    oka: int
    uma: int
    chips: int
    chombo: int
    deposits: int
    session: int
    rules: int
    sticks_left: int
    as_is: bool


COLUMNS = ("hanchan_id", "player_id", "day", "seat", "placement", "sharing", "raw_score")
MORE_COLUMNS = ("total_only", "is_bust", "base", "oka", "uma", "chips", "chombo", "deposits")
OF_HANCHAN = ("session_id", "ruleset_version_id", "sticks_left", "as_is")

Table = tuple[CareerSeat, ...]
"""The seats of a hanchan."""

Busts = Sequence[tuple[int, dict[str, Any]]]
"""The busts of a hanchan as (player, details)."""


@dataclass(frozen=True)
class CareerRows:
    """Seats in order of play, with facts of their hanchan.

    `rules`: by version. `yakuman`: number by hanchan and seat. `busts`: by hanchan. `held`: the league's sessions on
    those days. `is_settled`: the league ranks by settlement.
    """

    seats: Sequence[CareerSeat] = ()
    rules: Mapping[int, ScoringRules | None] = field(default_factory=dict)
    yakuman: Mapping[tuple[int, int], int] = field(default_factory=dict)
    busts: Mapping[int, Busts] = field(default_factory=dict)
    held: Collection[int] = ()
    is_settled: bool = False

    def between(self, start: date, end: date) -> "CareerRows":
        """Return the rows of days from `start` up to but not including `end`."""
        return replace(self, seats=[row for row in self.seats if start <= row.day < end])

    @cached_property
    def busted(self) -> Mapping[tuple[int, int], int]:
        """How many players were busted by a player's wins, by hanchan and seat.

        With several winners it counts for each.
        """
        return Counter(
            (hanchan, winner)
            for hanchan, busts in self.busts.items()
            for _, detail in busts
            if detail.get("by") == "win"
            for winner in detail.get("winners", ())
        )

    def splits(self, table: Table) -> list[tuple[int, int]]:
        """Return each seat's points from score and from placement, in the league's ledger.

        Seats store these parts for the ranking; settlement is calculated again.
        """
        rules = self.rules.get(table[0].rules)
        if not self.is_settled or rules is None or any(row.raw is None for row in table):
            return [(row.base + row.oka, row.uma) for row in table]
        facts = ((row.raw or 0, row.chombo, row.chips, row.deposits) for row in table)
        columns = list(zip(*facts, strict=True))
        busts = self.busts.get(table[0].hanchan, ())
        scored = score(game_in_columns(table[0].sticks_left, columns, busts, as_is=bool(table[0].as_is)), rules)
        parts = scored.parts(Ledger.SETTLEMENT)
        nothing = (0,) * len(table)
        scores = map(sum, zip(*(parts.get(part, nothing) for part in SCORE_PARTS), strict=True))
        return list(zip(scores, parts.get(Part.UMA, nothing), strict=True))


def seat_rows(league: League, condition: Q, held: Q | None = None) -> CareerRows:
    """Return the seats matching a condition. Four queries.

    `held`: condition for the hanchan whose sessions are returned.
    """
    counted = Seat.objects.counted().filter(condition)
    of_hanchan = (f"hanchan__{name}" for name in OF_HANCHAN)
    of_seats = counted.values_list(*COLUMNS, points_column(league), *MORE_COLUMNS, *of_hanchan)
    hanchan = Hanchan.objects.counted().filter(held or Q(pk=None), league=league).order_by()
    versions = RulesetVersion.objects.filter(ruleset__league=league).order_by()
    kinds = (Incident.Kind.YAKUMAN, Incident.Kind.BUST)
    incidents = Incident.objects.filter(hanchan__in=counted.order_by().values("hanchan_id"), kind__in=kinds)
    seats = [CareerSeat._make(row) for row in of_seats.order_by("day", "played_at", "hanchan_id", "seat")]
    yakuman: Counter[tuple[int, int]] = Counter()
    busts: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    for pk, seat, kind, detail in incidents.order_by("pk").values_list("hanchan_id", "seat", "kind", "detail"):
        if kind == Incident.Kind.YAKUMAN:
            yakuman[pk, seat] += 1
        else:
            busts.setdefault(pk, []).append((seat, detail))
    return CareerRows(
        seats,
        {pk: version.readable() for pk, version in versions.in_bulk({row.rules for row in seats}).items()},
        yakuman,
        busts,
        set(hanchan.values_list("session_id", flat=True).distinct()),
        league.ledger == League.RankingLedger.SETTLEMENT,
    )


def careers_of(rows: CareerRows, players: Collection[int] | None = None) -> dict[int, Career]:
    """Return careers computed from these seats, of all players or of some."""
    games: dict[int, list[PlayedHanchan]] = {}
    meetings: dict[int, list[Meeting]] = {}
    for _, together in groupby(rows.seats, key=attrgetter("hanchan")):
        table = tuple(together)
        for row, split in zip(table, rows.splits(table), strict=True):
            if players is None or row.player in players:
                games.setdefault(row.player, []).append(_played(rows, row, len(table), split))
                meetings.setdefault(row.player, []).extend(_meetings(row, table))
    held = tuple(sorted(rows.held))
    return {each: career_of(own, meetings[each], held) for each, own in games.items()}


def _played(rows: CareerRows, row: CareerSeat, players: int, split: tuple[int, int]) -> PlayedHanchan:
    place, rules = (row.hanchan, row.seat), rows.rules.get(row.rules)
    return PlayedHanchan(
        hanchan=row.hanchan,
        seat=row.seat,
        placement=row.placement,
        sharing=row.sharing,
        players=players,
        raw=row.raw,
        points=row.points,
        is_bust=bool(row.is_bust),
        day=row.day.toordinal(),
        session=row.session,
        start=rules.start_points if rules else None,
        score_points=split[0],
        uma=split[1],
        chips=row.chips,
        chombo=row.chombo,
        yakuman=rows.yakuman.get(place, 0),
        busted_others=rows.busted.get(place, 0),
        total_only=row.total_only,
        ends_at_bust=rules is not None and rules.is_bust(BELOW_ZERO),
    )


def _meetings(mine: CareerSeat, table: Iterable[CareerSeat]) -> Iterator[Meeting]:
    for theirs in table:
        if theirs is not mine:
            own, other = (halves_of(row.placement, row.sharing) for row in (mine, theirs))
            yield Meeting(theirs.player, own, other, mine.points, theirs.points)

"""The rows that a result is stored in: the hanchan, its seats with what scoring derives, what happened besides."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from league.core.derived import Derivation
from league.models import Hanchan, Incident, Player, RulesetVersion, Seat, Session
from league.services.results.values import HanchanResult, TableAndTime
from scoring.core import ScoringRules, write_game

RULE_SETS_AT_HAND = 8
"""Rule sets whose derivation is kept: a file has few."""


class DerivedSeat(NamedTuple):
    """A seat with everything that scoring derives from the result; the fields are called as those of `Seat`.

    From `placement` on they are the columns of `league.core.derived`, in their order.
    """

    player: Player
    seat: int
    raw_score: int | None
    chips: int
    deposits: int
    chombo: int
    placement: int
    sharing: int
    is_bust: bool
    points: int
    settlement: int
    base: int
    oka: int
    uma: int
    bust: int
    chip_points: int
    other: int
    total_only: int

    @property
    def player_id(self) -> int:
        """The player's primary key."""
        return self.player.pk


def plain_seats(result: HanchanResult, rules: ScoringRules) -> list[DerivedSeat]:
    """Return the seats of a result, the first dealer first, points in 1/1000 pt. Raises ScoringError."""
    game = result.game
    derived = _derivation(rules).seats(game)
    nothing = (0,) * game.size
    facts = zip(
        result.players,
        range(game.size),
        game.raw or (None,) * game.size,
        game.chips or nothing,
        game.deposits or nothing,
        game.chombo or nothing,
        strict=True,
    )
    return [DerivedSeat(*typed, *columns) for typed, columns in zip(facts, derived, strict=True)]


_derivation = lru_cache(RULE_SETS_AT_HAND)(Derivation)


def derived_seats(result: HanchanResult, rules: ScoringRules) -> list[Seat]:
    """Return unsaved seats with everything that scoring derives from the result. Raises ScoringError."""
    return [Seat(**seat._asdict()) for seat in plain_seats(result, rules)]


def new_hanchan(
    session: Session, result: HanchanResult, table_and_time: TableAndTime, version: RulesetVersion, moment: datetime
) -> Hanchan:
    """Return the unsaved hanchan of a result; `table_and_time` has its number within the table, else it is the first."""
    return Hanchan(
        league=session.league,
        session=session,
        key=table_and_time.key or f"h-{table_and_time.client_key.hex}",
        client_key=table_and_time.client_key,
        table=table_and_time.table,
        round=table_and_time.round or 1,
        played_at=moment,
        day=session.league.day_of(moment),
        ruleset_version=version,
        end_reason=result.end_reason,
        sticks_left=result.game.sticks_left,
        note=result.note,
        given=result.given,
        as_is=result.game.as_is,
    )


def seated(hanchan: Hanchan, seats: Iterable[Seat]) -> list[Seat]:
    """Return the seats with the copies that let a board be summed from them alone.

    By player: keys of players are locked as their seats are stored, in the order in which a merge locks players.
    """
    rows = sorted(seats, key=lambda seat: seat.player_id)
    for seat in rows:
        seat.hanchan, seat.league = hanchan, hanchan.league
        seat.day, seat.played_at = hanchan.day, hanchan.played_at
        seat.counted = hanchan.counts
    return rows


def store_rows(hanchan: Hanchan, seats: Sequence[Seat], result: HanchanResult) -> list[Incident]:
    """Store seats and incidents under a hanchan that has just been saved; return the incidents."""
    Seat.objects.bulk_create(seated(hanchan, seats))
    return Incident.objects.bulk_create(incidents_of(hanchan, result))


def incidents_of(hanchan: Hanchan, result: HanchanResult) -> list[Incident]:
    """Return the unsaved incidents of a result: busts with their cause, chombo, yakuman."""
    game: dict[str, Any] = write_game(result.game)
    rows = []
    for bust in game.get("busts", []):
        detail = {key: value for key, value in bust.items() if key != "seat"}
        rows.append(Incident(hanchan=hanchan, seat=bust["seat"], kind=Incident.Kind.BUST, detail=detail))
    for seat, count in enumerate(result.game.chombo):
        rows += [Incident(hanchan=hanchan, seat=seat, kind=Incident.Kind.CHOMBO) for _ in range(count)]
    rows += [
        Incident(hanchan=hanchan, seat=seat, kind=Incident.Kind.YAKUMAN, note=note) for seat, note in result.yakuman
    ]
    return rows

"""What a player did in a month, in a form from which achievements follow: months in order, no hanchan looked at again.

Every achievement is earned once, by the first hanchan with which it is true. So what a player has earned is a function
of their months, whatever was changed in which order. docs/adr/0057 tells how months are kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple


class Feat(StrEnum):
    """What can be achieved, as it is listed."""

    FIRST_TOP = "first_top"
    TOPS_3 = "tops_3"
    TOPS_5 = "tops_5"
    TOPS_10 = "tops_10"
    HANCHAN_100 = "hanchan_100"
    HANCHAN_500 = "hanchan_500"
    RAW_60 = "raw_60"
    RAW_80 = "raw_80"
    YAKUMAN = "yakuman"
    NO_LAST = "no_last"
    FOUR_SEATS = "four_seats"
    EVERYBODY = "everybody"


TOPS_IN_A_ROW: Mapping[Feat, int] = {Feat.TOPS_3: 3, Feat.TOPS_5: 5, Feat.TOPS_10: 10}
HANCHAN_PLAYED: Mapping[Feat, int] = {Feat.HANCHAN_100: 100, Feat.HANCHAN_500: 500}
RAW_SCORE: Mapping[Feat, int] = {Feat.RAW_60: 60_000, Feat.RAW_80: 80_000}

EVERYBODY_FROM = 8
"""Somebody who has met fewer opponents has not beaten everybody yet, though there is nobody left."""

NO_LAST_FROM = 10
"""So many hanchan a month without a last place needs where the league asks for no minimum in a month."""

SEATS = 4


class FeatSeat(NamedTuple):
    """A player's line in a hanchan. `met` and `beaten`: opponents at the table, and those who were placed lower."""

    hanchan: int
    seat: int
    placement: int
    players: int
    raw: int | None
    has_yakuman: bool
    met: tuple[int, ...]
    beaten: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MonthFeats:
    """A month of one player. All but `hanchan` and opponents are places in `hanchan`, which is in order of play.

    `tops`: where a hanchan was won. `raws`: by achievement, where its score was reached first. `seats`: by seat, where it won first.
    `met`: by opponent, where they were met first and where they were beaten first, None if they were not.
    `no_last`: whether the month is over, long enough, and without a last place.
    """

    hanchan: tuple[int, ...] = ()
    tops: tuple[int, ...] = ()
    raws: Mapping[str, int] = field(default_factory=dict)
    yakuman: int | None = None
    seats: Mapping[int, int] = field(default_factory=dict)
    met: Mapping[int, tuple[int, int | None]] = field(default_factory=dict)
    no_last: bool = False


def month_feats(seats: Sequence[FeatSeat], minimum: int, *, is_over: bool) -> MonthFeats:
    """Return what these seats of a player's month come to; in order of play. `minimum`: the league's for a month."""
    raws: dict[str, int] = {}
    won: dict[int, int] = {}
    met: dict[int, tuple[int, int | None]] = {}
    for place, seat in enumerate(seats):
        if seat.placement == 1:
            won.setdefault(seat.seat, place)
        for feat, score in RAW_SCORE.items():
            if (seat.raw or 0) >= score:
                raws.setdefault(feat.value, place)
        for opponent in seat.met:
            first, beaten = met.get(opponent, (place, None))
            met[opponent] = first, place if beaten is None and opponent in seat.beaten else beaten
    is_clear = all(seat.placement < seat.players for seat in seats)
    return MonthFeats(
        hanchan=tuple(seat.hanchan for seat in seats),
        tops=tuple(place for place, seat in enumerate(seats) if seat.placement == 1),
        raws=raws,
        yakuman=next((place for place, seat in enumerate(seats) if seat.has_yakuman), None),
        seats=won,
        met=met,
        no_last=is_over and is_clear and len(seats) >= (minimum or NO_LAST_FROM),
    )


class Earned(NamedTuple):
    """When something was achieved: in which month, the key of it; with which hanchan, None where the month as a whole."""

    month: str
    hanchan: int | None


@dataclass(slots=True)
class _Career:
    """What there was before a month."""

    games: int = 0
    run: int = 0
    won: set[int] = field(default_factory=set)
    met: set[int] = field(default_factory=set)
    beaten: set[int] = field(default_factory=set)


def earned(months: Iterable[tuple[str, MonthFeats]]) -> dict[Feat, Earned]:
    """Return what a player has achieved; months with their keys, in order of time."""
    found: dict[Feat, Earned] = {}
    before = _Career()
    for key, month in months:
        for feat, place in _in_month(month, before):
            found.setdefault(feat, Earned(key, None if place is None else month.hanchan[place]))
        _add(before, month)
    return found


def _in_month(month: MonthFeats, before: _Career) -> Iterable[tuple[Feat, int | None]]:
    """Yield what is true in a month for the first time, or was before, with the place of the hanchan that made it true."""
    yield from _tops(month, before)
    yield from _reached(month, before)
    if month.yakuman is not None:
        yield Feat.YAKUMAN, month.yakuman
    if month.no_last:
        yield Feat.NO_LAST, None
    if (place := _everybody(month, before)) is not None:
        yield Feat.EVERYBODY, place


def _tops(month: MonthFeats, before: _Career) -> Iterable[tuple[Feat, int]]:
    if month.tops:
        yield Feat.FIRST_TOP, month.tops[0]
    for feat, count in TOPS_IN_A_ROW.items():
        if (place := _run_of(count, month.tops, before.run)) is not None:
            yield feat, place
    new = {seat: place for seat, place in month.seats.items() if seat not in before.won}
    if new and len(before.won) + len(new) == SEATS:
        yield Feat.FOUR_SEATS, max(new.values())


def _reached(month: MonthFeats, before: _Career) -> Iterable[tuple[Feat, int]]:
    for feat, count in HANCHAN_PLAYED.items():
        if before.games < count <= before.games + len(month.hanchan):
            yield feat, count - before.games - 1
    for name, place in month.raws.items():
        yield Feat(name), place


def _run_of(count: int, tops: Sequence[int], before: int) -> int | None:
    """Return where a run of so many tops is reached first; `before`: how many it goes on from."""
    run, last = before, -1
    for place in tops:
        run = run + 1 if place == last + 1 else 1
        if run >= count:
            return place
        last = place
    return None


def _everybody(month: MonthFeats, before: _Career) -> int | None:
    """Return where everybody met until then was beaten, if that is so anywhere in a month."""
    new, won_over = [0] * len(month.hanchan), [0] * len(month.hanchan)
    for opponent, (first, won) in month.met.items():
        if opponent not in before.met:
            new[first] += 1
        if won is not None and opponent not in before.beaten:
            won_over[won] += 1
    met, beaten = len(before.met), len(before.beaten)
    for place in range(len(month.hanchan)):
        met, beaten = met + new[place], beaten + won_over[place]
        if met == beaten >= EVERYBODY_FROM and (new[place] or won_over[place]):
            return place
    return None


def _add(before: _Career, month: MonthFeats) -> None:
    if month.hanchan:
        before.run = _run_at_end(month, before.run)
    before.games += len(month.hanchan)
    before.won.update(month.seats)
    before.met.update(month.met)
    before.beaten.update(opponent for opponent, (_, won) in month.met.items() if won is not None)


def _run_at_end(month: MonthFeats, before: int) -> int:
    last = len(month.hanchan) - 1
    if not month.tops or month.tops[-1] != last:
        return 0
    if len(month.tops) == len(month.hanchan):
        return before + len(month.tops)
    broken = [later for earlier, later in pairwise((-2, *month.tops)) if later != earlier + 1]
    return last - broken[-1] + 1


# --- As it is kept ---------------------------------------------------------------------------------------------------


def as_json(month: MonthFeats) -> list[Any]:
    """Return a month as JSON knows it."""
    met = {str(opponent): list(places) for opponent, places in sorted(month.met.items())}
    seats = {str(seat): place for seat, place in sorted(month.seats.items())}
    return [list(month.hanchan), list(month.tops), dict(month.raws), month.yakuman, seats, met, month.no_last]


def from_json(kept: Sequence[Any]) -> MonthFeats:
    """Return the month that was kept."""
    hanchan, tops, raws, yakuman, seats, met, no_last = kept
    return MonthFeats(
        tuple(hanchan),
        tuple(tops),
        raws,
        yakuman,
        {int(seat): place for seat, place in seats.items()},
        {int(opponent): (first, won) for opponent, (first, won) in met.items()},
        no_last,
    )

"""Hanchan of some sessions as plain values, as far as a file tells of them."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple, TypeAlias

from league.models import Hanchan
from league.selectors.plain_rows import WholeHanchan, walk


class PlainSeat(NamedTuple):
    hanchan_id: int
    pk: int
    player_id: int
    player_key: str
    raw: int | None
    chips: int
    deposits: int
    chombo: int
    points: int
    placement: int


class HanchanLine(NamedTuple):
    """A hanchan with its rules, as far as a file tells of it."""

    pk: int
    session: int
    key: str
    table: int
    round: int
    played_at: datetime
    sticks_left: int
    end_reason: str
    state: str
    note: str
    given: str
    as_is: bool
    rules: int
    rules_key: str
    rules_number: int


PlainHanchan: TypeAlias = WholeHanchan[HanchanLine, PlainSeat]

_OF_HANCHAN = (
    *(
        "pk",
        "session",
        "key",
        "table",
        "round",
        "played_at",
        "sticks_left",
        "end_reason",
        "state",
        "note",
        "given",
        "as_is",
    ),
    *("ruleset_version", "ruleset_version__ruleset__key", "ruleset_version__number"),
)
_OF_SEAT = (
    "hanchan_id",
    "pk",
    "player_id",
    "player__key",
    "raw_score",
    "chips",
    "deposits",
    "chombo",
    "points",
    "placement",
)


def plain_hanchan(sessions: list[int]) -> Iterator[PlainHanchan]:
    """Yield the hanchan of these sessions, as these are numbered, in order of play; few at a time."""
    hanchan = Hanchan.objects.filter(session__in=sessions)
    in_order = hanchan.order_by("session__number", "session_id", "played_at", "pk")
    return walk(in_order, (_OF_HANCHAN, HanchanLine._make), (_OF_SEAT, PlainSeat._make))

"""A hanchan that goes on while the demonstration is looked at: what a phone at the table sent after each hand."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import cycle
from uuid import UUID

from league.management.demo.stories import Cast
from league.models import Player, Session
from league.selectors.planning import next_round
from tournaments.core.ticking import Situation, TickRules, after_hand, at_first, is_last, tick_rules
from tournaments.services.ticks import TypedTick, record_tick

HAND_EVERY = timedelta(minutes=4)
HONBA = 300

WINS = ((3, 0, 7700), (2, 1, 3900), (1, 0, 2000), (0, 2, 3900), (3, 1, 2000), (1, 3, 7700), (2, 0, 3900))
"""Who wins off whom and how much, by their places before the hanchan; what a dealer and everybody else can win."""


def type_evening(
    cast: Cast, session: Session, places: Mapping[Player, int], tonight: tuple[datetime, datetime]
) -> None:
    """Send what stands after each hand of table 1, up to the last. `places` from 0, first dealer first."""
    begin, latest = tonight
    hands = list(_hands(tick_rules(cast.rules), tuple(places.values())))
    for number, situation in enumerate(hands):
        typed = TypedTick(
            key=UUID(int=cast.dice.getrandbits(128), version=4),
            round=next_round(session, 1),
            number=number,
            seats=tuple(player.pk for player in places),
            situation=situation,
            typed_at=max(begin, latest - (len(hands) - number) * HAND_EVERY),
        )
        record_tick(session=session, table=1, typed=typed, by=cast.by)


def _hands(rules: TickRules, places: tuple[int, ...]) -> Iterator[Situation]:
    now = at_first(rules)
    yield now
    for winner, loser, points in cycle(WINS):
        if is_last(now.hand, rules):
            return
        moved = points + HONBA * now.honba
        scores = list(now.scores)
        scores[places.index(winner)] += moved
        scores[places.index(loser)] -= moved
        now = after_hand(now, scores, now.sticks, rules)
        yield now

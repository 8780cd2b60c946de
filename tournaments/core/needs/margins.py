"""By how much a player has to be ahead of a rival after the last hanchan: a margin for each pair of placements.

Points follow from the raw score and from the place. So for a place of one's own and a place of a rival there is one number:
the difference of raw scores from which on the total is higher, or level and decided for the player. Where a rule set rounds,
or pays by the number of floaters, several differences would do in some hanchan and not in others; the margin is the one that
does in all of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from scoring.core import Ledger, Part, ScoringRules
from tournaments.core.needs.case import Case
from tournaments.core.needs.patterns import HUNDRED, Finish, FinishPlace, finishes
from tournaments.core.needs.rounding import Gain, Reach, reach_of


@dataclass(frozen=True, slots=True)
class Margin:
    """From which difference of raw scores on a player is above a rival; `always` needs no number, without either none is enough.

    A negative one says by how much the player may be behind.
    """

    least: int | None = None
    always: bool = False


ALWAYS = Margin(always=True)
NEVER = Margin()

Margins = Mapping[FinishPlace, Mapping[str, Mapping[FinishPlace, Margin]]]
"""Of one player: by own place, rival, and the rival's place."""


@dataclass(frozen=True, slots=True)
class PlaceMeeting:
    """How two places of one finish meet: steps of the score between them (the player's are fewer: positive), points by place.

    `bonus`: how much more the player's place is worth than the rival's, in 1/1000 pt. `top`: 1 where the player takes what
    rounding leaves, -1 where the rival does, 0 where somebody else does. `is_better`: the player's place; None when shared.
    """

    steps: int
    bonus: int
    top: int
    is_better: bool | None


@lru_cache(maxsize=64)
def meetings(rules: ScoringRules) -> Mapping[tuple[FinishPlace, FinishPlace], tuple[PlaceMeeting, ...]]:
    """Return, for every two places that can go together, how they meet; whoever sits where."""
    found: dict[tuple[FinishPlace, FinishPlace], dict[PlaceMeeting, None]] = {}
    for finish in finishes(rules):
        seats = range(len(finish.places))
        for one in seats:
            for other in seats:
                if one != other:
                    pair = (finish.places[one], finish.places[other])
                    found.setdefault(pair, {})[meeting_of(finish, one, other)] = None
    return {pair: tuple(met) for pair, met in sorted(found.items())}


def meeting_of(finish: Finish, one: int, other: int) -> PlaceMeeting:
    steps = finish.steps[other] - finish.steps[one]
    top = 1 if finish.top == one else -1 if finish.top == other else 0
    own, theirs = finish.places[one].number, finish.places[other].number
    return PlaceMeeting(steps, finish.bonus[one] - finish.bonus[other], top, None if own == theirs else own < theirs)


def margins_of(case: Case, player: str) -> Margins:
    """Return by how much a player has to be ahead of each rival at the table, for all places that go together."""
    table: dict[FinishPlace, dict[str, dict[FinishPlace, Margin]]] = {}
    for (own, theirs), met in meetings(case.rules).items():
        for rival in case.rivals(player):
            table.setdefault(own, {}).setdefault(rival, {})[theirs] = margin(case, player, rival, met)
    return table


def margin(case: Case, player: str, rival: str, met: Iterable[PlaceMeeting]) -> Margin:
    """Return the difference of raw scores from which on the player is above the rival, however the places come about."""
    reaches = [(meeting, needed(case, player, rival, meeting).surely) for meeting in met]
    failing = max((_last_failing(meeting, least) for meeting, least in reaches), default=-inf)
    if failing == -inf:
        return ALWAYS
    if failing >= max(_greatest(meeting) for meeting, _ in reaches):
        return NEVER
    return Margin(int(failing) + HUNDRED)


def ordinary(case: Case, margin: Margin) -> Margin:
    """Return a margin as people say it: what is more than all sticks of the table is always there, or never."""
    sticks = len(case.players) * (case.rules.start_points or 0)
    if margin.least is None or abs(margin.least) <= sticks:
        return margin
    return NEVER if margin.least > 0 else ALWAYS


def _last_failing(meeting: PlaceMeeting, least: float) -> float:
    """Return the greatest difference at which a meeting is not enough; minus infinity where it always is."""
    if meeting.steps > 0:
        return least - HUNDRED if least > HUNDRED * meeting.steps else -inf
    greatest = _greatest(meeting)
    if least > greatest:
        return greatest
    # Level is one difference alone; below that, any difference is possible.
    return -inf if meeting.steps == 0 else least - HUNDRED


def _greatest(meeting: PlaceMeeting) -> float:
    return inf if meeting.steps > 0 else HUNDRED * meeting.steps


@dataclass(frozen=True, slots=True)
class Needed:
    """The differences of raw scores from which on one total is above another: surely, and in some hanchan at least."""

    surely: float
    possibly: float


def needed(case: Case, player: str, rival: str, meeting: PlaceMeeting) -> Needed:
    """Return from which difference of raw scores on the player is above the rival, as two places meet.

    Totals are level where the difference makes up for what the player was behind. Whoever was behind has then more points
    in the last hanchan, which decides; where both were level before, and got the same, the hanchan before decide. Source:
    Cinderella League 2020, "補足1" and "補足2".
    """
    behind = case.totals[rival] - case.totals[player]
    short = behind - meeting.bonus
    level_is_enough = _is_ahead_when_level(case, player, rival, behind, meeting)
    if not counts_scores(case.rules):
        is_above = short < 0 or (short == 0 and level_is_enough)
        return Needed(-inf, -inf) if is_above else Needed(inf, inf)
    reach = reach_of(case.rules, meeting.top)
    return Needed(
        _first(reach.least_gain, short, reach, level=level_is_enough),
        _first(reach.greatest_gain, short, reach, level=level_is_enough),
    )


def _is_ahead_when_level(case: Case, player: str, rival: str, behind: int, meeting: PlaceMeeting) -> bool:
    if not case.last_decides:
        return False
    if behind:
        return behind > 0
    if meeting.is_better is not None:
        return meeting.is_better
    return case.is_earlier(player, rival)


def _first(gain: Gain, short: int, reach: Reach, *, level: bool) -> int:
    difference = -(-(short - reach.room) // HUNDRED) * HUNDRED
    while (gained := gain(difference)) < short or (gained == short and not level):
        difference += HUNDRED
    return difference


def score_to_pass(case: Case, player: str, place: FinishPlace, count: int) -> int | None:
    """Return the raw score that, on a place, brings the player above so many of those elsewhere; None: none does.

    Level with somebody elsewhere is not above. Nothing is enough below what the place needs anyhow.
    """
    worth = [
        bonus
        for finish in finishes(case.rules)
        for at, bonus in zip(finish.places, finish.bonus, strict=True)
        if at == place
    ]
    if not worth or count > len(case.others):
        return None
    total = sorted(case.others.values())[count - 1]
    short = total - case.totals[player] - min(worth)
    if not counts_scores(case.rules):
        return None if short >= 0 else 0
    score = short + (case.rules.return_points or 0) + reach_of(case.rules, 1).room
    return (score // HUNDRED + 1) * HUNDRED


@lru_cache(maxsize=64)
def counts_scores(rules: ScoringRules) -> bool:
    """Return whether the raw score itself makes points, or only the place does."""
    return rules.score_basis == "points" and Part.BASE in dict(rules.accounts)[Ledger.RANKING].parts

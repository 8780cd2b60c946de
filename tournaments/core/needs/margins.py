"""Margins: the raw-score lead over a rival that a player needs after the last hanchan.

There is one margin for each pair of placements (the player's and the rival's), because points depend only on raw score
and placement. From this lead on, the player has the higher total, or an equal total with the tie-break won. If rounding
or a floating uma makes the needed lead vary between hanchan, the margin is the lead that is enough in every case.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product
from math import inf
from typing import Any

from scoring.core import FinishedGame, Ledger, Part, ScoringError, ScoringRules, score
from scoring.core.rounding import Basis, Mode, round_to
from tournaments.core.needs.case import MOST, Case, counts_places, points_of_places

HUNDRED = 100
"""The smallest possible difference between two unequal raw scores."""

_OF_THE_SCORE = frozenset({Part.BASE, Part.ROUNDING, Part.FLOOR})
"""Parts of the points that follow from the raw score itself; all other parts follow from the placement."""


@dataclass(frozen=True, order=True, slots=True)
class FinishPlace:
    """A placement and the number of players who share it, written as "1", "2=" (two players) or "2==" (three)."""

    number: int
    sharing: int = 1

    def __str__(self) -> str:
        return f"{self.number}{'=' * (self.sharing - 1)}"


@dataclass(frozen=True, slots=True)
class Finish:
    """One possible finishing order of a table, by seat.

    `places`: placements; `steps`: number of distinct scores above the seat's own; `bonus`: points for the placement in
    1/1000 pt; `top`: the seat that absorbs the rounding remainder.
    """

    places: tuple[FinishPlace, ...]
    steps: tuple[int, ...]
    bonus: tuple[int, ...]
    top: int


@lru_cache(maxsize=64)
def finishes(rules: ScoringRules) -> tuple[Finish, ...]:
    """Return all possible finishes of a table: 75 for four players, more with a floating uma.

    Finishes that the rules leave open (ties) are left out. Raise ScoringError if the rules are incomplete.
    """
    players = rules.players or 4
    found = []
    orders = (steps for steps in product(range(players), repeat=players) if set(steps) == set(range(max(steps) + 1)))
    for steps in orders:
        for raw in _scores(steps, rules):
            try:
                found.append(_finish(steps, raw, rules))
            except ScoringError as error:
                if error.code not in {"unset", "no_uma_row"}:
                    raise
    return tuple(dict.fromkeys(found))


def _scores(steps: tuple[int, ...], rules: ScoringRules) -> Iterator[tuple[int, ...]]:
    floating = rules.uma_floating
    if floating is None:
        yield tuple(60_000 - 1000 * step for step in steps)
        return
    for sunk in range(max(steps) + 2):
        # Scores on the first `sunk` steps are above the floating threshold, all lower ones below it.
        yield tuple(floating.threshold + 1000 * ((sunk - step) if step < sunk else -1 - step) for step in steps)


def _finish(steps: tuple[int, ...], raw: tuple[int, ...], rules: ScoringRules) -> Finish:
    # Only the order of the scores matters, so they need not add up.
    scored = score(FinishedGame(raw, as_is=True), rules)
    worth = [amounts for part, amounts in scored.parts(Ledger.RANKING).items() if part not in _OF_THE_SCORE]
    bonus = tuple(map(sum, zip(*worth, strict=True))) if worth else (0,) * len(raw)
    order = scored.order
    if counts_places(rules):
        bonus = points_of_places(order.placements)
    return Finish(tuple(map(FinishPlace, order.placements, order.sharing)), steps, bonus, order.seats[0])


Gain = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Reach:
    """The least gain in points (1/1000 pt) from a raw-score difference, whatever the scores are.

    `room`: the largest deviation between that gain and the difference itself.
    """

    least_gain: Gain
    room: int


@lru_cache(maxsize=64)
def reach_of(rules: ScoringRules, top: int) -> Reach:
    rounding = rules.rounding
    if rounding is None or not dict(rules.accounts)[Ledger.RANKING].rounded or rounding.mode is Mode.NONE:
        return Reach(lambda difference: difference, 0)
    errors = _errors(rounding.unit, rounding.mode, rounding.basis)
    flat = [error for of_sign in errors for error in of_sign]
    players = rules.players or 4
    room = players * rounding.unit
    if rounding.top_absorbs and top:
        # First place gets the remainder, so its lead over a rival is the raw-score difference minus twice the rival's
        # rounding error and once each other player's.
        least = -players * max(flat) if top > 0 else players * min(flat)
        return Reach(lambda difference: difference + least, room)
    return Reach(lambda difference: difference + min(_gains(errors, difference)), room)


Errors = tuple[tuple[int, ...], tuple[int, ...]]
"""Rounding errors by remainder in hundreds: for scores below zero, and for zero and above."""


def _errors(unit: int, mode: Mode, basis: Basis) -> Errors:
    remainders = range(0, max(unit, HUNDRED), HUNDRED)
    below, above = (
        tuple(round_to(start + rest, unit, mode, basis) - start - rest for rest in remainders)
        for start in (-10 * len(remainders) * HUNDRED, 10 * len(remainders) * HUNDRED)
    )
    return below, above


def _gains(errors: Errors, difference: int) -> list[int]:
    below, above = errors
    signs = [(below, below), (above, above), (below, above) if difference >= 0 else (above, below)]
    count, moved = len(below), difference // HUNDRED
    return [upper[(rest + moved) % count] - lower[rest] for lower, upper in signs for rest in range(count)]


@dataclass(frozen=True, slots=True)
class Margin:
    """The least raw-score difference that puts a player above a rival; negative if the player may be behind.

    `always`: any difference is enough. If `least` is None and `always` is false, no difference is enough.
    """

    least: int | None = None
    always: bool = False


ALWAYS = Margin(always=True)
NEVER = Margin()

Margins = Mapping[FinishPlace, Mapping[str, Mapping[FinishPlace, Margin]]]
"""One player's margins by own placement, rival, and the rival's placement."""


@dataclass(frozen=True, slots=True)
class PlaceMeeting:
    """A pair of placements in one finish, from the player's point of view.

    `steps`: score steps between the two (positive if the player is lower). `bonus`: the player's placement points minus
    the rival's, in 1/1000 pt. `top`: 1 if the player absorbs the rounding remainder, -1 if the rival does, else 0.
    `is_better`: whether the player's placement is better; None if shared.
    """

    steps: int
    bonus: int
    top: int
    is_better: bool | None


@lru_cache(maxsize=64)
def meetings(rules: ScoringRules) -> Mapping[tuple[FinishPlace, FinishPlace], tuple[PlaceMeeting, ...]]:
    found: dict[tuple[FinishPlace, FinishPlace], dict[PlaceMeeting, None]] = {}
    for finish in finishes(rules):
        for one, other in permutations(range(len(finish.places)), 2):
            pair = (finish.places[one], finish.places[other])
            found.setdefault(pair, {})[meeting_of(finish, one, other)] = None
    return {pair: tuple(met) for pair, met in sorted(found.items())}


def meeting_of(finish: Finish, one: int, other: int) -> PlaceMeeting:
    steps = finish.steps[other] - finish.steps[one]
    top = 1 if finish.top == one else -1 if finish.top == other else 0
    own, theirs = finish.places[one].number, finish.places[other].number
    return PlaceMeeting(steps, finish.bonus[one] - finish.bonus[other], top, None if own == theirs else own < theirs)


def margins_of(case: Case, player: str) -> Margins:
    table: dict[FinishPlace, dict[str, dict[FinishPlace, Margin]]] = {}
    for (own, theirs), met in meetings(case.rules).items():
        for rival in case.rivals(player):
            table.setdefault(own, {}).setdefault(rival, {})[theirs] = margin(case, player, rival, met)
    return table


def margin(case: Case, player: str, rival: str, met: Iterable[PlaceMeeting]) -> Margin:
    reaches = [(meeting, needed(case, player, rival, meeting)) for meeting in met]
    failing = max((_last_failing(meeting, least) for meeting, least in reaches), default=-inf)
    if failing == -inf:
        return ALWAYS
    if failing >= max(_greatest(meeting) for meeting, _ in reaches):
        return NEVER
    return Margin(int(failing) + HUNDRED)


Leads = tuple[tuple[int, int], ...]
"""Differences between the player's raw score and those of other places; negative if the player is behind."""


ANY_SCORE = (-MOST, MOST)
"""All raw scores; otherwise those from the first number to below the second."""


def ordinary(case: Case, own: int, theirs: int, margin: Margin, scores: tuple[int, int] = ANY_SCORE) -> Margin:
    """Replace a margin that no ordinary hanchan with one of the scores has, or every one, with NEVER or ALWAYS."""
    if margin.least is None:
        return margin
    if not is_ordinary(case.rules, own, scores, least=((theirs, margin.least),)):
        return NEVER
    is_needed = is_ordinary(case.rules, own, scores, most=((theirs, margin.least - HUNDRED),))
    return margin if is_needed else ALWAYS


@lru_cache(maxsize=8192)
def is_ordinary(
    rules: ScoringRules, place: int, scores: tuple[int, int] = ANY_SCORE, least: Leads = (), most: Leads = ()
) -> bool:
    """Return whether an ordinary hanchan can end with a place, one of the raw scores, and leads within limits.

    Ordinary: all scores differ, by no more than all sticks at the table, and those below zero are short of no more than
    one player's starting points in all.
    """
    players, start = rules.players or 4, (rules.start_points or 0) // HUNDRED
    places = range(1, players + 1)
    # By place, in hundreds, how far a score is from the player's, beyond the steps between the two places.
    lows = [-(dict(most).get(other, MOST) // HUNDRED) + other - place for other in places]
    highs = [-(dict(least).get(other, -MOST) // HUNDRED) + other - place for other in places]
    lows[place - 1] = highs[place - 1] = 0
    rooms = tuple((max(lows[other - 1 :]), min(highs[:other])) for other in places)
    if any(low > high for low, high in rooms):
        return False
    # Unless places above have to be far above: below this score they are higher, and those below lower, than at it.
    evenly = start - place + (sum(places) - sum(high for _, high in rooms if high < 0)) // players
    above = sum(low + place - other for other, (low, _) in enumerate(rooms[:place], start=1))
    end = min(scores[1] // HUNDRED, ((players + 1) * start - above) // place + 1)
    lowest = max(scores[0] // HUNDRED, -start if most else min(evenly, end - 1))
    return any(_fits(start, place, own, rooms) for own in range(lowest, end))


@lru_cache(maxsize=64)
def ordinary_points(rules: ScoringRules) -> tuple[int, int]:
    """Return bounds of a player's points from an ordinary hanchan (1/1000 pt), without penalties, chips and prizes."""
    bonus = [points for finish in finishes(rules) for points in finish.bonus]
    if not counts_scores(rules):
        return min(bonus), max(bonus)
    start, back, room = rules.start_points or 0, rules.return_points or 0, reach_of(rules, 1).room
    return min(bonus) - start - back - room, max(bonus) + (rules.players or 4) * start - back + room


Rooms = tuple[tuple[int, int], ...]
"""Lowest and highest distance from the player's score by place, in hundreds, beyond the steps between the places."""


def _fits(start: int, place: int, own: int, rooms: Rooms) -> bool:
    """Return whether an ordinary hanchan can have a score in a place, the others as level as their rooms allow."""
    players = len(rooms)
    total = players * (start - own) + sum(other - place for other in range(1, players + 1))
    far = 4 * start * players**2
    level = bisect_left(range(-far, far), total, key=lambda level: _sum(level, rooms)) - far
    shares = [min(max(level - 1, low), high) for low, high in rooms]
    for number, (low, high) in enumerate(rooms):
        shares[number] += low < level <= high and sum(shares) < total
    scores = [own + share + place - other for other, share in enumerate(shares, start=1)]
    short = -sum(score for score in scores if score < 0)
    return sum(shares) == total and short <= start and scores[0] - scores[-1] <= players * start


def _sum(level: int, rooms: Rooms) -> int:
    return sum(min(max(level, low), high) for low, high in rooms)


@lru_cache(maxsize=4096)
def ordinary_above(rules: ScoringRules, totals: tuple[int, ...], total: int) -> tuple[int, int]:
    """Return the most and the fewest of a table's players whom ordinary hanchan leave above a total.

    Players with an equal total are included in the most, but not in the fewest. Rounding gets all its room.
    """
    start, seats = (rules.start_points or 0) // HUNDRED, range(len(totals))
    back, room = rules.return_points or 0, reach_of(rules, 1).room
    most, fewest = 0, len(totals)
    choices = [chosen for count in range(len(totals) + 1) for chosen in combinations(seats, count)]
    for finish, places in product(finishes(rules), choices):
        if max(finish.steps) == seats[-1]:
            order = sorted(seats, key=finish.steps.__getitem__)
            level = [total - totals[seat] - finish.bonus[seat] + back for seat in order]
            at_least = [-(-(level[place] - room) // HUNDRED) if place in places else -MOST for place in seats]
            at_most = [MOST if place in places else (level[place] + room) // HUNDRED for place in seats]
            if len(places) > most and _can_reach(start, at_least):
                most = len(places)
            if len(places) < fewest and _can_stay(start, at_most):
                fewest = len(places)
    return most, fewest


def _can_reach(start: int, at_least: Sequence[int]) -> bool:
    """Return whether an ordinary hanchan can have such scores, best first, in hundreds."""
    players = len(at_least)
    best = max(least + place for place, least in enumerate(at_least))
    scores = [best - players * start - 1]
    for least in reversed(at_least):
        scores.append(max(least, scores[-1] + 1))
    rest = players * start - sum(scores[1:])
    return rest >= 0 and -sum(score for score in scores[1:] if score < 0) - rest <= start


def _can_stay(start: int, at_most: Sequence[int]) -> bool:
    """Return whether an ordinary hanchan can have scores no higher than these, best first, in hundreds."""
    players = len(at_most)
    last = min(most - players + place for place, most in enumerate(at_most, start=1))
    scores = [last + players * start + 1]
    for most in at_most:
        scores.append(min(most, scores[-1] - 1))
    return sum(scores[1:]) >= players * start and -sum(score for score in scores[1:] if score < 0) <= start


@lru_cache(maxsize=64)
def lowest_score(rules: ScoringRules, place: int) -> int:
    """Return the lowest raw score that an ordinary hanchan has in a place."""
    players, start = rules.players or 4, (rules.start_points or 0) // HUNDRED
    rooms = ((0, MOST),) * (place - 1) + ((0, 0),) + ((-MOST, 0),) * (players - place)
    return next((own for own in range(-start, players * start) if _fits(start, place, own, rooms)), 0) * HUNDRED


def _last_failing(meeting: PlaceMeeting, least: float) -> float:
    """Return the greatest difference that is not enough, or minus infinity if every difference is."""
    if meeting.steps > 0:
        return least - HUNDRED if least > HUNDRED * meeting.steps else -inf
    greatest = _greatest(meeting)
    if least > greatest:
        return greatest
    # Equal scores allow only a difference of zero; if the player is behind, any negative difference is possible.
    return -inf if meeting.steps == 0 else least - HUNDRED


def _greatest(meeting: PlaceMeeting) -> float:
    return inf if meeting.steps > 0 else HUNDRED * meeting.steps


def needed(case: Case, player: str, rival: str, meeting: PlaceMeeting) -> float:
    """Return the least raw-score difference that puts the player above the rival, given both placements.

    If the totals are equal, the one who was behind before had the better last hanchan and ranks higher. If the totals were
    also equal before, earlier hanchan decide. Source: Cinderella League 2020, "補足1" and "補足2".
    """
    behind = case.totals[rival] - case.totals[player]
    short = behind - meeting.bonus
    level_is_enough = _is_ahead_when_level(case, player, rival, behind, meeting)
    if not counts_scores(case.rules):
        return -inf if short < 0 or (short == 0 and level_is_enough) else inf
    reach = reach_of(case.rules, meeting.top)
    difference = -(-(short - reach.room) // HUNDRED) * HUNDRED
    while (gained := reach.least_gain(difference)) < short or (gained == short and not level_is_enough):
        difference += HUNDRED
    return difference


def _is_ahead_when_level(case: Case, player: str, rival: str, behind: int, meeting: PlaceMeeting) -> bool:
    if not case.last_decides:
        return False
    if behind:
        return behind > 0
    if meeting.is_better is not None:
        return meeting.is_better
    return case.is_earlier(player, rival)


def score_to_pass(case: Case, player: str, place: FinishPlace, count: int) -> int | None:
    """Return the raw score that lifts the player above `count` players at other tables, None if impossible.

    An equal total does not count as above. If the score is below the minimum for the placement, return that minimum.
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
    return rules.score_basis == "points" and Part.BASE in dict(rules.accounts)[Ledger.RANKING].parts


def plain_margins(case: Case, player: str) -> dict[str, Any]:
    """Return a player's margins by own place, rival and the rival's place: "always", "never" or {"min_diff": raw score}."""

    def plain(margin: Margin) -> Any:
        if margin.always:
            return "always"
        return "never" if margin.least is None else {"min_diff": margin.least}

    return {
        str(own): {
            rival: {str(place): plain(margin) for place, margin in sorted(found.items())}
            for rival, found in rivals.items()
        }
        for own, rivals in sorted(margins_of(case, player).items())
    }

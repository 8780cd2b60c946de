import random
from typing import Any

from scoring.core import Bust, FinishedGame, ScoringRules, read_ruleset

CHOMBO = (
    {"kind": "total", "amount": -20},
    {"kind": "total", "amount": "-12.5", "ledger": "game"},
    {"kind": "flat_each", "amount": 3000},
    {"kind": "mangan"},
    {"kind": "none"},
)


def rules_with(**changes: Any) -> ScoringRules:
    """Return rules for four players and 25,000 starting points, with changed parameters; None leaves one unset."""
    parameters = {
        "players": 4,
        "start_points": 25000,
        "return_points": 30000,
        "uma": [20, 10, -10, -20],
        "tie": {"rank": "seat", "uma": "seat", "oka": "seat"},
        "split": {"unit": "0.1", "remainder": "one_each_nearest"},
        "leftover": "top",
        "bust": {"ends": "below_zero"},
    }
    return read_ruleset({name: value for name, value in (parameters | changes).items() if value is not None})


def random_rules(dice: random.Random) -> ScoringRules:
    players = dice.choice((3, 4, 4, 4))
    start = dice.choice((20000, 25000, 30000, 35000))
    parameters: dict[str, Any] = {
        "players": players,
        "start_points": start,
        "return_points": start + dice.choice((0, 0, 5000, 10000)),
        "score_basis": dice.choice(("points",) * 5 + ("placement",)),
        "tie": {
            "rank": dice.choice(("seat", "shared")),
            "uma": dice.choice(("seat", "split")),
            "oka": dice.choice(("seat", "split")),
        },
        "split": {
            "unit": dice.choice(("0.1", "1", "exact")),
            "remainder": dice.choice(("one_each_nearest", "all_nearest", "seat_order_if_indivisible")),
        },
        "leftover": dice.choice(("top", "split_tops", "top_after_rank_points", "void", "returned")),
        "bust": _random_bust(dice),
        "chombo": dice.choice(CHOMBO),
        "chips": {"value": dice.choice(("0.5", "2"))},
    }
    if dice.random() < 0.3:
        rows = {str(floaters): random_row(dice, players) for floaters in range(players + 1)}
        parameters["uma_floating"] = {"threshold": start, "inclusive": dice.random() < 0.5, "rows": rows}
    else:
        parameters["uma"] = random_row(dice, players)
    if dice.random() < 0.6:
        parameters["rounding"] = {
            "mode": dice.choice(("floor", "ceil", "trunc", "away", "half_up", "half_down", "half_away")),
            "basis": dice.choice(("raw", "diff")),
            "unit": dice.choice((1, 1, 2)),
            "top_absorbs": dice.random() < 0.8,
        }
    if dice.random() < 0.2:
        parameters["fees"] = {"game": dice.choice((0, "0.4", 4)), "top": 2}
    if dice.random() < 0.2:
        parameters["below_zero_floor"] = dice.choice((0, -10000))
    if dice.random() < 0.4:
        parameters["ledgers"] = {
            "ranking": {"parts": dice.sample(["base", "oka", "uma", "bust", "chips", "fees", "penalties"], 4)},
            "settlement": {"parts": ["base", "oka", "uma", "bust", "chips"], "rounded": dice.random() < 0.8},
        }
    return read_ruleset(parameters)


def _random_bust(dice: random.Random) -> dict[str, Any]:
    ends = dice.choice(("never", "below_zero", "zero_or_below"))
    bust: dict[str, Any] = {
        "ends": ends,
        "win": dice.choice(("first", "split", "each")),
        "other": dice.choice(("none", "equal_split")),
    }
    if ends != "never" and dice.random() < 0.7:
        bust |= {"prize": 10}
        if dice.random() < 0.5:
            bust["draw_shares"] = {"1": [10], "2": [5, 5], "3": [4, 3, 3]}
        else:
            bust["draw_shares"] = "equal_split"
    return bust


def random_row(dice: random.Random, players: int) -> list[int]:
    """Return points per place; one in five has a non-zero sum, as with a sponsor's prizes."""
    half = sorted((dice.randint(0, 30) for _ in range(players // 2)), reverse=True)
    row = [*half, *[0] * (players % 2), *[-points for points in reversed(half)]]
    return [row[0] + 7, *row[1:]] if dice.random() < 0.2 else row


def random_game(dice: random.Random, rules: ScoringRules) -> FinishedGame:
    """Return a random game that the rules can score: with ties, sticks, busts, chombo and chips."""
    players, start = rules.players or 4, rules.start_points or 25000
    sticks = dice.choice((0, 0, 0, 0, 1, 2, 3)) if rules.leftover else 0
    total = players * start // 100 - 10 * sticks
    spread = total // players
    raw = [spread + dice.randint(-spread - 20, spread) for _ in range(players - 1)]
    if dice.random() < 0.2:
        raw[1] = raw[0]
    raw.append(total - sum(raw))
    dice.shuffle(raw)
    scores = tuple(100 * score for score in raw)
    chips = [dice.randint(-5, 5) for _ in range(players - 1)] if rules.chips is not None and dice.random() < 0.3 else []
    chombo = tuple(dice.choice((0, 0, 0, 1)) for _ in range(players)) if rules.chombo and dice.random() < 0.1 else ()
    return FinishedGame(
        raw=scores,
        sticks_left=sticks,
        busts=_busts(dice, scores, rules),
        chombo=chombo,
        chips=(*chips, -sum(chips)) if chips else (),
        deposits=(sticks, *(0,) * (players - 1)) if sticks else (),
    )


def _busts(dice: random.Random, raw: tuple[int, ...], rules: ScoringRules) -> tuple[Bust, ...]:
    busted = [seat for seat, score in enumerate(raw) if rules.is_bust(score)]
    others = [seat for seat in range(len(raw)) if seat not in busted]
    if not others:
        return ()
    busts = []
    for seat in busted:
        some = tuple(dice.sample(others, dice.randint(1, len(others))))
        by = dice.choice(("win", "draw", "other"))
        busts.append(Bust(seat, by, winners=some if by == "win" else (), tenpai=some if by == "draw" else ()))
    return tuple(busts)

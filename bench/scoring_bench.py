"""Scoring against a loop that only sorts four numbers and adds a fixed uma."""

import random
from collections.abc import Iterator

from bench.race import Row, race
from scoring.core import FinishedGame, ScoringRules, load_cards, score

UMA = (10_000, 5_000, -5_000, -10_000)
RETURN_POINTS = 30_000


def rows(games: int, rounds: int) -> Iterator[Row]:
    """Yield the timings of scoring."""
    dice = random.Random(1)
    every = [card.ruleset for card in load_cards()]
    rulesets = [rules for rules in every if rules.players == 4 and not rules.missing and rules.tie is not None]
    camarade = next(card.ruleset for card in load_cards() if card.key == "camarade")
    mixed = [(raw_scores(dice, rules), rules) for rules in dice.choices(rulesets, k=games)]
    raws = [list(game.raw) for game, _ in mixed]
    yield race(
        f"P1 score {games:,} hanchan, all rule systems mixed",
        lambda: _score(mixed),
        lambda: _bare(raws),
        goal=3,
        rounds=rounds,
        by="cpu",
    )
    alike = [(raw_scores(dice, camarade), camarade) for _ in range(games)]
    yield race(
        f"P1 score {games:,} hanchan, Camarade (two ledgers)",
        lambda: _score(alike),
        lambda: _bare(raws),
        goal=3,
        rounds=rounds,
        by="cpu",
    )


def raw_scores(dice: random.Random, rules: ScoringRules) -> FinishedGame:
    """Return an ordinary game: nobody below zero, about one in fifty with a tie, as at real tables."""
    players = rules.players or 4
    total = players * (rules.start_points or 0) // 100
    cuts = sorted(dice.randint(0, total) for _ in range(players - 1))
    parts = [high - low for low, high in zip([0, *cuts], [*cuts, total], strict=True)]
    if dice.random() < 0.02:
        parts[0] = parts[1] = (parts[0] + parts[1]) // 2
        parts[2] += total - sum(parts)
    return FinishedGame(raw=tuple(100 * part for part in parts))


def _score(games: list[tuple[FinishedGame, ScoringRules]]) -> None:
    for game, rules in games:
        score(game, rules)


def _bare(raws: list[list[int]]) -> None:
    for raw in raws:
        order = sorted((0, 1, 2, 3), key=raw.__getitem__, reverse=True)
        points = [0, 0, 0, 0]
        for place, seat in enumerate(order):
            points[seat] = raw[seat] - RETURN_POINTS + UMA[place]

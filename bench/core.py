"""P1: scoring compared with a loop that only sorts four numbers and adds a fixed uma."""

import random
from collections.abc import Iterator

from bench.race import Row, race
from bench.seasons import random_game
from scoring.core import load_cards, score

UMA = (10_000, 5_000, -5_000, -10_000)


def rows(games: int, rounds: int) -> Iterator[Row]:
    dice = random.Random(1)
    every = [card.ruleset for card in load_cards()]
    rulesets = [rules for rules in every if rules.players == 4 and not rules.missing and rules.tie is not None]
    camarade = [card.ruleset for card in load_cards() if card.key == "camarade"]
    for name, some in (("all rule systems mixed", rulesets), ("Camarade", camarade)):
        drawn = [(random_game(dice, rules), rules) for rules in dice.choices(some, k=games)]
        # Leave out games with busts, which not all rule sets have.
        mixed = [each for each in drawn if not each[0].busts]
        raws = [game.raw for game, _ in mixed]
        yield race(
            f"P1 score {games:,} hanchan, {name} / sort and add",
            lambda mixed=mixed: [score(game, rules) for game, rules in mixed],  # type: ignore[misc]
            lambda raws=raws: _bare(raws),  # type: ignore[misc]
            goal=10,
            rounds=rounds,
        )


def _bare(raws: list[tuple[int, ...]]) -> None:
    for raw in raws:
        order = sorted((0, 1, 2, 3), key=raw.__getitem__, reverse=True)
        points = [0, 0, 0, 0]
        for place, seat_ in enumerate(order):
            points[seat_] = raw[seat_] - 30_000 + UMA[place]

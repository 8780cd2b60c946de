"""Seats as plain values say what seats as models say, for every game, under every card and under rules at random."""

import random
from dataclasses import replace
from itertools import cycle

import pytest

from league.models import Player, Seat
from league.services.results import DerivedSeat, HanchanResult, derived_seats, plain_seats
from scoring.core import Bust, FinishedGame, ScoringError, ScoringRules, load_cards
from tests.scoring.games import random_game, random_rules

PEOPLE = tuple(Player(pk=number, name=name) for number, name in enumerate(("青木", "石田", "上野", "江口"), 1))
GAMES = 3000


def said(derive: object, result: HanchanResult, rules: ScoringRules) -> object:
    try:
        seats = derive(result, rules)  # type: ignore[operator]
    except ScoringError as error:
        return error.code, error.seat, error.values
    return [[getattr(seat, name) for name in DerivedSeat._fields] for seat in seats]


@pytest.mark.long
def test_plain_seats_are_those_of_an_entry() -> None:
    dice = random.Random("seats")
    rules_of_all = [card.ruleset for card in load_cards() if not card.ruleset.missing]
    scored = 0
    for number, card_rules in zip(range(GAMES), cycle(rules_of_all), strict=False):
        rules = random_rules(dice) if number % 4 == 0 else card_rules
        game = random_game(dice, rules)
        result = HanchanResult(PEOPLE[: len(game.raw)], game)
        plain = said(plain_seats, result, rules)
        assert plain == said(derived_seats, result, rules)
        scored += isinstance(plain, list)
    assert scored > GAMES // 2


def test_whoever_could_not_pay_a_riichi_is_bust_with_points() -> None:
    cards = [card.ruleset for card in load_cards()]
    rules = next(replace(rules, uma=(20_000, 10_000, -10_000, -20_000)) for rules in cards if _ends_by_riichi(rules))
    start = rules.start_points or 25000
    result = HanchanResult(PEOPLE, FinishedGame((4 * start - 2100, 900, 700, 500), busts=(Bust(1, "riichi"),)))
    plain = said(plain_seats, result, rules)
    assert plain == said(derived_seats, result, rules)
    assert [seat.is_bust for seat in plain_seats(result, rules)] == [False, True, False, False]


def _ends_by_riichi(rules: ScoringRules) -> bool:
    return rules.bust is not None and rules.bust.illegal_riichi


def test_a_game_that_cannot_be_scored_is_refused_alike() -> None:
    rules = next(card.ruleset for card in load_cards() if not card.ruleset.missing)
    game = random_game(random.Random(1), rules)
    wrong = HanchanResult(PEOPLE[: len(game.raw)], type(game)((*game.raw[:-1], game.raw[-1] + 100)))
    with pytest.raises(ScoringError):
        plain_seats(wrong, rules)
    assert said(plain_seats, wrong, rules) == said(derived_seats, wrong, rules)


def test_plain_seats_have_every_column_that_scoring_fills() -> None:
    copies = {"id", "hanchan_id", "league_id", "day", "played_at", "counted"}
    columns = {field.attname for field in Seat._meta.concrete_fields}
    assert columns - copies == {*DerivedSeat._fields} - {"player"} | {"player_id"}

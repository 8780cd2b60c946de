import random
from datetime import date

import pytest

from bench.race import rows_touched, statements
from bench.seasons import played, random_game, steady, weekend
from league.models import Player
from scoring.core import load_card, score
from tests.conftest import needs_postgresql
from tests.league.factories import make_league, make_players

RULES = load_card("camarade").ruleset
LAST = date(2025, 11, 21)


def test_seasons_are_reproducible_and_have_the_given_size() -> None:
    young, old = (steady(hanchan, LAST, players=24, in_last_month=100) for hanchan in (500, 5_000))
    assert [sum(count for _, count in each.days) for each in (young, old)] == [500, 5_000]
    assert [day for day, _ in young.days] == [day for day, _ in old.days]
    assert list(played(young, RULES)) == list(played(young, RULES))
    rounds: dict[int, list[int]] = {}
    for each in played(weekend(LAST), RULES):
        rounds.setdefault(each.round, []).extend(each.players)
    assert all(sorted(players) == list(range(128)) for players in rounds.values())
    dice = random.Random(3)
    games = [random_game(dice, RULES) for _ in range(2_000)]
    assert all(score(game, RULES) for game in games)
    assert 50 < sum(bool(game.busts) for game in games) < 200


@needs_postgresql
@pytest.mark.django_db
def test_rows_touched_counts_rows_read_and_written() -> None:
    league = make_league()
    players = make_players(league, 6)
    assert rows_touched(lambda: None).total() == 0
    assert rows_touched(lambda: Player.objects.get(pk=players[0].pk)).total() == 1
    assert rows_touched(lambda: league.players.update(is_guest=True)).total() >= 12
    assert len(statements(lambda: list(league.players.all()))) == 1
    streamed = rows_touched(lambda: list(Player.objects.filter(pk__gte=0).iterator()))
    assert streamed["streams and COPY"] == streamed.total() > 0

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.core.management.base import CommandError

from league.models import League
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.results import void_hanchan
from league.services.rules import make_current, save_version
from league.services.session_points import PublishedSum, enter_session_points
from scoring.core import Bust
from stats.services.following import follow
from tests.league.factories import make_league, make_players, make_session, play, run, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)
FULL = {"parts": ["base", "oka", "uma", "bust"], "rounded": False}
RULES: dict[str, Any] = {
    "start_points": 25000,
    "return_points": 28000,
    "uma": [9, 3, -3, -9],
    "tie": {"rank": "shared", "uma": "split", "oka": "split"},
    "bust": {"ends": "below_zero", "prize": 6, "win": "each", "other": "none"},
    "chombo": {"kind": "total", "amount": -40},
}
THREE = {"players": 3, "start_points": 35000, "return_points": 39000, "uma": [9, 0, -9]}


EXPECTED = {
    "key": "p1",
    "hanchan": 12,
    "sessions": 3,
    "total": "33.1",
    "average": "3.783333",
    "first": "2.5",
    "second": "3.5",
    "third": "0",
    "fourth": "2",
    "average_placement": "2.1875",
    "top2_rate": "0.75",
    "avoid_last_rate": "0.75",
    "average_raw": "21566.666667",
    "raw_stdev": "16718.519339",
    "points_stdev": "25.427790",
    "best_raw": 35000,
    "worst_raw": -2000,
    "best_points": "15.7",
    "worst_points": "-51",
    "busts": 1,
    "below_zero": 1,
    "busted_others": 0,
    "plus_rate": "0.5",
    "raw_points": "-24.3",
    "placement_points": "-3",
    "streaks": {
        "first": {"now": 0, "longest": 1},
        "top2": {"now": 2, "longest": 2},
        "not_last": {"now": 2, "longest": 2},
        "last": {"now": 0, "longest": 1},
    },
    "by_seat": [
        {"hanchan": 2, "average_placement": "2.75", "points": "-35.3"},
        {"hanchan": 2, "average_placement": "2", "points": "0.7"},
        {"hanchan": 0, "average_placement": None, "points": "0"},
        {"hanchan": 0, "average_placement": None, "points": "0"},
    ],
    "versus": {
        "p2": {"together": 4, "above": 2, "below": 1, "level": 1, "points": "-34.6", "rival_points": "37.2"},
        "p3": {"together": 4, "above": 2, "below": 2, "level": 0, "points": "-34.6", "rival_points": "10.6"},
        "p4": {"together": 3, "above": 1, "below": 2, "level": 0, "points": "-30.6", "rival_points": "-13.2"},
    },
    "rating": {"tenhou": "1499.856"},
}
"""Statistics of the season's first player, calculated independently."""


def statistics_of(*args: str) -> dict[str, dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("statistics", "camarade", *args, json=True))
    return {line["key"]: line for line in found}


@pytest.mark.merge
@pytest.mark.parametrize("ledger", ["ranking", "settlement"])
def test_statistics_match_an_independent_calculation(ledger: str) -> None:
    ranking = FULL if ledger == "ranking" else {"parts": ["base", "oka"], "rounded": False}
    league = make_league(parameters=RULES | {"ledgers": {"ranking": ranking, "settlement": FULL}}, ledger=ledger)
    one, two, three, four = make_players(league)
    version = league.current_version
    assert version is not None
    sanma = save_version(ruleset=version.ruleset, parameters={**version.parameters, **THREE}, note="three", by=SYSTEM)
    make_current(league=league, version=version, by=SYSTEM)
    early, late = make_session(league, date(2025, 9, 5)), make_session(league, date(2025, 10, 10))
    play(early, (31700, 31700, 25100, 11500), (one, two, three, four))
    bust = Bust(0, "win", (1, 2))
    play(early, (-2000, 60000, 30000, 12000), (one, two, three, four), busts=[bust], chombo=(0, 0, 1, 0))
    play(late, players=(four, one, two, three), points=(31300, 4700, -9500, -26500))
    play(make_session(league, date(2025, 10, 12), ruleset_version=sanma), (50000, 35000, 20000), (three, one, two))
    void_hanchan(hanchan=play(late, players=(one, two, three, four)), by=SYSTEM, reason="mistake")
    adjust(player=one, day=date(2025, 10, 1), points=-12_300, reason="late", by=SYSTEM)
    points = dict(zip((one, two, three, four), (40_000, 12_300, -12_300, -40_000), strict=True))
    for day, how in ((date(2025, 10, 3), (None, (2, 1, 0, 1))), (date(2025, 10, 4), (4, None))):
        sums = {player: PublishedSum(total, *how) for player, total in points.items()}
        enter_session_points(session=make_session(league, day), lines=sums, by=SYSTEM)
    settle()
    for _ in range(2):
        lines = statistics_of()
        assert lines["p1"] == EXPECTED
        assert (lines["p2"]["busted_others"], lines["p3"]["total"]) == (1, "-54")
        assert statistics_of("--player", "p1", "--scope", "2025-09-01..2025-10-01")["p1"]["total"] == "-47.6"
        assert statistics_of("--scope", "2025-10")["p1"]["hanchan"] == 10
        # Stored months do not change the figures.
        with time_machine.travel(LATER):
            follow(league.pk)


@pytest.fixture
def league() -> League:
    league = make_league(players=5)
    play(make_session(league))
    settle()
    return league


def test_statistics_command_accepts_a_single_hanchan(league: League) -> None:
    best, *_ = statistics_of().values()
    assert [*statistics_of()] == ["p1", "p2", "p3", "p4"]
    assert (best["total"], best["first"], best["average_placement"], best["points_stdev"]) == ("21.7", "1", "1", "0")
    assert best["by_seat"][1] == {"hanchan": 0, "average_placement": None, "points": "0"}
    assert best["versus"]["p2"]["rival_points"] == "1.3"
    assert best["rating"] == {"tenhou": "1530"}
    assert [line["rating"]["tenhou"] for line in statistics_of().values()] == ["1530", "1510", "1490", "1470"]


def test_player_without_hanchan_is_listed_if_named(league: League) -> None:
    line = statistics_of("--player", "p5")["p5"]
    assert (line["hanchan"], line["total"], line["average"], line["rating"]) == (0, "0", None, {"tenhou": None})


def test_key_of_a_merged_player_shows_the_current_player(league: League) -> None:
    (second,) = make_players(league, 1)
    merge_players(source=league.players.get(key="p5"), target=second, by=SYSTEM, reason="one person")
    second.refresh_from_db()
    merge_players(source=second, target=league.players.get(key="p1"), by=SYSTEM, reason="one person")
    assert [*statistics_of("--player", "p5")] == ["p1"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        pytest.param(("nowhere",), "There is no league 'nowhere'. Known leagues: camarade.", id="league"),
        pytest.param(("camarade", "--player", "p9"), "There is no player 'p9' in camarade.", id="player"),
        pytest.param(("camarade", "--player", "\x00"), "There is no player '\\x00' in camarade.", id="no text"),
        pytest.param(("camarade", "--scope", "2025-13"), "'2025-13' is not a scope. ", id="scope"),
        pytest.param(("camarade", "--scope", ""), "'' is not a scope. ", id="no scope"),
    ],
)
def test_unknown_statistics_argument_is_refused(league: League, args: tuple[str, ...], says: str) -> None:
    with pytest.raises(CommandError) as error:
        run("statistics", *args)
    assert str(error.value).startswith(says)
    assert error.value.returncode == 1

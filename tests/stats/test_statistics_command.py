import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
import time_machine
from django.core.management.base import CommandError

from league.models import League, Player
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.results import void_hanchan
from league.services.rules import make_current, save_version
from league.services.session_points import PublishedSum, enter_session_points
from scoring.core import Bust
from stats.services.following import follow
from tests.budget import budget
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
    "ledgers": {"ranking": FULL, "settlement": FULL},
}
THREE = {"players": 3, "start_points": 35000, "return_points": 39000, "uma": [9, 0, -9]}
HANCHAN = budget(60, least=40)
SCOPES = ("all", "2025", "2025-10", "2025-09-20..2025-10-20")


@dataclass
class Played:
    day: date
    session: int
    players: tuple[str, ...]
    raw: tuple[int, ...] | None
    given: tuple[int, ...] = ()
    winners: dict[int, tuple[int, ...]] = field(default_factory=dict)
    chombo: tuple[int, ...] = ()

    @property
    def order(self) -> tuple[int, ...]:
        return self.raw if self.raw is not None else self.given

    def place(self, seat: int) -> int:
        return 1 + sum(other > self.order[seat] for other in self.order)

    def shared(self, seat: int) -> int:
        return self.order.count(self.order[seat])

    def middle(self, seat: int) -> Fraction:
        return Fraction(2 * self.place(seat) + self.shared(seat) - 1, 2)

    def took(self, seat: int, place: int) -> Fraction:
        first = self.place(seat)
        return Fraction(int(first <= place < first + self.shared(seat)), self.shared(seat))

    def uma(self, seat: int) -> Fraction:
        row = (9, 0, -9) if len(self.players) == 3 else (9, 3, -3, -9)
        return sum((self.took(seat, place) * points for place, points in enumerate(row, start=1)), Fraction(0))

    def from_score(self, seat: int) -> Fraction:
        assert self.raw is not None
        return Fraction(self.raw[seat] - (39000 if len(self.players) == 3 else 28000), 1000) + 12 * self.took(seat, 1)

    def points(self, seat: int) -> Fraction:
        if self.raw is None:
            return Fraction(self.given[seat], 1000)
        prize = 6 * sum(seat in winners for winners in self.winners.values())
        return self.from_score(seat) + self.uma(seat) + prize - 6 * len(self.winners.get(seat, ()))


@dataclass
class Season:
    league: League
    played: list[Played] = field(default_factory=list)
    extras: list[tuple[str, date, Fraction, bool, int | None, tuple[int, ...]]] = field(default_factory=list)


def random_season(seed: int, ledger: str = "ranking") -> Season:
    dice = random.Random(seed)
    ranking = FULL if ledger == "ranking" else {"parts": ["base", "oka"], "rounded": False}
    rules = RULES | {"ledgers": {"ranking": ranking, "settlement": FULL}}
    league = make_league(parameters=rules, ledger=ledger)
    season = Season(league)
    people = make_players(league, 6)
    four = league.current_version
    assert four is not None
    three = save_version(ruleset=four.ruleset, parameters={**four.parameters, **THREE}, note="three", by=SYSTEM)
    make_current(league=league, version=four, by=SYSTEM)
    sessions = [
        (day, make_session(league, day, ruleset_version=version))
        for number in range(12)
        for day in (date(2025, 8, 3) + timedelta(days=13 * number),)
        for version in (three if number % 4 == 3 else four,)
    ]
    moments = [
        (day, session, datetime(day.year, day.month, day.day, 3, tzinfo=UTC) + timedelta(minutes=10 * number))
        for day, session in sessions
        for number in range(HANCHAN // len(sessions) + 1)
    ]
    entered = []
    for day, session, moment in moments:
        size = session.ruleset_version.parameters["players"]
        seated = tuple(dice.sample(people, size))
        game = random_game(dice, day, session.pk, tuple(player.key for player in seated))
        entered.append((moment, session, seated, game))
        season.played.append(game)
    dice.shuffle(entered)
    for moment, session, seated, game in entered:
        hanchan = play(
            session,
            game.raw or (),
            seated,
            busts=[
                Bust(seat, "win", winners) if winners else Bust(seat, "other") for seat, winners in game.winners.items()
            ],
            chombo=game.chombo,
            yakuman=[(0, "kokushi")] if dice.random() < 0.1 else (),
            points=game.given,
            played_at=moment,
        )
        if dice.random() < 0.1:
            void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")
            season.played.remove(game)
    add_extras(season, dice, people)
    settle()
    season.league.refresh_from_db()
    return season


def random_game(dice: random.Random, day: date, session: int, players: tuple[str, ...]) -> Played:
    size = len(players)
    if dice.random() < 0.1:
        given = (20000, 5000, -25000) if size == 3 else (31300, 4700, -9500, -26500)
        return Played(day, session, players, None, given=tuple(dice.sample(given, size)))
    total = 105_000 if size == 3 else 100_000
    # Few different scores, so that ties are common.
    raw = [dice.choice((-1500, 5000, 12000, 25000, 30000, 31700)) for _ in range(size - 1)]
    raw.append(total - sum(raw))
    dice.shuffle(raw)
    winners = {}
    for seat, score in enumerate(raw):
        if score < 0:
            others = [other for other in range(size) if raw[other] > 0]
            winners[seat] = tuple(sorted(dice.sample(others, min(len(others), dice.choice((0, 1, 1, 2))))))
    chombo = tuple(int(dice.random() < 0.05) for _ in range(size))
    return Played(day, session, players, tuple(raw), winners=winners, chombo=chombo if any(chombo) else ())


def add_extras(season: Season, dice: random.Random, people: Sequence[Player]) -> None:
    for _ in range(4):
        player, day = dice.choice(people), date(2025, 8, 1) + timedelta(days=dice.randrange(150))
        adjust(player=player, day=day, points=-12_300, reason="late", by=SYSTEM)
        season.extras.append((player.key, day, Fraction("-12.3"), False, 0, ()))
    for how in ((4, None), (None, (2, 1, 0, 1)), (None, None)):
        day = date(2025, 8, 2) + timedelta(days=dice.randrange(150))
        lines = dict(zip(dice.sample(people, 4), (40_000, 12_300, -12_300, -40_000), strict=True))
        published = {player: PublishedSum(points, *how) for player, points in lines.items()}
        enter_session_points(session=make_session(season.league, day), lines=published, by=SYSTEM)
        for player, points in lines.items():
            hanchan = sum(how[1]) if how[1] else how[0]
            season.extras.append((player.key, day, Fraction(points, 1000), True, hanchan, how[1] or ()))


# --- The same figures in plain Python --------------------------------------------------------------------------------


def text(value: Fraction | int | None) -> str | None:
    if value is None:
        return None
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(Fraction(value).numerator) / Decimal(Fraction(value).denominator)
        if Fraction(exact) != value:
            exact = exact.quantize(Decimal("0.000001"), rounding=ROUND_HALF_UP)
            return f"{exact:f}"
        written = f"{exact:f}"
        return written.rstrip("0").rstrip(".") if "." in written else written


def mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def share(count: Fraction | int, total: int) -> Fraction | None:
    return Fraction(count) / total if total else None


def deviation(values: Sequence[Fraction]) -> str | None:
    average = mean(values)
    if average is None:
        return None
    spread = sum(((value - average) ** 2 for value in values), Fraction(0)) / len(values)
    with localcontext() as context:
        context.prec = 60
        exact = (Decimal(spread.numerator) / Decimal(spread.denominator)).sqrt()
        if Fraction(exact) ** 2 == spread:
            return text(Fraction(exact))
        return f"{exact.quantize(Decimal('0.000001'), rounding=ROUND_HALF_UP):f}"


def run_of(belongs: Iterable[bool]) -> dict[str, int]:
    now = longest = 0
    for does in belongs:
        now = now + 1 if does else 0
        longest = max(longest, now)
    return {"now": now, "longest": longest}


def by_hand(season: Season, key: str, first: date, last: date) -> dict[str, Any]:
    own = [
        (game, game.players.index(key)) for game in season.played if key in game.players and first <= game.day <= last
    ]
    extras = [each for each in season.extras if each[0] == key and first <= each[1] <= last]
    sums = [each for each in extras if each[3]]
    known = [each for each in sums if each[4]]
    placed = [(place, times) for each in sums for place, times in enumerate(each[5], start=1)]
    points = [game.points(seat) for game, seat in own]
    scored = [(game, seat, game.raw) for game, seat in own if game.raw is not None]
    raw = [Fraction(scores[seat]) for _, seat, scores in scored]
    penalties = sum(40 * game.chombo[seat] for game, seat in own if game.chombo)
    places = {
        place: sum((game.took(seat, place) for game, seat in own), Fraction(0))
        + sum(times for other, times in placed if other == place)
        for place in (1, 2, 3, 4)
    }
    largest = max((len(game.players) for game, _ in own), default=4)
    lasts = sum((game.took(seat, len(game.players)) for game, seat in own), Fraction(0))
    lasts += sum(times for place, times in placed if place >= largest)
    with_place = len(own) + sum(times for _, times in placed)
    middles = sum((game.middle(seat) for game, seat in own), Fraction(0)) + sum(
        place * times for place, times in placed
    )
    hanchan = len(own) + sum(each[4] or 0 for each in sums)
    average = share(sum(points, Fraction(0)) + sum((each[2] for each in known), Fraction(0)), hanchan)
    return {
        "key": key,
        "hanchan": hanchan,
        "sessions": len({game.session for game, _ in own}),
        "total": text(sum(points, Fraction(0)) - penalties + sum((each[2] for each in extras), Fraction(0))),
        "average": text(average),
        **{name: text(places[place]) for place, name in enumerate(("first", "second", "third", "fourth"), start=1)},
        "average_placement": text(share(middles, with_place)),
        "top2_rate": text(share(places[1] + places[2], with_place)),
        "avoid_last_rate": text(share(with_place - lasts, with_place)),
        "average_raw": text(mean(raw)),
        "raw_stdev": deviation(raw),
        "points_stdev": deviation(points),
        "best_raw": max(map(int, raw), default=None),
        "worst_raw": min(map(int, raw), default=None),
        "best_points": text(max(points, default=None)),
        "worst_points": text(min(points, default=None)),
        "busts": sum(scores[seat] < 0 for _, seat, scores in scored),
        "below_zero": sum(scores[seat] < 0 for _, seat, scores in scored),
        "busted_others": sum(seat in winners for game, seat in own for winners in game.winners.values()),
        "plus_rate": text(share(sum(each > 0 for each in points), len(own))),
        "raw_points": text(sum((game.from_score(seat) for game, seat, _ in scored), Fraction(0))),
        "placement_points": text(sum((game.uma(seat) for game, seat, _ in scored), Fraction(0))),
        "streaks": {
            "first": run_of(game.place(seat) == 1 for game, seat in own),
            "top2": run_of(game.place(seat) <= 2 for game, seat in own),
            "not_last": run_of(game.place(seat) < len(game.players) for game, seat in own),
            "last": run_of(game.place(seat) == len(game.players) for game, seat in own),
        },
        "by_seat": [
            {
                "hanchan": len(there),
                "average_placement": text(mean([game.middle(seat) for game, seat in there])),
                "points": text(sum((game.points(seat) for game, seat in there), Fraction(0))),
            }
            for seat in range(4)
            for there in ([(game, own_seat) for game, own_seat in own if own_seat == seat],)
        ],
        "versus": {
            rival: against(own, rival) for rival in {player for game, _ in own for player in game.players} - {key}
        },
    }


def against(own: Sequence[tuple[Played, int]], rival: str) -> dict[str, Any]:
    met = [(game, seat, game.players.index(rival)) for game, seat in own if rival in game.players]
    above = sum(game.place(mine) < game.place(theirs) for game, mine, theirs in met)
    below = sum(game.place(mine) > game.place(theirs) for game, mine, theirs in met)
    return {
        "together": len(met),
        "above": above,
        "below": below,
        "level": len(met) - above - below,
        "points": text(sum((game.points(mine) for game, mine, _ in met), Fraction(0))),
        "rival_points": text(sum((game.points(theirs) for game, _, theirs in met), Fraction(0))),
    }


def ends(scope: str) -> tuple[date, date]:
    known = {
        "all": (date(2000, 1, 1), date(2100, 1, 1)),
        "2025": (date(2025, 1, 1), date(2025, 12, 31)),
        "2025-10": (date(2025, 10, 1), date(2025, 10, 31)),
    }
    return known.get(scope) or (date(2025, 9, 20), date(2025, 10, 20))


def told(*args: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("statistics", "camarade", *args, json=True))
    return found


def check(season: Season) -> int:
    compared = 0
    for scope in SCOPES:
        first, last = ends(scope)
        lines = {line["key"]: line for line in told("--scope", scope)}
        for key in season.league.players.values_list("key", flat=True):
            wanted = by_hand(season, key, first, last)
            has_any = wanted["hanchan"] or any(each[0] == key and first <= each[1] <= last for each in season.extras)
            assert (key in lines) == bool(has_any)
            if has_any:
                assert lines[key] == wanted | {"rating": lines[key]["rating"]}, (scope, key)
                assert told("--player", key, "--scope", scope) == [lines[key]]
                compared += 1
    return compared


@pytest.mark.long
@pytest.mark.parametrize(("seed", "ledger"), [(1, "ranking"), (2, "settlement"), (3, "ranking")])
def test_statistics_match_an_independent_calculation(seed: int, ledger: str) -> None:
    season = random_season(seed, ledger)
    assert check(season) > 15
    with time_machine.travel(LATER):
        assert follow(season.league.pk) >= 4
    assert check(season) > 15


# --- Output ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league, 5)
    play(make_session(league))
    settle()
    return league


def test_statistics_of_a_single_hanchan(league: League) -> None:
    best, *_ = told()
    assert [line["key"] for line in told()] == ["p1", "p2", "p3", "p4"]
    assert (best["total"], best["first"], best["average_placement"], best["points_stdev"]) == ("21.7", "1", "1", "0")
    assert best["by_seat"][1] == {"hanchan": 0, "average_placement": None, "points": "0"}
    assert best["versus"]["p2"]["rival_points"] == "1.3"
    assert best["rating"] == {"tenhou": "1530"}
    assert [line["rating"]["tenhou"] for line in told()] == ["1530", "1510", "1490", "1470"]


def test_player_without_hanchan_is_listed_if_named(league: League) -> None:
    (line,) = told("--player", "p5")
    assert (line["hanchan"], line["total"], line["average"], line["rating"]) == (0, "0", None, {"tenhou": None})


def test_key_of_a_merged_player_shows_the_current_player(league: League) -> None:
    (second,) = make_players(league, 1)
    merge_players(source=league.players.get(key="p5"), target=second, by=SYSTEM, reason="one person")
    second.refresh_from_db()
    merge_players(source=second, target=league.players.get(key="p1"), by=SYSTEM, reason="one person")
    assert [line["key"] for line in told("--player", "p5")] == ["p1"]


def test_statistics_are_a_table_without_json(league: League) -> None:
    head, first, *others = run("statistics", "camarade").splitlines()
    assert head.split()[:4] == ["player", "hanchan", "sessions", "total"]
    assert first.split()[:4] == ["p1", "1", "1", "21.7"]
    assert len(others) == 3
    assert all(len(above.split()) == len(below.split()) for above, below in pairwise([first, *others]))


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

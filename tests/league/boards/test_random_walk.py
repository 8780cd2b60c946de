import contextlib
import os
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from league import models
from league.core.board_lines import SUMS
from league.core.board_ranks import SCALE
from league.core.periods import ALL_DAYS, DaySpan, Period, parse_period, range_of
from league.selectors.board_parts import hanchan_in
from league.selectors.boards import live_lines, trends
from league.selectors.games import game_of, seats_of
from league.services.board_refreshing import refresh
from league.services.boards import rebuild_boards, refresh_league
from league.services.calendar import SessionFacts, adjust, change_session, change_settings
from league.services.confirming import NewStatement, say, settle
from league.services.history import SYSTEM, Actor
from league.services.people import PeopleError, merge_players, separate_players
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from league.services.rescoring import rescore
from league.services.results import (
    HanchanResult,
    ResultError,
    TableAndTime,
    correct_hanchan,
    record_hanchan,
    restore_hanchan,
    void_hanchan,
)
from league.services.rules import save_version
from league.services.session_points import PublishedSum, correct_session_points, enter_session_points, withdraw_points
from scoring.core import Bust, FinishedGame, Ledger, break_ties, score
from scoring.core import PlayerResult as PlayedResult
from tests.budget import budget
from tests.league.factories import make_league, make_players, make_session

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

COLUMNS = ("score", "rank", "shared_rank", "previous_rank", *SUMS)
STEPS = int(os.environ.get("STEPS", "0")) or budget(90, least=30)
WALKS = int(os.environ.get("WALKS", "0")) or budget(3)
"""For ten thousand steps, which take some minutes: WALKS=50 STEPS=200."""

ODD_LETTERS = "青ぁé\U0001f004א\"'\\%<&>\n\t"

PARAMETERS = {
    "tie": {"rank": "shared", "uma": "split", "oka": "split"},
    "split": {"unit": "0.1", "remainder": "one_each_nearest"},
    "leftover": "top",
    "bust": {"ends": "below_zero"},
    "chombo": {"kind": "total", "amount": -40},
}
UMAS = ([10, 5, -5, -10], [20, 10, -10, -20], [15, 5, -5, -15], [30, 10, -10, -30])
SETTINGS: tuple[dict[str, Any], ...] = (
    {"metric": "average_points"},
    {"metric": "average_placement"},
    {"metric": "points"},
    {"ledger": "settlement"},
    {"ledger": "ranking"},
    {"minimum_month": 3, "minimum_year": 5},
    {"minimum_month": 0, "minimum_year": 0},
    {"first_month": 4},
    {"first_month": 1},
    {"day_boundary": time(0, 0)},
    {"day_boundary": time(6, 0)},
    {"tiebreak": ["placement_counts", "best_raw", "shared"]},
    {"tiebreak": ["last_hanchan", "shared"]},
    {"time_zone": "America/New_York"},
    {"time_zone": "Asia/Tokyo"},
    {"disputed_count": False},
    {"disputed_count": False},
    {"disputed_count": True},
    {"unbalanced_count": False},
    {"unbalanced_count": True},
    {"confirmed_by": "one"},
    {"confirmed_by": "all"},
    {"confirmed_by": "organiser"},
    {"confirmed_by": "none"},
)


@dataclass
class Sum:
    """Sums of one player's hanchan and adjustments, added up one fact at a time."""

    played: list[tuple[datetime, int, date, Any, PlayedResult]] = field(default_factory=list)
    extras: list[tuple[date, models.Adjustment | models.SessionPoints]] = field(default_factory=list)


def all_facts(league: models.League) -> dict[int, Sum]:
    """Return every player's hanchan and adjustments, scored once and read for each period."""
    facts: dict[int, Sum] = defaultdict(Sum)
    states = {"recorded", "confirmed"} | ({"disputed"} if league.disputed_count else set())
    ledger = Ledger(league.ledger)
    zone = ZoneInfo(league.time_zone)
    boundary = timedelta(hours=league.day_boundary.hour, minutes=league.day_boundary.minute)
    for hanchan in (
        models.Hanchan.objects.filter(league=league, state__in=states)
        .filter(as_is__in=(False, league.unbalanced_count))
        .select_related("ruleset_version", "session__league")
        .prefetch_related("seats__player", "incidents")
    ):
        day = (hanchan.played_at.astimezone(zone).replace(tzinfo=None) - boundary).date()
        scored = score(game_of(hanchan), hanchan.ruleset_version.read())
        for seat, outcome in zip(seats_of(hanchan), scored.seats, strict=True):
            result = PlayedResult(outcome.points[ledger], outcome.placement, seat.raw_score, hanchan.pk)
            facts[seat.player_id].played.append((hanchan.played_at, hanchan.pk, day, (seat, outcome), result))
    for kind in (models.Adjustment, models.SessionPoints):
        for extra in kind.objects.filter(league=league, withdrawn=False):
            facts[extra.player_id].extras.append((extra.day, extra))
    return facts


def facts_of(facts: dict[int, Sum], period: Period) -> dict[int, Sum]:
    sums = {}
    for player, each in facts.items():
        played = [row for row in each.played if period.start <= row[2] < period.end]
        extras = [extra for extra in each.extras if period.start <= extra[0] < period.end]
        if played or extras:
            sums[player] = Sum(sorted(played, key=lambda row: (row[2], *row[:2])), extras)
    return sums


def expected_lines(league: models.League, period: Period, facts: dict[int, Sum]) -> "Expected":
    sums = facts_of(facts, period)
    last_day = max((row[2] for each in sums.values() for row in each.played), default=None)
    lines = {player: line_from(league, each, last_day) for player, each in sums.items()}
    minimum = {"month": league.minimum_month, "year": league.minimum_year, "all": league.minimum_all}
    needed = max(1, minimum.get(str(period.kind), 0))
    ranked = [player for player, line in lines.items() if line["enough"] >= needed]
    earlier = [player for player, line in lines.items() if line["earlier_enough"] >= needed]
    for player, line in lines.items():
        better = [other for other in ranked if lines[other]["exact"] > line["exact"]]
        line["shared_rank"] = len(better) + 1 if player in ranked else None
        ahead = [other for other in earlier if lines[other]["earlier"] > line["earlier"]]
        line["previous_rank"] = len(ahead) + 1 if player in earlier else None
        line["rank"] = line["decided_by"] = None
    ranked.sort(key=lambda player: (-lines[player]["exact"], player))
    for _, group in groupby(ranked, key=lambda player: lines[player]["exact"]):
        for tied in break_ties({player: [row[4] for row in sums[player].played] for player in group}, league.tiebreak):
            lines[tied.player]["rank"] = lines[tied.player]["shared_rank"] + tied.offset
            lines[tied.player]["decided_by"] = tied.decided_by and tied.decided_by.as_json()
    return lines


def line_from(league: models.League, each: Sum, last_day: date | None) -> dict[str, Any]:
    seats = [row[3][0] for row in each.played]
    outcomes = [row[3][1] for row in each.played]
    results = [row[4] for row in each.played]
    before = [row for row in each.played if last_day is not None and row[2] < last_day]
    extras = sum(extra.points for _, extra in each.extras)
    extras_before = [extra for day, extra in each.extras if last_day is None or day < last_day]
    now, then = BySums.of(extra for _, extra in each.extras), BySums.of(extras_before)
    places = {
        name: sum(Fraction(12, o.sharing) for o in outcomes if o.placement <= place < o.placement + o.sharing)
        + 12 * now.places.count(place)
        for place, name in enumerate(("first", "second", "third", "fourth"), start=1)
    }
    total_only = sum(outcome.total_only for outcome in outcomes)
    total = sum(result.points for result in results) + total_only + extras
    halves = sum(2 * o.placement + o.sharing - 1 for o in outcomes)
    total_before = sum(row[4].points + row[3][1].total_only for row in before) + sum(
        extra.points for extra in extras_before
    )
    halves_before = sum(2 * row[3][1].placement + row[3][1].sharing - 1 for row in before)
    exact = exact_score(league, total, halves, len(results), now)
    raw = [seat.raw_score for seat in seats if seat.raw_score is not None]
    points = [outcome.points[Ledger.RANKING] for outcome in outcomes]
    return {
        **places,
        "hanchan": len(results),
        "sessions": len({row[2] for row in each.played}),
        "total": total,
        "points": sum(points),
        "settlement": sum(outcome.points[Ledger.SETTLEMENT] for outcome in outcomes),
        "total_only": total_only,
        "adjustment": extras,
        "placement_halves": halves,
        "recent": int("".join(str(outcome.placement) for outcome in outcomes[-5:]) or 0),
        "busts": sum(raw_score < 0 for raw_score in raw),
        "plus": sum(value > 0 for value in points),
        "chombo": sum(seat.chombo for seat in seats),
        "chips": sum(seat.chips for seat in seats),
        "raw_sum": sum(raw),
        "raw_best": max(raw, default=None),
        "raw_worst": min(raw, default=None),
        "points_best": max(points, default=None),
        "points_worst": min(points, default=None),
        "sums_hanchan": now.hanchan,
        "sums_unknown": now.unknown,
        "sums_placed": len(now.places),
        "sums_halves": 2 * sum(now.places),
        "sums_left_out": now.left_out,
        # The database orders by averages to nine decimals, truncated toward zero.
        "score": int(exact * {"average_points": SCALE, "average_placement": 2 * SCALE}.get(league.metric, 1)),
        "exact": exact,
        "enough": games_of(league, len(results), now),
        "earlier": exact_score(league, total_before, halves_before, len(before), then),
        "earlier_enough": games_of(league, len(before), then),
    }


@dataclass
class BySums:
    """Values from sums: known hanchan, sums of unknown hanchan, and placements."""

    hanchan: int = 0
    unknown: int = 0
    left_out: int = 0
    places: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, extras: Iterable[models.Adjustment | models.SessionPoints]) -> "BySums":
        found = cls()
        for extra in extras:
            if isinstance(extra, models.SessionPoints):
                counts = (extra.first, extra.second, extra.third, extra.fourth)
                found.places += [place for place, times in enumerate(counts, start=1) for _ in range(times or 0)]
                found.hanchan += extra.hanchan or 0
                found.unknown += extra.hanchan is None
                found.left_out += extra.points if extra.hanchan is None else 0
        return found


def games_of(league: models.League, games: int, sums: BySums) -> int:
    match league.metric:
        case "average_points":
            return games + sums.hanchan
        case "average_placement":
            return games + len(sums.places)
    return games + sums.hanchan + sums.unknown


def exact_score(league: models.League, total: int, halves: int, games: int, sums: BySums) -> Fraction:
    number = games_of(league, games, sums) or 1
    match league.metric:
        case "average_points":
            return Fraction(total - sums.left_out, number)
        case "average_placement":
            return -Fraction(halves + 2 * sum(sums.places), 2 * number)
    return Fraction(total)


Expected = dict[int, dict[str, Any]]


def as_values(lines: Iterable[models.Standing], names: Collection[str]) -> Expected:
    return {line.player_id: {name: getattr(line, name) for name in names} for line in lines}


def checked_live_lines(
    league: models.League, period: Period, facts: dict[int, Sum] | None = None
) -> tuple[Expected, list[models.Standing]]:
    """Assert that the lines computed from stored facts are right, whether boards are stored, stale or missing."""
    expected = expected_lines(league, period, facts or all_facts(league))
    names = {name for line in expected.values() for name in line} - {"exact", "earlier", "enough", "earlier_enough"}
    wanted = {player: {name: line[name] for name in names} for player, line in expected.items()}
    live = live_lines(league, period)
    assert as_values(live, names) == wanted, period.key
    return wanted, live


def check_board(league: models.League, period: Period, facts: dict[int, Sum] | None = None) -> None:
    wanted, live = checked_live_lines(league, period, facts)
    names = {name for line in wanted.values() for name in line}
    stored = models.Standing.objects.filter(league=league, period=period.key)
    assert as_values(stored, names) == wanted, period.key
    assert {type(getattr(line, name)) for line in live for name in COLUMNS} <= {int, type(None)}
    assert as_values(stored, ["decided_by"]) == as_values(live, ["decided_by"])
    assert {line.player_id for line in live if not line.decided_by} == set(
        stored.filter(decided_by__isnull=True).values_list("player", flat=True)
    )


def check_all_boards(league: models.League) -> None:
    refresh_league(league.pk)
    assert not models.StalePeriod.objects.exists()
    league = models.League.objects.get(pk=league.pk)
    keys = set(models.Standing.objects.filter(league=league).values_list("period", flat=True).distinct())
    for hanchan in models.Hanchan.objects.filter(league=league):
        keys |= {period.key for period in league.periods_of(hanchan.day)}
    facts = all_facts(league)
    for key in sorted(keys):
        check_board(league, parse_period(key, league.first_month), facts)


class Walk:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.league = make_league(parameters=PARAMETERS)
        make_players(self.league, 7)
        self.session = make_session(self.league)

    def step(self) -> None:
        self.league = models.League.objects.select_related("current_version").get(pk=self.league.pk)
        self.session = models.Session.objects.select_related("league").get(pk=self.session.pk)
        actions: list[tuple[Callable[[], object], int]] = [
            (self.record, 18),
            (self.correct, 5),
            (self.void, 2),
            (self.restore, 2),
            (self.change_rules, 1),
            (self.merge, 1),
            (self.separate, 1),
            (self.adjust, 2),
            (self.withdraw, 1),
            (self.enter_points, 2),
            (self.change_points, 2),
            (self.move_points, 1),
            (self.change_settings, 3),
            (self.speak, 10),
            (self.settle, 2),
            (self.refresh_some, 5),
            (self.look_at_a_range, 4),
        ]
        self.dice.choices([action for action, _ in actions], [weight for _, weight in actions])[0]()

    def players(self) -> tuple[models.Player, ...]:
        return tuple(self.dice.sample(list(self.league.players.active().order_by("pk")), 4))

    def game(self) -> FinishedGame:
        # Few different scores, so that ties at the table and on the board are common.
        raw = [self.dice.choice((-2000, 12000, 20000, 25000, 30000, 38000)) for _ in range(3)]
        sticks = self.dice.choice((0, 0, 0, 1))
        raw.insert(self.dice.randrange(4), 100_000 - 1000 * sticks - sum(raw))
        chombo = tuple(int(self.dice.random() < 0.05) for _ in range(4))
        chips = self.dice.choice(((), (2, -1, -1, 0)))
        top = raw.index(max(raw))
        kinds = ({"by": "other"}, {"by": "win", "winners": (top,)}, {"by": "draw", "tenpai": (top,)})
        busts = tuple(Bust(seat, **self.dice.choice(kinds)) for seat, score in enumerate(raw) if score < 0)
        return FinishedGame(tuple(raw), sticks, busts, chombo, chips)

    def moment(self) -> datetime:
        year, month = self.dice.choice(((2024, 12), (2025, 3), (2025, 4), (2025, 11), (2025, 11), (2025, 12)))
        day = date(year, month, self.dice.randint(1, 28))
        hour, minute = self.dice.choice(((11, 0), (20, 59), (21, 1), (14, 59), (15, 1), (3, 30)))
        return datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)

    def day_of_points(self) -> date:
        return self.dice.choice((self.moment().date(), self.moment().date(), date(2025, 6, 9), date(2026, 2, 2)))

    def record(self) -> None:
        record_hanchan(
            session=self.session,
            result=self.result(),
            table_and_time=TableAndTime(played_at=self.moment()),
            by=SYSTEM,
            even_if_same=True,
        )

    def result(self) -> HanchanResult:
        game = self.dice.choice((self.game, self.game, self.game, self.as_it_is, self.points_alone))()
        return HanchanResult(
            self.players(),
            game,
            note="x" + "".join(self.dice.choices(ODD_LETTERS, k=9)),
            end_reason=self.dice.choice(("", "bust", "time")),
            yakuman=self.dice.choice(((), (), ((1, "国士無双"), (3, "")))),
        )

    def as_it_is(self) -> FinishedGame:
        game = self.game()
        top = max(range(4), key=game.raw.__getitem__)
        raw = tuple(
            score + (self.dice.choice((-7700, 300)) if seat == top else 0) for seat, score in enumerate(game.raw)
        )
        return replace(game, raw=raw, as_is=True)

    def points_alone(self) -> FinishedGame:
        points = [self.dice.choice((42_000, 10_000, 5_000, 0, -20_000)) for _ in range(3)]
        as_is = self.dice.random() < 0.3
        points.append(-sum(points) + (self.dice.choice((-1_000, 0)) if as_is else 0))
        return FinishedGame((), points=tuple(points), as_is=as_is)

    def some_hanchan(self, **wanted: object) -> models.Hanchan | None:
        found = list(models.Hanchan.objects.filter(league=self.league, **wanted).order_by("pk"))
        return self.dice.choice(found) if found else None

    def correct(self) -> None:
        if hanchan := self.some_hanchan():
            correct_hanchan(
                hanchan=hanchan,
                seen_version=hanchan.version,
                result=self.result(),
                table_and_time=TableAndTime(played_at=self.dice.choice((None, self.moment()))),
                by=SYSTEM,
                reason="misread",
            )

    def speak(self) -> None:
        agrees, disputes = models.Confirmation.Verdict.AGREES, models.Confirmation.Verdict.DISPUTES
        verdict = self.dice.choice((agrees, agrees, agrees, disputes, disputes))
        if hanchan := self.some_hanchan():
            speakers = [*(seat.player for seat in seats_of(hanchan)), None]
            version = self.dice.choice((hanchan.version, hanchan.version, hanchan.version - 1))
            voice = NewStatement(verdict, version, self.dice.choice(speakers))
            phone = Actor(None, "table link", device=self.dice.choice(("", "a", "b")))
            with contextlib.suppress(ResultError):
                say(hanchan=hanchan, statement=voice, by=phone)

    def settle(self) -> None:
        if hanchan := self.some_hanchan(state="disputed"):
            settle(hanchan=hanchan, reason="looked at the sheet", by=SYSTEM)

    def void(self) -> None:
        if hanchan := self.some_hanchan(state__in=("recorded", "confirmed", "disputed")):
            void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")

    def restore(self) -> None:
        if hanchan := self.some_hanchan(state="voided"):
            restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="no mistake")

    def change_rules(self) -> None:
        version = self.league.current_version
        assert version is not None
        parameters = {**version.parameters, "uma": self.dice.choice(UMAS)}
        newer = save_version(ruleset=version.ruleset, parameters=parameters, note="uma", by=SYSTEM)
        played = list(models.Hanchan.objects.filter(league=self.league).order_by("pk").values_list("day", flat=True))
        first, last = sorted(self.dice.choices(played, k=2)) if played else (None, None)
        days = self.dice.choice((ALL_DAYS, DaySpan(first), DaySpan(first, last)))
        rescore(self.league, newer.pk, SYSTEM, lambda progress: None, days)

    def merge(self) -> None:
        active = list(self.league.players.active().order_by("pk"))
        source, target = self.dice.sample(active, 2)
        if len(active) > 5:
            with contextlib.suppress(PeopleError):
                merge_players(source=source, target=target, by=SYSTEM, reason="one person")

    def separate(self) -> None:
        merged = list(self.league.players.exclude(merged_into=None).select_related("merged_into").order_by("pk"))
        if merged:
            with contextlib.suppress(PeopleError):
                separate_players(source=self.dice.choice(merged), by=SYSTEM, reason="two people")

    def adjust(self) -> None:
        player, day = self.players()[0], self.day_of_points()
        adjust(player=player, day=day, points=self.dice.choice((-40_000, 500, 12_300)), reason="a reason", by=SYSTEM)

    def withdraw(self) -> None:
        adjustments = list(models.Adjustment.objects.filter(league=self.league, withdrawn=False).order_by("pk"))
        if adjustments:
            withdraw_points(points=self.dice.choice(adjustments), reason="mistaken", by=SYSTEM)

    def enter_points(self) -> None:
        points = (40_000, 12_300, -12_300, -40_000)
        lines = {player: self.a_sum(each) for player, each in zip(self.players(), points, strict=True)}
        enter_session_points(session=make_session(self.league, self.day_of_points()), lines=lines, by=SYSTEM)

    def a_sum(self, points: int) -> PublishedSum:
        places = self.dice.choice(((2, 1, 1, 0), (0, 0, 3, 1), (1, 0, 0, 0)))
        return PublishedSum(points, *self.dice.choice(((None,), (4,), (4,), (None, places))))

    def change_points(self) -> None:
        found = list(models.SessionPoints.objects.filter(league=self.league, withdrawn=False).order_by("pk"))
        if not found:
            return
        points, other = self.dice.choice(found), self.a_sum(self.dice.choice((12_300, -700)))
        if self.dice.random() < 0.5:
            correct_session_points(points=points, published=other, reason="misprint", by=SYSTEM)
        else:
            withdraw_points(points=points, reason="mistaken", by=SYSTEM)

    def move_points(self) -> None:
        sessions = list(models.Session.objects.filter(league=self.league).exclude(pk=self.session.pk).order_by("pk"))
        if sessions:
            change_session(session=self.dice.choice(sessions), facts=SessionFacts(self.day_of_points()), by=SYSTEM)

    def refresh_some(self) -> None:
        """Refresh one board, fully or as its stale marks say; marks of the other boards stay."""
        keys = list(models.StalePeriod.objects.filter(league=self.league).values_list("period", flat=True).distinct())
        if keys:
            key = self.dice.choice(sorted(keys))
            refresh(self.league.pk, [key], anew=self.dice.random() < 0.3)
            assert not models.StalePeriod.objects.filter(league=self.league, period=key).exists()
            check_board(models.League.objects.get(pk=self.league.pk), parse_period(key, self.league.first_month))

    def look_at_a_range(self) -> None:
        ends = sorted(date(self.dice.choice((2024, 2025, 2026)), self.dice.randint(1, 12), 1) for _ in range(2))
        ragged = [end + timedelta(days=self.dice.choice((0, 0, 9, 20))) for end in ends]
        first, last = min(ragged), max(ragged) - timedelta(days=self.dice.choice((0, 1)))
        period = range_of(first, max(first, last))
        wanted, _ = checked_live_lines(self.league, period)
        assert {player: curve[-1] for player, curve in trends(self.league, period, list(wanted)).items()} == {
            p: line["total"] for p, line in wanted.items()
        }
        counted = models.Hanchan.objects.counted().filter(league=self.league).in_period(period).count()
        assert hanchan_in(self.league, period) == counted

    def change_settings(self) -> None:
        change_settings(league=self.league, settings=dict(self.dice.choice(SETTINGS)), by=SYSTEM)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(WALKS))
def test_boards_updated_step_by_step_equal_boards_from_scratch(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(STEPS):
        walk.step()
        if walk.dice.random() < 0.3:
            check_all_boards(walk.league)
    check_all_boards(walk.league)
    league = models.League.objects.get(pk=walk.league.pk)
    counted = set(models.Hanchan.objects.counted().filter(league=league).values_list("pk", flat=True))
    assert counted == {game.pk for game in models.Hanchan.objects.filter(league=league) if game.counts}
    assert all(seat.counted is (seat.hanchan_id in counted) for seat in models.Seat.objects.filter(league=league))
    assert [str(found) for proof in proofs for found in proof.check(league, ProofTally())] == []
    versions = dict(models.Board.objects.filter(league=league).values_list("period", "version"))
    assert rebuild_boards(league, lambda progress: None) == 0
    assert dict(models.Board.objects.filter(league=league).values_list("period", "version")) == versions

"""What is kept of sessions and versions of rules is what their hanchan say, whoever changes them."""

import random
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, F, Q, Sum
from django.test.utils import CaptureQueriesContext

from league.core.periods import year_of
from league.models import Hanchan, League, Player, Seat, Session, SessionPoints, SessionTotal
from league.selectors.before_session import points_before
from league.selectors.rule_uses import uses_of_versions
from league.selectors.session_totals import kept_sums, leagues_to_refresh, session_sums, summed
from league.services.boards import mark_stale, refresh_league
from league.services.history import SYSTEM
from league.services.rules import save_version
from league.services.session_totals import add_up_sessions
from league.tasks import refresh_standings
from tests.conftest import needs_postgresql
from tests.league.factories import make_league, make_players, make_session, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PLAYERS, DAYS, STEPS = 9, 120, 60


@pytest.fixture
def league() -> League:
    """A league whose year begins in April, with two versions of its rules."""
    league = make_league(first_month=4)
    make_players(league, PLAYERS)
    version = league.current_version
    assert version is not None
    save_version(ruleset=version.ruleset, parameters={**version.parameters, "oka": "0"}, note="", by=SYSTEM)
    return league


def plain_hanchan(session: Session, day: date, dice: random.Random, version: int) -> Hanchan:
    """Return a hanchan with any points at all, stored without a service."""
    moment = datetime.combine(day, time(12, dice.randrange(60)), UTC)
    hanchan = Hanchan.objects.create(
        league=session.league, session=session, key=str(dice.random()), table=1, round=1, played_at=moment, day=day,
        ruleset_version_id=version,
    )  # fmt: skip
    players = dice.sample(list(session.league.players.order_by("pk").values_list("pk", flat=True)), 4)
    Seat.objects.bulk_create(_seat(hanchan, seat, player, dice) for seat, player in enumerate(players))
    mark_stale(session.league, [day])
    return hanchan


def _seat(hanchan: Hanchan, seat: int, player: int, dice: random.Random) -> Seat:
    points = dice.randrange(-60000, 60000)
    return Seat(
        hanchan=hanchan, league=hanchan.league, player_id=player, seat=seat, raw_score=25000, day=hanchan.day,
        played_at=hanchan.played_at, placement=seat + 1, points=points, base=points,
        settlement=dice.randrange(-60000, 60000), total_only=dice.choice((0, 0, -20000)),
    )  # fmt: skip


class Walk:
    """What may happen to the sessions and hanchan of a league, through services or past them."""

    def __init__(self, league: League, dice: random.Random) -> None:
        self.league, self.dice = league, dice
        self.versions = list(league.rulesets.get().versions.values_list("pk", flat=True))

    def step(self) -> None:
        """Do something."""
        often = (self.recorded, self.recorded)
        changes = (self.to_another_day, self.to_another_session, self.by_other_rules, self.no_longer_counted)
        self.dice.choice((*often, *changes, self.by_somebody_else, self.gone, self.points_without_hanchan))()

    def _session(self) -> Session:
        return self.dice.choice(list(self.league.sessions.order_by("pk")))

    def _hanchan(self) -> Any:
        return Hanchan.objects.filter(
            pk=self.dice.choice(list(self.league.hanchan.order_by("pk").values_list("pk", flat=True)))
        )

    def _day(self) -> date:
        return date(2025, 2, 15) + timedelta(days=self.dice.randrange(DAYS))

    def recorded(self) -> None:
        session = self._session()
        day = session.date if self.dice.random() < 0.8 else self._day()
        plain_hanchan(session, day, self.dice, self.dice.choice(self.versions))

    def to_another_day(self) -> None:
        Session.objects.filter(pk=self._session().pk).update(date=self._day())

    def to_another_session(self) -> None:
        self._hanchan().update(session=self._session())

    def by_other_rules(self) -> None:
        state = self.dice.choice(("recorded", "voided", "confirmed"))
        self._hanchan().update(ruleset_version=self.dice.choice(self.versions), state=state)

    def no_longer_counted(self) -> None:
        found = self._hanchan().get()
        found.seats.update(counted=self.dice.random() < 0.5)
        mark_stale(self.league, [found.day])

    def by_somebody_else(self) -> None:
        seat = self._hanchan().get().seats.order_by("seat")[0]
        free = Player.objects.filter(league=self.league).exclude(seats__hanchan=seat.hanchan_id).order_by("pk")[0]
        Seat.objects.filter(pk=seat.pk).update(player=free)
        mark_stale(self.league, [seat.day])

    def gone(self) -> None:
        found = self._hanchan().get()
        found.delete()
        mark_stale(self.league, [found.day])

    def points_without_hanchan(self) -> None:
        session = self._session()
        facts = {"league": self.league, "day": session.date, "points": self.dice.randrange(9000), "hanchan": 1}
        player = self.league.players.order_by("pk")[self.dice.randrange(PLAYERS)]
        SessionPoints.objects.update_or_create(session=session, player=player, defaults=facts)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_is_what_the_facts_say_after_any_change(league: League, seed: int) -> None:
    dice = random.Random(seed)
    for number in range(14):
        make_session(league, date(2025, 3, 1) + timedelta(days=7 * number))
    for session in league.sessions.all():
        plain_hanchan(session, session.date, dice, league.current_version_id or 0)
    compared, walk = 0, Walk(league, dice)
    for number in range(STEPS):
        walk.step()
        if number % 5 == 0:
            add_up_sessions(league.pk)
        if number % 3 == 0:
            refresh_league(league.pk)
        everything = list(league.sessions.order_by("pk").values_list("pk", flat=True))
        facts = summed(everything)
        assert session_sums(everything) == facts
        assert {pk: facts[pk] for pk in kept_sums(everything)} == kept_sums(everything)
        assert uses_by_hand(league) == {
            pk: (use.hanchan, use.standing) for pk, use in uses_of_versions(league).items() if use.hanchan
        }
        for session in league.sessions.all() if number % 6 == 0 else ():
            players = league.players.values_list("pk", flat=True)
            year = year_of(session.date, league.first_month)
            for column in ("points", "settlement"):
                found = points_before(session, year, list(players), column)
                assert {player: points for player, points in found.items() if points} == before_by_hand(session, column)
                compared += len(players)
    assert compared >= 1000


def uses_by_hand(league: League) -> dict[int, tuple[int, int]]:
    """Return how many hanchan each version has, and how many of them stand, counted."""
    standing = Count("pk", filter=~Q(state="voided"))
    rows = league.hanchan.order_by().values_list("ruleset_version").annotate(all=Count("pk"), standing=standing)
    return {version: (every, standing) for version, every, standing in rows}


def before_by_hand(session: Session, column: str) -> Counter[int]:
    """Return what everybody has of the year from the hanchan of earlier sessions, summed."""
    earlier = Q(hanchan__session__date__lt=session.date) | Q(
        hanchan__session__date=session.date, hanchan__session__number__lt=session.number
    )
    seats = Seat.objects.counted().in_period(year_of(session.date, 4)).filter(earlier, league=session.league)
    rows = seats.order_by().values_list("player").annotate(sum=Sum(F(column) + F("total_only")))
    return Counter({player: points for player, points in rows if points})


def test_a_session_is_added_up_by_the_worker_and_found_again_when_it_changes(league: League) -> None:
    session, other = make_session(league), make_session(league)
    play(session)
    assert leagues_to_refresh() == [league.pk]
    refresh_standings.apply(args=(league.pk,)).get()
    assert leagues_to_refresh() == []
    assert kept_sums([session.pk, other.pk]).keys() == {session.pk, other.pk}
    Seat.objects.filter(hanchan__session=session, seat=0).update(settlement=1)
    assert kept_sums([session.pk, other.pk]).keys() == {other.pk}
    assert leagues_to_refresh() == [league.pk]


def test_a_message_that_finds_every_session_added_up_changes_nothing(league: League) -> None:
    session = make_session(league)
    play(session)
    assert add_up_sessions(league.pk) == 1
    before = SessionTotal.objects.get(session=session)
    assert add_up_sessions(league.pk) == 0
    assert add_up_sessions(league.pk, anew=True) == 1
    after = SessionTotal.objects.get(session=session)
    assert (after.edition, after.best) == (before.edition, before.best)


@needs_postgresql
def test_after_a_result_sessions_are_asked_about_no_more_often_than_boards(league: League) -> None:
    session = make_session(league)
    play(session)
    refresh_standings.apply(args=(league.pk,)).get()
    play(session, raw=(30000, 30000, 20000, 20000))
    with CaptureQueriesContext(connection) as boards:
        refresh_league(league.pk)
    with CaptureQueriesContext(connection) as sessions:
        assert add_up_sessions(league.pk) == 1
    statements = [[query["sql"] for query in asked if "SAVEPOINT" not in query["sql"]] for asked in (boards, sessions)]
    assert len(statements[1]) <= 8 < len(statements[0])
    assert kept_sums([session.pk])[session.pk].seats == 8

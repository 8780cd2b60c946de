"""Every call the bench makes into Tenbo besides HTTP, in one place; and the invented leagues, stored as imports are."""

import heapq
import random
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby, islice
from typing import Any

from celery import current_app
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Count, Sum
from django.test import Client
from django.utils import timezone

from bench.seasons import ZONE, Played, Season, crowd, played, random_game, steady, weekend
from league.core.periods import ALL_TIME, month_of, year_of
from league.models import League, Membership, Player, RulesetVersion, Seat, Session, StalePeriod, Standing
from league.services.boards import rebuild_boards
from league.services.bulk import HanchanPlace, prepare, store_unmarked
from league.services.calendar import SessionFacts, open_session
from league.services.history import SYSTEM, Actor
from league.services.imports.people import NEW
from league.services.imports.running import run_import
from league.services.imports.steps import create_batch, decide_names, set_options
from league.services.rescoring import rescore
from league.services.results import HanchanResult, TableAndTime, record_hanchan
from league.services.rules import adopt_card, save_version
from stats.services.ratings import replay_anew

TOGETHER = 2_000
FOLLOWING = ("league.refresh_standings", "stats.follow")
"""What the workers do for a league after a result: its boards, then what stats/ makes of them."""

SIZES = {
    # hanchan and leagues of the crowd, ages of the steady leagues, games for the core alone and for long work, rounds
    "smallest": ((2_000, 20), (800, 8_000), 1_000, 1),
    "quick": ((5_000, 20), (1_000, 5_000), 1_000, 3),
    "usual": ((20_000, 100), (1_000, 10_000, 100_000), 10_000, 5),
    "million": ((1_000_000, 200), (10_000, 100_000, 1_000_000), 10_000, 5),
}


@dataclass
class Loaded:
    """The leagues of a run: many of all sizes, some that differ only by their age, some for their pages, an event."""

    crowd: list[League]
    steady: dict[int, League]
    wide: dict[int, League]
    weekend: League
    day: date


def loaded(size: str, *, has_crowd: bool) -> Loaded:
    """Store the seasons of a size and the demonstration's tournaments; the last evening of all leagues is today's."""
    (hanchan, leagues), ages, _, _ = SIZES[size]
    call_command("load_demo", verbosity=0)
    day = timezone.localdate()
    month = min(200, min(ages) // 2)
    seasons = [steady(age, day, players=24 if min(ages) < 1_000 else 80, in_last_month=month) for age in ages]
    seasons += [steady(8 * rows, day, players=rows, in_last_month=4 * rows, slug="rows") for rows in (50, 200)]
    seasons += [weekend(day), *(crowd(hanchan, leagues, day) if has_crowd else ())]
    found = load(seasons)
    count = len(ages)
    wide = dict(zip((50, 200), found[count : count + 2], strict=True))
    return Loaded(found[count + 3 :], dict(zip(ages, found, strict=False)), wide, found[count + 2], day)


def load(seasons: Sequence[Season]) -> list[League]:
    """Store the seasons in the order of play, those of all leagues mixed; return their leagues, boards not worked out."""
    given = [league_with_rules(season.slug) for season in seasons]
    players = [
        Player.objects.bulk_create(
            Player(league=league, key=f"p{number}", name=f"選手{number + 1}", kana=f"せんしゅ{number + 1}")
            for number in range(season.players)
        )
        for season, (league, _) in zip(seasons, given, strict=True)
    ]
    sessions: dict[tuple[int, date], Session] = {}

    def place(at: int, each: Played) -> HanchanPlace:
        league, version = given[at]
        if (at, each.day) not in sessions:
            facts = SessionFacts(date=each.day, tables=seasons[at].tables)
            sessions[at, each.day] = open_session(league=league, facts=facts, by=SYSTEM)
        session = sessions[at, each.day]
        return HanchanPlace(session, version, version.read(), each.table, each.round, each.moment)

    streams = [
        _numbered(at, season, version) for at, (season, (_, version)) in enumerate(zip(seasons, given, strict=True))
    ]
    merged = heapq.merge(*streams, key=lambda each: each[0])
    with transaction.atomic():
        while chunk := list(islice(merged, TOGETHER)):
            for at, some in groupby(sorted(chunk, key=lambda each: each[1]), key=lambda each: each[1]):
                prepared = [
                    prepare(
                        place(at, each), HanchanResult(tuple(players[at][n] for n in each.players), each.game), SYSTEM
                    )
                    for _, _, each in some
                ]
                store_unmarked(given[at][0], prepared, SYSTEM)
        Session.objects.filter(league__in=[league for league, _ in given]).update(state=Session.State.CLOSED)
    analyze()
    return [league for league, _ in given]


def _numbered(at: int, season: Season, version: RulesetVersion) -> Iterable[tuple[datetime, int, Played]]:
    return ((each.moment, at, each) for each in played(season, version.read()))


def analyze() -> None:
    """Let the database know how much there is of what, as it finds out in time."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def league_with_rules(slug: str) -> tuple[League, RulesetVersion]:
    """Return a new public league that plays by the Camarade rules."""
    league = League.objects.create(slug=slug, name=slug, time_zone=ZONE)
    return league, adopt_card(league=league, card_key="camarade", name="Camarade", by=SYSTEM)


def scorer_of(leagues: Iterable[League]) -> Client:
    """Return the browser of a user who may enter results in all these leagues."""
    user = User.objects.create_user(f"scorer-{uuid.uuid4().hex[:8]}")
    memberships = [Membership(league=league, user=user, role=Membership.Role.SCORER) for league in leagues]
    Membership.objects.bulk_create(memberships)
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(user)
    return client


class Table:
    """One table of a league at which results come in, on the league's last day."""

    def __init__(self, league: League, day: date) -> None:
        self.league, self.day = league, day
        self.session = open_session(league=league, facts=SessionFacts(date=day, tables=4), by=SYSTEM)
        self.players = tuple(Player.objects.filter(league=league).order_by("pk")[:4])
        self.rules = self.session.ruleset_version.read()
        self.dice = random.Random(league.slug)
        self.moment = datetime.fromisoformat(f"{day}T11:00:00+00:00")

    def enter(self) -> None:
        """Record one more hanchan as a service does, without HTTP."""
        self.moment += timedelta(seconds=20)
        result = HanchanResult(self.players, random_game(self.dice, self.rules))
        place = TableAndTime(table=1, played_at=self.moment, client_key=uuid.uuid4())
        record_hanchan(session=self.session, result=result, table_and_time=place, by=SYSTEM, even_if_same=True)

    def refresh(self) -> None:
        """Bring the league's boards up to date as the worker does."""
        _do(FOLLOWING[0], self.league)

    def follow(self) -> None:
        """Do everything that follows from a result."""
        for task in FOLLOWING:
            _do(task, self.league)


def _do(task: str, league: League) -> None:
    current_app.loader.import_default_modules()
    if task in current_app.tasks:
        current_app.tasks[task].apply(args=(league.pk,)).get()


def is_fresh(league: League) -> bool:
    """Return whether no board of the league waits for the worker."""
    return not StalePeriod.objects.filter(league=league).exists()


def rebuild(leagues: Iterable[League]) -> None:
    """Work out every board of these leagues from the seats."""
    for league in leagues:
        rebuild_boards(league, lambda _progress: None)


def other_version(league: League, *uma: str) -> RulesetVersion:
    """Return a further version of the league's rules, with another uma."""
    current = league.current_version
    assert current is not None
    return save_version(
        ruleset=current.ruleset, parameters={**current.parameters, "uma": list(uma)}, note="", by=SYSTEM
    )


def rescore_all(league: League, version: RulesetVersion) -> dict[str, Any]:
    """Score the whole league again under another version."""
    return rescore(league, version.pk, Actor(None, "job"), lambda _progress: None)


def import_file(league: League, data: bytes) -> dict[str, Any]:
    """Import a file with names that the league has not yet."""
    batch = create_batch(league=league, file_name="games.csv", data=data, by=SYSTEM)
    decide_names(batch, {}, unknown=NEW)
    set_options(batch, leave_out_errors=False, take_asked=True)
    return run_import(batch.pk, SYSTEM, lambda _progress: None)


def wrong_lines(league: League, day: date) -> int:
    """Return how many lines of a day's month, year and all-time boards are not what the seats add up to."""
    wrong = 0
    for period in (month_of(day), year_of(day, league.first_month), ALL_TIME):
        seats = Seat.objects.counted().filter(league=league).in_period(period).order_by().values("player")
        summed = seats.annotate(hanchan=Count("pk"), points=Sum("points"), settlement=Sum("settlement"))
        scratch = {(row["player"], row["hanchan"], row["points"], row["settlement"]) for row in summed}
        stored = Standing.objects.filter(league=league, period=period.key)
        wrong += len(scratch ^ set(stored.values_list("player", "hanchan", "points", "settlement")))
    return wrong


def replay_ratings(league: League) -> None:
    """Replay the ratings of a league from its first hanchan."""
    replay_anew(league)

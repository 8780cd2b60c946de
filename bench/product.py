"""All calls of the benchmark into Tenbo except HTTP, and the generated leagues."""

import random
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.models import Count, Sum
from django.test import Client
from django.utils import timezone

from bench.seasons import Season, crowd, played, random_game, steady, weekend
from league.core.periods import ALL_TIME, month_of, year_of
from league.models import League, Membership, Player, RulesetVersion, Seat, Session, Standing
from league.services.boards import rebuild_boards
from league.services.bulk import prepare, store_unmarked
from league.services.calendar import SessionFacts, open_session
from league.services.history import SYSTEM, Actor
from league.services.imports.contents import contents_of
from league.services.imports.running import run_import
from league.services.imports.steps import change_reading, create_batch
from league.services.rescoring import rescore
from league.services.results import HanchanResult, TableAndTime, record_hanchan
from league.tasks import refresh_standings
from stats.tasks import follow
from tests.league.factories import make_league, make_players

SIZES = {
    # Hanchan of the steady leagues, hanchan of long work, rounds.
    "smallest": ((800, 8_000), 1_000, 1),
    "quick": ((1_000, 5_000), 1_000, 3),
    "usual": ((1_000, 10_000, 100_000), 10_000, 5),
    "million": ((10_000, 100_000, 1_000_000), 10_000, 5),
}


@dataclass
class Loaded:
    """The leagues of a run: many small ones, some that differ only by age, some for pages, and one event."""

    crowd: list[League]
    steady: dict[int, League]
    wide: dict[int, League]
    weekend: League
    day: date


def loaded(size: str, *, has_crowd: bool) -> Loaded:
    """Store the seasons of a size and the demo tournaments. The last session of every league is today."""
    ages, _, _ = SIZES[size]
    call_command("load_demo", verbosity=0)
    day = timezone.localdate()
    month = min(200, min(ages) // 2)
    seasons = [steady(age, day, players=24 if min(ages) < 1_000 else 80, in_last_month=month) for age in ages]
    seasons += [steady(8 * rows, day, players=rows, in_last_month=4 * rows, slug="rows") for rows in (50, 200)]
    seasons += [weekend(day), *(crowd(20, day) if has_crowd else ())]
    found = load(seasons)
    count = len(ages)
    wide = dict(zip((50, 200), found[count : count + 2], strict=True))
    return Loaded(found[count + 3 :], dict(zip(ages, found, strict=False)), wide, found[count + 2], day)


def load(seasons: Sequence[Season]) -> list[League]:
    leagues = [_load(season) for season in seasons]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return leagues


def _load(season: Season) -> League:
    league = make_league(season.slug)
    version = league.current_version
    assert version is not None
    players = make_players(league, season.players)
    for day, games in groupby(played(season, version.read()), key=lambda game: game.day):
        session = open_session(league=league, facts=SessionFacts(date=day, tables=season.tables), by=SYSTEM)
        prepared = []
        for each in games:
            place = TableAndTime(each.table, each.round, each.moment)
            result = HanchanResult(tuple(players[number] for number in each.players), each.game)
            prepared.append(prepare(session, result, place, SYSTEM))
        store_unmarked(league, prepared, SYSTEM)
    Session.objects.filter(league=league).update(state=Session.State.CLOSED)
    return league


def scorer_of(leagues: Iterable[League]) -> Client:
    user = User.objects.create_user(f"scorer-{uuid.uuid4().hex[:8]}")
    memberships = [Membership(league=league, user=user, role=Membership.Role.SCORER) for league in leagues]
    Membership.objects.bulk_create(memberships)
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(user)
    return client


class Table:
    def __init__(self, league: League, day: date) -> None:
        self.league, self.day = league, day
        self.session = open_session(league=league, facts=SessionFacts(date=day, tables=4), by=SYSTEM)
        self.players = tuple(Player.objects.filter(league=league).order_by("pk")[:4])
        self.rules = self.session.ruleset_version.read()
        self.dice = random.Random(league.slug)
        self.moment = datetime.fromisoformat(f"{day}T11:00:00+00:00")

    def enter(self) -> None:
        self.moment += timedelta(seconds=20)
        result = HanchanResult(self.players, random_game(self.dice, self.rules))
        place = TableAndTime(table=1, played_at=self.moment, client_key=uuid.uuid4())
        record_hanchan(session=self.session, result=result, table_and_time=place, by=SYSTEM, even_if_same=True)

    def refresh(self) -> None:
        refresh_standings.apply(args=(self.league.pk,)).get()

    def follow(self) -> None:
        self.refresh()
        follow.apply(args=(self.league.pk,)).get()


def rebuild(leagues: Iterable[League]) -> None:
    for league in leagues:
        rebuild_boards(league, lambda _progress: None)


def rescore_all(league: League, version: RulesetVersion) -> dict[str, Any]:
    return rescore(league, version.pk, Actor(None, "job"), lambda _progress: None)


def import_file(league: League, data: bytes) -> dict[str, Any]:
    batch = create_batch(league=league, file_name="games.csv", data=data, by=SYSTEM)
    change_reading(batch, replace(contents_of(batch).reading, asked="take"))
    return run_import(batch.pk, SYSTEM, lambda _progress: None)


def wrong_lines(league: League, day: date) -> int:
    """Return the number of lines on month, year and all-time boards that differ from the sums of their seats."""
    wrong = 0
    for period in (month_of(day), year_of(day, league.first_month), ALL_TIME):
        seats = Seat.objects.counted().filter(league=league).in_period(period).order_by().values("player")
        summed = seats.annotate(hanchan=Count("pk"), points=Sum("points"), settlement=Sum("settlement"))
        scratch = {(row["player"], row["hanchan"], row["points"], row["settlement"]) for row in summed}
        stored = Standing.objects.filter(league=league, period=period.key)
        wrong += len(scratch ^ set(stored.values_list("player", "hanchan", "points", "settlement")))
    return wrong

"""Refreshing a month and reading its page, against the bare statements and an empty page."""

import random
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bench.race import Row, count, race
from league.core.periods import Period, parse_period
from league.models import Board, Hanchan, League, Player, RulesetVersion, Seat, Session, StalePeriod, Standing
from league.selectors.standings_sql import Days, sums_of_days
from league.services.history import SYSTEM
from league.services.results import HanchanResult, derived_seats
from league.services.rules import adopt_card
from league.tasks import refresh_standings
from scoring.core import FinishedGame

MONTH = parse_period("2025-11")
PLAYERS = 200
HANCHAN = 5_000

BARE_SUM = """
    SELECT player_id, SUM(points), COUNT(*) FROM league_seat
    WHERE league_id = %(league)s AND counted AND day >= %(start)s AND day < %(end)s GROUP BY player_id
"""


def rows(rounds: int) -> Iterator[Row]:
    """Yield the timings of one month of a large league and of its page."""
    league = crowded_league()

    def by_task() -> None:
        StalePeriod.objects.create(league=league, period=MONTH.key)
        refresh_standings.apply(args=(league.pk,)).get()

    def by_select() -> None:
        sums_of_days(league, [Days(0, MONTH.start, MONTH.end)], MONTH.last)

    def by_sum() -> None:
        _run(BARE_SUM, {"league": league.pk, "start": MONTH.start, "end": MONTH.end})

    name = f"a month of {HANCHAN:,} hanchan, {PLAYERS} players, by task"
    yield race(f"{name} / the full select", _afresh(by_task), by_select, goal=2.5, rounds=rounds)
    yield race(f"{name} / the bare sum", _afresh(by_task), by_sum, goal=2.5, rounds=rounds)
    yield from _page_rows(league, rounds)


def _page_rows(league: League, rounds: int) -> Iterator[Row]:
    client = Client()
    address = f"/l/{league.slug}/standings/{MONTH.key}/"
    hello = "/healthz"

    def renew() -> None:
        # A new version of the board is what makes the page be built anew.
        Board.objects.filter(league=league, period=MONTH.key).update(version=F("version") + 1)

    def first_view() -> None:
        renew()
        _read(client, address)

    tag = _read(client, address)
    yield race(
        "leaderboard of 200 players, first view / hello page",
        first_view,
        lambda: _read(client, hello),
        goal=100,
        rounds=rounds,
    )
    yield race("the same, cached", lambda: _read(client, address), lambda: _read(client, hello), goal=16, rounds=rounds)
    yield race(
        "the same, unchanged (304)",
        lambda: client.get(address, headers={"if-none-match": tag}),
        lambda: _read(client, hello),
        goal=6,
        rounds=rounds,
    )
    renew()
    with CaptureQueriesContext(connection) as first:
        _read(client, address)
    yield count("queries of that page, first view", len(first), goal=12)


def _read(client: Client, address: str) -> str:
    response = client.get(address)
    if response.status_code != 200:
        message = f"{address} answered {response.status_code}"
        raise RuntimeError(message)
    return str(response.headers.get("ETag", ""))


def _afresh(work: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        Standing.objects.all().delete()
        work()

    return run


def _run(statement: str, parameters: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        if cursor.description:
            cursor.fetchall()


def crowded_league() -> League:
    """Return a league whose November holds five thousand hanchan of two hundred players, seeded."""
    dice = random.Random(5)
    league = League.objects.create(slug=f"bench-{uuid.uuid4().hex[:8]}", name="Bench")
    version = adopt_card(league=league, card_key="camarade", name="Camarade", by=SYSTEM)
    players = Player.objects.bulk_create(
        [Player(league=league, key=f"p{number}", name=f"Player {number}") for number in range(PLAYERS)]
    )
    session = Session.objects.create(league=league, key="s", number=1, date=date(2025, 11, 1), ruleset_version=version)
    hanchan = Hanchan.objects.bulk_create(_hanchan(league, session, version, MONTH))
    rules = version.read()
    seats: list[Seat] = []
    for played in hanchan:
        result = HanchanResult(tuple(dice.sample(players, 4)), FinishedGame(raw=_scores(dice)))
        for seat in derived_seats(result, rules):
            seat.hanchan, seat.league, seat.day, seat.played_at = played, league, played.day, played.played_at
            seats.append(seat)
    Seat.objects.bulk_create(seats, batch_size=4_000)
    return league


def _hanchan(league: League, session: Session, version: RulesetVersion, month: Period) -> Iterator[Hanchan]:
    start = datetime(month.start.year, month.start.month, 1, 3, tzinfo=UTC)
    for number in range(HANCHAN):
        moment = start + timedelta(days=number % 28, minutes=number // 28)
        yield Hanchan(
            league=league,
            session=session,
            key=f"h{number}",
            table=1,
            round=1,
            played_at=moment,
            day=league.day_of(moment),
            ruleset_version=version,
        )


def _scores(dice: random.Random) -> tuple[int, ...]:
    cuts = sorted(dice.sample(range(50, 950), 3))
    return tuple(100 * (high - low) for low, high in zip([0, *cuts], [*cuts, 1000], strict=True))

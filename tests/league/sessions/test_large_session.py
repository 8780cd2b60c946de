import random
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from league.core.board_lines import TWELFTHS
from league.models import Adjustment, Hanchan, League, Player, Revision, Seat, Session
from league.selectors.large_sheets import HANCHAN_OF_PART, ROUND, TABLE, large_sheet
from league.selectors.sheets import sheet_of
from tests.conftest import built_once
from tests.league.factories import DAY, make_league, make_session

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TABLES, ROUNDS = 32, 10


@built_once()
def weekend() -> Session:
    return make_event(make_league(disputed_count=False), TABLES, ROUNDS)


def make_event(league: League, tables: int, rounds: int) -> Session:
    chance, session = random.Random(20251121), make_session(league, tables=tables)
    names = [f"花山{number:03d}" for number in range(4 * tables)]
    players = Player.objects.bulk_create([Player(league=league, key=name, name=name, kana=name) for name in names])
    facts = {"league": league, "session": session, "ruleset_version": session.ruleset_version, "day": DAY}
    facts |= {"played_at": datetime(2025, 11, 21, 10, tzinfo=UTC)}
    hanchan: list[Hanchan] = []
    seats: list[Seat] = []
    for round_number in range(1, rounds + 1):
        seated = chance.sample(players, len(players))
        for table in range(1, tables + 1):
            key, state = f"{round_number}-{table}", chance.choices(Hanchan.State.values, (40, 40, 2, 2))[0]
            hanchan.append(Hanchan(key=key, table=table, round=round_number, state=state, **facts))
            seats += _seats(hanchan[-1], seated[4 * table - 4 : 4 * table], chance)
    Hanchan.objects.bulk_create(hanchan)
    for seat in seats:
        seat.hanchan_id = seat.hanchan.pk
    Seat.objects.bulk_create(seats)
    for player in players[:5]:
        Adjustment.objects.create(league=league, player=player, day=DAY, points=-20_000, reason="late", session=session)
    return session


def _seats(hanchan: Hanchan, players: list[Player], chance: random.Random) -> Iterator[Seat]:
    shares = [chance.randrange(-200, 200) * 100 for _ in range(3)]
    for number, (player, share) in enumerate(zip(players, [*shares, -sum(shares)], strict=True)):
        yield Seat(
            hanchan=hanchan,
            league=hanchan.league,
            player=player,
            seat=number,
            raw_score=25_000 + share,
            day=hanchan.day,
            played_at=hanchan.played_at,
            counted=hanchan.state not in {"voided", "disputed"},
            placement=number + 1,
            points=10 * share,
            base=10 * share,
            settlement=10 * share + number,
            total_only=-40_000 if chance.random() < 0.02 else 0,
            chips=chance.randrange(-3, 4),
        )


@pytest.mark.long
@pytest.mark.parametrize("ledger", League.RankingLedger.values)
def test_sums_of_a_large_session_equal_the_score_table(weekend: Session, ledger: str) -> None:
    table, large = sheet_of(weekend, ledger), large_sheet(weekend, ledger, ROUND, "")
    assert {column.player: column for column in large.columns} == {column.player: column for column in table.columns}
    assert [column.rank for column in large.ranking] == sorted(column.rank for column in table.columns)
    assert (large.hanchan, large.total) == (table.hanchan, table.total)
    assert sum(column.places[0] for column in large.columns) == TWELFTHS * sum(game.counts for game in table.standing)
    assert {*large.voided} == {*table.voided}
    assert {*large.marked} == {game for game in table.standing if game.is_disputed}


@pytest.mark.long
@pytest.mark.parametrize("by", [ROUND, TABLE])
def test_every_hanchan_of_a_large_session_is_in_one_part(weekend: Session, by: str) -> None:
    parts = large_sheet(weekend, "ranking", by, "").parts
    assert len(parts) == (ROUNDS if by == ROUND else TABLES)
    shown = [table.hanchan for part in parts for table in large_sheet(weekend, "ranking", by, part.name).tables]
    assert len(shown) == len({*shown}) == sheet_of(weekend, "ranking").hanchan


def test_round_with_very_many_tables_has_several_parts() -> None:
    parts = large_sheet(make_event(make_league("many"), HANCHAN_OF_PART + 12, 1), "ranking", ROUND, "").parts
    assert [part.name for part in parts] == ["1-1", "1-2"]
    assert max(len(part.hanchan) for part in parts) == HANCHAN_OF_PART


@pytest.mark.parametrize("query", ["", "?by=table&part=7", "?page=3&ledger=settlement", "?part=99&by=nonsense&page=x"])
def test_page_of_a_large_session_is_small_and_needs_few_queries(client: Client, weekend: Session, query: str) -> None:
    address = reverse("league:session", args=[weekend.league.slug, weekend.pk])
    with CaptureQueriesContext(connection) as asked:
        page = client.get(f"{address}{query}")
    text = page.content.decode()
    assert page.status_code == 200
    assert len(page.content) < 150_000
    # One of the queries is for the month's board.
    assert len(asked) <= 15
    assert text.count('class="sheet-points"') in range(20, 4 * HANCHAN_OF_PART + 1)
    assert 0 < text.count('class="num main"') <= 50


@pytest.mark.long
def test_hidden_names_are_absent_from_a_large_session(client: Client, weekend: Session) -> None:
    Player.objects.filter(league=weekend.league).update(visibility=Player.Visibility.MEMBERS)
    address = reverse("league:session", args=[weekend.league.slug, weekend.pk])
    for query in ("", "?by=table"):
        assert "花山" not in client.get(f"{address}{query}").content.decode()


def test_notes_of_a_large_session_cover_all_hanchan(client: Client, weekend: Session) -> None:
    hanchan = weekend.hanchan.order_by("round", "table")
    corrected = hanchan.exclude(state="voided")[0]
    Revision.objects.create(league=weekend.league, subject="hanchan", subject_id=corrected.pk, action="corrected")
    html = client.get(reverse("league:session", args=[weekend.league.slug, weekend.pk])).content.decode()
    notes = html[html.index('class="sheet-state"') : html.index("</ul>", html.index('class="sheet-state"'))]
    assert f"{hanchan.filter(state='confirmed').count()}" in notes
    assert all(f"/g/{each.pk}/" in notes for each in hanchan.filter(state="disputed"))
    assert f"/g/{corrected.pk}/" in notes

"""What an import sends to the database follows how much there is of it in slices, not person by person, day by day."""

from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.models import League, Player, PlayerAlias, Revision
from league.services.history import SYSTEM
from league.services.imports.people import NEW
from league.services.imports.running import run_import
from league.services.imports.steps import decide_names
from league.services.people import PlayerFacts, add_players
from tests.league.factories import make_league
from tests.league.imports.files import batch_of, file_of, game

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HEADER = "日付,節,卓,回戦,席,選手,素点,メモ,別名"
FIRST = date(2025, 1, 7)


def season(evenings: int) -> str:
    """Return a file of so many evenings; at each one four people play who come on no other."""
    games = []
    for evening in range(evenings):
        names = [f"選手{evening}{seat}" for seat in "東南西北"]
        rows = game(str(FIRST + timedelta(weeks=evening)), names=names).splitlines()
        games.append("\n".join(f"{row},{name}の別名" for row, name in zip(rows, names, strict=True)))
    return file_of(*games, header=HEADER)


def statements_of_importing(league: League, text: str) -> int:
    batch = batch_of(league, text)
    decide_names(batch, {}, unknown=NEW)
    with CaptureQueriesContext(connection) as sent:
        run_import(batch.pk, SYSTEM, lambda _progress: None)
    return len(sent)


def test_new_people_and_new_evenings_cost_no_statement_each() -> None:
    few, many = make_league(slug="few"), make_league(slug="many")
    more = statements_of_importing(many, season(15)) - statements_of_importing(few, season(2))
    # 52 people and 13 evenings more: SQLite takes fewer rows a statement than they are.
    assert more <= 2
    assert (many.players.count(), many.sessions.count(), many.hanchan.count()) == (60, 15, 15)
    assert PlayerAlias.objects.filter(player__league=many).count() == 60


def test_each_new_person_and_evening_has_its_line_in_the_history() -> None:
    league = make_league()
    statements_of_importing(league, season(3))
    told = Revision.objects.filter(league=league, action=Revision.Action.CREATED).order_by("pk")
    people = {each.subject_id: each.after for each in told if each.subject == "player"}
    assert people.keys() == set(league.players.values_list("pk", flat=True))
    player = league.players.get(name="選手0東")
    assert people[player.pk] == {
        "name": "選手0東",
        "kana": "",
        "romanised": "",
        "number": "",
        "club": "",
        "is_guest": False,
        "visibility": "public",
        "is_active": True,
        "aliases": ["選手0東の別名"],
    }
    sessions = {each.subject_id: (each.after or {})["date"] for each in told if each.subject == "session"}
    assert sessions == {session.pk: str(session.date) for session in league.sessions.all()}


def test_a_list_of_people_is_stored_all_or_none() -> None:
    league = make_league()
    taken = [PlayerFacts(name="大野", number="7", aliases=(" ぬの ", "大野", "")), PlayerFacts(name="小野")]
    added = add_players(league=league, people=taken, by=SYSTEM)
    assert [player.name for player in added] == ["大野", "小野"]
    assert list(PlayerAlias.objects.values_list("player__name", "name")) == [("大野", "ぬの")]
    assert Player.objects.filter(league=league).count() == Revision.objects.filter(subject="player").count() == 2

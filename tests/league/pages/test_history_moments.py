import re
from datetime import UTC, date, datetime, time, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from league.models import League, Revision
from league.services.attendance import set_answers_until
from league.services.calendar import adjust
from league.services.ending import ask_to_end
from league.services.history import SYSTEM
from league.services.links import issue_link
from league.services.results import void_hanchan
from tests.league.factories import logged_in, make_league, make_session, play
from tests.tournaments.factories import make_cinderella_league
from tests.tournaments.registering import offered

pytestmark = pytest.mark.django_db

STORED = re.compile(r"\d{4}-\d\d-\d\d")
"""Formats of stored dates and times, which pages must not show."""

MOMENT = datetime(2026, 11, 21, 10, 5, tzinfo=UTC)


def history(league: League, language: str) -> str:
    client = logged_in(league, "owner", f"owner-{language}")
    page = client.get(f"/{language}" * (language != "ja") + reverse("league:history", args=[league.slug]))
    assert page.status_code == 200
    # Text of elements, not attributes.
    return " ".join(re.sub(r"<[^>]*>", " ", page.content.decode().split("<main")[1]).split())


@pytest.mark.parametrize(("language", "moment"), [("en", "Sat 21 Nov 2026 19:05"), ("ja", "2026/11/21(土) 19:05")])
def test_history_formats_dates_and_times(language: str, moment: str) -> None:
    league = make_cinderella_league()
    session = make_session(league, date(2026, 11, 21))
    session.start_time = time(19, 30)
    session.save()
    void_hanchan(hanchan=play(session), by=SYSTEM, reason="twice")
    adjust(player=league.players.earliest("pk"), day=session.date, points=1000, reason="late", by=SYSTEM)
    issue_link(session=session, table=1, by=SYSTEM)
    set_answers_until(session=session, until=MOMENT, by=SYSTEM)
    offered(league, opens_at=MOMENT, closes_at=MOMENT + timedelta(days=1))
    ask_to_end(league=league, by=SYSTEM)
    said = history(league, language)
    assert said.count(moment) >= 2
    assert not STORED.findall(said), STORED.findall(said)


def test_history_shows_times_in_the_time_zone_of_the_league() -> None:
    league = make_league(time_zone="Europe/Berlin")
    set_answers_until(session=make_session(league, timezone.localdate() + timedelta(days=40)), until=MOMENT, by=SYSTEM)
    assert "Sat 21 Nov 2026 11:05" in history(league, "en")


def test_english_history_names_players_in_latin_script() -> None:
    league = make_league()
    hanchan = play(make_session(league, date(2026, 11, 21)))
    winner = league.players.earliest("pk")
    winner.name, winner.romanised = "榎本 まどか", "Madoka Enomoto"
    winner.save()
    seats = [{"player": winner.pk, "name": "榎本 まどか", "raw": 25_000}]
    Revision.objects.create(
        league=league, subject="hanchan", subject_id=hanchan.pk, action="added", source="web", after={"seats": seats}
    )
    adjust(player=winner, day=date(2026, 11, 21), points=1000, reason="late", by=SYSTEM)
    said = history(league, "en")
    assert "榎本" not in said
    assert "Madoka Enomoto 25,000" in said
    assert "榎本 まどか" in history(league, "ja")

import re
from datetime import UTC, datetime

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from league.models import Hanchan, League, Session, TableLink
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
from league.services.results import HanchanResult, TableAndTime, record_hanchan
from scoring.core import FinishedGame
from tests.league.entry.test_grid import post, shown
from tests.league.entry_contexts import typed
from tests.league.factories import make_league, make_players, make_session, make_user, play, points_of

pytestmark = [pytest.mark.django_db]

EVENING = datetime(2025, 11, 21, 11, 30, tzinfo=UTC)
SHORT = ("400", "300", "200", "23")
NOTE = "The book has only these"


@pytest.fixture
def league() -> League:
    league = make_league(card="cinderella")
    make_players(league)
    return league


@pytest.fixture
def session(league: League) -> Session:
    return make_session(league)


def signed_in(client: Client, league: League, role: str) -> Client:
    client.force_login(make_user(role, league=league, role=role))
    return client


def enter(session: Session) -> str:
    return reverse("league:enter_session", args=[session.league.slug, session.pk])


def saved(client: Client, path: str, **fields: object) -> str:
    with time_machine.travel(EVENING):
        return client.post(path, fields, follow=True).content.decode()


def test_an_organiser_is_asked_on_the_spot_and_says_why(client: Client, league: League, session: Session) -> None:
    signed_in(client, league, "organiser")
    body = typed(league, *SHORT)
    asked = saved(client, enter(session), **body)
    assert not Hanchan.objects.exists()
    [offered] = re.findall(r'name="as_is" id="as-is" value="(-?\d+)"', asked)
    assert offered == "-7700"
    silent = saved(client, enter(session), **body, as_is=offered)
    assert not Hanchan.objects.exists()
    assert "explain why the wrong total" in silent or "メモに書いて" in silent
    saved(client, enter(session), **body, as_is=offered, as_is_why=NOTE)
    hanchan = Hanchan.objects.get()
    assert (hanchan.as_is, hanchan.note) == (True, NOTE)
    assert points_of(hanchan) == [50_000, 10_000, -20_000, -47_700]


def test_changed_difference_is_asked_about_again(client: Client, league: League, session: Session) -> None:
    signed_in(client, league, "owner")
    page = saved(client, enter(session), **typed(league, "400", "300", "200", "24"), as_is="-7700", as_is_why=NOTE)
    assert not Hanchan.objects.exists()
    assert 'value="-7600"' in page
    saved(client, enter(session), **typed(league, "400", "300", "200", "100"), as_is="-7600", as_is_why=NOTE)
    assert not Hanchan.objects.get().as_is


def test_a_scorer_is_not_asked_and_cannot_say_so(client: Client, league: League, session: Session) -> None:
    signed_in(client, league, "scorer")
    page = saved(client, enter(session), **typed(league, *SHORT), as_is="-7700", as_is_why=NOTE)
    assert not Hanchan.objects.exists()
    assert 'name="as_is"' not in page


def test_table_link_cannot_accept_a_wrong_sum(client: Client, league: League, session: Session) -> None:
    with time_machine.travel(EVENING):
        link: TableLink = issue_link(session=session, table=1, by=SYSTEM)
    page = saved(
        client, reverse("league:table", args=[code_of(link)]), **typed(league, *SHORT), as_is="-7700", as_is_why=NOTE
    )
    assert not Hanchan.objects.exists()
    assert 'name="as_is"' not in page


def test_a_correction_keeps_it_or_makes_it_usual(client: Client, league: League, session: Session) -> None:
    hanchan = play(session, (40_000, 30_000, 20_000, 2_300), note=NOTE, as_is=True, played_at=EVENING)
    signed_in(client, league, "scorer")
    path = reverse("league:correct", args=[league.slug, hanchan.pk])
    page = client.get(path).content.decode()
    assert 'value="-7700"' in page
    body = typed(league, *SHORT) | {"reason": "the other table", "note": NOTE, "table": "2"}
    saved(client, path, **body, seen_version="1", as_is="-7700")
    hanchan.refresh_from_db()
    assert (hanchan.table, hanchan.as_is) == (2, True)
    body |= {"raw_3": "33"}
    saved(client, path, **body, seen_version="2", as_is="-6700")
    hanchan.refresh_from_db()
    assert hanchan.version == 2
    body |= {"raw_3": "100"}
    saved(client, path, **body, seen_version="2")
    hanchan.refresh_from_db()
    assert (hanchan.version, hanchan.as_is) == (3, False)


@pytest.fixture
def worked_out(session: Session) -> Hanchan:
    """A hanchan whose raw scores were computed from the given points."""
    result = HanchanResult(
        tuple(session.league.players.order_by("pk")), FinishedGame((45_000, 29_000, 20_000, 6_000)), worked_out=True
    )
    return record_hanchan(
        session=session, result=result, table_and_time=TableAndTime(played_at=EVENING), by=SYSTEM
    ).hanchan


@pytest.mark.long
def test_derived_scores_stay_until_corrected(client: Client, league: League, worked_out: Hanchan) -> None:
    signed_in(client, league, "scorer")
    path = reverse("league:correct", args=[league.slug, worked_out.pk])
    body = typed(league, "450", "290", "200", "60") | {"reason": "seen"}
    saved(client, path, **body, seen_version="1")
    worked_out.refresh_from_db()
    assert worked_out.version == 1  # unchanged
    for version, changed in enumerate(({"table": "2"}, {"table": "2", "round": "3"}), start=1):
        saved(client, path, **body | changed, seen_version=version)
        worked_out.refresh_from_db()
        assert (worked_out.version, worked_out.given) == (version + 1, "worked_out")
    compared = saved(client, path, **body | {"table": "4", "round": "3"}, seen_version="1")
    assert "were derived" not in compared
    worked_out.refresh_from_db()
    assert worked_out.version == 3
    scores = typed(league, "440", "300", "200", "60") | {"reason": "seen", "table": "2", "round": "3"}
    saved(client, path, **scores, seen_version="3")
    worked_out.refresh_from_db()
    assert worked_out.given == "raw"


@pytest.mark.parametrize(
    ("changed", "given"), [({"table_0": "2"}, "worked_out"), ({"cell_0_0": "440", "cell_0_1": "300"}, "raw")]
)
def test_the_sheet_knows_what_was_worked_out(
    client: Client, session: Session, worked_out: Hanchan, changed: dict[str, str], given: str
) -> None:
    signed_in(client, session.league, "scorer")
    sent = shown(client, session) | changed | {"reason": "seen"}
    assert post(client, session, sent, "save").status_code == 302
    worked_out.refresh_from_db()
    assert (worked_out.version, worked_out.given) == (2, given)

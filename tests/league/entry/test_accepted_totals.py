import re

import pytest
import time_machine
from django.test import Client

from league.models import Hanchan, League, Session
from league.services.history import SYSTEM
from league.services.results import HanchanResult, TableAndTime, record_hanchan
from scoring.core import FinishedGame
from tests.league.entry.test_sheet import address, form_in, form_of, post, row, statuses, text_of, with_players
from tests.league.entry_contexts import EVENING, at, link_of, typed, url
from tests.league.factories import make_league, play, points_of

pytestmark = [pytest.mark.django_db]

SHORT = ("400", "300", "200", "23")
"""A digit of the last score is missing, so 7,700 points are lacking."""
NOTE = "The book has only these"


@pytest.fixture
def league() -> League:
    return make_league(card="cinderella", players=4)


def post_later(client: Client, path: str, **fields: object) -> str:
    with time_machine.travel(EVENING):
        return client.post(path, fields, follow=True).content.decode()


def test_organiser_accepts_a_wrong_total_with_a_note(organiser: Client, league: League, session: Session) -> None:
    enter = url("enter_session", league, session.pk)
    body = typed(league, *SHORT)
    [offered] = re.findall(r'name="as_is" id="as-is" value="(-?\d+)"', post_later(organiser, enter, **body))
    assert offered == "-7700"
    assert "メモに書いて" in post_later(organiser, enter, **body, as_is=offered)
    assert 'value="-7600"' in post_later(organiser, enter, **body | {"raw_3": "24"}, as_is=offered, as_is_why=NOTE)
    assert not Hanchan.objects.exists()
    post_later(organiser, enter, **body, as_is=offered, as_is_why=NOTE)
    hanchan = Hanchan.objects.get()
    assert (hanchan.as_is, hanchan.note) == (True, NOTE)
    assert points_of(hanchan) == [50_000, 10_000, -20_000, -47_700]


def test_correct_total_is_not_stored_as_accepted(organiser: Client, league: League, session: Session) -> None:
    body = typed(league, "400", "300", "200", "100")
    post_later(organiser, url("enter_session", league, session.pk), **body, as_is="-7600", as_is_why=NOTE)
    assert not Hanchan.objects.get().as_is


@pytest.mark.parametrize("way", ["page", "link"])
def test_scorer_or_link_cannot_accept_wrong_total(scorer: Client, league: League, session: Session, way: str) -> None:
    client, path = scorer, url("enter_session", league, session.pk)
    if way == "link":
        with time_machine.travel(EVENING):
            client, path = Client(), at(link_of(session))
    page = post_later(client, path, **typed(league, *SHORT), as_is="-7700", as_is_why=NOTE)
    assert not Hanchan.objects.exists()
    assert 'name="as_is"' not in page


def test_scorer_corrects_only_the_table_of_an_accepted_total(scorer: Client, league: League, session: Session) -> None:
    hanchan = play(session, (40_000, 30_000, 20_000, 2_300), note=NOTE, as_is=True, played_at=EVENING)
    path = url("correct", league, hanchan.pk)
    assert 'value="-7700"' in scorer.get(path).content.decode()
    body = typed(league, *SHORT) | {"reason": "the other table", "note": NOTE, "table": "2"}
    post_later(scorer, path, **body, seen_version="1", as_is="-7700")
    hanchan.refresh_from_db()
    assert (hanchan.table, hanchan.as_is) == (2, True)
    post_later(scorer, path, **body | {"raw_3": "33"}, seen_version="2", as_is="-6700")
    hanchan.refresh_from_db()
    assert hanchan.version == 2
    post_later(scorer, path, **body | {"raw_3": "100"}, seen_version="2")
    hanchan.refresh_from_db()
    assert (hanchan.version, hanchan.as_is) == (3, False)


@pytest.fixture
def worked_out(session: Session) -> Hanchan:
    result = HanchanResult(
        tuple(session.league.players.order_by("pk")), FinishedGame((45_000, 29_000, 20_000, 6_000)), worked_out=True
    )
    return record_hanchan(
        session=session, result=result, table_and_time=TableAndTime(played_at=EVENING), by=SYSTEM
    ).hanchan


@pytest.mark.long
def test_derived_scores_stay_derived_until_corrected(scorer: Client, league: League, worked_out: Hanchan) -> None:
    path = url("correct", league, worked_out.pk)
    body = typed(league, "450", "290", "200", "60") | {"reason": "seen"}
    post_later(scorer, path, **body, seen_version="1")
    worked_out.refresh_from_db()
    assert worked_out.version == 1  # unchanged
    for version, changed in enumerate(({"table": "2"}, {"table": "2", "round": "3"}), start=1):
        post_later(scorer, path, **body | changed, seen_version=version)
        worked_out.refresh_from_db()
        assert (worked_out.version, worked_out.given) == (version + 1, "worked_out")
    assert "were derived" not in post_later(scorer, path, **body | {"table": "4", "round": "3"}, seen_version="1")
    worked_out.refresh_from_db()
    assert worked_out.version == 3
    scores = typed(league, "440", "300", "200", "60") | {"reason": "seen", "table": "2", "round": "3"}
    post_later(scorer, path, **scores, seen_version="3")
    worked_out.refresh_from_db()
    assert worked_out.given == "raw"


@pytest.mark.parametrize(
    ("changed", "given"), [({"table_0": "2"}, "worked_out"), ({"cell_0_0": "440", "cell_0_1": "300"}, "raw")]
)
def test_sheet_keeps_scores_derived_until_they_are_changed(
    scorer: Client, session: Session, worked_out: Hanchan, changed: dict[str, str], given: str
) -> None:
    assert post(scorer, session, form_of(scorer, session) | changed | {"reason": "seen"}, "save").status_code == 302
    worked_out.refresh_from_db()
    assert (worked_out.version, worked_out.given) == (2, given)


@pytest.mark.long
def test_organiser_accepts_a_wrong_total_in_the_sheet(organiser: Client, session: Session) -> None:
    empty = with_players(session, form_of(organiser, session))
    uma = post(organiser, session, empty | row(0, "45", "9", "-20", "-34"), "check")
    assert (statuses(uma), "Accept the wrong total" in text_of(uma)) == (["wrong"], False)

    checked = post(organiser, session, empty | row(0, *SHORT), "check")
    assert statuses(checked) == ["wrong"]
    assert "Yes, save with the total off by −7,700minus 7,700 points" in text_of(checked)

    unexplained = post(organiser, session, form_in(checked) | {"taken_0": "-7700"}, "check")
    assert statuses(unexplained) == ["wrong"]
    assert "explain why the wrong total is accepted" in text_of(unexplained)
    assert 'value="-7700"\n                  checked' in unexplained.content.decode()

    taken = {"taken_0": "-7700", "note_0": NOTE}
    explained = post(organiser, session, form_in(unexplained) | taken, "check")
    assert statuses(explained) == ["added"]
    assert f'value="{NOTE}"' in explained.content.decode()
    assert post(organiser, session, form_in(explained) | taken, "save").status_code == 302
    stored = Hanchan.objects.get()
    assert (stored.as_is, stored.note) == (True, NOTE)

    again = form_in(organiser.get(address(session)))
    assert statuses(post(organiser, session, again, "check")) == ["same"]
    other = post(organiser, session, again | {"cell_0_3": "24"}, "check")
    assert statuses(other) == ["wrong"]
    assert "off by −7,600minus 7,600 points" in text_of(other)
    right = post(organiser, session, form_in(other) | {"cell_0_3": "100"}, "check")
    assert statuses(right) == ["changed"]
    post(organiser, session, form_in(right) | {"reason": "a digit was lost"}, "save")
    stored.refresh_from_db()
    assert stored.as_is is False


def test_scorer_cannot_accept_a_wrong_total_in_the_sheet(scorer: Client, session: Session) -> None:
    checked = post(scorer, session, with_players(session, form_of(scorer, session)) | row(0, *SHORT), "check")
    assert "Accept the wrong total" not in text_of(checked)
    refused = post(scorer, session, form_in(checked) | {"taken_0": "-7700", "note_0": "so"}, "save")
    assert "7,700 short" in text_of(refused)
    assert not Hanchan.objects.exists()


def test_sheet_refuses_and_keeps_a_note_too_long_with_the_stored_one(organiser: Client, session: Session) -> None:
    stored = play(session, note="n" * 400)
    checked = post(organiser, session, form_of(organiser, session) | {"cell_0_3": "116"}, "check")
    long = {"taken_0": "100", "note_0": "w" * 200, "reason": "so"}
    explained = post(organiser, session, form_in(checked) | long, "check")
    assert statuses(explained) == ["wrong"]
    assert "at most 500 characters in total" in text_of(explained)
    assert f'value="{"w" * 200}"' in explained.content.decode()
    post(organiser, session, form_in(explained) | long, "save")
    stored.refresh_from_db()
    assert (stored.note, stored.as_is) == ("n" * 400, False)
    assert post(organiser, session, form_in(explained) | long | {"note_0": NOTE}, "save").status_code == 302
    stored.refresh_from_db()
    assert (stored.note, stored.as_is) == (f"{'n' * 400} {NOTE}", True)

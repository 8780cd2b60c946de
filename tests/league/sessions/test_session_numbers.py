import json
from datetime import date, time
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from league.interchange.reading import read_league
from league.interchange.storing import store_league
from league.interchange.writing import as_text, write_league
from league.models import League, Revision, Session
from league.services.calendar import SessionFacts, change_session, change_settings, open_sessions, set_session_state
from league.services.history import SYSTEM
from league.services.imports.people import NEW
from league.services.imports.steps import decide_names, undo_import
from tests.league.factories import make_session
from tests.league.imports.files import batch_of, file_of, game

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FRIDAYS = [date(2025, 11, 7), date(2025, 11, 14), date(2025, 11, 21)]


def names(league: League) -> list[str]:
    return [str(session) for session in league.sessions.kept().order_by("date", "pk")]


def test_sessions_are_numbered_by_date(league: League) -> None:
    for day in FRIDAYS[:0:-1]:
        make_session(league, day)
    first = make_session(league, FRIDAYS[0])
    assert (str(first), names(league)) == ("第1節", ["第1節", "第2節", "第3節"])


def test_sessions_of_a_day_are_numbered_by_start_and_titles_not_at_all(league: League) -> None:
    late = make_session(league, FRIDAYS[0], start_time=time(19))
    after_midnight = make_session(league, FRIDAYS[0], start_time=time(1))
    make_session(league, FRIDAYS[0], title="夏合宿", start_time=time(18))
    early = make_session(league, FRIDAYS[0], start_time=time(13))
    assert [str(Session.objects.get(pk=each.pk)) for each in (early, late, after_midnight)] == [
        "第1節",
        "第2節",
        "第3節",
    ]
    change_settings(league=league, settings={"day_boundary": time(0)}, by=SYSTEM)
    assert [str(Session.objects.get(pk=each.pk)) for each in (after_midnight, early, late)] == [
        "第1節",
        "第2節",
        "第3節",
    ]


def test_sessions_created_together_are_numbered_by_date(league: League) -> None:
    opened = open_sessions(league=league, facts=[SessionFacts(day) for day in FRIDAYS[::-1]], by=SYSTEM)
    assert [str(each) for each in opened] == ["第3節", "第2節", "第1節"]


def test_moved_or_withdrawn_session_leaves_no_gap(league: League) -> None:
    first, second, third = (make_session(league, day) for day in FRIDAYS)
    assert str(change_session(session=first, facts=SessionFacts(date(2025, 12, 5)), by=SYSTEM)) == "第3節"
    set_session_state(session=second, state=Session.State.WITHDRAWN, by=SYSTEM)
    assert names(league) == ["第1節", "第2節"]
    set_session_state(session=Session.objects.get(pk=second.pk), state=Session.State.OPEN, by=SYSTEM)
    assert names(league) == ["第1節", "第2節", "第3節"]
    assert str(Session.objects.get(pk=third.pk)) == "第2節"


def test_manual_number_is_kept(organiser: Client, league: League) -> None:
    first, second, third = (make_session(league, day) for day in FRIDAYS)
    address = reverse("league:session_edit", args=[league.slug, second.pk])
    sent = {"date": str(second.date), "tables": "1", "ruleset_version": str(second.ruleset_version_id)}
    assert 'name="number"' in organiser.get(address).content.decode()
    assert organiser.post(address, sent | {"number": "1"}).status_code == 302
    assert names(league) == ["第2節", "第1節", "第3節"]
    revision = Revision.objects.filter(subject="session", subject_id=second.pk).latest("pk")
    assert ("number" in (revision.before or {}), (revision.after or {})["number"]) == (False, 1)
    answer = organiser.post(reverse("league:session_edit", args=[league.slug, first.pk]), sent | {"number": "1"})
    assert answer.status_code == 200
    assert "ほかの節" in answer.content.decode()
    assert 'value="1"' in answer.content.decode()
    make_session(league, date(2025, 11, 1))
    assert names(league) == ["第2節", "第3節", "第1節", "第4節"]
    organiser.post(address, sent)
    assert names(league) == ["第1節", "第2節", "第3節", "第4節"]
    change_session(session=third, facts=SessionFacts(third.date, title="杯", number=30), by=SYSTEM)
    assert Session.objects.get(pk=third.pk).number == 30
    assert names(league) == ["第1節", "第2節", "第3節", "杯"]


def test_new_session_takes_a_valid_manual_number(organiser: Client, league: League) -> None:
    first = make_session(league, FRIDAYS[0])
    address = reverse("league:session_new", args=[league.slug])
    sent = {"date": str(FRIDAYS[1]), "tables": "1", "ruleset_version": str(first.ruleset_version_id)}
    for number, status in (("1", 302), ("1", 200), ("0", 200), ("100000", 200)):
        assert organiser.post(address, sent | {"number": number}).status_code == status, number
    assert names(league) == ["第2節", "第1節"]


def test_league_file_keeps_session_numbers(league: League) -> None:
    for day, number in zip(FRIDAYS, (None, 7, None), strict=True):
        make_session(league, day, number=number)
    document = json.loads(as_text(write_league(league)))
    assert [each.get("numbered_by_date", False) for each in document["sessions"]] == [True, False, True]
    document["league"]["slug"] = "copy"
    copy = store_league(read_league(json.dumps(document).encode()), by=SYSTEM)
    assert list(copy.sessions.order_by("date").values_list("number", "number_typed")) == [
        (1, False),
        (7, True),
        (8, False),
    ]


def upload(league: League, *days: str) -> Any:
    batch = batch_of(league, file_of(*(game(day, "") for day in days)))
    decide_names(batch, {}, unknown=NEW)
    return batch


def run(client: Client, batch: Any, *, by_date: bool | None = None) -> str:
    """Answer the question and press the button of the review page; return that page."""
    address = reverse("league:import_review", args=[batch.league.slug, batch.pk])
    page = client.get(address)
    values = {field.name: field.value() for field in page.context["form"]} | {"seen": page.context["seen"]}
    chosen = {} if by_date is None else {"by_date": str(int(by_date))}
    client.post(address, {name: value for name, value in values.items() if value is not None} | chosen)
    batch.refresh_from_db()
    return str(page.content.decode())


def test_import_of_the_past_asks_before_renumbering(organiser: Client, league: League) -> None:
    tonight = make_session(league)
    batch = upload(league, "2025-08-01", "2025-08-08")
    assert "2025/11/21 1 → 3" in run(organiser, batch)
    assert names(league) == ["第1節", "第2節", "第3節"]
    assert organiser.get(reverse("league:session", args=[league.slug, tonight.pk])).status_code == 200
    undo_import(batch, by=SYSTEM)
    assert names(league) == ["第1節"]


def test_import_of_the_past_can_keep_numbers(organiser: Client, league: League) -> None:
    make_session(league)
    run(organiser, upload(league, "2025-08-01", "2025-08-08"), by_date=False)
    assert names(league) == ["第2節", "第3節", "第1節"]
    make_session(league, date(2025, 12, 5))
    assert names(league) == ["第2節", "第3節", "第1節", "第4節"]


def test_import_with_numbers_renumbers_later_sessions(organiser: Client, league: League) -> None:
    make_session(league)
    batch = batch_of(league, file_of(game("2025-08-01", "1"), game("2025-08-08", "5")))
    decide_names(batch, {}, unknown=NEW)
    run(organiser, batch, by_date=True)
    assert names(league) == ["第1節", "第5節", "第6節"]
    assert list(league.sessions.order_by("date").values_list("number_typed", flat=True)) == [True, True, False]


def test_import_of_the_latest_sessions_asks_nothing(organiser: Client, league: League) -> None:
    make_session(league, date(2025, 7, 4))
    assert "asks_numbers" not in run(organiser, upload(league, "2025-08-01"))
    assert names(league) == ["第1節", "第2節"]


def test_closing_a_session_keeps_its_current_number(league: League) -> None:
    seen = Session.objects.get(pk=make_session(league, date(2025, 11, 21)).pk)
    for day in (7, 14):
        make_session(league, date(2025, 11, day))
    set_session_state(session=seen, state=Session.State.CLOSED, by=SYSTEM)
    assert list(Session.objects.order_by("date").values_list("number", flat=True)) == [1, 2, 3]

from collections.abc import Mapping

import pytest
from django.test import Client
from django.urls import reverse

from league.models import League, PlannedSeat, Ruleset, Session
from tests.conftest import needs_postgresql
from tests.league.factories import make_league
from tests.league.races import at_once
from tests.tournaments.factories import by_entry, director, draw_and_plan, make_tournament, play_planned, to
from tournaments.models import Decision, Tournament

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]

DAY = "2026-12-04"


@pytest.fixture
def league() -> League:
    return make_league("at-once", card="wrc")


@pytest.fixture
def phones(league: League) -> list[Client]:
    user = director(league)
    found = [Client(raise_request_exception=False) for _ in range(4)]
    for each in found:
        each.force_login(user)
    return found


def press_at_once(phones: list[Client], address: str, sent: Mapping[str, object]) -> list[int]:
    return sorted(at_once(*[lambda phone=phone: phone.post(address, sent).status_code for phone in phones]))


@pytest.mark.long
def test_simultaneous_requests_draw_the_next_round_once(league: League, phones: list[Client]) -> None:
    tournament = make_tournament(league, "swiss", players=8)
    (session,) = draw_and_plan(tournament, "swiss")
    play_planned(session, by_entry(tournament))
    (panel,) = phones[0].get(to("inbox", tournament)).context["rounds"]
    sent = {"block": "", "seen": panel["proposal"].mark}
    assert press_at_once(phones, to("next_round", tournament, "swiss"), sent) == [302] * 4
    assert PlannedSeat.objects.filter(session=session.session).count() == 16


@pytest.mark.long
def test_simultaneous_requests_plan_the_next_stage_once(league: League, phones: list[Client]) -> None:
    tournament = make_tournament(league, "elimination-4", players=16)
    for each in draw_and_plan(tournament, "round-1"):
        play_planned(each, by_entry(tournament))
    (panel,) = phones[0].get(to("inbox", tournament)).context["steps"]
    sent = {"seen": panel["step"].mark, "day": DAY}
    assert press_at_once(phones, to("step", tournament, "round-1"), sent) == [200, 200, 200, 302]
    assert Session.objects.filter(stage__stage="semi-final").count() == 1
    assert Decision.objects.filter(kind="advance").count() == 1


@pytest.mark.long
def test_simultaneous_draws_and_plans_are_stored_once(league: League, phones: list[Client]) -> None:
    tournament = make_tournament(league, "elimination-4", players=16)
    page = phones[0].get(to("draw", tournament, "round-1"))
    sent = {"method": "lot", "seed": page.context["lot"]["seed"].value(), "shown": page.context["shown"]}
    press_at_once(phones, to("draw", tournament, "round-1"), sent)
    assert Decision.objects.filter(kind="draw").count() == 1
    answers = press_at_once(phones, to("plan", tournament, "round-1"), {"seed": "5", "date_1_all": DAY})
    assert answers == [200, 200, 200, 302]
    assert Session.objects.count() == 1


@pytest.mark.long
def test_simultaneous_different_draws_store_only_one(league: League, phones: list[Client]) -> None:
    address, sent = to("draw", make_tournament(league, "elimination-4", players=16), "round-1"), []
    for seed in (1, 2, 3, 4):
        sent.append({"method": "lot", "seed": seed, "shown": phones[0].get(address, {"seed": seed}).context["shown"]})
    works = [lambda pair=pair: pair[0].post(address, pair[1]).status_code for pair in zip(phones, sent, strict=True)]
    assert sorted(at_once(*works)) == [200, 200, 200, 302]
    assert Decision.objects.filter(kind="draw").count() == 1


def test_simultaneous_requests_create_one_tournament(league: League, phones: list[Client]) -> None:
    address = reverse("tournaments:new", args=[league.slug])
    sent = {"format": "cinderella", "name": "シンデレラ", "key": "cinderella", "strict_entry": "on"}
    assert press_at_once(phones, address, sent) == [200, 200, 200, 302]
    assert Tournament.objects.count() == 1
    assert Ruleset.objects.filter(card="cinderella").count() == 1

"""A result with players other than those planned for its round and table prompts a question, however it is entered."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from league.models import HeldResult, Player, Session
from league.models.plans import EVERY_ROUND
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.planning import TablePlan, plan_tables
from league.services.results import OtherPeopleError
from tests.league.entry_contexts import at, link_of
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ROUNDS = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 4, 5))


@pytest.fixture
def players() -> list[Player]:
    return make_players(make_league(), 8)


@pytest.fixture
def session(players: list[Player]) -> Session:
    """A session whose table has different players in each of three rounds."""
    session = make_session(players[0].league)
    plan_tables(session=session, plans=rounds_of(players), by=SYSTEM)
    return session


def rounds_of(players: list[Player], first: int = 1) -> list[TablePlan]:
    return [TablePlan(1, tuple(players[at] for at in seats), first + at) for at, seats in enumerate(ROUNDS)]


@pytest.fixture
def scorer(client: Client, session: Session) -> Client:
    client.force_login(make_user("ueno", league=session.league, role="organiser"))
    return client


def entry(session: Session) -> str:
    return reverse("league:enter_session", args=[session.league.slug, session.pk]) + "?table=1"


def typed(players: list[Player], seats: tuple[int, ...], **facts: Any) -> dict[str, Any]:
    people = {f"player_{seat}": str(players[at].pk) for seat, at in enumerate(seats)}
    scores = {f"raw_{seat}": text for seat, text in enumerate(("317", "313", "255", "115"))}
    return {"client_key": str(uuid4()), "sticks_left": "0", "do": "save", **people, **scores, **facts}


def test_the_page_shows_both_lists_and_stores_nothing_before_it_is_answered(
    scorer: Client, session: Session, players: list[Player]
) -> None:
    play(session, (10000, 20000, 30000, 40000), players[:4], round=1)
    page = scorer.post(entry(session), typed(players, ROUNDS[0], for_round="2"), headers={"Accept-Language": "en"})
    assert page.context["others"].round == 2
    assert page.context["others"].seats == tuple(
        (players[planned].name, players[here].name) for planned, here in zip(ROUNDS[1], ROUNDS[0], strict=True)
    )
    assert session.hanchan.count() == 1
    # The planned players match in any seat order.
    assert scorer.post(entry(session), typed(players, (7, 4, 5, 6), for_round="2")).status_code == 302
    assert session.hanchan.count() == 2


def test_unplanned_players_can_be_stored(scorer: Client, session: Session, players: list[Player]) -> None:
    sent = typed(players, (0, 1, 2, 7))
    assert scorer.post(entry(session), sent).status_code == 200
    assert scorer.post(entry(session), sent | {"do": "seated"}).status_code == 302
    hanchan = session.hanchan.get()
    assert {seat.player_id for seat in hanchan.seats.all()} == {players[at].pk for at in (0, 1, 2, 7)}


def test_both_questions_are_answered_one_after_the_other(
    scorer: Client, session: Session, players: list[Player]
) -> None:
    play(session, (31700, 31300, 25500, 11500), players[:4], round=1)
    sent = typed(players, ROUNDS[0], for_round="2")
    same = scorer.post(entry(session), sent)
    assert same.context["same"] is not None
    others = scorer.post(entry(session), sent | {"do": "another"})
    assert others.context["others"] is not None
    assert 'value="another seated"' in others.content.decode()
    assert session.hanchan.count() == 1
    assert scorer.post(entry(session), sent | {"do": "another seated"}).status_code == 302
    assert session.hanchan.get(round=2).counts


def test_a_phone_is_asked_and_what_it_had_to_keep_is_held(session: Session, players: list[Player]) -> None:
    address, phone = at(link_of(session)), Client(headers={"Accept": "application/json"})
    sent = typed(players, ROUNDS[1])
    answer = phone.post(address, sent)
    assert (answer.status_code, answer.json()["state"]) == (409, "others")
    assert not HeldResult.objects.exists()
    answer = phone.post(address, sent | {"unsent": "1"})
    assert (answer.status_code, answer.json()["state"]) == (409, "others")
    assert HeldResult.objects.get().reason == HeldResult.Reason.OTHERS
    answer = phone.post(address, sent | {"unsent": "1", "do": "seated"})
    assert answer.json()["state"] == "saved"
    assert HeldResult.objects.get().hanchan == session.hanchan.get()


def test_points_alone_are_asked_about_as_well(scorer: Client, session: Session, players: list[Player]) -> None:
    address = reverse("league:session_by_points", args=[session.league.slug, session.pk])
    page = scorer.get(address)
    sent = {name: page.context["form"][name].value() or "" for name in page.context["form"].fields}
    points = ("11.7", "1.3", "-4.5", "-8.5")
    rows: dict[str, Any] = {f"player_{seat}": players[at].pk for seat, at in enumerate(ROUNDS[1])}
    rows |= {f"points_{seat}": text for seat, text in enumerate(points)}
    answer = scorer.post(address, sent | rows)
    assert answer.status_code == 200
    assert answer.context["asks"], answer.context["form"].errors
    assert not session.hanchan.exists()


@pytest.mark.parametrize("seats", [(0, 1, 2, 3), (0, 1, 2, 4), (1, 2, 3, 4)])
def test_rotating_players_are_planned(session: Session, players: list[Player], seats: Any) -> None:
    session.planned_seats.all().delete()
    plan = TablePlan(1, tuple(players[:4]), EVERY_ROUND, (players[4],))
    plan_tables(session=session, plans=[plan], by=SYSTEM)
    assert play(session, players=[players[at] for at in seats]).round == 1


def test_a_guest_of_the_evening_is_asked_about_once(session: Session, players: list[Player]) -> None:
    session.planned_seats.all().delete()
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4]), EVERY_ROUND)], by=SYSTEM)
    four = [*players[:3], players[7]]
    with pytest.raises(OtherPeopleError):
        play(session, players=four)
    play(session, players=four, even_if_others=True)
    assert play(session, (10000, 20000, 30000, 40000), four).round == 2


def test_a_player_who_was_merged_is_planned_under_the_name_of_now(session: Session, players: list[Player]) -> None:
    other = make_players(session.league, 9)[8]
    merge_players(source=players[3], target=other, by=SYSTEM, reason="one person")
    assert play(session, players=[*players[:3], other]).round == 1


def test_a_postponed_table_opens_at_the_rounds_that_are_planned(
    scorer: Client, session: Session, players: list[Player]
) -> None:
    later = make_session(session.league)
    plan_tables(session=later, plans=rounds_of(players, first=3), by=SYSTEM)
    page = scorer.get(entry(later))
    assert page.context["round"] == 3
    assert [row.fields["player"].value() for row in page.context["page"].seats] == [str(p.pk) for p in players[:4]]
    assert scorer.post(entry(later), typed(players, ROUNDS[0])).status_code == 302
    assert later.hanchan.get().round == 3
    state = scorer.get(reverse("league:enter_state", args=[later.league.slug, later.pk]) + "?table=1").json()
    assert state["round"] == 4
    assert state["seats"]["4"] == [[player.pk, player.name] for player in players[4:]]
    # A cached page from another session names a round that is not planned here.
    with pytest.raises(OtherPeopleError):
        play(later, (10000, 20000, 30000, 40000), players[:4], round=1)


def test_a_correction_to_other_people_is_asked_about(scorer: Client, session: Session, players: list[Player]) -> None:
    hanchan = play(session, players=players[:4], round=1)
    address = reverse("league:correct", args=[session.league.slug, hanchan.pk])
    sent = typed(players, (0, 1, 2, 7), seen_version="1", reason="wrong name", table="1", round="1")
    page = scorer.post(address, sent)
    assert page.context["others"].seats[3] == (players[3].name, players[7].name)
    hanchan.refresh_from_db()
    assert hanchan.version == 1
    # The scores belong to this table.
    assert (
        scorer.post(
            address, typed(players, ROUNDS[0], seen_version="1", reason="slip", raw_0="318", raw_3="114")
        ).status_code
        == 302
    )
    assert scorer.post(address, sent | {"do": "seated", "seen_version": "2"}).status_code == 302
    hanchan.refresh_from_db()
    assert (hanchan.version, hanchan.seats.filter(player=players[7]).exists()) == (3, True)


def test_a_correction_by_points_to_other_people_is_asked_about(
    scorer: Client, session: Session, players: list[Player]
) -> None:
    points = (11700, 1300, -4500, -8500)
    hanchan = play(session, players=players[:4], round=1, points=points)
    address = reverse("league:correct_by_points", args=[session.league.slug, hanchan.pk])
    page = scorer.get(address)
    sent = {name: page.context["form"][name].value() or "" for name in page.context["form"].fields}
    sent |= {"player_3": str(players[7].pk), "reason": "wrong name", "played_at": ""}
    asked = scorer.post(address, sent)
    assert asked.context["asks"], asked.context["form"].errors
    assert scorer.post(address, sent | {"sure": "on"}).status_code == 302
    assert hanchan.seats.filter(player=players[7]).exists()

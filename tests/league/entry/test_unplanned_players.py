from typing import Any

import pytest
from django.test import Client

from league.models import HeldResult, League, Player, Session
from league.models.plans import EVERY_ROUND
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.planning import TablePlan, plan_tables
from league.services.results import OtherPeopleError
from tests.league.entry_contexts import JSON, at, link_of, url
from tests.league.entry_contexts import typed as any_typed
from tests.league.factories import make_players, make_session, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ROUNDS = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 4, 5))


@pytest.fixture
def players(league: League) -> list[Player]:
    return make_players(league, 8)


@pytest.fixture
def session(players: list[Player]) -> Session:
    """A session whose table has different players in each of three rounds."""
    session = make_session(players[0].league)
    plan_tables(session=session, plans=rounds_of(players), by=SYSTEM)
    return session


def rounds_of(players: list[Player], first: int = 1) -> list[TablePlan]:
    return [TablePlan(1, tuple(players[at] for at in seats), first + at) for at, seats in enumerate(ROUNDS)]


def entry(session: Session) -> str:
    return url("enter_session", session.league, session.pk) + "?table=1"


def typed(players: list[Player], seats: tuple[int, ...], **facts: Any) -> dict[str, Any]:
    people = {f"player_{seat}": str(players[at].pk) for seat, at in enumerate(seats)}
    return any_typed(players[0].league, "317", "313", "255", "115", **people, **facts)


def test_unplanned_players_are_saved_only_once_confirmed(
    organiser: Client, session: Session, players: list[Player]
) -> None:
    play(session, (10000, 20000, 30000, 40000), players[:4], round=1)
    page = organiser.post(entry(session), typed(players, ROUNDS[0], for_round="2"))
    assert page.context["others"].round == 2
    assert page.context["others"].seats == tuple(
        (players[planned].name, players[here].name) for planned, here in zip(ROUNDS[1], ROUNDS[0], strict=True)
    )
    assert session.hanchan.count() == 1
    # The planned players match in any seat order.
    assert organiser.post(entry(session), typed(players, (7, 4, 5, 6), for_round="2")).status_code == 302
    sent = typed(players, (0, 1, 2, 7))
    assert organiser.post(entry(session), sent).status_code == 200
    assert organiser.post(entry(session), sent | {"do": "seated"}).status_code == 302
    hanchan = session.hanchan.get(round=3)
    assert {seat.player_id for seat in hanchan.seats.all()} == {players[at].pk for at in (0, 1, 2, 7)}


def test_duplicate_and_unplanned_players_are_asked_about_in_turn(
    organiser: Client, session: Session, players: list[Player]
) -> None:
    play(session, (31700, 31300, 25500, 11500), players[:4], round=1)
    sent = typed(players, ROUNDS[0], for_round="2")
    assert organiser.post(entry(session), sent).context["same"] is not None
    others = organiser.post(entry(session), sent | {"do": "another"})
    assert others.context["others"] is not None
    assert 'value="another seated"' in others.content.decode()
    assert session.hanchan.count() == 1
    assert organiser.post(entry(session), sent | {"do": "another seated"}).status_code == 302
    assert session.hanchan.get(round=2).counts


def test_late_result_with_unplanned_players_is_held_until_confirmed(session: Session, players: list[Player]) -> None:
    address, phone = at(link_of(session)), Client(headers=JSON)
    sent = typed(players, ROUNDS[1])
    for late, held in (({}, 0), ({"unsent": "1"}, 1)):
        answer = phone.post(address, sent | late)
        assert (answer.status_code, answer.json()["state"]) == (409, "others")
        assert HeldResult.objects.filter(reason=HeldResult.Reason.OTHERS).count() == held
    answer = phone.post(address, sent | {"unsent": "1", "do": "seated"})
    assert answer.json()["state"] == "saved"
    assert HeldResult.objects.get().hanchan == session.hanchan.get()


def test_points_only_result_asks_about_unplanned_players(
    organiser: Client, session: Session, players: list[Player]
) -> None:
    address = url("session_by_points", session.league, session.pk)
    page = organiser.get(address)
    sent = {name: page.context["form"][name].value() or "" for name in page.context["form"].fields}
    for seat, (place, points) in enumerate(zip(ROUNDS[1], ("11.7", "1.3", "-4.5", "-8.5"), strict=True)):
        sent |= {f"player_{seat}": players[place].pk, f"points_{seat}": points}
    answer = organiser.post(address, sent)
    assert answer.context["asks"], answer.context["form"].errors
    assert not session.hanchan.exists()


@pytest.mark.parametrize("seats", [(0, 1, 2, 3), (0, 1, 2, 4), (1, 2, 3, 4)])
def test_rotating_players_count_as_planned(session: Session, players: list[Player], seats: Any) -> None:
    session.planned_seats.all().delete()
    plan = TablePlan(1, tuple(players[:4]), EVERY_ROUND, (players[4],))
    plan_tables(session=session, plans=[plan], by=SYSTEM)
    assert play(session, players=[players[at] for at in seats]).round == 1


def test_unplanned_guest_is_asked_about_once_per_session(session: Session, players: list[Player]) -> None:
    session.planned_seats.all().delete()
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4]), EVERY_ROUND)], by=SYSTEM)
    four = [*players[:3], players[7]]
    with pytest.raises(OtherPeopleError):
        play(session, players=four)
    play(session, players=four, even_if_others=True)
    assert play(session, (10000, 20000, 30000, 40000), four).round == 2


def test_merged_player_counts_as_planned(session: Session, players: list[Player]) -> None:
    other = make_players(session.league, 9)[8]
    merge_players(source=players[3], target=other, by=SYSTEM, reason="one person")
    assert play(session, players=[*players[:3], other]).round == 1


def test_postponed_table_opens_at_its_planned_rounds(
    organiser: Client, session: Session, players: list[Player]
) -> None:
    later = make_session(session.league)
    plan_tables(session=later, plans=rounds_of(players, first=3), by=SYSTEM)
    page = organiser.get(entry(later))
    assert page.context["round"] == 3
    assert [row.fields["player"].value() for row in page.context["page"].seats] == [str(p.pk) for p in players[:4]]
    assert organiser.post(entry(later), typed(players, ROUNDS[0])).status_code == 302
    assert later.hanchan.get().round == 3
    state = organiser.get(url("enter_state", later.league, later.pk) + "?table=1").json()
    assert state["round"] == 4
    assert state["seats"]["4"] == [[player.pk, player.name] for player in players[4:]]
    # A cached page from another session names a round that is not planned here.
    with pytest.raises(OtherPeopleError):
        play(later, (10000, 20000, 30000, 40000), players[:4], round=1)


def test_correction_asks_about_unplanned_players(organiser: Client, session: Session, players: list[Player]) -> None:
    hanchan = play(session, players=players[:4], round=1)
    address = url("correct", session.league, hanchan.pk)
    sent = typed(players, (0, 1, 2, 7), seen_version="1", reason="wrong name", table="1", round="1")
    page = organiser.post(address, sent)
    assert page.context["others"].seats[3] == (players[3].name, players[7].name)
    hanchan.refresh_from_db()
    assert hanchan.version == 1
    same_people = typed(players, ROUNDS[0], seen_version="1", reason="slip", raw_0="318", raw_3="114")
    assert organiser.post(address, same_people).status_code == 302
    assert organiser.post(address, sent | {"do": "seated", "seen_version": "2"}).status_code == 302
    hanchan.refresh_from_db()
    assert (hanchan.version, hanchan.seats.filter(player=players[7]).exists()) == (3, True)


def test_correction_by_points_asks_about_unplanned_players(
    organiser: Client, session: Session, players: list[Player]
) -> None:
    hanchan = play(session, players=players[:4], round=1, points=(11700, 1300, -4500, -8500))
    address = url("correct_by_points", session.league, hanchan.pk)
    page = organiser.get(address)
    sent = {name: page.context["form"][name].value() or "" for name in page.context["form"].fields}
    sent |= {"player_3": str(players[7].pk), "reason": "wrong name", "played_at": ""}
    asked = organiser.post(address, sent)
    assert asked.context["asks"], asked.context["form"].errors
    assert organiser.post(address, sent | {"sure": "on"}).status_code == 302
    assert hanchan.seats.filter(player=players[7]).exists()

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from league.models import Hanchan, HeldResult, League, Player, Session, TableLink
from league.models.plans import EVERY_ROUND
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.planning import TablePlan, plan_tables
from league.services.results import OtherPeopleError, void_hanchan
from tests.league.entry_contexts import EVENING, JSON, at, link_of, text, typed, url
from tests.league.factories import logged_in, make_league, make_players, make_session, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


SLIP = ("347", "313", "255", "")
"""The usual result with one digit misread; the fourth score makes up for it."""

OTHERS = ("250", "402", "181", "")


@pytest.fixture
def link() -> Iterator[TableLink]:
    league = make_league(players=5)
    with time_machine.travel(EVENING, tick=False):
        yield link_of(make_session(league, EVENING.date(), tables=2))


def sent(link: TableLink, *scores: str, begun: datetime = EVENING, **more: Any) -> dict[str, Any]:
    return typed(link.session.league, *scores, begun_at=begun.isoformat(), **more)


def later(minutes: int) -> Any:
    return time_machine.travel(EVENING + timedelta(minutes=minutes), tick=False)


def rounds() -> list[int]:
    return [hanchan.round for hanchan in Hanchan.objects.order_by("pk")]


def test_draft_of_a_round_saved_meanwhile_asks_first(link: TableLink) -> None:

    Client().post(at(link), sent(link, for_round="1"), headers=JSON)
    draft = sent(link, *OTHERS, for_round="1")
    with later(40):
        answer = Client().post(at(link), draft, headers=JSON)
        assert (answer.status_code, answer.json()["state"]) == (409, "same")
        assert answer.json()["receipt"] == at(link, "table_receipt", Hanchan.objects.get().pk)
        assert "1回戦" in answer.json()["message"]
        page = Client().post(at(link), draft).content.decode()
    saved = Hanchan.objects.get()
    assert "この卓の1回戦は、別の端末から登録されています" in page
    assert '<span id="round" data-round="2">1回戦</span>' in " ".join(page.split())
    assert at(link, "table_receipt", saved.pk) in page
    for shown in ("31,700", "25,000", 'value="250"', 'name="for_round" value="1"'):
        assert shown in page


def test_draft_keeps_its_round_if_it_is_free(link: TableLink) -> None:
    Client().post(at(link), sent(link, *OTHERS, for_round="2"), headers=JSON)
    Client().post(at(link), sent(link, for_round="1"), headers=JSON)
    assert rounds() == [2, 1]


def test_outdated_round_number_is_no_conflict(link: TableLink) -> None:

    for hour, scores in enumerate((("317", "313", "255", ""), OTHERS)):
        with later(60 * hour):
            Client().post(at(link), sent(link, *scores, for_round=str(hour + 1)), headers=JSON)
    with later(120):
        begun = EVENING + timedelta(minutes=119)
        answer = Client().post(at(link), sent(link, "300", "200", "400", "", begun=begun, for_round="1"), headers=JSON)
    assert (answer.status_code, rounds()) == (200, [1, 2, 3])


@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999", "x", "１", ""])
def test_invalid_round_number_is_ignored(link: TableLink, number: str) -> None:
    answer = Client().post(at(link), sent(link, for_round=number) | {"begun_at": number}, headers=JSON)
    assert (answer.status_code, rounds()) == (200, [1])


@pytest.mark.parametrize("way", ["page", "link"])
@pytest.mark.parametrize(
    ("scores", "said"), [(SLIP, "ほぼ同じ結果が登録されています"), ((), "同じ結果が登録されています")]
)
def test_similar_result_asks_before_saving(link: TableLink, way: str, scores: tuple[str, ...], said: str) -> None:
    league = link.session.league
    client, address = Client(), at(link)
    if way == "page":
        client, address = logged_in(league, "scorer"), url("enter_session", league, link.session.pk)
    with later(-10):
        client.post(address, sent(link))
    draft = sent(link, *scores)
    page = client.post(address, draft).content.decode()
    assert said in page
    correction = url("correct", league, Hanchan.objects.get().pk)
    assert (f"{correction}?" in page) is (way == "page" and bool(scores))
    if f"{correction}?" in page:
        typed_again = client.get(correction, {"raw_0": "347", "raw_1": "313", "raw_2": "255", "raw_3": "85"})
        assert [typed_again.context["form"][f"raw_{seat}"].value() for seat in (0, 3)] == ["347", "85"]
    assert rounds() == [1]
    client.post(address, draft | {"do": "another"})
    assert rounds() == [1, 2]


def test_similar_result_at_another_table_asks_too(link: TableLink) -> None:
    play(link.session, table=2, played_at=EVENING - timedelta(minutes=5))
    assert Client().post(at(link), sent(link, *SLIP), headers=JSON).status_code == 409


def test_consecutive_hanchan_are_saved_without_a_question(link: TableLink) -> None:
    Client().post(at(link), sent(link))
    with later(3):
        answer = Client().post(at(link), sent(link, *OTHERS), headers=JSON)
    with later(30):
        again = Client().post(at(link), sent(link, *SLIP, begun=EVENING + timedelta(minutes=29)), headers=JSON)
    assert (answer.status_code, again.status_code, rounds()) == (200, 200, [1, 2, 3])


def test_late_similar_result_is_held_until_answered(link: TableLink) -> None:
    Client().post(at(link), sent(link))
    kept = sent(link, *SLIP, for_round="1", unsent="1", entered_at=(EVENING + timedelta(minutes=1)).isoformat())
    with later(180):
        answer = Client().post(at(link), kept, headers=JSON)
    assert (answer.status_code, answer.json()["state"]) == (409, "same")
    held = HeldResult.objects.get()
    assert (held.reason, held.typed["raw_0"]) == (HeldResult.Reason.SAME, ["347"])
    assert rounds() == [1]
    with later(181):
        Client().post(at(link), kept | {"do": "another"}, headers=JSON)
    held.refresh_from_db()
    assert (rounds(), held.hanchan) == ([1, 2], Hanchan.objects.get(round=2))


def test_completing_a_held_similar_result_asks_again(link: TableLink) -> None:
    Client().post(at(link), sent(link))
    kept = sent(link, *SLIP, for_round="1", unsent="1", entered_at=EVENING.isoformat())
    Client().post(at(link), kept, headers=JSON)
    client, entry = logged_in(link.session.league, "scorer"), url("enter_session", link.session.league, link.session.pk)
    assert 'name="for_round" value="1"' in client.get(entry, {"held": HeldResult.objects.get().pk}).content.decode()
    assert client.post(entry, kept | {"unsent": "", "table": "1"}).status_code == 200
    assert rounds() == [1]


def state(client: Client, session: Session, **query: str) -> Any:
    return client.get(url("enter_state", session.league, session.pk), query).json()["typing"]


def test_live_typing_is_shown_only_for_its_table_and_round(link: TableLink) -> None:
    client, session = logged_in(link.session.league, "scorer"), link.session
    page = client.get(url("enter_session", session.league, session.pk), {"table": "2", "raw_0": "317"})
    # The scorer's form names its table only in the preview URL.
    client.post(page.context["preview_url"], typed(session.league, device="a" * 16, for_round="1"))
    assert state(client, session, table="1", device="b" * 16) is None
    assert state(client, session, table="2", round="2", device="b" * 16) is None
    assert state(client, session, table="2", device="b" * 16)["scores"][:3] == ["317", "313", "255"]
    reopened = client.get(entry_at(session, 2)).content.decode()
    assert 'value="317"' not in reopened
    assert '<p role="status"></p>' in reopened


ROUNDS = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 4, 5))


@pytest.fixture
def session(league: League) -> Session:
    players = make_players(league, 8)
    session = make_session(league)
    plan_tables(session=session, plans=rounds_of(players), by=SYSTEM)
    return session


@pytest.fixture
def players(session: Session) -> list[Player]:
    return list(session.league.players.order_by("pk"))


def typed_by(players: list[Player], seats: tuple[int, ...], **facts: Any) -> dict[str, Any]:
    people = {f"player_{seat}": str(players[at].pk) for seat, at in enumerate(seats)}
    return typed(players[0].league, "317", "313", "255", "115", **people, **facts)


def rounds_of(players: list[Player], first: int = 1) -> list[TablePlan]:
    return [TablePlan(1, tuple(players[at] for at in seats), first + at) for at, seats in enumerate(ROUNDS)]


def test_unplanned_players_need_confirmation(organiser: Client, session: Session, players: list[Player]) -> None:
    play(session, (10000, 20000, 30000, 40000), players[:4], round=1)
    page = organiser.post(entry_at(session, 1), typed_by(players, ROUNDS[0], for_round="2"))
    assert page.context["others"].round == 2
    assert page.context["others"].seats == tuple(
        (players[planned].name, players[here].name) for planned, here in zip(ROUNDS[1], ROUNDS[0], strict=True)
    )
    assert session.hanchan.count() == 1
    # The planned players match in any seat order.
    assert organiser.post(entry_at(session, 1), typed_by(players, (7, 4, 5, 6), for_round="2")).status_code == 302
    sent = typed_by(players, (0, 1, 2, 7))
    assert organiser.post(entry_at(session, 1), sent).status_code == 200
    assert organiser.post(entry_at(session, 1), sent | {"do": "seated"}).status_code == 302
    hanchan = session.hanchan.get(round=3)
    assert {seat.player_id for seat in hanchan.seats.all()} == {players[at].pk for at in (0, 1, 2, 7)}


def test_similar_result_of_other_players_asks_twice(organiser: Client, session: Session, players: list[Player]) -> None:
    play(session, (31700, 31300, 25500, 11500), players[:4], round=1)
    sent = typed_by(players, ROUNDS[0], for_round="2")
    assert organiser.post(entry_at(session, 1), sent).context["same"] is not None
    others = organiser.post(entry_at(session, 1), sent | {"do": "another"})
    assert others.context["others"] is not None
    assert 'value="another seated"' in others.content.decode()
    assert session.hanchan.count() == 1
    assert organiser.post(entry_at(session, 1), sent | {"do": "another seated"}).status_code == 302
    assert session.hanchan.get(round=2).counts


def test_late_result_with_unplanned_players_is_held_until_confirmed(session: Session, players: list[Player]) -> None:
    address, phone = at(link_of(session)), Client(headers=JSON)
    sent = typed_by(players, ROUNDS[1])
    for late, held in (({}, 0), ({"unsent": "1"}, 1)):
        answer = phone.post(address, sent | late)
        assert (answer.status_code, answer.json()["state"]) == (409, "others")
        assert HeldResult.objects.filter(reason=HeldResult.Reason.OTHERS).count() == held
    answer = phone.post(address, sent | {"unsent": "1", "do": "seated"})
    assert answer.json()["state"] == "saved"
    assert HeldResult.objects.get().hanchan == session.hanchan.get()


def test_points_of_unplanned_players_are_confirmed(organiser: Client, session: Session, players: list[Player]) -> None:
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
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4]), EVERY_ROUND, (players[4],))], by=SYSTEM)
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


def test_postponed_table_opens_at_planned_rounds(organiser: Client, session: Session, players: list[Player]) -> None:
    later = make_session(session.league)
    plan_tables(session=later, plans=rounds_of(players, first=3), by=SYSTEM)
    page = organiser.get(entry_at(later, 1))
    assert page.context["round"] == 3
    assert [row.fields["player"].value() for row in page.context["page"].seats] == [str(p.pk) for p in players[:4]]
    assert organiser.post(entry_at(later, 1), typed_by(players, ROUNDS[0])).status_code == 302
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
    sent = typed_by(players, (0, 1, 2, 7), seen_version="1", reason="wrong name", table="1", round="1")
    assert organiser.post(address, sent).context["others"].seats[3] == (players[3].name, players[7].name)
    hanchan.refresh_from_db()
    assert hanchan.version == 1
    same_people = typed_by(players, ROUNDS[0], seen_version="1", reason="slip", raw_0="318", raw_3="114")
    assert organiser.post(address, same_people).status_code == 302
    assert organiser.post(address, sent | {"do": "seated", "seen_version": "2"}).status_code == 302
    hanchan.refresh_from_db()
    assert (hanchan.version, hanchan.seats.filter(player=players[7]).exists()) == (3, True)


def test_correcting_points_of_unplanned_four_asks(organiser: Client, session: Session, players: list[Player]) -> None:
    hanchan = play(session, players=players[:4], round=1, points=(11700, 1300, -4500, -8500))
    address = url("correct", session.league, hanchan.pk)
    page = organiser.get(address)
    sent = {name: page.context["form"][name].value() or "" for name in page.context["form"].fields}
    sent |= {"player_3": str(players[7].pk), "reason": "wrong name", "played_at": ""}
    assert organiser.post(address, sent).context["others"].seats[3] == (players[3].name, players[7].name)
    assert organiser.post(address, sent | {"do": "seated"}).status_code == 302
    assert hanchan.seats.filter(player=players[7]).exists()


DONE = "この卓の予定の半荘はすべて入力済みです"


SAME_SEATS = "同じ席で次の半荘"


@pytest.fixture
def twelve(three_tables: Session) -> list[Player]:
    return list(three_tables.league.players.order_by("pk"))


@pytest.fixture
def three_tables(league: League) -> Session:
    session = make_session(league)
    players = make_players(league, 12)
    plans = [TablePlan(table, tuple(players[4 * table - 4 : 4 * table]), 1) for table in (1, 2, 3)]
    plan_tables(session=session, plans=plans, by=SYSTEM)
    return Session.objects.get(pk=session.pk)


def entry_at(session: Session, table: int) -> str:
    return url("enter_session", session.league, session.pk) + f"?table={table}"


def receipt(hanchan: Hanchan) -> str:
    return url("receipt", hanchan.league, hanchan.pk)


def main_action(page: str) -> str:
    return page.partition('<div class="receipt-next">')[2].partition("</a>")[0]


def test_receipt_links_to_the_next_open_table(scorer: Client, three_tables: Session, twelve: list[Player]) -> None:
    page = text(scorer.get(receipt(play(three_tables, players=twelve[4:8], table=2))))
    assert f'href="{entry_at(three_tables, 3)}"' in main_action(page)
    assert "次の卓へ: 3卓" in main_action(page)
    assert SAME_SEATS not in page
    third = play(three_tables, players=twelve[8:], table=3)
    assert f'href="{entry_at(three_tables, 1)}"' in main_action(text(scorer.get(receipt(third))))
    assert "Next: table 1" in main_action(text(scorer.get(f"/en{receipt(third)}")))
    last = text(scorer.get(receipt(play(three_tables, players=twelve[:4], table=1))))
    assert f'href="{url("session", three_tables.league, three_tables.pk)}"' in main_action(last)
    # Another hanchan is still possible, but not the default.
    assert entry_at(three_tables, 1) in last


def test_receipt_leads_to_the_rounds_next_table(scorer: Client, three_tables: Session, twelve: list[Player]) -> None:
    plan_tables(session=three_tables, plans=[TablePlan(1, tuple(twelve[4:8]), 2)], by=SYSTEM)
    page = text(scorer.get(receipt(play(three_tables, players=twelve[:4]))))
    assert f'href="{entry_at(three_tables, 2)}"' in main_action(page)
    assert "決まっている席で2回戦" in page
    whole = make_session(three_tables.league)
    plan_tables(session=whole, plans=[TablePlan(1, tuple(twelve[:4]))], by=SYSTEM)
    assert SAME_SEATS in main_action(text(scorer.get(receipt(play(whole)))))


@pytest.mark.long
def test_entry_page_reports_a_finished_table(scorer: Client, three_tables: Session, twelve: list[Player]) -> None:
    assert DONE not in text(scorer.get(entry_at(three_tables, 1)))
    hanchan = play(three_tables, players=twelve[:4])
    notice = text(scorer.get(entry_at(three_tables, 1))).partition('id="played-out"')[2].partition("</div>")[0]
    assert DONE in notice
    assert f'href="{entry_at(three_tables, 2)}"' in notice
    assert f'href="{entry_at(three_tables, 3)}"' in notice
    assert f'href="{entry_at(three_tables, 1)}"' not in notice
    assert "All planned hanchan at this table have been entered." in text(scorer.get(f"/en{entry_at(three_tables, 1)}"))
    assert DONE not in text(scorer.get(entry_at(three_tables, 2)))
    for table in (2, 3):
        play(three_tables, players=twelve[4 * table - 4 : 4 * table], table=table)
    assert (
        f'href="{url("session", three_tables.league, three_tables.pk)}"'
        in text(scorer.get(entry_at(three_tables, 1))).partition('id="played-out"')[2]
    )
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="misread")
    assert DONE not in text(scorer.get(entry_at(three_tables, 1)))


def test_finished_table_accepts_another_hanchan(scorer: Client, three_tables: Session, twelve: list[Player]) -> None:
    play(three_tables, (40000, 30000, 20000, 10000), twelve[:4])
    assert '<details class="fold" id="further">' in text(scorer.get(entry_at(three_tables, 1)))
    # The form is open on request and after an error.
    assert '<details class="fold" id="further" open>' in text(scorer.get(f"{entry_at(three_tables, 1)}&seats=same"))
    wrong = scorer.post(entry_at(three_tables, 1), typed(three_tables.league, "317", "313", "255", "112"))
    assert '<details class="fold" id="further" open>' in text(wrong)
    answer = scorer.post(entry_at(three_tables, 1), typed(three_tables.league))
    assert "対局したのは誰ですか" in text(answer)
    answer = scorer.post(entry_at(three_tables, 1), typed(three_tables.league) | {"do": "seated"})
    assert answer.status_code == 302
    assert three_tables.hanchan.get(round=2).table == 1


def test_link_of_a_finished_table_asks_to_wait(client: Client, three_tables: Session, twelve: list[Player]) -> None:
    link = link_of(three_tables)
    assert DONE not in text(client.get(at(link)))
    client.post(at(link), typed(three_tables.league))
    page = text(client.get(at(link)))
    assert f"{DONE}。次の卓組が発表されるまでお待ちください。" in page
    assert "Wait for the next seating." in text(client.get(f"/en{at(link)}"))
    saved = text(client.get(at(link, "table_receipt", three_tables.hanchan.get().pk)))
    assert "次の卓組が発表されるまでお待ちください。" in saved
    assert f'href="{url("session", three_tables.league, three_tables.pk)}"' in main_action(saved)
    for shown in (page, saved):
        assert SAME_SEATS not in shown.partition('<template id="kept">')[0]
        assert url("enter_session", three_tables.league, three_tables.pk) not in shown
    # The next plan uses the same code.
    plan_tables(session=three_tables, plans=[TablePlan(1, tuple(reversed(twelve[:4])), 2)], by=SYSTEM)
    assert DONE not in text(client.get(at(link)))

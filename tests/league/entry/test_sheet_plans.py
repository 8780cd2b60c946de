from typing import Any

import pytest
from django.test import Client

from league.core.limits import MAX_SHEET_COLUMNS
from league.models import Hanchan, Player, Session
from league.models.plans import EVERY_ROUND
from league.selectors.games import seats_of
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from league.services.results import result_of
from scoring.core import Bust
from tests.league.entry.test_sheet import address, form_in, post, row, statuses, text_of
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db


def planned(client: Client, players: int, rounds: int, *, by_round: bool = True) -> tuple[Session, list[Player]]:
    """Return a session with all players seated, with other opponents in every round."""
    league = make_league()
    people = make_players(league, players)
    client.force_login(make_user("ueno", league=league, role="scorer"))
    session = make_session(league)
    tables = players // 4

    def seated(table: int, number: int) -> tuple[Player, ...]:
        """Return seats of a round: the first player stays, others move by at least one table, and winds rotate."""
        four = [people[(table + number * seat) % tables * 4 + seat] for seat in range(4)]
        return (*four[number % 4 :], *four[: number % 4])

    plans = [
        TablePlan(table + 1, seated(table, number), number + 1 if by_round else EVERY_ROUND)
        for number in range(rounds)
        for table in range(tables)
    ]
    plan_tables(session=session, plans=plans, by=SYSTEM)
    return session, people


def places(answer: Any) -> list[tuple[str, str]]:
    return [(each.round, each.table) for each in answer.context["sheet"].rows]


def seats_planned(session: Session, number: int) -> list[int]:
    return list(session.planned_seats.filter(round=number, table=1).order_by("seat").values_list("player", flat=True))


def pasted(client: Client, session: Session, text: str) -> Any:
    return post(client, session, form_in(client.get(address(session))) | {"pasted": text}, "paste")


def test_sheet_has_a_row_per_planned_table_with_the_winds(client: Client) -> None:
    session, people = planned(client, 8, 3)
    page = client.get(address(session))
    assert places(page) == [(str(number), str(table)) for number in (1, 2, 3) for table in (1, 2)]
    columns = [column.key for column in page.context["sheet"].columns]
    assert sorted(columns) == sorted(str(player.pk) for player in people)
    second = page.context["sheet"].rows[2]
    winds = {columns[at]: cell.wind for at, cell in enumerate(second.scores) if cell.wind}
    assert winds == dict(zip(map(str, seats_planned(session, 2)), "東南西北", strict=True))
    assert page.content.decode().count('<td class="out">') == 6 * 4


def test_tables_planned_for_every_round_have_rows_for_the_hanchan_to_come(client: Client) -> None:
    session, people = planned(client, 8, 1, by_round=False)
    assert places(client.get(address(session))) == [(str(n), str(table)) for n in (1, 2, 3, 4) for table in (1, 2)]
    for number in range(1, 6):
        play(session, players=people[:4], table=1, round=number)
    shown = client.get(address(session))
    assert statuses(shown) == ["same"] * 5
    assert places(shown) == [
        *((str(n), str(table)) for n in (1, 2, 3, 4) for table in (1, 2)), ("5", "1"), ("6", "1")
    ]  # fmt: skip


def test_tables_without_a_plan_have_free_rows(client: Client) -> None:
    league = make_league()
    people = make_players(league, 8)
    client.force_login(make_user("ueno", league=league, role="scorer"))
    session = make_session(league, tables=2)
    rows = [(str(number), str(table)) for number in (1, 2, 3, 4) for table in (1, 2)]
    page = client.get(address(session))
    assert (places(page), [column.key for column in page.context["sheet"].columns]) == (rows, [""] * 8)
    play(session, players=people[4:], table=2)
    page = client.get(address(session))
    assert places(page) == rows
    assert [bool(each.hanchan) for each in page.context["sheet"].rows] == [False, True, *[False] * 6]
    columns = [column.key for column in page.context["sheet"].columns]
    assert (sorted(filter(None, columns)), len(columns)) == (sorted(str(player.pk) for player in people[4:]), 8)


@pytest.mark.long
def test_event_too_large_for_one_sheet_is_split_into_parts(client: Client) -> None:
    session, people = planned(client, 80, 2)
    first = client.get(address(session))
    parts = first.context["sheet"].parts
    assert [(part.first.round, part.first.table, part.last.round, part.last.table) for part in parts] == [
        (1, 1, 1, 16), (1, 17, 2, 12), (2, 13, 2, 20)
    ]  # fmt: skip
    assert all(len(client.get(f"{address(session)}?part={each.number}").context["sheet"].columns) <= MAX_SHEET_COLUMNS
               for each in parts)  # fmt: skip
    for part in range(16):
        play(session, players=people[part * 4 : part * 4 + 4], table=part + 1, round=1)
    assert client.get(address(session)).context["sheet"].part == 1


def test_pasted_block_with_rounds_and_tables_fills_their_rows(client: Client) -> None:
    session, people = planned(client, 8, 2)
    head = "回戦\t卓\t" + "\t".join(player.name for player in people) + "\t供託\n"
    answer = pasted(client, session, head + "1\t2\t\t\t\t\t317\t313\t255\t105\t1\n")
    assert [each.status for each in answer.context["sheet"].rows] == ["empty", "added", "empty", "empty"]
    assert answer.context["sheet"].rows[1].sticks == "1"
    # The order of the names says nothing about the seats.
    seats = seats_planned(session, 2)
    names = {player.pk: player.name for player in people}
    head = "\t".join(names[pk] for pk in sorted(seats))
    assert sorted(seats) != seats
    answer = pasted(client, session, f"回戦\t卓\t{head}\n2\t1\t400\t300\t200\t100")
    assert post(client, session, form_in(answer), "save").status_code == 302
    assert [seat.player_id for seat in seats_of(Hanchan.objects.get())] == seats


def test_scores_pasted_under_winds_need_a_plan(client: Client) -> None:
    session, _people = planned(client, 8, 2)
    head = "回戦\t卓\t東\t南\t西\t北"
    answer = pasted(client, session, f"{head}\n7\t2\t31700\t31300\t25500\t11500\n1\t1\t40000\t30000\t20000\t10000")
    assert "No one is planned for round 7, table 2." in text_of(answer)
    assert answer.context["sheet"].left_over.startswith("回戦")


def test_another_player_can_be_chosen_for_a_column(client: Client) -> None:
    session, _people = planned(client, 8, 1)
    page = client.get(address(session))
    answer = post(client, session, form_in(page) | row(0, "400"), "free-0")
    column = answer.context["sheet"].columns[0]
    assert (column.key, column.is_settled) == ("", False)
    assert answer.context["sheet"].rows[0].cells[0] == "400"
    for nonsense in ("free-", "free-x", "free-99", "free--1"):
        assert post(client, session, form_in(page), nonsense).status_code == 200


def test_wind_headings_may_be_in_any_order(client: Client) -> None:
    session, _people = planned(client, 8, 2)
    answer = pasted(client, session, "回戦\t卓\t北\t西\t南\t東\n1\t1\t-1000 東\t16000\t25000\t60000")
    assert statuses(answer) == ["added"], text_of(answer)
    assert post(client, session, form_in(answer), "save").status_code == 302
    hanchan = Hanchan.objects.get()
    assert [seat.player_id for seat in seats_of(hanchan)] == seats_planned(session, 1)
    assert [seat.raw_score for seat in seats_of(hanchan)] == [60000, 25000, 16000, -1000]
    assert result_of(hanchan).game.busts == (Bust(3, "win", winners=(0,)),)


@pytest.mark.parametrize(
    ("texts", "busts"),
    [
        (("400", "300", "200", "100"), ()),
        (("400 東", "300", "200", "100"), ()),
        (("400", "300", "200", "100 北"), ()),
        (("600", "250", "160", "-10 東"), (Bust(3, "win", winners=(0,)),)),
        (("-10 北", "600", "250", "160"), (Bust(0, "win", winners=(3,)),)),
        (("600", "-10 西", "250", "160"), (Bust(1, "win", winners=(2,)),)),
    ],
)
def test_seats_without_a_wind_follow_the_plan(client: Client, texts: tuple[str, ...], busts: tuple[Bust, ...]) -> None:
    session, _people = planned(client, 8, 2)
    page = client.get(address(session))
    seats = seats_planned(session, 2)
    cells = dict(zip(map(str, seats), texts, strict=True))
    sent = form_in(page) | row(2, *(cells.get(column.key, "") for column in page.context["sheet"].columns))
    assert post(client, session, sent, "save").status_code == 302
    hanchan = Hanchan.objects.get()
    assert [seat.player_id for seat in seats_of(hanchan)] == seats
    assert result_of(hanchan).game.busts == busts
    assert (hanchan.round, hanchan.table) == (2, 1)


@pytest.mark.parametrize("name", ["why_", "why_x_y", "why_99_0", "why_0_99", "why_0", "why_-1_0", "why_0_0_0"])
def test_answer_to_no_question_is_ignored(client: Client, name: str) -> None:
    session, _people = planned(client, 8, 1)
    page = client.get(address(session))
    answer = post(client, session, form_in(page) | {name: "トビ 南"}, "check")
    assert not any(any(each.cells) for each in answer.context["sheet"].rows)


def test_inactive_planned_player_is_not_a_guest_by_number(client: Client) -> None:
    session, _people = planned(client, 8, 1)
    gone = seats_planned(session, 1)[0]
    Player.objects.filter(pk=gone).update(is_active=False)
    answer = pasted(client, session, "回戦\t卓\t東\t南\t西\t北\n1\t1\t400\t300\t200\t100")
    assert str(gone) not in [column.guest_name for column in answer.context["sheet"].columns]


def test_unplanned_player_asks_before_saving(client: Client) -> None:
    session, people = planned(client, 8, 1)
    sent = form_in(client.get(address(session)))
    other = next(player for player in people if str(player.pk) == sent["player_4"])
    others = sent | row(0, "", "317", "313", "255", "115")
    answer = post(client, session, others, "check")
    assert statuses(answer) == ["double"]
    assert "Different players are planned for this round and table. Check who played." in text_of(answer)
    assert f"Not planned at this table: {other.romanised or other.name}" in text_of(answer)
    assert "Not planned" not in text_of(post(client, session, sent | row(0, "317", "313", "255", "115"), "check"))
    assert post(client, session, others, "save").status_code == 200
    assert not session.hanchan.exists()
    assert post(client, session, others | {"another_0": "on"}, "save").status_code == 302
    assert session.hanchan.count() == 1

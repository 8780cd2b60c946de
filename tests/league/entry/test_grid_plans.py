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
from tests.league.entry.test_grid import address, fields, post, row, statuses, words
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


def pasted(client: Client, session: Session, text: str) -> Any:
    return post(client, session, fields(client.get(address(session))) | {"pasted": text}, "paste")


def test_planned_tables_are_the_rows_and_the_plan_says_who_sits_where(client: Client) -> None:
    session, people = planned(client, 8, 3)
    page = client.get(address(session))
    assert places(page) == [(str(number), str(table)) for number in (1, 2, 3) for table in (1, 2)]
    columns = [column.key for column in page.context["sheet"].columns]
    assert sorted(columns) == sorted(str(player.pk) for player in people)
    second = page.context["sheet"].rows[2]
    winds = {columns[at]: cell.wind for at, cell in enumerate(second.scores) if cell.wind}
    seats = session.planned_seats.filter(round=2, table=1).order_by("seat").values_list("player", flat=True)
    assert winds == dict(zip(map(str, seats), "東南西北", strict=True))
    assert page.content.decode().count('<td class="out">') == 6 * 4
    scores = dict(zip(map(str, seats), ("400", "300", "200", "100"), strict=True))
    sent = fields(page) | row(2, *(scores.get(key, "") for key in columns))
    assert post(client, session, sent, "save").status_code == 302
    hanchan = Hanchan.objects.get()
    assert [seat.player_id for seat in seats_of(hanchan)] == list(seats)
    assert (hanchan.round, hanchan.table) == (2, 1)


def test_tables_that_stay_together_have_a_row_for_every_hanchan_to_come(client: Client) -> None:
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
    page = client.get(address(session))
    assert places(page) == [(str(number), str(table)) for number in (1, 2, 3, 4) for table in (1, 2)]
    assert [column.key for column in page.context["sheet"].columns] == [""] * 8

    play(session, players=people[4:], table=2)
    page = client.get(address(session))
    assert places(page) == [(str(number), str(table)) for number in (1, 2, 3, 4) for table in (1, 2)]
    assert [bool(each.hanchan) for each in page.context["sheet"].rows] == [False, True, *[False] * 6]
    columns = [column.key for column in page.context["sheet"].columns]
    assert (sorted(filter(None, columns)), len(columns)) == (sorted(str(player.pk) for player in people[4:]), 8)


@pytest.mark.long
def test_an_event_that_one_sheet_does_not_hold_has_parts_that_lead_to_each_other(client: Client) -> None:
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


BY_SEAT_ALONE = "回戦\t卓\t東\t南\t西\t北\n2\t2\t31700\t31300\t25500\t11500\n1\t1\t40000\t30000\t20000\t10000"


def test_a_block_with_its_own_head_lands_where_it_says(client: Client) -> None:
    session, people = planned(client, 8, 2)
    names = [player.name for player in people]
    head = "回戦\t卓\t" + "\t".join(names) + "\t供託\n"
    answer = pasted(client, session, head + "1\t2\t\t\t\t\t317\t313\t255\t105\t1\n")
    assert statuses(answer) == ["added"], words(answer)
    assert [each.status for each in answer.context["sheet"].rows] == ["empty", "added", "empty", "empty"]
    assert answer.context["sheet"].rows[1].sticks == "1"


def test_scores_under_winds_need_a_plan(client: Client) -> None:
    session, _people = planned(client, 8, 2)
    answer = pasted(client, session, BY_SEAT_ALONE.replace("2\t2\t", "7\t2\t"))
    assert "No one is planned for round 7, table 2." in words(answer)
    assert answer.context["sheet"].left_over.startswith("回戦")


def test_another_player_can_be_chosen_for_a_column(client: Client) -> None:
    session, _people = planned(client, 8, 1)
    page = client.get(address(session))
    answer = post(client, session, fields(page) | row(0, "400"), "free-0")
    column = answer.context["sheet"].columns[0]
    assert (column.key, column.is_settled) == ("", False)
    assert answer.context["sheet"].rows[0].cells[0] == "400"
    for nonsense in ("free-", "free-x", "free-99", "free--1"):
        assert post(client, session, fields(page), nonsense).status_code == 200


@pytest.mark.long
def test_a_sheet_of_sixty_players_and_forty_rows_is_a_light_page(client: Client) -> None:
    session, _people = planned(client, 60, 2)
    for _number in range(10):
        play(session, table=99)
    page = client.get(address(session))
    assert len(page.context["sheet"].columns) == 60
    assert len(page.context["sheet"].rows) == 40
    assert len(page.content) <= 300_000


def test_wind_headers_may_be_in_any_order(client: Client) -> None:
    session, _people = planned(client, 8, 2)
    answer = pasted(client, session, "回戦\t卓\t北\t西\t南\t東\n1\t1\t-1000 東\t16000\t25000\t60000")
    assert statuses(answer) == ["added"], words(answer)
    assert post(client, session, fields(answer), "save").status_code == 302
    hanchan = Hanchan.objects.get()
    planned_seats = session.planned_seats.filter(round=1, table=1).order_by("seat")
    assert [seat.player_id for seat in seats_of(hanchan)] == [seat.player_id for seat in planned_seats]
    assert [seat.raw_score for seat in seats_of(hanchan)] == [60000, 25000, 16000, -1000]
    assert result_of(hanchan).game.busts == (Bust(3, "win", winners=(0,)),)


def test_names_on_top_leave_the_seats_to_the_plan(client: Client) -> None:
    session, people = planned(client, 8, 2)
    seats = list(session.planned_seats.filter(round=2, table=1).order_by("seat").values_list("player", flat=True))
    names = {player.pk: player.name for player in people}
    head = "\t".join(names[pk] for pk in sorted(seats))
    assert sorted(seats) != seats
    answer = pasted(client, session, f"回戦\t卓\t{head}\n2\t1\t400\t300\t200\t100")
    assert post(client, session, fields(answer), "save").status_code == 302
    assert [seat.player_id for seat in seats_of(Hanchan.objects.get())] == seats


@pytest.mark.parametrize("written", [0, 3])
def test_a_wind_that_agrees_with_the_plan_leaves_the_others_to_it(client: Client, written: int) -> None:
    session, _people = planned(client, 8, 2)
    page = client.get(address(session))
    columns = [column.key for column in page.context["sheet"].columns]
    seats = list(session.planned_seats.filter(round=2, table=1).order_by("seat").values_list("player", flat=True))
    cells = {str(player): score for player, score in zip(seats, ("400", "300", "200", "100"), strict=True)}
    cells[str(seats[written])] += f" {'東南西北'[written]}"
    sent = fields(page) | row(2, *(cells.get(key, "") for key in columns))
    assert post(client, session, sent, "save").status_code == 302
    assert [seat.player_id for seat in seats_of(Hanchan.objects.get())] == seats


@pytest.mark.parametrize(("bust", "winner"), [(3, 0), (0, 3), (1, 2)])
def test_an_only_wind_beside_a_bust_is_read_by_the_plan(client: Client, bust: int, winner: int) -> None:
    session, _people = planned(client, 8, 2)
    page = client.get(address(session))
    columns = [column.key for column in page.context["sheet"].columns]
    seats = list(session.planned_seats.filter(round=2, table=1).order_by("seat").values_list("player", flat=True))
    scores = iter(("600", "250", "160"))
    texts = [f"-10 {'東南西北'[winner]}" if seat == bust else next(scores) for seat in range(4)]
    cells = dict(zip(map(str, seats), texts, strict=True))
    sent = fields(page) | row(2, *(cells.get(key, "") for key in columns))
    assert post(client, session, sent, "save").status_code == 302
    hanchan = Hanchan.objects.get()
    assert [seat.player_id for seat in seats_of(hanchan)] == seats
    assert result_of(hanchan).game.busts == (Bust(bust, "win", winners=(winner,)),)


@pytest.mark.parametrize("name", ["why_", "why_x_y", "why_99_0", "why_0_99", "why_0", "why_-1_0", "why_0_0_0"])
def test_an_answer_to_nothing_that_was_asked_changes_nothing(client: Client, name: str) -> None:
    session, _people = planned(client, 8, 1)
    page = client.get(address(session))
    answer = post(client, session, fields(page) | {name: "トビ 南"}, "check")
    assert not any(any(each.cells) for each in answer.context["sheet"].rows)


def test_planned_player_not_offered_is_named(client: Client) -> None:
    session, people = planned(client, 8, 1)
    seats = list(session.planned_seats.filter(round=1, table=1).order_by("seat").values_list("player", flat=True))
    gone = next(player for player in people if player.pk == seats[0])
    Player.objects.filter(pk=gone.pk).update(is_active=False)
    answer = pasted(client, session, "回戦\t卓\t東\t南\t西\t北\n1\t1\t400\t300\t200\t100")
    assert str(gone.pk) not in [column.guest_name for column in answer.context["sheet"].columns]


def test_unplanned_player_is_pointed_out(client: Client) -> None:
    session, people = planned(client, 8, 1)
    sent = fields(client.get(address(session)))
    other = next(player for player in people if str(player.pk) == sent["player_4"])
    others = sent | row(0, "", "317", "313", "255", "115")
    answer = post(client, session, others, "check")
    assert statuses(answer) == ["double"]
    assert "Different players are planned for this round and table. Check who played." in words(answer)
    assert f"Not planned at this table: {other.romanised or other.name}" in words(answer)
    assert "Not planned" not in words(post(client, session, sent | row(0, "317", "313", "255", "115"), "check"))
    assert post(client, session, others, "save").status_code == 200
    assert not session.hanchan.exists()
    assert post(client, session, others | {"another_0": "on"}, "save").status_code == 302
    assert session.hanchan.count() == 1

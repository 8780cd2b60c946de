from dataclasses import replace
from typing import Any

import pytest
from django.http import QueryDict

from league.forms.entry.fields import EntryTable
from league.forms.entry.form import EntryForm, Sending
from league.forms.entry.page import EntryPage
from league.models import League, Player
from league.selectors.entry import seating_choices
from league.services.entry import TypedResult
from scoring.core import Bust, Ledger
from tests.league.factories import make_league, make_players, make_session, play

pytestmark = pytest.mark.django_db

PARTS = {"parts": ["base", "oka", "uma", "chips"], "rounded": False}
CHIPS: dict[str, Any] = {"chips": {"value": 2}, "ledgers": {"ranking": PARTS, "settlement": PARTS}}


def make_table(league: League | None = None, count: int = 4, **parameters: Any) -> EntryTable:
    league = league or make_league(parameters=parameters or None)
    if not league.players.exists():
        make_players(league, count)
    session = make_session(league)
    version = session.ruleset_version
    return EntryTable(league, 1, version, version.read(), seating_choices(session, 1))


def typed(table: EntryTable, *scores: str, **more: str | list[str]) -> QueryDict:
    body = QueryDict(mutable=True)
    body["do"] = "save"
    for seat, player in enumerate(Player.objects.filter(league=table.league).order_by("pk")[: len(table.seats)]):
        body[f"player_{seat}"] = str(player.pk)
    for seat, score in enumerate(scores):
        body[f"raw_{seat}"] = score
    for name, value in more.items():
        body.setlist(name, value if isinstance(value, list) else [value])
    return body


def read(table: EntryTable, *scores: str, **more: str | list[str]) -> EntryPage:
    return EntryPage(EntryForm(typed(table, *scores, **more), table=table))


def entered(page: EntryPage) -> TypedResult:
    assert page.form.entry is not None
    return page.form.entry


def sentences(page: EntryPage) -> list[str]:
    return [text for _, text in page.form.messages]


def test_filled_score_follows_the_others_until_it_is_overwritten() -> None:
    table = make_table()
    page = read(table, "317", "313", "255", "")
    assert (page.form["raw_3"].value(), page.form["auto"].value()) == ("115", "3:115")
    again = read(table, "300", "313", "255", "115", auto="3:115")
    assert again.form.is_valid()
    assert entered(again).game.raw[3] == 13200
    assert again.form["raw_3"].value() == "132"
    overwritten = read(table, "317", "313", "255", "105", auto="3:115")
    assert (overwritten.form.is_valid(), overwritten.form.reading.raw[3]) == (False, 10500)
    strict = replace(table, is_strict=True)
    assert sentences(read(strict, "317", "313", "255", "")) == ["江口: 素点が入っていません。"]
    assert read(strict, "317", "313", "255", "115").form.is_valid()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"raw_3": "112"}, "合計が300点足りません。点棒を数え直すか、打ち間違いがないか見てください。"),
        ({"raw_3": "118"}, "合計が300点多いです。点棒を数え直すか、打ち間違いがないか見てください。"),
        ({"raw_3": "31x"}, "江口: 「31x」は素点として読めません。31,700点なら 317 と書いてください。"),
        ({"raw_3": "11550"}, "江口: 「11550」は100点単位ではありません。100点棒を数え直してください。"),
        ({"raw_3": "99999999999"}, "江口: 「99999999999」は大きすぎます。317 が 31,700点です。"),
        ({"player_2": "first"}, "青木が2席に入っています。どちらかを別の選手にしてください。"),
        ({"player_1": ""}, "南家: 選手を選んでください。"),
        ({"player_3": "guest"}, "ゲストの名前を40文字以内で書いてください。"),
        ({"player_3": "guest", "guest_3": "上野"}, "上野が2席に入っています。どちらかを別の選手にしてください。"),
    ],
    ids=str,
)
def test_errors_name_the_player_or_the_difference(changed: dict[str, str], sentence: str) -> None:
    table = make_table()
    first = str(Player.objects.order_by("pk")[0].pk)
    sent = {name: first if text == "first" else text for name, text in changed.items()}
    page = read(table, "317", "313", "255", "115", **sent)
    assert sentences(page) == [sentence]
    assert {name: page.form[name].value() for name in sent} == sent


def test_form_asks_for_the_bust_cause_only_below_zero_and_with_a_prize() -> None:
    table = make_table()
    assert read(table, "600", "250", "150", "0").busts == []
    page = read(table, "600", "250", "160", "-10")
    assert sentences(page) == ["江口がトビです。誰がアガったか、流局かを選んでください。"]
    assert [answer.label for answer in page.busts[0].by][:3] == ["青木", "石田", "上野"]
    assert page.scored is not None
    assert page.scored.seats[0].points[Ledger.RANKING] == 50000
    page = read(table, "600", "250", "160", "-10", bust_3_by="draw")
    assert sentences(page) == ["江口のトビ: 該当する選手に印を付けてください。"]
    page = read(make_table(make_league("without-a-prize", card="cinderella")), "600", "250", "160", "-10")
    assert page.form.is_valid(), sentences(page)
    assert page.busts == []


@pytest.mark.parametrize(
    ("answers", "bust", "settlement"),
    [
        pytest.param({"bust_3_by": "1"}, Bust(3, "win", (1,)), [60000, 10000, -19000, -51000], id="a win"),
        pytest.param(
            {"bust_3_by": "draw", "bust_3_who": ["0", "2"]},
            Bust(3, "draw", tenpai=(0, 2)),
            [65000, 0, -14000, -51000],
            id="a draw with two tenpai",
        ),
        pytest.param({"bust_3_by": "other"}, Bust(3, "other"), [60000, 0, -19000, -41000], id="something else"),
    ],
)
def test_answer_to_the_bust_question_pays_the_prize(answers: dict[str, Any], bust: Bust, settlement: list[int]) -> None:
    page = read(make_table(), "600", "250", "160", "-10", **answers)
    assert page.form.is_valid(), sentences(page)
    assert entered(page).game.busts == (bust,)
    assert page.scored is not None
    assert [seat.points[Ledger.SETTLEMENT] for seat in page.scored.seats] == settlement


def test_tie_names_the_player_placed_higher() -> None:
    ties = read(make_table(), "308", "308", "255", "129").ties
    assert [(tie.everybody, tie.first, tie.oka) for tie in ties] == [("青木・石田", "青木", 20000)]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        *(("sticks_left", text) for text in ("-1", "x", "1.5")),
        *(("played_at", text) for text in ("0001-01-01T00:00", "2099-01-01T10:00", "9999-12-31T23:59", "gestern")),
        ("played_at", "2025-11-21T20:10+99:00"),
    ],
)
def test_invalid_stick_count_or_time_is_refused(field: str, text: str) -> None:
    assert field in read(make_table(), "317", "313", "255", "115", **{field: text}).form.errors


def test_last_chips_are_filled_in_and_all_add_up() -> None:
    table = make_table(**CHIPS)
    page = read(table, "317", "313", "255", "115", chips_0="3", chips_1="▲1", chips_2="▲2")
    assert page.form.is_valid(), sentences(page)
    assert entered(page).game.chips == (3, -1, -2, 0)
    page = read(table, "317", "313", "255", "115", chips_0="3", chips_1="1", chips_2="0", chips_3="0")
    assert sentences(page) == ["チップの合計が0ではなく4です。"]


def test_entry_names_an_undecided_rule_that_the_result_needs() -> None:
    page = read(make_table(make_league(parameters={"leftover": None})), "317", "313", "255", "105", sticks_left="1")
    assert not page.form.is_valid()
    assert entered(page).needs_rules


def test_players_of_the_table_are_offered_first_then_recent_ones() -> None:
    league = make_league()
    players = make_players(league, 9)
    session = make_session(league)
    play(session, players=players[4:8])
    play(session, players=[players[3], players[1], players[0], players[2]], table=2)
    choices = seating_choices(session, 2)
    assert choices.last == (players[3], players[1], players[0], players[2])
    assert set(choices.recent) == set(players[4:8])
    assert choices.others == (players[8],)


def test_swap_button_swaps_all_fields_of_two_seats() -> None:
    table = make_table()
    body = typed(
        table, "1", "2", "3", "4", do="swap-1", auto="2:3", bust_3_by="1", bust_3_who=["2"], note="x", chombo_1="1"
    )
    swapped = Sending.read(body).typed
    assert [swapped[f"raw_{seat}"] for seat in range(4)] == ["1", "3", "2", "4"]
    assert swapped["player_1"] == body["player_2"]
    assert (swapped["auto"], swapped["bust_3_by"], swapped["bust_3_who"], swapped["note"]) == ("1:3", "2", "1", "x")
    assert swapped["chombo_2"] == "1"
    assert [key for key in swapped if key.startswith("raw")] == ["raw_0", "raw_2", "raw_1", "raw_3"]


@pytest.mark.parametrize(
    ("sent", "field", "value"),
    [
        *((f"do=negate-2&raw_2={before}", "raw_2", after) for before, after in (("15", "-15"), ("▲15", "15"))),
        *((f"do=negate-2&raw_2={before}", "raw_2", after) for before, after in (("−15", "15"), ("", "-"))),
        ("do=sticks-2&sticks_left=1", "sticks_left", "2"),
    ],
)
def test_buttons_change_the_sign_and_the_sticks(sent: str, field: str, value: str) -> None:
    assert Sending.read(QueryDict(sent)).typed[field] == value

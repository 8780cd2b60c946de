import re
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from league.core.limits import MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.models import Hanchan, Player, Session
from league.models.plans import EVERY_ROUND
from league.selectors.games import seats_of
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player
from league.services.planning import TablePlan, plan_tables
from league.services.results import HanchanResult, TableAndTime, record_hanchan, result_of, void_hanchan
from league.services.rules import save_version
from scoring.core import Bust, FinishedGame
from tests.league.entry_contexts import JSON
from tests.league.factories import correct, make_league, make_players, make_session, make_user, play, points_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def evening(client: Client) -> Session:
    league = make_league(players=5)
    client.force_login(make_user("ueno", league=league, role="scorer"))
    return make_session(league)


def address(session: Session) -> str:
    return "/en" + reverse("league:grid", args=[session.league.slug, session.pk])


def form_of(client: Client, session: Session) -> dict[str, str]:
    return form_in(client.get(address(session)))


def form_in(answer: Any) -> dict[str, str]:
    sheet = answer.context["sheet"]
    sent = {"columns": str(len(sheet.columns)), "rows": str(len(sheet.rows)), "reason": answer.context["reason"]}
    for c, column in enumerate(sheet.columns):
        sent |= {f"player_{c}": column.key, f"guest_{c}": column.guest_name}
    for r, row in enumerate(sheet.rows):
        sent |= {f"cell_{r}_{c}": cell for c, cell in enumerate(scores_of(row))}
        sent |= {
            f"hanchan_{r}": row.number,
            f"version_{r}": str(row.version),
            f"key_{r}": str(row.client_key),
            f"round_{r}": row.round,
            f"table_{r}": row.table,
            f"sticks_{r}": row.sticks,
        }
        sent |= {f"another_{r}": "on"} if row.another else {}
    # Fields missing from the page would be lost, and duplicates would override input.
    page = answer.content.decode()
    for name in [*sent, *(f"another_{r}" for r, row in enumerate(sheet.rows) if row.status == "double")]:
        assert page.count(f'name="{name}"') == 1, name
    return sent


def text_of(answer: Any) -> str:
    return " ".join(re.sub("<[^>]+>", "", answer.content.decode()).split())


def with_players(session: Session, sent: dict[str, str]) -> dict[str, str]:
    players = session.league.players.order_by("pk")
    columns = range(int(sent["columns"]))
    return sent | {f"player_{c}": str(player.pk) for c, player in zip(columns, players, strict=False)}


def row(number: int, *cells: str) -> dict[str, str]:
    return {f"cell_{number}_{column}": cell for column, cell in enumerate(cells)}


def post(client: Client, session: Session, sent: dict[str, str], do: str) -> Any:
    return client.post(address(session), sent | {"do": do})


def rows_of(answer: Any) -> Any:
    return answer.context["sheet"].rows


def scores_of(row: Any) -> list[str]:
    return [cell.text for cell in row.scores]


def statuses(answer: Any) -> list[str]:
    return [each.status for each in rows_of(answer) if each.status != "empty"]


def test_two_hanchan_are_checked_and_saved_once(client: Client, evening: Session) -> None:
    sent = with_players(evening, form_of(client, evening))
    sent |= row(0, "317", "313", "255", "115") | row(1, "１５", "４０1", "31,300", "271")
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["added", "added"]
    assert not Hanchan.objects.exists()
    for _ in range(2):
        assert post(client, evening, form_in(checked), "save").status_code == 302
    other = post(client, evening, form_in(checked) | row(0, "316", "314", "255", "115"), "save")
    assert "This row was already saved with other scores." in other.content.decode()
    first, second = Hanchan.objects.order_by("pk")
    assert [seat.raw_score for seat in seats_of(first)] == [31700, 31300, 25500, 11500]
    assert [seat.raw_score for seat in seats_of(second)] == [1500, 40100, 31300, 27100]
    assert (first.round, second.round) == (1, 2)


def test_wrong_total_keeps_all_rows_from_being_saved(client: Client, evening: Session) -> None:
    sent = with_players(evening, form_of(client, evening))
    sent |= row(0, "317", "313", "255", "105") | row(1, "250", "250", "251", "249")
    answer = post(client, evening, sent, "save")
    assert statuses(answer) == ["wrong", "added"]
    assert "Is a riichi stick still on the table?" in answer.content.decode()
    assert scores_of(rows_of(answer)[0])[:4] == ["317", "313", "255", "105"]
    assert not Hanchan.objects.exists()
    assert post(client, evening, form_in(answer) | {"sticks_0": "1"}, "save").status_code == 302
    assert Hanchan.objects.count() == 2


@pytest.mark.parametrize(
    ("changed", "errors"),
    [
        (row(0, "x13", "11.55"), {"cell_0": "Aoki: “x13” is not a score.", "cell_1": "Ishida: “11.55” is not a mul"}),
        (row(0, "9" * 41), {"cell_0": "Aoki: “999"}),
        (row(0, "317 チョンボ x", "東"), {"cell_0": "Aoki: “317", "cell_1": "Ishida: “東” is not"}),
        (row(0, "99999900"), {"cell_0": "Aoki: “99999900” is too "}),
        (row(0, "317 東", "313 東"), {"cell_1": "Ishida: this seat is taken"}),
        (row(0, "500", "300", "201", "-1"), {"cell_3": "Eguchi"}),
        (row(0, "317", "313", "255", ""), {"__all__": "This row has 3 scores, but a table has 4 players."}),
        (row(0, "317", "313", "255", "105"), {"__all__": "The total is 1,000 short."}),
        (row(0, "+21.7", "+1.3", "▲4.5", "▲18.5"), {"__all__": "These look like points with uma."}),
        (row(0, "4", "3", "2", "1"), {"__all__": "These scores seem to mix units."}),
        ({"round_0": "x", "table_0": "32768", "sticks_0": "-1"}, {"round": "卓と回戦は", "table": "卓と回戦は", "sticks": "供託の残りは"}),
        ({"hanchan_0": "999999", "version_0": "x"} | row(0, "?"), {"hanchan": "This hanchan has been ", "cell_0": "Aoki"}),
        ({"player_0": "", "guest_0": "星野"}, {"__all__": "Choose a player at the top of the sheet: column 1."}),
    ],
)  # fmt: skip
def test_errors_name_fields(client: Client, evening: Session, changed: dict[str, str], errors: dict[str, str]) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(0, "317", "313", "255", "115")
    answer = post(client, evening, sent | changed, "check")
    assert statuses(answer) == ["wrong"]
    found = answer.context["sheet"].form.rows[0].errors
    assert {name: texts[0][: len(errors[name])] for name, texts in found.items()} == errors


def test_every_error_is_described_at_its_input(client: Client, evening: Session) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(0, "x17", "313 東", "255 東", "115")
    page = post(client, evening, sent | {"round_0": "x", "player_3": "guest"}, "check").content.decode()
    invalid = re.findall(r'name="(\w+)"[^>]*? aria-invalid="true" aria-describedby="([\w ]+)"', page)
    assert [name for name, _ids in invalid] == ["guest_3", "round_0", "cell_0_0", "cell_0_2", "cell_0_3"]
    ids = {each for _name, several in invalid for each in several.split()}
    assert all(page.count(f'id="{each}"') == 1 for each in ids)
    mended = post(client, evening, sent | row(0, "317", "313", "255", "115"), "check")
    assert "aria-invalid" not in mended.content.decode()


def test_empty_rows_are_ignored(client: Client, evening: Session) -> None:
    sent = with_players(evening, form_of(client, evening) | {"columns": "5"}) | {"player_4": "", "guest_4": "星野"}
    sent |= row(0, "", "抜け", "-", " ") | {"round_0": "x", "table_0": "?", "sticks_0": "!"}
    sent |= row(1, "317", "313", "255", "115") | {"key_1": "x"}
    answer = post(client, evening, sent, "check")
    assert statuses(answer) == ["added"]
    assert list(answer.context["sheet"].columns[4].errors) == ["player"]
    assert post(client, evening, sent, "save").status_code == 302


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [(row(0, "", "", "", ""), "Void it on its own page"), ({"player_0": "fifth"}, "To change who played, open the")],
)
def test_emptied_or_reseated_row_refers_to_the_page_of_the_hanchan(
    client: Client, evening: Session, changed: dict[str, str], sentence: str
) -> None:
    play(evening, yakuman=[(0, "大三元")])
    fifth = {name: str(evening.league.players.get(key="p5").pk) for name in changed if name == "player_0"}
    assert sentence in text_of(post(client, evening, form_of(client, evening) | changed | fifth, "check"))


def test_correction_needs_a_reason_and_shows_the_old_scores(client: Client, evening: Session) -> None:
    hanchan = play(evening)
    sent = form_of(client, evening)
    assert [sent[f"cell_0_{column}"] for column in range(4)] == ["317 E", "313 S", "255 W", "115 N"]
    assert statuses(post(client, evening, sent, "check")) == ["same"]
    sent |= row(0, "307 東", "323 南")
    answer = post(client, evening, sent, "save")
    assert "Enter a reason for changing saved results" in answer.content.decode()
    assert "Aoki 30,700" in text_of(answer)
    assert "Before: Aoki 31,700 · Ishida 31,300" in text_of(answer)
    assert post(client, evening, form_in(answer) | {"reason": "misread"}, "save").status_code == 302
    hanchan.refresh_from_db()
    assert hanchan.version == 2
    assert [seat.raw_score for seat in seats_of(hanchan)][:2] == [30700, 32300]


def test_notes_follow_their_players_to_other_seats(client: Client, evening: Session) -> None:
    bust = Bust(3, "win", (0,))
    play(evening, (50100, 30000, 20000, -100), busts=[bust], chombo=(0, 1, 0, 0), yakuman=[(0, "大三元")], note="memo")
    sent = form_of(client, evening) | row(0, "501 北", "300 南 チョンボ", "200 西", "-1 東 北")
    sent |= {"reason": "seats"}
    assert post(client, evening, sent, "save").status_code == 302
    result = result_of(Hanchan.objects.get())
    assert result.game.busts == (Bust(0, "win", (3,)),)
    assert result.game.chombo == (0, 1, 0, 0)
    assert (result.yakuman, result.note) == (((3, "大三元"),), "memo")


def test_pasted_names_are_matched_and_checked_before_saving(client: Client, evening: Session) -> None:
    text = "\t石田さん\tあおき\t上野\t江口\t星野\n1回戦\t31,700\t３１３００\t25500\t抜け\t11500\n2回戦\t40000\t\t30,000\t▲5,000\t35000\n"
    answer = post(client, evening, form_of(client, evening) | {"pasted": text}, "paste")
    assert [column.name for column in answer.context["sheet"].columns] == ["石田", "青木", "上野", "江口", ""]
    assert "Who is “星野”?" in answer.content.decode()
    assert statuses(answer) == ["wrong", "wrong"]
    sent = form_in(answer) | {"player_4": "guest"} | row(1, "", "", "", "", "")
    assert statuses(post(client, evening, sent, "check")) == ["added"]
    assert not Player.objects.filter(name="星野").exists()
    assert post(client, evening, sent, "save").status_code == 302
    assert [seat.player.name for seat in seats_of(Hanchan.objects.get())] == ["石田", "青木", "上野", "星野"]
    assert Player.objects.get(name="星野").is_guest


def test_pasted_rows_take_their_seats_from_the_pasted_order(client: Client, evening: Session) -> None:
    play(evening)
    text = "北川\t江口\t上野\t石田\n31700\t31300\t25500\t11500"
    add_player(league=evening.league, facts=PlayerFacts("北川 みつる", "きたがわ みつる"), by=SYSTEM)
    answer = post(client, evening, form_of(client, evening) | {"pasted": text}, "paste")
    assert statuses(answer) == ["same", "added"]
    (added,) = [each for each in rows_of(answer) if each.status == "added"]
    assert [person.name for person, _raw in added.seated] == ["北川 みつる", "江口", "上野", "石田"]


def test_unanswered_bust_leads_to_the_entry_page(client: Client, evening: Session) -> None:
    version = evening.ruleset_version
    parameters = version.parameters | {"bust": {"ends": "below_zero", "prize": 10, "win": "first", "other": "manual"}}
    evening.ruleset_version = save_version(ruleset=version.ruleset, parameters=parameters, note="", by=SYSTEM)
    evening.save()
    sent = with_players(evening, form_of(client, evening)) | row(0, "501", "300", "200", "-1 その他")
    (wrong,) = [each for each in rows_of(post(client, evening, sent, "check")) if each.status == "wrong"]
    page = client.get(f"/l/camarade/sessions/{evening.pk}/enter/?{wrong.asks_more}")
    form = page.context["form"]
    assert [form[f"raw_{seat}"].value() for seat in range(4)] == ["501", "300", "200", "-1"]
    assert str(form["client_key"].value()) == str(wrong.client_key)
    assert [question.seat for question in page.context["page"].busts] == [3]


@pytest.mark.parametrize(
    ("cells", "bust"),
    [
        (("600", "250", "160", "-10 東"), Bust(3, "win", winners=(0,))),
        (("600", "250", "160", "-10 流局 東南"), Bust(3, "draw", tenpai=(0, 1))),
        (("600 東", "250 南", "160 西", "-10 北 南"), Bust(3, "win", winners=(1,))),
        (("-10 南 東", "600 東", "250", "160"), Bust(1, "win", winners=(0,))),
    ],
)
def test_bust_is_entered_in_its_cell(client: Client, evening: Session, cells: tuple[str, ...], bust: Bust) -> None:
    checked = post(client, evening, with_players(evening, form_of(client, evening)) | row(0, *cells), "check")
    assert statuses(checked) == ["added"]
    assert "is bust" in text_of(checked)
    assert post(client, evening, form_in(checked), "save").status_code == 302
    assert result_of(Hanchan.objects.get()).game.busts == (bust,)
    assert statuses(post(client, evening, form_in(client.get(address(evening))), "check")) == ["same"]


def test_row_asks_for_the_bust_cause(client: Client, evening: Session) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(0, "-10 東", "600", "250", "160")
    (own_seat,) = [each for each in rows_of(post(client, evening, sent, "check")) if each.status == "wrong"]
    assert own_seat.question is not None
    answer = post(client, evening, sent | row(0, "501", "300", "200", "-1"), "check")
    (wrong,) = [each for each in rows_of(answer) if each.status == "wrong"]
    assert wrong.question is not None
    assert wrong.question.name == "why_0_3"
    assert len(wrong.question.answers) == 3 + 7 + 1
    page = answer.content.decode()
    for said, meaning in wrong.question.answers:
        assert f'<option value="{said}">{meaning}</option>' in page
    assert post(client, evening, form_in(answer) | {"why_0_3": "トビ 南"}, "save").status_code == 302
    assert result_of(Hanchan.objects.get()).game.busts == (Bust(3, "win", winners=(1,)),)


def test_chombo_is_entered_and_removed_in_its_cell(client: Client, evening: Session) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(0, "317", "313 チョンボ2", "255", "115")
    assert post(client, evening, sent, "save").status_code == 302
    assert result_of(Hanchan.objects.get()).game.chombo == (0, 2, 0, 0)
    again = form_in(client.get(address(evening)))
    assert again["cell_0_1"] == "313 S chombo2"
    again |= {"cell_0_1": "313 S chombo0", "reason": "misheard"}
    assert post(client, evening, again, "save").status_code == 302
    assert not any(result_of(Hanchan.objects.get()).game.chombo)


def test_saving_the_valid_rows_leaves_out_marked_ones(client: Client, evening: Session) -> None:
    hanchan = play(evening)
    sent = with_players(evening, form_of(client, evening)) | {"reason": "misread"}
    sent |= row(0, "307 東", "323 南") | row(1, "501", "300", "200", "-1") | row(2, "250", "260", "250", "240")
    correct(hanchan, (31600, 31400, 25500, 11500))
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["overtaken", "wrong", "added"]
    marked = re.search(r'name="marked" value="([\d,]+)"', checked.content.decode())
    assert marked is not None
    # The second row is corrected; the first would overwrite a correction. Neither matches its preview.
    mended = form_in(checked) | row(1, "500", "300", "200", "0") | {"reason": "misread", "marked": marked[1]}
    answer = post(client, evening, mended, "part")
    assert statuses(answer) == ["changed", "added", "same"]
    assert "1 hanchan was added." in answer.content.decode()
    assert [seats_of(game)[0].raw_score for game in Hanchan.objects.order_by("pk")] == [31600, 25000]
    assert post(client, evening, form_in(answer) | {"reason": "misread"}, "save").status_code == 302
    assert [seats_of(game)[0].raw_score for game in Hanchan.objects.order_by("pk")] == [30700, 25000, 50000]


def test_row_saved_on_the_entry_page_is_recognised(client: Client, evening: Session) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(0, "501", "300", "200", "-1")
    answer = post(client, evening, sent, "check")
    players = list(evening.league.players.order_by("pk")[:4])
    key = rows_of(answer)[0].client_key
    game = FinishedGame((50100, 30000, 20000, -100), busts=(Bust(3, "win", (0,)),))
    table_and_time = TableAndTime(table=2, round=3, client_key=key)
    record_hanchan(
        session=evening, result=HanchanResult(tuple(players), game), table_and_time=table_and_time, by=SYSTEM
    )
    checked = post(client, evening, form_in(answer), "check")
    assert statuses(checked) == ["same"]
    assert (checked.context["sheet"].rows[0].round, checked.context["sheet"].rows[0].table) == ("3", "2")
    assert statuses(post(client, evening, form_in(answer) | row(0, "500", "301"), "check")) == ["wrong"]


@pytest.mark.parametrize(
    ("at", "text", "expected"),
    [
        pytest.param("0,4", "317\t313\t255\t115\n250\t250", [",,317,313,255,115", ",,250,250,,"], id="wider"),
        pytest.param("1,4", "317\t313\n250\t250", ["9,,,", ",,317,313", ",,250,250"], id="longer"),
        pytest.param("0,3", "317\n250", ["9,317,,", ",250,,"], id="beside a score"),
        pytest.param("0,2", "317\n250", ["9,,,", "317,,,", "250,,,"], id="below a score"),
        pytest.param("1,0", "4回戦\t317\t313\n5回戦\t250", ["9,,,", "317,313,,", "250,,,"], id="with a label"),
        pytest.param("1,9999", "317\n250", ["9,,,", "317,,,", "250,,,"], id="invalid column"),
    ],
)
def test_plain_block_goes_to_cursor(client: Client, evening: Session, at: str, text: str, expected: list[str]) -> None:
    sent = with_players(evening, form_of(client, evening)) | {"pasted": text, "at": at}
    sent |= row(0, "9") if "9" in expected[0].split(",") else {}
    answer = post(client, evening, sent, "paste")
    assert [",".join(scores_of(row)) for row in rows_of(answer)][: len(expected)] == expected
    assert not answer.context["sheet"].problems


@pytest.mark.parametrize("field", [0, 1, 6])
def test_block_is_not_pasted_outside_the_scores(client: Client, evening: Session, field: int) -> None:
    sent = with_players(evening, form_of(client, evening)) | {"pasted": "317\t313\n250\t250", "at": f"0,{field}"}
    answer = post(client, evening, sent, "paste")
    assert "Put the cursor on the first score" in answer.content.decode()
    assert answer.context["sheet"].left_over == sent["pasted"]
    assert statuses(answer) == []


@pytest.mark.parametrize("text", ["", "合計\t1\t2", "a" * 100_001, "\t" * 600, "\x00\x00", "青木\t石田\t上野"])
def test_block_without_scores_shows_a_problem(client: Client, evening: Session, text: str) -> None:
    answer = post(client, evening, form_of(client, evening) | {"pasted": text}, "paste")
    assert answer.status_code == 200
    assert answer.context["sheet"].problems


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (("317", "313", "255", "115"), ". Is this another hanchan?"),
        (("347", "313", "255", "85"), "nearly the same scores. Is this another hanchan?"),
        (("400", "300", "200", "100"), "already have a hanchan in this round at this table"),
    ],
)
def test_row_similar_to_a_result_asks(client: Client, evening: Session, scores: tuple[str, ...], said: str) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(0, *scores)
    play(evening)
    answer = post(client, evening, sent, "save")
    assert statuses(answer) == ["double"]
    assert said in answer.content.decode()
    assert Hanchan.objects.count() == 1
    assert post(client, evening, form_in(answer) | {"another_0": "on"}, "save").status_code == 302
    assert Hanchan.objects.count() == 2


def test_equal_pasted_rows_are_saved_only_once_confirmed(client: Client, evening: Session) -> None:
    lines = ["317\t313\t255\t115", "115\t255\t313\t317", "317\t313\t255\t115", "347\t313\t255\t85"]
    answer = pasted(client, evening, "青木\t石田\t上野\t江口", *lines)
    assert statuses(answer) == ["added", "added", "double", "double"]
    for scores in ("the same scores", "nearly the same scores"):
        assert f"An earlier row has the same players with {scores}. Is this another hanchan?" in answer.content.decode()
    answer = post(client, evening, form_in(answer) | {"another_2": "on", "another_3": "on"}, "rows")
    answer = post(client, evening, form_in(answer), "check")
    assert statuses(answer) == ["added"] * 4
    for _ in range(2):
        assert post(client, evening, form_in(answer), "save").status_code == 302
    assert Hanchan.objects.count() == 4


def test_correction_that_frees_a_seat_is_no_duplicate(client: Client, evening: Session) -> None:
    play(evening)
    sent = form_of(client, evening) | row(0, "287 東", "323 南", "275 西") | row(1, "317", "313", "255", "115")
    answer = post(client, evening, sent | row(2, "287", "323", "275", "115"), "check")
    assert statuses(answer) == ["changed", "added", "double"]


def test_equal_result_of_another_session_asks_and_keeps_the_reason(client: Client, evening: Session) -> None:
    play(make_session(evening.league))
    play(evening, (25000, 25000, 25000, 25000))
    sent = form_of(client, evening) | row(0, "240 東", "260 南") | row(1, "317", "313", "255", "115")
    answer = post(client, evening, sent | {"reason": "misread"}, "save")
    assert statuses(answer) == ["changed", "double"]
    assert "The same result was saved a moment ago." in answer.content.decode()
    assert 'value="misread"' in answer.content.decode()
    assert post(client, evening, form_in(answer) | {"another_1": "on"}, "save").status_code == 302
    assert Hanchan.objects.count() == 3


def test_reason_is_kept_while_rows_are_corrected(client: Client, evening: Session) -> None:
    play(evening)
    sent = form_of(client, evening) | row(0, "307 東", "322 南") | {"reason": "misread"}
    before = int(sent["rows"]), int(sent["columns"])
    for do in ("save", "rows", "column", "check"):
        answer = post(client, evening, sent, do)
        sent = form_in(answer)
    assert statuses(answer) == ["wrong"]
    assert (int(sent["rows"]), int(sent["columns"])) == (before[0] + 4, before[1] + 1)
    assert post(client, evening, sent | {"cell_0_1": "323 南"}, "save").status_code == 302


def test_hanchan_voided_meanwhile_is_not_saved_again(client: Client, evening: Session) -> None:
    hanchan = play(evening)
    sent = form_of(client, evening)
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="twice")
    for do in ("check", "rows", "column", "save"):
        answer = post(client, evening, sent, do)
        sent = form_in(answer)
    assert statuses(answer) == ["wrong"]
    assert "has been voided" in answer.content.decode()
    assert f'value="{hanchan.pk}"' in answer.content.decode()
    assert Hanchan.objects.count() == 1


def test_hanchan_under_other_rules_do_not_block_the_sheet(client: Client, evening: Session) -> None:
    parameters = {**evening.ruleset_version.parameters, "start_points": 30000}
    other = save_version(ruleset=evening.ruleset_version.ruleset, parameters=parameters, note="", by=SYSTEM)
    evening.ruleset_version, usual = other, evening.ruleset_version
    evening.save()
    play(evening, (40000, 35000, 25000, 20000))
    evening.ruleset_version = usual
    evening.save()
    sent = form_of(client, evening) | row(1, "317", "313", "255", "115")
    assert statuses(post(client, evening, sent, "check")) == ["same", "added"]
    assert statuses(post(client, evening, sent | row(0, "410 東", "340 南"), "check")) == ["changed", "added"]


def test_closed_session_has_no_sheet(client: Client, evening: Session) -> None:
    Session.objects.update(state="closed")
    assert client.get(address(evening)).status_code == 302


@pytest.fixture
def sanma(client: Client) -> Session:
    league = make_league("sanma", card="tenhou-3p", players=4)
    client.force_login(make_user("ueno", league=league, role="scorer"))
    return make_session(league)


@pytest.mark.long
def test_table_of_three_is_saved_from_four_columns(client: Client, sanma: Session) -> None:
    sent = with_players(sanma, form_of(client, sanma) | {"columns": "4", "rows": "4"})
    sent |= row(0, "450", "350", "250", "") | row(1, "", "250 西", "350", "450 東") | row(2, "350", "350", "", "350")
    checked = post(client, sanma, sent, "check")
    assert statuses(checked) == ["added", "added", "added"]
    assert post(client, sanma, form_in(checked), "save").status_code == 302
    seated = [
        [(seat.player.name, seat.raw_score) for seat in seats_of(each)] for each in Hanchan.objects.order_by("pk")
    ]
    assert seated == [
        [("青木", 45000), ("石田", 35000), ("上野", 25000)],
        [("江口", 45000), ("上野", 35000), ("石田", 25000)],
        [("青木", 35000), ("石田", 35000), ("江口", 35000)],
    ]
    again = form_of(client, sanma)
    assert [again[f"cell_0_{column}"] for column in range(3)] == ["450 E", "350 S", "250 W"]
    assert statuses(post(client, sanma, again, "check")) == ["same", "same", "same"]


def test_table_of_three_refuses_a_fourth_score_and_north(client: Client, sanma: Session) -> None:
    sent = with_players(sanma, form_of(client, sanma) | {"columns": "4", "rows": "4"})
    sent |= row(0, "300", "300", "200", "250") | row(1, "450", "350", "250北", "") | row(2, "450", "350", "249", "")
    answer = post(client, sanma, sent, "save")
    assert statuses(answer) == ["wrong", "wrong", "wrong"]
    assert "This row has 4 scores, but a table has 3 players." in answer.content.decode()
    assert not Hanchan.objects.exists()


def pasted(client: Client, session: Session, *lines: str) -> Any:
    return post(client, session, form_of(client, session) | {"pasted": "\n".join(lines)}, "paste")


@pytest.mark.parametrize(
    ("names", "questions"),
    [
        ("選手A\t青木\t石田\t上野", {0: "Who is “選手A”?"}),
        ("青木\t選手B\t石田\t上野", {1: "Who is “選手B”?"}),
        ("選手A\t選手B\t石田\t上野", {0: "Who is “選手A”?", 1: "Who is “選手B”?"}),
        ("青木\t青木\t石田\t上野", {1: "There are two columns for Aoki."}),
        pytest.param("選手5\t青木\t石田\t上野", {0: "Who is “選手5”?"}, id="an inactive player"),
        ("選手A\t選手A\t石田\t上野", {0: "Who is “選手A”?", 1: "There are two columns for 選手A."}),
    ],
)
def test_each_pasted_name_has_a_column(client: Client, evening: Session, names: str, questions: dict[int, str]) -> None:
    evening.league.players.filter(name="選手5").update(is_active=False)
    answer = pasted(client, evening, names, "300\t310\t200\t190")
    for again in (answer, post(client, evening, form_in(answer), "check")):
        columns = again.context["sheet"].columns
        assert [column.name or column.guest_name for column in columns] == names.split("\t")
        assert [cell.split(" ")[0] for cell in scores_of(rows_of(again)[0])] == ["300", "310", "200", "190"]
        found = {at: column.problem for at, column in enumerate(columns) if column.problem}
        assert {at: problem[: len(questions.get(at, "?"))] for at, problem in found.items()} == questions


def test_name_pasted_again_keeps_its_column(client: Client, evening: Session) -> None:
    sent = form_in(pasted(client, evening, "選手A\t青木\t石田\t上野", "300\t310\t200\t190"))
    sheet = post(client, evening, sent | {"pasted": "上野\t石田\t青木\t選手A\n100\t200\t300\t400"}, "paste").context[
        "sheet"
    ]
    assert len(sheet.columns) == 4
    assert scores_of(sheet.rows[1]) == ["400 N", "300 W", "200 S", "100 E"]


def test_pasting_leaves_scores_in_columns_without_a_player(client: Client, evening: Session) -> None:
    sent = form_of(client, evening) | row(0, "250", "250", "250", "250")
    sheet = post(client, evening, sent | {"pasted": "青木\t石田\t上野\t江口\n300\t310\t200\t190"}, "paste").context[
        "sheet"
    ]
    assert scores_of(sheet.rows[0]) == ["250"] * 4 + [""] * 4
    assert [column.name for column in sheet.columns] == ["", "", "", "", "青木", "石田", "上野", "江口"]


def test_names_and_scores_beyond_the_last_column_are_reported(client: Client, evening: Session) -> None:
    most = MAX_SHEET_COLUMNS
    names = [f"選手{number}" for number in range(most + 1)]
    answer = pasted(client, evening, "\t".join(names), "\t".join(["300", "310", "200", "190", *["抜け"] * (most - 3)]))
    assert f"The sheet can hold {most} columns. 選手{most} was left out." in answer.content.decode()
    answer = pasted(client, evening, "\t".join(["抜け"] * (most - 2) + ["317", "313", "255", "115"]))
    assert f"The sheet can hold {most} columns. The rest was left out." in answer.content.decode()


def scores(number: int) -> tuple[str, str, str, str]:
    """Return scores of a table, such that no player has the same score in two hanchan."""
    return str(300 + number), str(150 + 2 * number), str(250 - number), str(300 - 2 * number)


@pytest.mark.long
def test_largest_sheet_is_saved(client: Client, evening: Session) -> None:
    league = evening.league
    guests = [PlayerFacts(f"選手{number}") for number in range(MAX_SHEET_COLUMNS - league.players.count())]
    players = [*league.players.all(), *(add_player(league=league, facts=facts, by=SYSTEM) for facts in guests)]
    sent = {"columns": str(MAX_SHEET_COLUMNS), "rows": str(MAX_SHEET_ROWS)}
    sent |= dict.fromkeys(("reason", "pasted", "at", "csrfmiddlewaretoken"), "")
    for c, player in enumerate(players):
        sent |= {f"player_{c}": str(player.pk), f"guest_{c}": ""}
    for r in range(MAX_SHEET_ROWS):
        first = 4 * r % MAX_SHEET_COLUMNS
        cells = dict(zip(range(first, first + 4), scores(r), strict=True))
        sent |= row(r, *(cells.get(c, "") for c in range(MAX_SHEET_COLUMNS)))
        sent |= {f"hanchan_{r}": "", f"version_{r}": "0", f"key_{r}": str(uuid4()), f"another_{r}": ""}
        sent |= {f"round_{r}": str(r + 1), f"table_{r}": "1", f"sticks_{r}": ""}
    assert len(sent | {"do": ""}) < settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    assert post(client, evening, sent, "save").status_code == 302
    assert Hanchan.objects.count() == MAX_SHEET_ROWS
    again = client.get(address(evening))
    assert statuses(again) == ["same"] * MAX_SHEET_ROWS
    assert statuses(post(client, evening, form_in(again), "check")) == ["same"] * MAX_SHEET_ROWS
    for do in ("rows", "column"):
        answer = post(client, evening, form_in(again), do)
        assert "The sheet can hold at most" in answer.content.decode()
        assert len(rows_of(answer)) == MAX_SHEET_ROWS


def test_rows_beyond_the_largest_sheet_are_kept_for_later(client: Client, evening: Session) -> None:
    lines = ["\t".join(scores(number)) for number in range(MAX_SHEET_ROWS + 20)]
    answer = pasted(client, evening, "青木\t石田\t上野\t江口", *lines)
    assert f"The sheet can hold {MAX_SHEET_ROWS} rows. The rest was left out." in answer.content.decode()
    assert statuses(answer) == ["added"] * MAX_SHEET_ROWS
    assert answer.context["sheet"].left_over.split("\n") == ["青木\t石田\t上野\t江口", *lines[MAX_SHEET_ROWS:]]
    assert lines[MAX_SHEET_ROWS] in answer.content.decode()


def test_missing_player_is_reported_once_per_column(client: Client, evening: Session) -> None:
    page = pasted(client, evening, "317\t313\t255\t115", "250\t250\t250\t250").content.decode()
    assert page.count("Choose a player for this column.") == 4
    assert page.count("Choose a player at the top of the sheet: column 1, 2, 3, 4.") == 2


def post_rows(client: Client, session: Session, sent: dict[str, str], only: str, do: str) -> Any:
    """Post some rows as the script does: the columns, and only the fields of these rows."""
    rows = set(only.split(","))
    kept = {name: text for name, text in sent.items() if name.split("_")[0] in {"player", "guest", "columns", "rows"}}
    kept |= {name: text for name, text in sent.items() if "_" in name and name.split("_")[1] in rows and text}
    return client.post(address(session), kept | {"only": only, "do": do, "reason": sent["reason"]}, headers=JSON)


def test_check_by_script_answers_only_the_rows_sent(client: Client, evening: Session) -> None:
    play(evening)
    sent = with_players(evening, form_of(client, evening))
    sent |= row(1, "400", "300", "200", "100") | row(2, "501", "99", "260", "130")
    answer = post_rows(client, evening, sent, "1,2", "check").json()
    assert {number: each["status"] for number, each in answer["rows"].items()} == {"1": "added", "2": "wrong"}
    assert "1,000 short" in answer["check"]
    assert 'href="#cell_2_0"' in answer["check"]
    assert answer["rows"]["2"]["fields"]["cell_2_0"] == {"text": "501", "described": "", "led": True}
    assert "go" not in answer
    # The first row is not sent, but still compared.
    sent |= row(1, "317", "313", "255", "115")
    assert post_rows(client, evening, sent, "1", "check").json()["rows"]["1"]["status"] == "double"


def test_valid_rows_are_saved_once_by_script(client: Client, evening: Session) -> None:
    play(evening)
    sent = with_players(evening, form_of(client, evening)) | row(2, "400", "300", "200", "100")
    for _time in range(2):
        assert post_rows(client, evening, sent, "2", "save").json()["go"].endswith(f"/sessions/{evening.pk}/")
    assert Hanchan.objects.count() == 2
    sent |= row(1, "501", "99", "260", "140") | row(3, "1", "2", "3", "4")
    part = post_rows(client, evening, sent, "1,3", "part").json()
    saved = Hanchan.objects.latest("pk")
    assert part["rows"]["1"] == part["rows"]["1"] | {"status": "same", "hanchan": str(saved.pk), "version": "1"}
    assert (part["rows"]["3"]["status"], Hanchan.objects.count()) == ("wrong", 3)
    assert "1 hanchan was added." in part["problems"]


def test_poll_returns_rows_only_after_changes(client: Client, evening: Session) -> None:
    hanchan = play(evening)
    answer = client.get(address(evening), {"stands": "1"})
    (told,) = answer.json()["rows"]
    assert [(each["name"], each["text"]) for each in told["people"]] == [
        ("Aoki", "317 E"), ("Ishida", "313 S"), ("Ueno", "255 W"), ("Eguchi", "115 N"),
    ]  # fmt: skip
    assert [each["key"] for each in told["people"]] == [str(seat.player_id) for seat in seats_of(hanchan)]
    assert {name: told[name] for name in ("hanchan", "version", "round", "table", "sticks")} == {
        "hanchan": str(hanchan.pk), "version": "1", "round": "1", "table": "1", "sticks": "",
    }  # fmt: skip
    known = {"if-none-match": answer["ETag"]}
    assert client.get(address(evening), {"stands": "1"}, headers=known).status_code == 304
    make_players(evening.league, 1)
    assert client.get(address(evening), {"stands": "1"}, headers=known).status_code == 200


@pytest.mark.parametrize(
    ("cells", "chombo", "busts"),
    [
        pytest.param(("601 東", "300 南", "100 西", "-1 北 東"), 0, 1, id="the word is deleted"),
        pytest.param(("611 東", "290 南", "100 西", "-1 北 東"), 0, 1, id="and the scores are others"),
        pytest.param(("601 東", "300 南 チョンボ2", "100 西", "-1 北 南"), 2, 1, id="others are written"),
        pytest.param(("611", "290", "100", "-1"), 1, 1, id="bare scores say nothing of it"),
        pytest.param(("601 東", "300 南 チョンボ", "90 西", "9 北"), 1, 0, id="nobody is bust any more"),
    ],
)
def test_bust_and_chombo_are_replaced_only_where_the_seat_is_written(
    client: Client, evening: Session, cells: tuple[str, ...], chombo: int, busts: int
) -> None:
    hanchan = play(evening, (60100, 30000, 10000, -100), busts=[Bust(3, "win", (0,))], chombo=(0, 1, 0, 0))
    sent = form_of(client, evening)
    assert [sent[f"cell_0_{column}"] for column in (1, 3)] == ["300 S chombo", "−1 N E"]
    sent |= row(0, *cells) | {"reason": "misheard"}
    assert client.post(address(evening), sent | {"do": "save"}).status_code == 302
    game = result_of(Hanchan.objects.get(pk=hanchan.pk)).game
    assert (game.chombo or (0,) * 4)[1] == chombo
    assert len(game.busts) == busts


def test_deleting_the_bust_cause_asks_for_it_again(client: Client, evening: Session) -> None:
    play(evening, (60100, 30000, 10000, -100), busts=[Bust(3, "win", (0,))])
    answer = client.post(address(evening), form_of(client, evening) | {"cell_0_3": "-1 北", "do": "check"})
    assert "How did Eguchi go bust?" in answer.content.decode()


def test_bare_scores_over_a_stored_row_name_the_notes_kept(client: Client, evening: Session) -> None:
    play(evening, chombo=(0, 1, 0, 0))
    answer = client.post(address(evening), form_of(client, evening) | {"cell_0_1": "313", "do": "check"})
    assert "These notes are kept, because a score without its wind" in answer.content.decode()
    assert "Ishida: chombo 1" in answer.content.decode()
    untouched = client.post(address(evening), form_of(client, evening) | {"do": "check"})
    assert "These notes are kept" not in untouched.content.decode()


LINE = (45_000, 9_000, -20_000, -34_000)


def links(page: Any) -> list[str]:
    return re.findall(r'<a href="\S+/g/(\d+)/"[^>]*>\s*points only', page.content.decode())


@pytest.fixture
def hanchan(evening: Session) -> Hanchan:
    return play(evening, points=LINE)


def stored(hanchan: Hanchan) -> tuple[Any, ...]:
    hanchan.refresh_from_db()
    return hanchan.given, hanchan.version, hanchan.round, hanchan.table, points_of(hanchan)


@pytest.mark.parametrize("do", ["save", "part"])
def test_new_rows_are_saved_beside_given_points(client: Client, evening: Session, hanchan: Hanchan, do: str) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(1, "317", "313", "255", "115")
    untouched = post(client, evening, sent | row(1, "", "", "", ""), do)
    assert statuses(untouched) == ["same"]
    assert "No changes" in text_of(untouched)
    assert statuses(post(client, evening, sent, "check")) == ["same", "added"]
    assert post_rows(client, evening, sent, "1", "check").json()["rows"]["1"]["status"] == "added"
    assert post(client, evening, sent, do).status_code == 302
    assert "go" in client.post(address(evening), sent | {"do": do}, headers=JSON).json()
    assert Hanchan.objects.count() == 2
    assert stored(hanchan) == ("points", 1, 1, 1, list(LINE))


def test_raw_scores_in_a_points_only_row_are_a_correction(client: Client, evening: Session, hanchan: Hanchan) -> None:
    assert links(client.get(address(evening))) == [str(hanchan.pk)]
    sent = with_players(evening, form_of(client, evening)) | row(0, "450", "290", "200", "60")
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["changed"]
    said = text_of(checked)
    assert "Before:" in said
    assert "+45.0" in said
    told = client.post(address(evening), sent | {"do": "check"}, headers=JSON).json()
    assert told["rows"]["0"]["status"] == "changed"
    assert "+45.0" in told["check"]
    assert post(client, evening, form_in(checked) | {"reason": "the sheet was found"}, "save").status_code == 302
    assert stored(hanchan)[:2] == ("raw", 2)
    assert links(client.get(address(evening))) == []


def test_table_and_round_of_a_points_only_row_are_corrected(client: Client, evening: Session, hanchan: Hanchan) -> None:
    sent = with_players(evening, form_of(client, evening)) | {"table_0": "2", "round_0": "3"}
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["changed"]
    assert "+45.0" in text_of(checked)
    assert post(client, evening, form_in(checked) | {"reason": "the other table"}, "save").status_code == 302
    assert stored(hanchan) == ("points", 2, 3, 2, list(LINE))


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        pytest.param({"sticks_0": "1"}, "wrong", "enter the raw scores", id="sticks"),
        pytest.param({"version_0": "9", "table_0": "2"}, "overtaken", "+45.0", id="concurrent correction"),
    ],
)
def test_sticks_and_concurrent_corrections_are_reported(
    client: Client, evening: Session, hanchan: Hanchan, changed: dict[str, str], status: str, said: str
) -> None:
    checked = post(client, evening, with_players(evening, form_of(client, evening)) | changed, "check")
    assert statuses(checked) == [status]
    assert said in text_of(checked)


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


def test_sheet_has_a_row_per_planned_table_with_the_winds(client: Client) -> None:
    session, people = planned(client, 8, 3)
    page = client.get(address(session))
    assert places(page) == [(str(number), str(table)) for number in (1, 2, 3) for table in (1, 2)]
    columns = [column.key for column in page.context["sheet"].columns]
    assert sorted(columns) == sorted(str(player.pk) for player in people)
    winds = {columns[at]: cell.wind for at, cell in enumerate(page.context["sheet"].rows[2].scores) if cell.wind}
    assert winds == dict(zip(map(str, seats_planned(session, 2)), "ESWN", strict=True))
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
    parts = client.get(address(session)).context["sheet"].parts
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
    assert answer.context["sheet"].rows[0].scores[0].text == "400"
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
        (("600", "250", "160", "-10 東"), (Bust(3, "win", winners=(0,)),)),
        (("-10 北", "600", "250", "160"), (Bust(0, "win", winners=(3,)),)),
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
    answer = post(client, session, form_in(client.get(address(session))) | {name: "トビ 南"}, "check")
    assert not any(any(scores_of(each)) for each in answer.context["sheet"].rows)


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

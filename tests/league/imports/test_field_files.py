import re
from datetime import date
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from league.models import Adjustment, Hanchan, ImportBatch, Player, Seat, Session, SessionPoints
from league.services.history import SYSTEM
from league.services.imports.undoing import undo
from league.services.people import PlayerFacts, add_player
from league.services.rules import adopt_card
from tests.league.imports.files import LIST, answers, books_of, club

pytestmark = [pytest.mark.django_db, pytest.mark.merge]


def uploaded(client: Client, content: str | bytes, name: str = "results.csv") -> str:
    data = content if isinstance(content, bytes) else content.encode()
    answer = client.post(f"/en{LIST}new/", {"file": SimpleUploadedFile(name, data)})
    assert answer.status_code == 302, unescape(answer.content.decode())
    return f"/en{LIST}{ImportBatch.objects.latest('pk').pk}/"


def shown(client: Client, at: str) -> dict[str, Any]:
    answer = client.get(f"{at}review/")
    assert answer.status_code == 200
    named = ("form", "report", "can_run", "seen")
    return {name: answer.context[name] for name in named} | {"text": unescape(answer.content.decode())}


def answered(client: Client, at: str, **given: Any) -> dict[str, Any]:
    answer = client.post(f"{at}review/", answers(shown(client, at)) | {"again": ""} | given)
    assert answer.status_code == 302, answer.context["form"].errors
    return shown(client, at)


def imported(client: Client, at: str, **given: Any) -> None:
    for _ in range(2):
        answer = client.post(f"{at}review/", answers(shown(client, at)) | given)
        assert answer.status_code == 302, answer.context["form"].errors
        if answer["Location"] == at:
            break
    assert answer["Location"] == at, shown(client, at)["report"]
    assert client.get(at).context["batch"].state == ImportBatch.State.DONE


def standings() -> dict[str, float]:
    totals: dict[str, int] = {}
    for rows in (
        Seat.objects.valid().values_list("player__name", "points"),
        SessionPoints.objects.filter(withdrawn=False).values_list("player__name", "points"),
        Adjustment.objects.filter(withdrawn=False).values_list("player__name", "points"),
    ):
        for name, points in rows:
            totals[name] = totals.get(name, 0) + points
    return {name: points / 1000 for name, points in totals.items()}


A_DAY = {"undated_day": "2026-05-01"}

MATRIX = """麻雀集計表,,,,,,
ゲーム,日付,青木,石田,上野,江口,岡本
1,2026/5/1,42000,28000,18000,12000,
2,2026/5/1,35300,,15200,19500,30000
3,2026/5/1,,25000,31000,24000,20000
合計,,77300,53000,64200,55500,50000
"""
PLAYERS = """Place,Name,Club,H1,H2,H3,H4,Penalty,Total
1,Ana B.,TORI,45.2,10.3,-5.1,30,0,80.4
2,Bo C.,RNNYC,10.1,-20.5,44,12.2,-10,35.8
3,Cy D.,TORI,-20,40.2,-10.3,-15.9,0,-6
4,Di E.,SRM,-35.3,-30,-28.6,-26.3,0,-120.2
"""


@pytest.mark.parametrize(
    ("card", "text", "layout", "hanchan", "points"),
    [
        pytest.param(
            "mleague", MATRIX, "a column per person", 3,
            {"青木": 117.3, "石田": 13, "上野": -15.8, "江口": -84.5, "岡本": -30}, id="a column per person",
        ),
        pytest.param(
            "wrc", PLAYERS, "A row per person", 4,
            {"Ana B.": 80.4, "Bo C.": 35.8, "Cy D.": -6, "Di E.": -120.2}, id="players by hanchan with a penalty",
        ),
    ],
)  # fmt: skip
def test_layout_is_recognised_and_leads_to_the_right_standings(
    client: Client, card: str, text: str, layout: str, hanchan: int, points: dict[str, float]
) -> None:
    club(client, card)
    at = uploaded(client, text)
    assert layout in shown(client, at)["text"]
    imported(client, at, **A_DAY)
    assert (Hanchan.objects.count(), standings()) == (hanchan, points)


def test_totals_that_differ_are_named(client: Client) -> None:
    club(client)
    at = uploaded(client, MATRIX.replace("64200", "64300"))
    page = shown(client, at)
    assert "上野 (64,300 ≠ 64,200)" in page["text"]
    assert "4 totals in the file agree" in page["text"]
    imported(client, at, **A_DAY)
    assert "上野 (64,300 ≠ 64,200)" in unescape(client.get(at).content.decode())
    points = MATRIX.replace("合計,,77300,53000,64200,55500,50000", "合計,,117.3,13,-15.8,-84.5,-30")
    assert "5 totals in the file agree" in shown(client, uploaded(client, points))["text"]


def test_penalty_is_an_adjustment_and_undo_withdraws_everything(client: Client) -> None:
    league = club(client, "wrc")
    at = uploaded(client, PLAYERS)
    page = shown(client, at)
    assert "4 hanchan have no date" in page["text"]
    assert page["report"].totals == (("Bo C.", -10_000, 0),)
    assert {match.count for match in page["form"].matches.values()} == {4}
    client.post(f"{at}review/", answers(page) | {"undated_day": "2026-05-01"})
    assert not Hanchan.objects.exists()
    imported(client, at)
    assert list(Adjustment.objects.values_list("player__name", "points")) == [("Bo C.", -10_000)]
    undo(ImportBatch.objects.get().pk, SYSTEM, lambda progress: None)
    assert standings() == {}
    assert not league.players.filter(is_active=True).exists()
    players, enter = (f"/en{reverse(f'league:{page}', args=[league.slug])}" for page in ("players", "enter"))
    assert b"Bo C." not in client.get(players).content
    assert b"Bo C." in client.get(players, {"q": "bo"}).content
    assert b"Bo C." not in Client().get(players, {"q": "bo"}).content
    assert b"Add the players first" in client.get(enter).content
    assert not league.sessions.exclude(state="withdrawn").exists()


def test_more_players_than_a_table_become_points_without_hanchan(client: Client) -> None:
    club(client, "wrc")
    rows = "".join(f"P{number},{number - 4},{4 - number},0\n" for number in range(1, 8))
    imported(client, uploaded(client, f"Name,H1,H2,Total\n{rows}"), **A_DAY)
    assert set(SessionPoints.objects.values_list("points", "hanchan")) == {(0, 2)}
    assert (SessionPoints.objects.count(), Hanchan.objects.count()) == (7, 0)


def test_player_with_two_sums_is_an_error(client: Client) -> None:
    club(client, "wrc")
    page = answered(client, uploaded(client, "Name,H1,H2\n" + "".join(f"{name},1,-1\n" for name in "ABCDEA")), **A_DAY)
    assert (page["report"].errors, len(page["report"].totals)) == (1, 5)


def test_sheet_per_session_is_dated_by_its_name(client: Client) -> None:
    club(client)
    head = ["回", "青木", "石田", "上野", "江口", "小川"]
    book = books_of(
        {
            "2026-05-01": [head, [1, 42000, 28000, 18000, 12000, None], ["計", 42000, 28000, 18000, 12000, None]],
            "5月8日": [["第2節"], head, [1, None, 28000, 18000, 12000, 43000]],
            "15 May 2026": [head, [1, 42000, 28000, 18000, None, 12000]],
            "集計": [["名前", "合計"], ["青木", 12]],
        }
    )
    at = uploaded(client, book, "2026.xlsx")
    page = shown(client, at)
    assert "集計" in page["text"]
    assert [(row.sheet, row.lines) for row in page["report"].rows if row.is_bad] == [("5月8日", "3")]
    imported(client, at, as_is="as_is")
    assert list(Hanchan.objects.order_by("day").values_list("day", flat=True)) == [
        date(2026, 5, 1),
        date(2026, 5, 8),
        date(2026, 5, 15),
    ]


def test_a_control_row_is_left_out_and_an_unread_sheet_is_a_warning(client: Client) -> None:
    league = club(client)
    tom = add_player(league=league, facts=PlayerFacts('Tom "Tanyao" Turner'), by=SYSTEM)
    rows: list[list[Any]] = [["Tanyao", 42000, 28000], ["Bo", 28000, 42000], ["Cy", 18000, 12000], ["Di", 12000, 18000]]
    foot: list[list[Any]] = [["Check", 100000, 100000], ["Bo chombo in H2"]]
    games: list[list[Any]] = [["Evening", "East", "", "South"], ["1", "Bo", 30, "Cy"], ["2", "Cy", 20, "Di", 40]]
    sheets = {"2026-05-01": [["Player", "H1", "H2"], *rows, *foot], "5月8日": [["", "A1", "B1"], *rows], "Odd": games}
    at = uploaded(client, books_of(sheets), "2026.xlsx")
    page = shown(client, at)
    assert "2026-05-01 · line 6: Check · 100000 · 100000" in " ".join(page["text"].split())
    assert "2026-05-01 · line 7: Bo chombo in H2" in " ".join(page["text"].split())
    assert "Nothing was read from the sheet Odd." in page["text"].partition('id="run"')[0]
    assert [(row.table, row.round) for row in page["report"].rows] == [(0, 1), (0, 2), (1, 1), (2, 1)]
    (asked,) = page["form"].name_rows()["asked"]
    assert asked[1].value() == str(tom.pk)
    # Another sheet is not read with the layout of the first one.
    assert "The file cannot be read" not in answered(client, at, sheet="Odd")["text"]
    answered(client, at, sheet="")
    imported(client, at)
    assert (Hanchan.objects.count(), league.players.count()) == (4, 4)


def test_raw_scores_of_too_many_people_are_named_and_nothing_agrees(client: Client) -> None:
    club(client)
    people = "".join(f"P{number},25000,31000,56000\n" for number in range(5))
    page = shown(client, uploaded(client, f"Name,H1,H2,Total\n{people}"))
    assert "have a raw score under H1, H2, so" in page["text"]
    assert "agree with their hanchan" not in page["text"]


CHIPS = {
    "chips": {"value": 2},
    "ledgers": {name: {"parts": ["base", "oka", "uma", "chips"]} for name in ("ranking", "settlement")},
}
LOBBY = (
    "2022/03/19\n"
    "C3630 | 23:25 | 四般南喰赤祝 | 青木くん(+57.0,+2枚) Ishida(+20.0,+6枚) 上野ぱぱ(-24.0,-3枚) 江口(-53.0,-5枚)\n"
    "C3630 | 23:58 | 四般南喰赤祝 | Ishida(+60.0,+5枚) 青木くん(+10.0) 江口(-22.0,0枚) 上野ぱぱ(-48.0,-5枚)\n"
)


def test_chips_of_a_lobby_count_in_addition_to_its_points(client: Client) -> None:
    club(client, "tenhou-4p", parameters=CHIPS)
    imported(client, uploaded(client, LOBBY, "lobby.txt"))
    first = Hanchan.objects.order_by("played_at", "pk")[0].seats.order_by("-raw_score")
    assert list(first.values_list("raw_score", "points")) == [
        (47_000, 61_000), (40_000, 32_000), (16_000, -30_000), (-3_000, -63_000),
    ]  # fmt: skip


@pytest.mark.parametrize(("said", "raw"), [("beside", 47_000), ("included", 43_000)])
def test_points_of_a_table_with_chips_are_asked_about_once(client: Client, said: str, raw: int) -> None:
    club(client, "tenhou-4p", parameters=CHIPS)
    text = "日付,回戦,選手,ポイント,チップ\n"
    for name, points, chips in (("A", 57, 2), ("B", 20, 6), ("C", -24, -3), ("D", -53, -5)):
        text += f"2022-03-19,1,{name},{points},{chips}\n"
    at = uploaded(client, text)
    assert not shown(client, at)["can_run"]
    imported(client, at, chips=said)
    assert Seat.objects.get(player__name="A").raw_score == raw


LOOK_ALIKES = """日付,回戦,卓,氏名,持点
2026-04-05,1,1,田中花子,42000
2026-04-05,1,1,ﾀﾅｶ ﾊﾅｺ,28000
2026-04-05,1,1,髙橋　一,18000
2026-04-05,1,1,佐藤,12000
2026-04-06,1,1,田中花子,30000
2026-04-06,1,1,タナカハナコ,30000
2026-04-06,1,1,高橋 一,20000
2026-04-06,1,1,佐藤,20000
"""


@pytest.mark.parametrize(("choice", "people"), [("same", 4), ("new", 6)])
def test_new_names_that_look_alike_are_asked_about(client: Client, choice: str, people: int) -> None:
    club(client)
    at = uploaded(client, LOOK_ALIKES)
    page = shown(client, at)
    asked = page["form"].name_rows()["asked"]
    assert [(match.written, field.value()) for match, field, _ in asked] == [
        ("タナカハナコ", "same"),
        ("高橋 一", "same"),
    ]
    assert "ﾀﾅｶ ﾊﾅｺ" in page["text"]
    imported(client, at, **{field.name: choice for _, field, _ in asked})
    assert Player.objects.count() == people


def test_grand_totals_footnotes_and_people_who_sat_out_are_skipped(client: Client) -> None:
    club(client)
    text = (
        "2026年度 前期リーグ 成績,,,,\n日付,卓,名前,素点,備考\n2026/4/5,1,青木,42000,\n,,石田,28000,\n,,上野,18000,遅刻\n"
        ",,小川,欠席,\n,,江口,12000,\n小計,,,100000,\n総合計,,,100000,\n※4/12は1卓のみ,,,,\n"
    )
    imported(client, uploaded(client, text))
    assert Hanchan.objects.get().seats.count() == 4


def test_two_people_of_one_name_at_a_table_are_named(client: Client) -> None:
    club(client)
    rows = "".join(
        f"2026-04-12,1,1,{name},{raw}\n"
        for name, raw in (("上野", 30000), ("江口", 30000), ("田中", 20000), ("田中", 20000))
    )
    page = shown(client, uploaded(client, f"日付,回戦,卓,氏名,持点\n{rows}"))
    assert "田中 has two seats at this table. If these are two people" in page["text"]
    assert (page["report"].games, page["report"].errors) == (1, 1)


@pytest.mark.parametrize(("choice", "people"), [("same", 5), ("new", 6)])
def test_columns_of_one_heading_that_never_meet_are_asked_about(client: Client, choice: str, people: int) -> None:
    club(client)
    at = uploaded(client, "日付,青木,石田,上野,江口,岡本,岡本\n2026/5/1,42,28,18,,12,\n2026/5/2,42,,18,28,,12\n")
    (match, field, _), *others = shown(client, at)["form"].name_rows()["asked"]
    assert (match.written, field.value(), others) == ("岡本(2)", "", [])
    imported(client, at, **{field.name: choice})
    assert Player.objects.filter(is_active=True).count() == people


def test_columns_of_one_heading_that_meet_are_two_people(client: Client) -> None:
    club(client)
    at = uploaded(client, MATRIX.replace("岡本", "上野"))
    assert shown(client, at)["form"].name_rows()["asked"] == []
    imported(client, at, **A_DAY)
    assert standings() == {"青木": 117.3, "石田": 13, "上野": -15.8, "江口": -84.5, "上野(2)": -30}


def test_wrong_answer_about_a_name_can_be_put_right_without_leaving_anything_out(client: Client) -> None:
    league = club(client)
    player = str(add_player(league=league, facts=PlayerFacts("岡本"), by=SYSTEM).pk)
    at = uploaded(client, MATRIX)
    new = shown(client, at)["form"].name_rows()["new"]
    name = next(field.name for match, field, _ in new if match.written == "青木")
    page = answered(client, at, **A_DAY, **{name: player})
    assert (page["report"].wrong, page["can_run"]) == (1, False)
    imported(client, at, **{name: "new"})
    assert Hanchan.objects.count() == 3


BUSTS = "日付,東,点,南,点,西,点,北,点\n" + "".join(
    f"2026/4/{day},青木,{61000 - day * 100},石田,30000,上野,10000,江口,{day * 100 - 1000}\n" for day in range(1, 4)
) + "2026/4/5,青木,40000,石田,30000,上野,20000,江口,10000\n"  # fmt: skip


def test_busts_without_a_payer_are_one_question(client: Client) -> None:
    club(client, "camarade")
    at = uploaded(client, BUSTS)
    page = shown(client, at)
    assert (page["report"].busts, page["report"].errors, page["can_run"]) == (3, 3, False)
    assert [day.day for day in page["report"].days] == [1, 2, 3, 5]
    imported(client, at, busts="none")
    assert Hanchan.objects.filter(as_is=True).count() == 3
    after = client.get(at).context
    assert all(hanchan.note for hanchan in after["marked"])
    assert (len(after["marked"]), after["period"].key, len(after["report"].days)) == (3, "2026-04", 4)
    # The file can be imported again, for instance with a row more.
    again = shown(client, uploaded(client, BUSTS))["report"]
    assert (again.same, again.busts, again.errors) == (4, 0, 0)


def test_payers_can_be_chosen_for_each_hanchan(client: Client) -> None:
    club(client, "camarade")
    at = uploaded(client, BUSTS)
    page = shown(client, at)
    assert [name for name in page["form"].fields if name.startswith("bust_")] == ["bust_0_3", "bust_1_3", "bust_2_3"]
    page = answered(client, at, busts="ask", bust_0_3="win:E", bust_1_3="draw:E+S")
    assert page["report"].waiting == 1
    imported(client, at, bust_2_3="none")
    stored = Hanchan.objects.order_by("day").prefetch_related("incidents")
    assert [hanchan.as_is for hanchan in stored] == [False, False, True, False]
    assert [len(hanchan.incidents.all()) for hanchan in stored] == [1, 1, 0, 0]


def test_payers_are_asked_together_with_the_date(client: Client) -> None:
    club(client, "camarade")
    at = uploaded(client, "A,B,C,D\n61000,30000,10000,-1000\n")
    assert {"undated_day", "busts", "bust_0_3"} <= shown(client, at)["form"].fields.keys()
    imported(client, at, **A_DAY, busts="ask", bust_0_3="win:E")
    assert not Hanchan.objects.get().as_is


def test_a_season_of_a_club_takes_two_decisions(client: Client) -> None:
    """160 hanchan of 24 people with a column each, 40 busts without a payer."""
    league = club(client, "camarade")
    lines = ["回,日付," + ",".join([f"選手{number:02}" for number in range(1, 25)])]
    for number in range(160):
        who = [(number * 5 + seat * 7) % 24 for seat in range(4)]
        raw = (52000, 31000, 18000, -1000) if number % 4 == 0 else (41000, 29000, 18000, 12000)
        scores = dict(zip(who, raw, strict=True))
        day = date(2025, 4, 5 + number // 8)
        lines.append(f"{number % 8 + 1},{day:%Y/%m/%d}," + ",".join(str(scores.get(at, "")) for at in range(24)))
    at = uploaded(client, "\r\n".join(lines).encode("cp932"), "2025年度.csv")
    assert [field.name for field in shown(client, at)["form"].asked] == ["busts", "unknown"]
    imported(client, at, busts="none")
    assert (Hanchan.objects.count(), league.players.count()) == (160, 24)
    assert Hanchan.objects.filter(as_is=True).count() == 40
    assert sum(standings().values()) == 0
    client.post(f"{at}undo/")
    assert standings() == {}


ALIKE = "日付,青木,石田,上野,江口\n4/7,40000,30000,20000,10000\n4/8,31700,31300,25500,11500\n"


def test_rule_system_chosen_for_a_file_is_added_and_the_league_keeps_its_own(client: Client) -> None:
    league = club(client, "ema")
    page = shown(client, at := uploaded(client, ALIKE))
    fitting = [key for key, _label in page["form"].fields["rules"].choices]
    assert ("mleague" in fitting, "wrc" in fitting, page["form"]["rules"].value()) == (True, False, "")
    assert not answered(client, at, rules="mleague")["form"].asked
    assert league.rulesets.count() == 1
    imported(client, at)
    league.refresh_from_db()
    assert [session.ruleset_version.ruleset.card for session in Session.objects.all()] == ["mleague", "mleague"]
    assert league.current_version == league.rulesets.get(card="ema").versions.get()
    client.post(f"{at}undo/")
    imported(client, client.post(at)["Location"].removesuffix("review/"))
    assert league.rulesets.count() == 2


def test_totals_that_no_rules_give_are_told_once_and_can_be_taken(client: Client) -> None:
    club(client, "ema")
    page = shown(client, at := uploaded(client, ALIKE.replace("40000", "39700").replace("31700", "31400")))
    assert [field.name for field in page["form"].asked] == ["as_is"]
    assert page["text"].count("99,700") == 1
    imported(client, at, as_is="as_is")


def test_day_that_has_a_session_under_other_rules_gets_a_new_one(client: Client) -> None:
    league = club(client, "ema")
    imported(client, uploaded(client, "日付,青木,石田,上野,江口\n2026-05-03,60000,30000,20000,10000\n"))
    first = league.sessions.get()
    at = uploaded(client, ALIKE.replace("4/7", "2026-05-03").replace("4/8", "2026-05-10"))
    page = shown(client, at)
    assert [field.name for field in page["form"].asked] == ["rules"]
    assert "3 May 2026 the league has a session under EMA riichi rules v1;" in page["text"]
    imported(client, at, rules="mleague")
    assert [*league.sessions.order_by("number").values_list("date__day", flat=True)] == [3, 3, 10]
    assert league.sessions.get(number=1) == first
    assert not Hanchan.objects.filter(as_is=True).exists()


def test_rules_and_numbers_are_asked_first_and_the_check_shows_what_comes_of_them(client: Client) -> None:
    club(client, "ema")
    imported(client, uploaded(client, "日付,青木,石田,上野,江口\n2026-05-03,60000,30000,20000,10000\n"))
    at = uploaded(client, ALIKE.replace("4/7", "2026-05-01").replace("4/8", "2026-05-03"))
    page = shown(client, at)
    assert [field.name for field in page["form"].asked] == ["rules", "by_date"]
    told = [str(label).partition("(")[2] for _key, label in page["form"].fields["rules"].choices]
    assert len({*told[:-2]}) == len(told) - 2 > 5
    assert "Check with this answer" in page["text"]
    assert re.search(r"<b>2 hanchan</b>\s+· 2 days\s+·\s+4 names, all known", page["text"])
    sent = answers(page) | {"again": "first"}
    assert [*client.post(f"{at}review/", sent).context["form"].errors] == ["rules"]
    page = answered(client, at, again="first", rules="mleague", by_date="1")
    assert [(field.name, field.value()) for field in page["form"].asked] == [("by_date", "1")]
    assert "1 → 2 (3 May 2026)" in page["text"]
    assert "links already sent show the old numbers" in page["text"]
    assert re.search(r"Sun 3 May 2026 </dd>\s+<dd[^>]*>\s+another session that day, beside Session 1", page["text"])
    assert "as each counts them. Ranking points: base, uma, penalties (EMA riichi rules v1) / Rank" in page["text"]
    assert "Import 2 hanchan" in page["text"]
    imported(client, at)
    client.post(f"{at}undo/")
    undone = unescape(client.get(at).content.decode())
    assert "Sessions have their former numbers again." in undone
    assert "The rules “M-League v1” that the import added stay in the league and can be chosen." in undone


def test_season_of_other_start_points_is_played_by_the_rules_chosen_for_it(client: Client) -> None:
    rules = adopt_card(league=club(client, "ema"), card_key="mleague", name="M", by=SYSTEM)
    page = shown(client, at := uploaded(client, ALIKE))
    assert [(field.name, field.value()) for field in page["form"].asked] == [("rules", "")]
    assert page["text"].count("100,000") == 1
    assert "All hanchan in the file add up to 100,000, not to 120,000." in page["text"]
    assert "The dates have no year: “4/7”" in page["text"]
    imported(client, at, rules=rules.pk)
    assert {session.ruleset_version for session in Session.objects.all()} == {rules}
    assert Seat.objects.get(raw_score=11500).points == -48500

import json
import re
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import translation

from league.forms.points import PointsListField
from league.forms.rules.house import PATHS
from league.forms.rules.questions import RulesForm
from league.forms.rules.sections import OF_POINTS, OF_TABLE
from league.interchange.writing import write_league
from league.models import League, Revision, RulesetVersion
from league.selectors.rulebook import differences, worked_example
from league.selectors.sheets import large
from league.services.history import SYSTEM
from league.services.results import void_hanchan
from league.services.rules import make_current, save_version
from scoring.core import PARAMETERS, Bust, load_card, read_ruleset, write_ruleset
from scoring.core.house import said
from tests.league.factories import make_league, make_session, make_user, play
from tests.league.rules.test_rules_page import address, answers_for, current
from tests.scoring.test_house import EVERYTHING

pytestmark = pytest.mark.django_db

CAMARADE = write_ruleset(load_card("camarade").ruleset)


@pytest.fixture
def league() -> League:
    return make_league()


@pytest.fixture
def organiser(client: Client, league: League) -> Client:
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return client


def parameters_of(base: dict[str, Any], **changed: object) -> dict[str, Any]:
    form = RulesForm(answers_for(base, **changed), base=base)
    assert form.is_valid(), form.errors
    return form.parameters


# --- Every parameter has a field -------------------------------------------------------------------------------------


def test_every_question_is_in_one_section_with_help() -> None:
    form = RulesForm(base=CAMARADE)
    asked = [name for section in (*OF_POINTS, *OF_TABLE) for name in section.fields]
    assert sorted(asked) == sorted(set(form.fields) - {"note", "seen"})
    for language in ("en", "ja"):
        with translation.override(language):
            helps = {name: str(form.fields[name].help_text) for name in asked}
            assert all(helps.values()), [name for name, text in helps.items() if not text]
            if language == "ja":
                assert not [name for name, text in helps.items() if text.isascii()]


@pytest.mark.parametrize(
    "parameters",
    [
        {"bust": {"ends": "below_zero", "prize": 500, "prize_in": "chips", "illegal_riichi": True}},
        {"bust": {"ends": "zero_or_below", "prize": "10", "prize_in": "points", "win": "each", "draw_shares": "equal_split", "other": "manual", "illegal_riichi": False}},
        {"chombo": {"kind": "total", "amount": "-20", "ledger": "game", "hand": "ends_game", "dealer": "passes_unless_last", "deposits_back": False}},
        {"chombo": {"kind": "flat_each", "amount": 5000, "ledger": "total", "deposits_back": True}},
        {"fine": {"amount": 1000, "to": "pot"}, "lend_below_zero": 10000, "fees": {"game": "0.4", "top": "0.2"}},
        {"house": EVERYTHING},
    ],
)  # fmt: skip
def test_fields_alone_say_every_parameter(parameters: dict[str, Any]) -> None:
    base = {"players": 4, "start_points": 25000, "return_points": 30000, "uma": ["10", "5", "-5", "-10"]}
    wanted = write_ruleset(read_ruleset({**base, **parameters}))
    sent = answers_for(wanted)
    form = RulesForm(sent, base=base)
    assert form.is_valid(), form.errors
    assert {name: form.parameters[name] for name in parameters} == {name: wanted[name] for name in parameters}


def test_no_parameter_is_left_to_the_json() -> None:
    form = RulesForm(base=CAMARADE)
    assert {"house", *CAMARADE} <= set(PARAMETERS)
    assert set(PATHS.values()) == set(said(read_ruleset({"house": EVERYTHING}).house))  # type: ignore[arg-type]
    assert set(PATHS) <= set(form.fields)


def test_open_rules_stay_open_if_untouched() -> None:
    bust = {"ends": "below_zero", "prize": "10", "prize_in": "points", "illegal_riichi": False}
    base = write_ruleset(read_ruleset({**CAMARADE, "bust": bust}))
    assert parameters_of(base) == base


@pytest.mark.parametrize(
    ("changed", "path", "expected"),
    [
        pytest.param({"house_honba_value": "１，５００"}, "honba_value", 1500, id="full width"),
        pytest.param({"house_cold_game": "0"}, "cold_game", 0, id="none is said by 0"),
        pytest.param({"house_cold_game": ""}, "cold_game", None, id="nothing is said by nothing"),
        pytest.param({"house_kiriage": "yes"}, "kiriage", True, id="yes"),
        pytest.param({"house_kiriage": "no"}, "kiriage", False, id="no"),
        pytest.param({"house_kazoe": "13"}, "kazoe", 13, id="a number to choose"),
        pytest.param({"house_abortive_kinds": ["none_of_them"]}, "abortive", {"kinds": []}, id="none at all"),
        pytest.param({"house_pao_hands": ["daiminkan", "daisangen"]}, "pao", {"hands": ["daisangen", "daiminkan"]}, id="some"),
        pytest.param({"house_chips_red": "５枚"}, "chips", {"red": 5}, id="chips"),
        pytest.param({"house_chips_others": "四枚使い： ２\nall red = 10"}, "chips", {"others": [{"label": "四枚使い", "count": 2}, {"label": "all red", "count": 10}]}, id="further chips"),
        pytest.param({"house_text_ja": " 一\r\n\r\n二\x0b三 "}, "text", {"ja": "一\n\n二\n三"}, id="lines"),
        pytest.param({"house_text_en": "a\u202eb\tc"}, "text", {"en": "ab c"}, id="what nobody sees goes"),
    ],
)  # fmt: skip
def test_house_is_read_as_people_type_it(changed: dict[str, Any], path: str, expected: object) -> None:
    base = {name: value for name, value in CAMARADE.items() if name != "house"}
    assert parameters_of(base, **changed).get("house", {}).get(path) == expected


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        pytest.param({"house_honba_value": "250"}, "house_honba_value", id="fifty"),
        pytest.param({"house_kazoe": "14"}, "house_kazoe", id="no such choice"),
        pytest.param({"house_red_fives": "99"}, "house_red_fives", id="more fives than there are"),
        pytest.param({"house_chips_red": "many"}, "house_chips_red", id="no number"),
        pytest.param({"house_chips_others": "four of a kind"}, "house_chips_others", id="no count"),
        pytest.param({"house_chips_others": "a: 1\n" * 21}, "house_chips_others", id="too many"),
        pytest.param({"house_pao_hands": ["none_of_them", "daisangen"]}, "house_pao_hands", id="none beside some"),
        pytest.param({"house_text_ja": "あ" * 4001}, "house_text_ja", id="a novel"),
        pytest.param({"bust_prize_in": "chips", "bust_prize": "2.5", "bust_shares": "", "bust_draw": ""}, "bust_prize", id="half a chip"),
        pytest.param({"fine_amount": "50"}, "fine_amount", id="half a stick"),
        pytest.param({"fees_game": "-1"}, "fees_game", id="a fee that pays"),
    ],
)  # fmt: skip
def test_impossible_rules_are_reported_at_their_field(changed: dict[str, Any], field: str) -> None:
    form = RulesForm(answers_for(CAMARADE, **changed), base=CAMARADE)
    assert not form.is_valid()
    assert field in form.errors, form.errors
    shown = [
        section
        for section in (*form.of_points(), *form.of_table())
        if any(each.name == field for each in section.fields)
    ]
    assert [section.is_open for section in shown] == [True]


# --- The page --------------------------------------------------------------------------------------------------------


SECTION = re.compile(r'<details class="fold rules-section" data-section="([a-z-]+)"( open)?>')
SWAPPED = re.compile(r'<\w+[^>]*\bid="([a-z-]+)"[^>]*\bhx-swap-oob="true"', re.DOTALL)


def opened(page: str) -> list[str]:
    return [name for name, is_open in SECTION.findall(page) if is_open]


def says(page: str, section: str) -> str:
    found = re.search(rf'id="says-{section}"[^>]*>([^<]*)<', page)
    assert found
    return found[1]


def test_page_asks_in_folded_sections_beside_the_example(organiser: Client, league: League) -> None:
    page = organiser.get(address("rules_edit", league, current(league).pk)).content.decode()
    assert len(SECTION.findall(page)) == len(OF_POINTS) + len(OF_TABLE)
    assert opened(page) == ["game"]
    assert '<details class="fold rules-more">' in page
    strip = page.index('id="example-strip"')
    assert "+21.7" in page[strip : page.index("</a>", strip)]
    assert '<ul class="lines">' in page[page.index('id="example"') :]
    assert '<button type="submit" class="button quiet rules-now" name="do" value="example" formnovalidate>' in page
    assert "頭ハネ" in says(page, "house-payments")


def test_page_opens_at_the_faulty_field(organiser: Client, league: League) -> None:
    sent = answers_for(current(league).parameters, house_red_fives="many")
    page = organiser.post(address("rules_edit", league, current(league).pk), sent).content.decode()
    assert opened(page) == ["game", "house-riichi"]
    assert '<details class="fold rules-more" open>' in page
    assert 'value="many"' in page


def test_live_part_brings_the_example_its_short_form_and_what_every_section_says(
    organiser: Client, league: League
) -> None:
    version = current(league)
    scores = {"raw_0": "31700", "raw_1": "31300", "raw_2": "25500", "raw_3": "11500", "chombo": "3"}
    changed = {"chombo_kind": "total", "chombo_amount": "▲40", "house_multi_ron": "triple"}
    sent = answers_for(version.parameters, **changed, **scores)
    part = organiser.post(address("rules_example", league, version.pk), sent).content.decode()
    assert set(SWAPPED.findall(part)) == {
        "example-strip", *(f"says-{section.key}" for section in (*OF_POINTS, *OF_TABLE)),
    }  # fmt: skip
    assert "トリプルロン" in says(part, "house-payments")
    assert "▲40" in part[part.index('class="example-lines"') : part.index('id="example-strip"')]


def test_example_explains_base_oka_uma_bust_and_chombo() -> None:
    rules = read_ruleset(CAMARADE | {"chombo": {"kind": "total", "amount": -20}})
    example = worked_example(rules, (60000, 25000, 16000, -1000), chombo_by=3)
    told = " ".join(text for seat in example.seats for _points, text in seat.settlement_lines)
    with translation.override("ja"):
        assert all(word in told for word in ("素点", "オカ", "ウマ", "トビ賞")), told
    assert example.seats[3].total_only == -20000
    assert example.seats[3].remarks
    assert sum(points for points, _text in example.seats[3].settlement_lines) == example.seats[3].settlement


def test_chip_prize_is_shown_and_moves_no_points() -> None:
    bust = {"ends": "below_zero", "prize": 5, "prize_in": "chips", "win": "first"}
    example = worked_example(read_ruleset(CAMARADE | {"bust": bust}), (60000, 25000, 16000, -1000))
    assert [bool(seat.remarks) for seat in example.seats] == [True, False, False, True]
    assert sum(seat.settlement for seat in example.seats) == 0


def test_bust_prize_in_chips_counts_by_the_value_of_a_chip(client: Client) -> None:
    parts = ["base", "oka", "uma", "bust", "chips"]
    league = make_league(
        parameters={
            "bust": {"ends": "below_zero", "prize": 5, "prize_in": "chips", "win": "first"},
            "chips": {"value": "0.5"},
            "ledgers": {"ranking": {"parts": parts}, "settlement": {"parts": parts}},
        }
    )
    bust = Bust(3, "win", winners=(1,))
    hanchan = play(make_session(league), (60000, 25000, 16000, -1000), busts=(bust,), chips=(1, 0, 0, -1))
    assert [seat.chip_points for seat in hanchan.seats.order_by("seat")] == [500, 2500, 0, -3000]
    page = client.get(reverse("league:hanchan", args=[league.slug, hanchan.pk])).content.decode()
    assert "トビ賞(チップ): +5" in page
    assert "トビ賞(チップ): ▲5" in page


BUST_IN_CHIPS = {"ends": "below_zero", "prize": 5, "prize_in": "chips", "win": "first"}
WITHOUT_CHIPS = {"parts": ["base", "oka", "uma", "bust"]}
WITH_CHIPS = {"parts": ["base", "oka", "uma", "bust", "chips"]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("changed", "accounts"),
    [
        ({}, "順位用ポイント、精算"),
        ({"chips": {"value": "1"}, "ledgers": {"ranking": WITHOUT_CHIPS, "settlement": WITH_CHIPS}}, "順位用ポイント"),
        ({"chips": {"value": "1"}, "ledgers": {"ranking": WITH_CHIPS, "settlement": WITH_CHIPS}}, ""),
        ({"ledgers": {"ranking": {"parts": ["base"]}, "settlement": WITHOUT_CHIPS}}, "精算"),
        ({"bust": BUST_IN_CHIPS | {"prize": "5", "prize_in": "points"}}, ""),
    ],
    ids=["no value", "one account", "counted", "the other account", "in points"],
)
def test_saving_says_where_a_bust_prize_in_chips_does_not_count(
    league: League, organiser: Client, changed: dict[str, Any], accounts: str
) -> None:
    edit = reverse("league:rules_edit", args=[league.slug, current(league).pk])
    assert (
        "チップで払うトビ賞は半荘ごとに表示され、チップの合計には入りません。" in organiser.get(edit).content.decode()
    )
    wanted = {"bust": BUST_IN_CHIPS, **changed}
    parameters = {**{key: each for key, each in CAMARADE.items() if key not in {"chips", "ledgers"}}, **wanted}
    seen = re.search(r'name="seen" value="([^"]*)"', organiser.get(edit).content.decode())
    sent = {"way": "json", "json": json.dumps(parameters), "seen": seen[1] if seen else ""}
    page = organiser.post(edit, sent, follow=True).content.decode()
    assert "第2版として保存しました" in page
    assert ("次の計算ではチップがポイントになりません" in page) is bool(accounts)
    assert not accounts or f"次の計算ではチップがポイントになりません: {accounts}。" in page


@pytest.mark.parametrize(("prize_in", "is_said"), [("chips", True), ("points", False)])
def test_the_head_of_chips_says_that_bust_prizes_are_not_among_them(
    client: Client, monkeypatch: pytest.MonkeyPatch, prize_in: str, is_said: bool
) -> None:
    prize = 5 if prize_in == "chips" else "5"
    league = make_league(parameters={"bust": BUST_IN_CHIPS | {"prize": prize, "prize_in": prize_in}})
    session = make_session(league)
    play(session, (60000, 25000, 16000, -1000), busts=(Bust(3, "win", winners=(1,)),), chips=(1, 0, 0, -1))
    address_of = reverse("league:session", args=[league.slug, session.pk])
    assert ("チップ(トビ賞を除く)" in client.get(address_of).content.decode()) is is_said
    monkeypatch.setattr(large, "MOST_PLAYERS", 3)
    assert ("チップ(トビ賞を除く)" in client.get(address_of).content.decode()) is is_said


# --- From the first page to the last ---------------------------------------------------------------------------------


def sent_with_everything(version: RulesetVersion) -> dict[str, Any]:
    answers = answers_for(write_ruleset(read_ruleset({**version.parameters, "house": EVERYTHING})))
    return answers | {"chombo_hand": "ends_game", "fine_amount": "1000", "note": "総会で決定"}


def test_sections_share_their_common_texts(organiser: Client, league: League) -> None:
    version = current(league)
    answer = organiser.post(address("rules_edit", league, version.pk), sent_with_everything(version))
    saved = RulesetVersion.objects.get(number=2)
    assert saved.parameters["house"] == EVERYTHING
    page = organiser.get(answer["Location"]).content.decode()
    assert "オーラス終了時に必要な点数の人がいなければ、東場に戻ります(返り東)。" in page
    assert "一行目<br>二行目" in page
    assert "data-print" in page
    assert "Line one<br>Line two" in organiser.get("/en" + answer["Location"]).content.decode()
    organiser.post(address("rules_use", league, saved.pk))
    assert "一行目<br>二行目" in organiser.get(address("rules", league)).content.decode()
    assert "一行目" in Client().get(address("rules", league)).content.decode()


def test_card_shows_the_house_and_what_is_doubted_of_it(organiser: Client, league: League) -> None:
    page = organiser.get(address("rules_card", league, "banchi-3p")).content.decode()
    assert "東場に戻ります(返り東)。" in page
    assert "返り東が終わる点数は書かれておらず" in page
    assert "赤1枚につき祝儀200枚です。" in page


def test_words_of_a_house_are_text_and_nothing_else(organiser: Client, league: League) -> None:
    version = current(league)
    sent = answers_for(version.parameters, house_text_ja="<script>alert(1)</script>\n&amp;")
    page = organiser.get(organiser.post(address("rules_edit", league, version.pk), sent)["Location"]).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>&amp;amp;" in page


def test_change_of_words_alone_asks_for_no_rescoring(organiser: Client, league: League) -> None:
    version = current(league)
    played = play(make_session(league))
    organiser.post(address("rules_edit", league, version.pk), sent_with_everything(version))
    said_only = RulesetVersion.objects.get(number=2)
    page = organiser.get(address("rules_version", league, said_only.pk))
    assert (page.context["affected"], page.context["changes_points"]) == (0, False)
    assert "ポイントは変わりません。" in page.content.decode()
    labels = {change.label for change in page.context["changes"]}
    assert {"長さ", "自由記述(日本語)", "チョンボ", "罰金"} & labels >= {"長さ", "自由記述(日本語)", "チョンボ"}
    organiser.post(address("rules_edit", league, said_only.pk), answers_for(said_only.parameters, uma="20 10 -10 -20"))
    page = organiser.get(address("rules_version", league, RulesetVersion.objects.get(number=3).pk))
    assert (page.context["affected"], page.context["changes_points"]) == (1, True)
    assert [change.label for change in page.context["changes"]] == ["ウマ(順位点)"]
    played.refresh_from_db()
    assert played.ruleset_version == version


def test_hanchan_known_by_points_alone_are_not_offered_to_be_scored_again(organiser: Client, league: League) -> None:
    version, session = current(league), make_session(league)
    play(session, points=(45_000, 5_000, -15_000, -35_000))
    organiser.post(address("rules_edit", league, version.pk), answers_for(version.parameters, uma="20 10 -10 -20"))
    other = RulesetVersion.objects.get(number=2)
    page = organiser.get(address("rules_version", league, other.pk))
    assert page.context["affected"] == 0
    assert "これから使う" in page.content.decode()
    play(session)
    void_hanchan(hanchan=play(session, points=(45_000, 5_000, -15_000, -35_000)), by=SYSTEM, reason="twice")
    assert organiser.get(address("rules_version", league, other.pk)).context["affected"] == 1


def test_result_is_entered_under_a_house_and_counts_as_before(league: League) -> None:
    before = play(make_session(league))
    rules = {**current(league).parameters, "house": EVERYTHING}
    version = save_version(ruleset=current(league).ruleset, parameters=rules, note="", by=SYSTEM)
    make_current(league=league, version=version, by=SYSTEM)
    after = play(make_session(league))
    assert after.ruleset_version == version
    assert [seat.points for seat in after.seats.all()] == [seat.points for seat in before.seats.all()]


def test_changes_name_every_rule_of_the_house_that_differs() -> None:
    after = {**CAMARADE, "house": {**CAMARADE["house"], "multi_ron": "triple", "kiriage": True, "text": {"ja": "新"}}}
    with translation.override("en"):
        found = {change.label: (change.before, change.after) for change in differences(CAMARADE, after)}
    assert found == {
        "Multiple ron": (
            "Only the first winner in turn order wins (head bump, atamahane).",
            "Double and triple ron are allowed.",
        ),
        "Kiriage mangan": (
            "No rounding up to mangan (4 han 30 fu is 7,700).",
            "4 han 30 fu and 3 han 60 fu are rounded up to mangan.",
        ),
        "Free text (Japanese)": ("", "新"),
    }


def test_history_and_file_of_the_league_hold_the_house(organiser: Client, league: League) -> None:
    version = current(league)
    organiser.post(address("rules_edit", league, version.pk), sent_with_everything(version))
    revision = Revision.objects.filter(subject="ruleset").latest("pk")
    assert revision.after is not None
    assert revision.after["house"] == EVERYTHING
    document = write_league(league)
    assert document["rulesets"][0]["versions"][1]["parameters"]["house"] == EVERYTHING


def test_json_says_the_house_too(organiser: Client, league: League) -> None:
    version = current(league)
    text = json.dumps({**version.parameters, "house": EVERYTHING})
    organiser.post(reverse("league:rules_edit", args=[league.slug, version.pk]), {"way": "json", "json": text})
    assert RulesetVersion.objects.get(number=2).parameters["house"] == EVERYTHING


@pytest.mark.parametrize(
    ("typed", "points"),
    [
        pytest.param("12,5 7,5 -7,5 -12,5", [12_500, 7_500, -7_500, -12_500], id="decimal commas"),
        pytest.param("30, 10, -10, -30", [30_000, 10_000, -10_000, -30_000], id="commas with spaces"),
        pytest.param("30,10,-10,-30", [30_000, 10_000, -10_000, -30_000], id="commas alone"),
        pytest.param("30、10、▲10、▲30", [30_000, 10_000, -10_000, -30_000], id="Japanese commas"),
        pytest.param("10,5, 5, -5, -10,5", None, id="commas as both"),
        pytest.param("1,000 0 0 -1,000", None, id="commas that can be either"),
    ],
)
def test_a_list_of_points_takes_decimal_commas(typed: str, points: list[int] | None) -> None:
    if points is None:
        with pytest.raises(ValidationError):
            PointsListField().clean(typed)
    else:
        assert list(PointsListField().clean(typed)) == points

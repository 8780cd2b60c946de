import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone, translation

from league.forms.points import PointsListField
from league.forms.rules.answers import field_of
from league.forms.rules.questions import RulesForm
from league.forms.rules.sections import OF_POINTS, OF_TABLE
from league.forms.rules.trial import ExampleForm
from league.interchange.writing import write_league
from league.models import League, Revision, Ruleset, RulesetVersion, Session
from league.selectors import large_sheets as large
from league.selectors.rulebook import differences, example_scores, worked_example
from league.services.history import SYSTEM
from league.services.results import void_hanchan
from league.services.rules import adopt_card
from scoring.core import Bust, load_card, load_cards, read_ruleset, write_ruleset
from tests.league.entry_contexts import typed, url
from tests.league.factories import make_league, make_players, make_session, make_user, play
from tests.scoring.test_house import EVERYTHING

pytestmark = pytest.mark.django_db


def current(league: League) -> RulesetVersion:
    assert league.current_version is not None
    return league.current_version


def answers_for(parameters: dict[str, Any], **changed: object) -> dict[str, Any]:
    form = RulesForm(base=parameters)
    sent: dict[str, Any] = {}
    for name, field in form.fields.items():
        value = field.prepare_value(form.get_initial_for_field(field, name))
        if isinstance(value, bool):
            sent |= {name: "on"} if value else {}
        elif value not in (None, ""):
            sent[name] = value
    return {**sent, **changed}


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.key)
def test_untouched_form_keeps_the_rules_of_the_card(card: Any) -> None:
    parameters = write_ruleset(card.ruleset)
    assert read_ruleset(parameters_of(parameters)) == card.ruleset
    rounded = parameters_of(parameters, rounding_mode="half_up", rounding_basis="raw", rounding_unit="1000")
    assert ("ledgers" in rounded) == ("ledgers" in parameters)


def test_parameter_path_leads_to_its_field() -> None:
    assert field_of("bust.draw_shares.2") == "bust_shares"
    assert field_of("ledgers.ranking.parts[0]") == "ranking_parts"
    assert field_of("uma[3]") == "uma"
    assert field_of("fees.game") == "fees_game"
    assert field_of("house.chips.others[2].count") == "house_chips_others"
    assert field_of("umma") is None


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.key)
def test_every_card_has_an_example_or_an_error(card: Any) -> None:
    example = worked_example(card.ruleset, example_scores(card.ruleset, card))
    assert bool(example.seats) != bool(example.error)
    assert bool(example.seats) or card.ruleset.missing or card.ruleset.unset
    scores = example_scores(card.ruleset, card)
    trial = ExampleForm({f"raw_{seat}": str(score) for seat, score in enumerate(scores)}, scores=scores)
    assert trial.is_valid()
    assert trial.scores(len(scores)) == scores


def test_rules_page_shows_the_current_version_and_an_example_to_visitors(client: Client, league: League) -> None:
    page = client.get(url("rules", league))
    assert page.context["version"] == league.current_version
    assert "+21.7" in page.content.decode()
    scores = {"raw_0": "308", "raw_1": "308", "raw_2": "255", "raw_3": "129"}
    assert client.get(url("rules", league), scores).context["example"].scored.ranking == (20800, 800, -4500, -17100)


@pytest.mark.long
def test_every_rule_card_is_listed_and_opens(organiser: Client, league: League) -> None:
    page = organiser.get(url("rules_choose", league)).content.decode()
    assert "順位表の順位用ポイントに入らないもの: ウマ、トビ賞" in page
    for card in load_cards():
        assert url("rules_card", league, card.key) in page
        assert organiser.get(url("rules_card", league, card.key)).status_code == 200


def test_first_chosen_card_becomes_the_current_rules(client: Client) -> None:
    league = make_league(card=None)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    assert client.get(url("rules", league)).status_code == 200
    client.post(url("rules_choose", league), {"card": "cinderella"})
    league.refresh_from_db()
    assert current(league).ruleset.card == "cinderella"
    assert current(league).ruleset.name == load_card("cinderella").name["ja"]


def test_card_with_missing_settings_is_not_used_until_they_are_set(client: Client) -> None:
    league = make_league(card=None)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    answer = client.post(url("rules_choose", league), {"card": "parlour-placement"})
    version = RulesetVersion.objects.get()
    league.refresh_from_db()
    assert league.current_version is None
    assert answer["Location"] == url("rules_edit", league, version.pk)
    answer = client.post(url("rules_use", league, version.pk))
    assert answer["Location"] == url("rules_edit", league, version.pk)
    client.post(url("rules_edit", league, version.pk), answers_for(version.parameters, uma="3 1 -1 -3"))
    league.refresh_from_db()
    assert (current(league).pk, current(league).number) == (version.pk, 1)


def test_saved_rules_are_a_new_version_used_from_next_session_or_today(organiser: Client, league: League) -> None:
    version = current(league)
    today = league.day_of(timezone.now())
    tonight, earlier = make_session(league, today), make_session(league)
    later, titled = (make_session(league, today + timedelta(days=7), title=title) for title in ("", "春季大会"))
    organiser.post(url("rules_edit", league, version.pk), answers_for(version.parameters))
    assert RulesetVersion.objects.count() == 1
    sent = answers_for(version.parameters, uma="10-30", name="Tuesday rules", note="総会の決定")
    answer = organiser.post(url("rules_edit", league, version.pk), sent)
    saved = RulesetVersion.objects.get(number=2)
    assert answer["Location"] == url("rules_version", league, saved.pk)
    assert (saved.note, saved.ruleset.name) == ("総会の決定", "Tuesday rules")
    assert saved.parameters["uma"] == ["30", "10", "-10", "-30"]
    league.refresh_from_db()
    assert league.current_version == version
    assert f'href="{answer["Location"]}">開いて使う</a>' in organiser.get(url("rules", league)).content.decode()
    page = organiser.get(answer["Location"])
    assert [change.label for change in page.context["changes"]]
    assert 'name="tonight"' in page.content.decode()
    for sent, played in ({}, version), ({"tonight": "1"}, saved):
        organiser.post(url("rules_use", league, saved.pk), sent)
        for each in (league, tonight, earlier, later, titled):
            each.refresh_from_db()
        assert current(league) == saved
        assert ("次の節から" in organiser.get(url("rules", league)).content.decode()) is (not sent)
        assert (tonight.ruleset_version, later.ruleset_version) == (played, saved)
        assert (earlier.ruleset_version, titled.ruleset_version) == (version, version)
    assert "rules-next" not in organiser.get(url("rules", league)).content.decode()


def test_changed_rules_are_named_after_the_league_in_both_languages(organiser: Client, league: League) -> None:
    League.objects.filter(pk=league.pk).update(name="東雲会", name_en="Shinonome Club")
    Ruleset.objects.update(name=load_card("camarade").name["ja"])
    version = current(league)
    form = organiser.get(url("rules_edit", league, version.pk)).context["form"]
    names = {name: form[name].value() for name in ("name", "name_en")}
    organiser.post(url("rules_edit", league, version.pk), answers_for(version.parameters, uma="10-30", **names))
    saved = str(url("rules", league))
    assert "<h1>東雲会ルール</h1>" in organiser.get(saved).content.decode()
    assert "<h1>Rules of Shinonome Club</h1>" in organiser.get(f"/en{saved.removeprefix('/en')}").content.decode()


def test_rules_saved_before_the_first_session_are_in_use(organiser: Client, league: League) -> None:
    version = current(league)
    organiser.post(url("rules_edit", league, version.pk), answers_for(version.parameters, uma="10-30"))
    league.refresh_from_db()
    assert current(league).number == 2
    adopt_card(league=league, card_key="wrc", name="WRC", by=SYSTEM)
    assert League.objects.get(pk=league.pk).current_version == current(league)


def test_entry_links_to_the_missing_chombo_penalty(organiser: Client, league: League) -> None:
    version = adopt_card(league=league, card_key="free-10-20", name="フリー", by=SYSTEM)
    session = make_session(league)
    Session.objects.filter(pk=session.pk).update(ruleset_version=version)
    enter, edit = url("enter_session", league, session.pk), url("rules_edit", league, version.pk)
    back = f"?session={session.pk}&table=1"
    assert f"{edit}{back}#id_chombo_kind".replace("&", "&amp;") in organiser.get(enter).content.decode()
    make_players(league, 4)
    failed = organiser.post(enter, typed(league, chombo_3="1")).content.decode()
    # At the chombo itself, and as a button below the verdict, to which the error leads.
    assert failed.count(f"{edit}{back}#id_chombo_kind".replace("&", "&amp;")) == 2
    assert '<a href="#verdict">' in failed
    sent = answers_for(version.parameters, chombo_kind="total", chombo_amount="20")
    saved = organiser.post(edit + back, sent, follow=True)
    assert f'href="{enter}?table=1"' in saved.content.decode()
    assert Session.objects.get(pk=session.pk).ruleset_version == saved.context["version"]
    assert RulesForm(base=saved.context["version"].parameters).initial["chombo_amount"] == "20"
    assert (
        "結果の入力に戻る" not in organiser.get(url("rules", league), {"session": "0", "table": "1"}).content.decode()
    )


def test_what_only_decides_an_open_point_is_in_use_at_once(organiser: Client) -> None:
    league = make_league("open", card="free-10-20")
    organiser.force_login(make_user("ueno", league=league, role="organiser"))
    session, version = make_session(league), current(league)
    play(session)
    sent = answers_for(version.parameters, chombo_kind="total", chombo_amount="20")
    page = organiser.post(url("rules_edit", league, version.pk), sent, follow=True)
    for each in (league, session):
        each.refresh_from_db()
    assert (current(league).number, session.ruleset_version) == (2, current(league))
    assert (page.context["affected"], page.context["changes_points"]) == (0, True)


def test_version_unchanged_from_its_card_keeps_the_name_of_the_card(organiser: Client, league: League) -> None:
    version = adopt_card(league=league, card_key="free-10-20", name="フリー 10-20", by=SYSTEM)
    edit = url("rules_edit", league, version.pk)
    name = organiser.get(edit).context["form"]["name"].value()
    organiser.post(edit, answers_for(version.parameters, uma="10-30", name=name))
    first, second = map(str, RulesetVersion.objects.filter(ruleset=version.ruleset).order_by("number"))
    assert (first, second) == (f"{load_card('free-10-20').name['ja']} v1", f"{name} v2")
    assert (
        load_card("free-10-20").name["ja"] in organiser.get(url("rules_version", league, version.pk)).content.decode()
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "NaN", '{"players": NaN}', '{"players": 1e999}'),
        '{"players": 4, "uma": "\\ud800"}',
        '{"\\u0000": 1}',
        '{"players": ' + "9" * 5000 + "}",
        '{"start_points": ' + "9" * 400 + "}",
        "[" * 9000 + "]" * 9000,
        '{"a":' * 3000 + "1" + "}" * 3000,
        '{"bust": {"ends": "never", "draw_shares": {"x": 1}}}',
        '{"ledgers": {"ranking": {"parts": [["base"]]}}}',
    ],
)
def test_invalid_json_is_refused_in_one_sentence(organiser: Client, league: League, text: str) -> None:
    page = organiser.post(url("rules_edit", league, current(league).pk), {"way": "json", "json": text})
    assert page.status_code == 200
    assert page.context["json_form"].errors
    assert RulesetVersion.objects.count() == 1


def test_example_of_invalid_rules_shows_the_problems(organiser: Client, league: League) -> None:
    version = current(league)
    part = organiser.post(url("rules_example", league, version.pk), answers_for(version.parameters, uma="1 2 3"))
    assert part.context["example"] is None
    assert 'id="example-strip" href="#id_uma"' in part.content.decode()


def test_example_without_script_keeps_what_was_typed(organiser: Client, league: League) -> None:
    version = current(league)
    scores = {"raw_0": "40000", "raw_1": "30000", "raw_2": "20000", "raw_3": "10000"}
    sent = answers_for(version.parameters, uma="20 10 -10 -20", do="example", **scores)
    page = organiser.post(url("rules_edit", league, version.pk), sent)
    assert page.context["form"]["uma"].value() == "20 10 -10 -20"
    assert page.context["example"].scored.settlement[1] == 10000
    assert RulesetVersion.objects.count() == 1


def test_second_rule_set_from_a_card_gets_another_key() -> None:
    adopt_card(league=make_league(), card_key="camarade", name="again", by=SYSTEM)
    assert sorted(Ruleset.objects.values_list("key", flat=True)) == ["camarade", "camarade-2"]


CAMARADE = write_ruleset(load_card("camarade").ruleset)


FLOATING = {
    **{"uma_kind": "floating", "uma_threshold": "30000", "uma_inclusive": "on"},
    "uma_rows": "1： 12 ▲1 ▲3 ▲8\n2: 8 4 -4 -8\n3: 8 3 1 -12",
}


def parameters_of(base: dict[str, Any], **changed: object) -> dict[str, Any]:
    form = RulesForm(answers_for(base, **changed), base=base)
    assert form.is_valid(), form.errors
    return form.parameters


def test_every_field_is_in_one_section_and_has_help() -> None:
    form = RulesForm(base=CAMARADE)
    asked = [name for section in (*OF_POINTS, *OF_TABLE) for name in section.fields]
    assert sorted(asked) == sorted(set(form.fields) - {"name", "name_en", "note", "seen"})
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
def test_form_fields_cover_every_parameter(parameters: dict[str, Any]) -> None:
    base = {"players": 4, "start_points": 25000, "return_points": 30000, "uma": ["10", "5", "-5", "-10"]}
    wanted = write_ruleset(read_ruleset({**base, **parameters}))
    form = RulesForm(answers_for(wanted), base=base)
    assert form.is_valid(), form.errors
    assert {name: form.parameters[name] for name in parameters} == {name: wanted[name] for name in parameters}


def test_untouched_form_leaves_open_rules_open() -> None:
    bust = {"ends": "below_zero", "prize": "10", "prize_in": "points", "illegal_riichi": False}
    base = write_ruleset(read_ruleset({**CAMARADE, "bust": bust}))
    assert parameters_of(base) == base


@pytest.mark.parametrize(
    ("changed", "path", "expected"),
    [
        pytest.param({"start_points": "３０，０００"}, "start_points", 30000, id="full width"),
        pytest.param({"uma": "7.5,2.5,-2.5,-7.5"}, "uma", ["7.5", "2.5", "-2.5", "-7.5"], id="uma with decimals"),
        pytest.param(FLOATING, "uma_floating.rows.1", ["12", "-1", "-3", "-8"], id="uma by players above the line"),
        pytest.param(FLOATING, "uma", None, id="no other uma"),
        pytest.param({"oka_kind": "points", "oka_amount": "15"}, "oka", "15", id="oka"),
        pytest.param({"rounding_mode": "none"}, "rounding", None, id="no rounding"),
        pytest.param({"leftover": ""}, "leftover", None, id="sticks not settled"),
        pytest.param({"tie_rank": "", "tie_uma": "", "tie_oka": ""}, "tie", None, id="ties not settled"),
        pytest.param({"below_zero_floor": "▲10000"}, "below_zero_floor", -10000, id="floor"),
        pytest.param({"chips": "2"}, "chips", {"value": "2"}, id="value of chips"),
        pytest.param({"chombo_kind": "total", "chombo_amount": "▲40"}, "chombo.amount", "-40", id="chombo of the total"),
        pytest.param({"chombo_kind": "total", "chombo_amount": "40"}, "chombo.amount", "-40", id="chombo without a sign"),
        pytest.param({"uma": "30 10"}, "uma", ["30", "10", "-10", "-30"], id="uma of two"),
        pytest.param({"chombo_kind": "flat_each", "chombo_amount": "3,000"}, "chombo.amount", 3000, id="chombo to each"),
        pytest.param({"chombo_kind": "mangan", "chombo_amount": ""}, "chombo.amount", None, id="chombo of a mangan"),
        pytest.param({"house_honba_value": "１，５００"}, "house.honba_value", 1500, id="house in full width"),
        pytest.param({"house_cold_game": "0"}, "house.cold_game", 0, id="0 means none"),
        pytest.param({"house_cold_game": ""}, "house.cold_game", None, id="empty means unknown"),
        pytest.param({"house_kiriage": "yes"}, "house.kiriage", True, id="yes"),
        pytest.param({"house_kiriage": "no"}, "house.kiriage", False, id="no"),
        pytest.param({"house_kazoe": "13"}, "house.kazoe", 13, id="a number to choose"),
        pytest.param({"house_abortive_kinds": ["none_of_them"]}, "house.abortive", {"kinds": []}, id="none at all"),
        pytest.param({"house_pao_hands": ["daiminkan", "daisangen"]}, "house.pao", {"hands": ["daisangen", "daiminkan"]}, id="some"),
        pytest.param({"house_chips_red": "５枚"}, "house.chips", {"red": 5}, id="chips"),
        pytest.param({"house_chips_others": "四枚使い： ２\nall red = 10"}, "house.chips", {"others": [{"label": "四枚使い", "count": 2}, {"label": "all red", "count": 10}]}, id="further chips"),
        pytest.param({"house_text_ja": " 一\r\n\r\n二\x0b三 "}, "house.text", {"ja": "一\n\n二\n三"}, id="lines"),
        pytest.param({"house_text_en": "a\u202eb\tc"}, "house.text", {"en": "ab c"}, id="invisible characters"),
    ],
)  # fmt: skip
def test_form_reads_what_people_type(changed: dict[str, Any], path: str, expected: object) -> None:
    found: Any = parameters_of({name: value for name, value in CAMARADE.items() if name != "house"}, **changed)
    for name in path.split("."):
        found = (found or {}).get(name)
    assert found == expected


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        pytest.param({"return_points": "20000"}, "return_points", id="return below start"),
        pytest.param({"uma": "10 -10"}, "uma", id="uma for two"),
        pytest.param({"players": "3"}, "uma", id="uma for four among three"),
        pytest.param({"bust_prize": "12"}, "bust_shares", id="shares that miss the prize"),
        pytest.param({"start_points": "25050"}, "start_points", id="odd hundreds"),
        pytest.param({"tie_uma": ""}, "tie_uma", id="half a tie rule"),
        pytest.param({"chombo_kind": "total", "chombo_amount": ""}, "chombo_amount", id="chombo without a price"),
        pytest.param({"uma_kind": "floating", "uma_rows": "", "uma_threshold": ""}, "uma_threshold", id="no line"),
        pytest.param({"rounding_unit": "0"}, "rounding_unit", id="steps of nothing"),
        pytest.param({"oka_kind": "points", "oka_amount": "x"}, "oka_amount", id="no number"),
        pytest.param({"house_honba_value": "250"}, "house_honba_value", id="fifty"),
        pytest.param({"house_kazoe": "14"}, "house_kazoe", id="no such choice"),
        pytest.param({"house_red_fives": "99"}, "house_red_fives", id="more fives than there are"),
        pytest.param({"house_chips_others": "four of a kind"}, "house_chips_others", id="no count"),
        pytest.param({"house_pao_hands": ["none_of_them", "daisangen"]}, "house_pao_hands", id="none beside some"),
        pytest.param({"bust_prize_in": "chips", "bust_prize": "2.5", "bust_shares": "", "bust_draw": ""}, "bust_prize", id="half a chip"),
        pytest.param({"fine_amount": "50"}, "fine_amount", id="half a stick"),
        pytest.param({"fees_game": "-1"}, "fees_game", id="a fee that pays"),
    ],
)  # fmt: skip
def test_invalid_rules_are_reported_at_their_field(changed: dict[str, Any], field: str) -> None:
    form = RulesForm(answers_for(CAMARADE, **changed), base=CAMARADE)
    assert not form.is_valid()
    assert field in form.errors, form.errors
    shown = [
        section
        for section in (*form.of_points(), *form.of_table())
        if any(each.name == field for each in section["fields"])
    ]
    assert [section["is_open"] for section in shown] == [True]


SECTION = re.compile(r'<details class="fold rules-section" data-section="([a-z-]+)"( open)?>')


SWAPPED = re.compile(r'<\w+[^>]*\bid="([a-z-]+)"[^>]*\bhx-swap-oob="true"', re.DOTALL)


def open_sections(page: str) -> list[str]:
    return [name for name, is_open in SECTION.findall(page) if is_open]


def summary_of(page: str, section: str) -> str:
    found = re.search(rf'id="says-{section}"[^>]*>([^<]*)<', page)
    assert found
    return found[1]


def test_editor_has_folded_sections_beside_the_example(organiser: Client, league: League) -> None:
    page = organiser.get(url("rules_edit", league, current(league).pk)).content.decode()
    assert len(SECTION.findall(page)) == len(OF_POINTS) + len(OF_TABLE)
    assert open_sections(page) == ["usual"]
    assert '<details class="fold rules-more">' in page
    strip = page.index('id="example-strip"')
    assert all(points in page[strip : page.index("</a>", strip)] for points in ("+21.7", "+31"))
    assert '<ul class="lines">' in page[page.index('id="example"') :]
    assert '<button type="submit" class="button quiet rules-now" name="do" value="example" formnovalidate>' in page
    assert "頭ハネ" in summary_of(page, "house-payments")


def test_editor_opens_the_section_with_the_error(organiser: Client, league: League) -> None:
    sent = answers_for(current(league).parameters, house_red_fives="many")
    page = organiser.post(url("rules_edit", league, current(league).pk), sent).content.decode()
    assert open_sections(page) == ["usual", "house-riichi"]
    assert '<details class="fold rules-more" open>' in page
    assert 'value="many"' in page


def test_live_update_replaces_the_example_and_section_summaries(organiser: Client, league: League) -> None:
    version = current(league)
    scores = {"raw_0": "31700", "raw_1": "31300", "raw_2": "25500", "raw_3": "11500", "chombo": "3"}
    changed = {"chombo_kind": "total", "chombo_amount": "▲40", "house_multi_ron": "triple"}
    sent = answers_for(version.parameters, **changed, **scores)
    part = organiser.post(url("rules_example", league, version.pk), sent).content.decode()
    assert set(SWAPPED.findall(part)) == {
        "example-strip", *(f"says-{section.key}" for section in (*OF_POINTS, *OF_TABLE)),
    }  # fmt: skip
    assert "トリプルロン" in summary_of(part, "house-payments")
    assert "▲40" in part[part.index('class="example-lines"') : part.index('id="example-strip"')]


def test_example_explains_base_oka_uma_bust_and_chombo() -> None:
    rules = read_ruleset(CAMARADE | {"chombo": {"kind": "total", "amount": -20}})
    example = worked_example(rules, (60000, 25000, 16000, -1000), chombo_by=3)
    told = render_to_string("league/rules/example.html", {"example": example})
    assert all(word in told for word in ("素点", "オカ", "ウマ", "トビ賞", "チョンボ1回(1回▲20)")), told
    assert example.scored is not None
    assert example.scored.total_only[3] == -20000


BUST_IN_CHIPS = {"ends": "below_zero", "prize": 5, "prize_in": "chips", "win": "first"}


WITHOUT_CHIPS = {"parts": ["base", "oka", "uma", "bust"]}


WITH_CHIPS = {"parts": ["base", "oka", "uma", "bust", "chips"]}


def test_bust_prize_in_chips_counts_with_the_value_of_chips(client: Client) -> None:
    ledgers = {"ranking": WITH_CHIPS, "settlement": WITH_CHIPS}
    league = make_league(parameters={"bust": BUST_IN_CHIPS, "chips": {"value": "0.5"}, "ledgers": ledgers})
    bust = Bust(3, "win", winners=(1,))
    hanchan = play(make_session(league), (60000, 25000, 16000, -1000), busts=(bust,), chips=(1, 0, 0, -1))
    assert [seat.chip_points for seat in hanchan.seats.order_by("seat")] == [500, 2500, 0, -3000]
    page = client.get(url("hanchan", league, hanchan.pk)).content.decode()
    assert "トビ賞(チップ): +5" in page
    assert "トビ賞(チップ): ▲5" in page


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
def test_saving_warns_if_a_bust_prize_in_chips_does_not_count(
    league: League, organiser: Client, changed: dict[str, Any], accounts: str
) -> None:
    edit = url("rules_edit", league, current(league).pk)
    assert (
        "チップで払うトビ賞は半荘ごとに表示され、チップの合計には入りません。" in organiser.get(edit).content.decode()
    )
    wanted = {"bust": BUST_IN_CHIPS, **changed}
    parameters = {**{key: each for key, each in CAMARADE.items() if key not in {"chips", "ledgers"}}, **wanted}
    page = organiser.post(edit, {"way": "json", "json": json.dumps(parameters)}, follow=True).content.decode()
    assert "第2版として保存しました" in page
    assert ("次の計算ではチップがポイントになりません" in page) is bool(accounts)
    assert not accounts or f"次の計算ではチップがポイントになりません: {accounts}。" in page


@pytest.mark.parametrize(
    ("changed", "total"),
    [
        ({"uma": "20 10 -10 -15"}, "+5.0"),
        ({"oka_kind": "points", "oka_amount": "0", "uma": "10 5 -5 -20"}, "▲30.0"),
        ({"oka_kind": "points", "oka_amount": "20"}, ""),
    ],
)
def test_points_that_do_not_add_up_to_zero_are_said_before_and_after_saving(
    league: League, organiser: Client, changed: dict[str, str], total: str
) -> None:
    version = current(league)
    scores = {"raw_0": "31700", "raw_1": "31300", "raw_2": "25500", "raw_3": "11500"}
    sent = answers_for(version.parameters, **{"uma_kind": "fixed", "uma": "10-30", **changed}, **scores)
    said = f"半荘のポイントの合計が{total}で、0になりません。" if total else "0になりません"
    edit = url("rules_edit", league, version.pk)
    shown = [
        organiser.post(url("rules_example", league, version.pk), sent),
        organiser.post(edit, sent | {"do": "example"}),
    ]
    for answer in (*shown, organiser.post(edit, sent, follow=True)):
        assert (said in answer.content.decode()) is bool(total)
    assert RulesetVersion.objects.count() == 1 + (not total)
    assert (said in organiser.post(edit, sent | {"uneven": "on"}, follow=True).content.decode()) is bool(total)
    assert RulesetVersion.objects.count() == 2


@pytest.mark.parametrize(("prize_in", "is_said"), [("chips", True), ("points", False)])
def test_chips_column_says_that_it_excludes_bust_prizes(
    client: Client, monkeypatch: pytest.MonkeyPatch, prize_in: str, is_said: bool
) -> None:
    prize = 5 if prize_in == "chips" else "5"
    league = make_league(parameters={"bust": BUST_IN_CHIPS | {"prize": prize, "prize_in": prize_in}})
    session = make_session(league)
    play(session, (60000, 25000, 16000, -1000), busts=(Bust(3, "win", winners=(1,)),), chips=(1, 0, 0, -1))
    address_of = url("session", league, session.pk)
    assert ("チップ(トビ賞を除く)" in client.get(address_of).content.decode()) is is_said
    monkeypatch.setattr(large, "MOST_PLAYERS", 3)
    assert ("チップ(トビ賞を除く)" in client.get(address_of).content.decode()) is is_said


def sent_with_everything(version: RulesetVersion) -> dict[str, Any]:
    answers = answers_for(write_ruleset(read_ruleset({**version.parameters, "house": EVERYTHING})))
    return answers | {"chombo_hand": "ends_game", "fine_amount": "1000", "note": "総会で決定"}


def test_house_rules_are_saved_and_shown_in_both_languages(organiser: Client, league: League) -> None:
    version = current(league)
    answer = organiser.post(url("rules_edit", league, version.pk), sent_with_everything(version))
    saved = RulesetVersion.objects.get(number=2)
    assert saved.parameters["house"] == EVERYTHING
    assert (Revision.objects.filter(subject="ruleset").latest("pk").after or {})["house"] == EVERYTHING
    assert write_league(league)["rulesets"][0]["versions"][1]["parameters"]["house"] == EVERYTHING
    page = organiser.get(answer["Location"]).content.decode()
    assert "オーラス終了時に必要な点数の人がいなければ、東場に戻ります(返り東)。" in page
    assert "一行目<br>二行目" in page
    assert "data-print" in page
    assert "Line one<br>Line two" in organiser.get("/en" + answer["Location"]).content.decode()
    organiser.post(url("rules_use", league, saved.pk))
    assert "一行目<br>二行目" in organiser.get(url("rules", league)).content.decode()
    assert "一行目" in Client().get(url("rules", league)).content.decode()


def test_card_shows_house_rules_and_open_questions(organiser: Client, league: League) -> None:
    page = organiser.get(url("rules_card", league, "banchi-3p")).content.decode()
    assert "東場に戻ります(返り東)。" in page
    assert "返り東が終わる点数は書かれておらず" in page
    assert "赤1枚につき祝儀200枚です。" in page


def test_house_rule_texts_are_escaped(organiser: Client, league: League) -> None:
    version = current(league)
    sent = answers_for(version.parameters, house_text_ja="<script>alert(1)</script>\n&amp;")
    page = organiser.get(organiser.post(url("rules_edit", league, version.pk), sent)["Location"]).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>&amp;amp;" in page


def test_changed_texts_need_no_rescoring(organiser: Client, league: League) -> None:
    version = current(league)
    played = play(make_session(league))
    organiser.post(url("rules_edit", league, version.pk), sent_with_everything(version))
    said_only = RulesetVersion.objects.get(number=2)
    page = organiser.get(url("rules_version", league, said_only.pk))
    assert (page.context["affected"], page.context["changes_points"]) == (0, False)
    assert "ポイントは変わりません。" in page.content.decode()
    labels = {change.label for change in page.context["changes"]}
    assert {"長さ", "自由記述(日本語)", "チョンボ", "罰金"} & labels >= {"長さ", "自由記述(日本語)", "チョンボ"}
    organiser.post(url("rules_edit", league, said_only.pk), answers_for(said_only.parameters, uma="20 10 -10 -20"))
    page = organiser.get(url("rules_version", league, RulesetVersion.objects.get(number=3).pk))
    assert (page.context["affected"], page.context["changes_points"]) == (1, True)
    assert [change.label for change in page.context["changes"]] == ["ウマ(順位点)"]
    played.refresh_from_db()
    assert played.ruleset_version == version


def test_hanchan_with_points_only_are_not_rescored(organiser: Client, league: League) -> None:
    version, session = current(league), make_session(league)
    play(session, points=(45_000, 5_000, -15_000, -35_000))
    organiser.post(url("rules_edit", league, version.pk), answers_for(version.parameters, uma="20 10 -10 -20"))
    other = RulesetVersion.objects.get(number=2)
    page = organiser.get(url("rules_version", league, other.pk))
    assert page.context["affected"] == 0
    assert "次の節から使う" in page.content.decode()
    play(session)
    void_hanchan(hanchan=play(session, points=(45_000, 5_000, -15_000, -35_000)), by=SYSTEM, reason="twice")
    assert organiser.get(url("rules_version", league, other.pk)).context["affected"] == 1


def test_changed_house_rules_are_listed() -> None:
    after = {**CAMARADE, "house": {**CAMARADE["house"], "multi_ron": "triple", "kiriage": True, "text": {"ja": "新"}}}
    with translation.override("en"):
        found = {change.label: (change.before, change.after) for change in differences(CAMARADE, after)}
        assert differences(None, after) == ()
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
def test_list_of_points_accepts_decimal_commas(typed: str, points: list[int] | None) -> None:
    if points is None:
        with pytest.raises(ValidationError):
            PointsListField().clean(typed)
    else:
        assert list(PointsListField().clean(typed)) == points

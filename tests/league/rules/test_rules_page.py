"""The rules pages: reading, choosing a rule card, editing, trying out, activating."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from league.forms.rules.answers import asked_from, field_of
from league.forms.rules.choices import ExampleForm
from league.forms.rules.questions import RulesForm
from league.models import Job, League, Ruleset, RulesetVersion
from league.selectors.rulebook import differences, example_scores, worked_example
from league.services.history import SYSTEM
from league.services.rules import RulesIncompleteError, adopt_card, make_current, save_version
from scoring.core import load_card, load_cards, read_ruleset, write_ruleset
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    return make_league()


@pytest.fixture
def organiser(client: Client, league: League) -> Client:
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return client


def current(league: League) -> RulesetVersion:
    assert league.current_version is not None
    return league.current_version


def address(name: str, league: League, *rest: object) -> str:
    return reverse(f"league:{name}", args=[league.slug, *rest])


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
def test_form_left_untouched_says_what_the_card_says(card: Any) -> None:
    parameters = write_ruleset(card.ruleset)
    form = RulesForm(answers_for(parameters), base=parameters)
    assert form.is_valid(), form.errors
    assert read_ruleset(form.parameters) == card.ruleset


@pytest.mark.parametrize(
    ("changed", "path", "expected"),
    [
        pytest.param({"start_points": "３０，０００"}, "start_points", 30000, id="full width"),
        pytest.param({"uma": "20 10 ▲10 ▲20"}, "uma", ["20", "10", "-10", "-20"], id="uma with triangles"),
        pytest.param({"uma": "7.5,2.5,-2.5,-7.5"}, "uma", ["7.5", "2.5", "-2.5", "-7.5"], id="uma with decimals"),
        pytest.param({"oka_kind": "points", "oka_amount": "15"}, "oka", "15", id="oka by hand"),
        pytest.param({"rounding_mode": "none"}, "rounding", None, id="no rounding"),
        pytest.param({"leftover": ""}, "leftover", None, id="sticks not settled"),
        pytest.param({"tie_rank": "", "tie_uma": "", "tie_oka": ""}, "tie", None, id="ties not settled"),
        pytest.param({"below_zero_floor": "▲10000"}, "below_zero_floor", -10000, id="floor"),
        pytest.param({"chips": "2"}, "chips", {"value": "2"}, id="chips"),
    ],
)
def test_form_reads_what_people_type(changed: dict[str, Any], path: str, expected: object) -> None:
    parameters = write_ruleset(load_card("camarade").ruleset)
    form = RulesForm(answers_for(parameters, **changed), base=parameters)
    assert form.is_valid(), form.errors
    assert form.parameters.get(path) == expected


def test_form_reads_chombo_by_its_kind() -> None:
    parameters = write_ruleset(load_card("camarade").ruleset)
    for kind, typed, amount in (("total", "▲40", "-40"), ("flat_each", "3,000", 3000), ("mangan", "", None)):
        form = RulesForm(answers_for(parameters, chombo_kind=kind, chombo_amount=typed), base=parameters)
        assert form.is_valid(), form.errors
        assert form.parameters["chombo"].get("amount") == amount


def test_form_reads_uma_by_players_above_the_line() -> None:
    parameters = write_ruleset(load_card("camarade").ruleset)
    rows = "1： 12 ▲1 ▲3 ▲8\n2: 8 4 -4 -8\n3: 8 3 1 -12"
    changed = {"uma_kind": "floating", "uma_threshold": "30000", "uma_inclusive": "on", "uma_rows": rows}
    form = RulesForm(answers_for(parameters, **changed), base=parameters)
    assert form.is_valid(), form.errors
    assert form.parameters["uma_floating"]["rows"]["1"] == ["12", "-1", "-3", "-8"]
    assert "uma" not in form.parameters


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        pytest.param({"return_points": "20000"}, "return_points", id="return below start"),
        pytest.param({"uma": "10 -10"}, "uma", id="uma for two"),
        pytest.param({"players": "3"}, "uma", id="uma for four among three"),
        pytest.param({"bust_prize": "12"}, "bust_shares", id="shares that miss the prize"),
        pytest.param({"bust_shares": "2: 10"}, "bust_shares", id="one share for two"),
        pytest.param({"start_points": "25050"}, "start_points", id="odd hundreds"),
        pytest.param({"tie_uma": ""}, "tie_uma", id="half a tie rule"),
        pytest.param({"chombo_kind": "total", "chombo_amount": "40"}, "chombo_amount", id="chombo that rewards"),
        pytest.param({"chombo_kind": "total", "chombo_amount": ""}, "chombo_amount", id="chombo without a price"),
        pytest.param({"uma_kind": "floating", "uma_rows": "", "uma_threshold": ""}, "uma_threshold", id="no line"),
        pytest.param({"rounding_unit": "0"}, "rounding_unit", id="steps of nothing"),
        pytest.param({"oka_kind": "points", "oka_amount": "x"}, "oka_amount", id="no number"),
    ],
)
def test_form_names_the_field_that_contradicts(changed: dict[str, Any], field: str) -> None:
    parameters = write_ruleset(load_card("camarade").ruleset)
    form = RulesForm(answers_for(parameters, **changed), base=parameters)
    assert not form.is_valid()
    assert field in form.errors, form.errors


def test_every_path_of_a_parameter_finds_a_field_or_none() -> None:
    fields = RulesForm(base={"players": 4}).fields
    assert field_of("bust.draw_shares.2", fields) == "bust_shares"
    assert field_of("ledgers.ranking.parts[0]", fields) == "ranking_parts"
    assert field_of("uma[3]", fields) == "uma"
    assert field_of("fees.game", fields) == "fees_game"
    assert field_of("house.chips.others[2].count", fields) == "house_chips_others"
    assert field_of("umma", fields) is None


def test_worked_example_is_the_one_of_the_source() -> None:
    card = load_card("camarade")
    example = worked_example(card.ruleset, example_scores(card.ruleset, card))
    assert [seat.ranking for seat in example.seats] == [21700, 1300, -4500, -18500]
    assert [seat.settlement for seat in example.seats] == [31000, 6000, -9000, -28000]
    for seat in example.seats:
        assert sum(points for points, _ in seat.ranking_lines) == seat.ranking
        assert sum(points for points, _ in seat.settlement_lines) == seat.settlement


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.key)
def test_every_card_shows_an_example_or_says_what_is_missing(card: Any) -> None:
    example = worked_example(card.ruleset, example_scores(card.ruleset, card))
    assert bool(example.seats) != bool(example.error)
    assert bool(example.seats) or card.ruleset.missing or card.ruleset.unset


def test_worked_example_takes_a_bust_to_be_lost_to_the_top() -> None:
    example = worked_example(load_card("camarade").ruleset, (60000, 25000, 16000, -1000))
    assert example.has_bust
    assert [seat.settlement for seat in example.seats] == [70000, 0, -19000, -51000]


def test_rules_page_shows_everyone_the_current_version(client: Client, league: League) -> None:
    page = client.get(address("rules", league))
    assert page.context["version"] == league.current_version
    assert "+21.7" in page.content.decode()


def test_rules_page_tries_other_scores(client: Client, league: League) -> None:
    scores = {"raw_0": "308", "raw_1": "308", "raw_2": "255", "raw_3": "129"}
    example = client.get(address("rules", league), scores).context["example"]
    assert [seat.ranking for seat in example.seats] == [20800, 800, -4500, -17100]


def test_rules_page_of_a_league_without_rules_offers_cards(client: Client) -> None:
    league = make_league(card=None)
    assert client.get(address("rules", league)).status_code == 200


@pytest.mark.long
def test_comparison_lists_every_card(organiser: Client, league: League) -> None:
    page = organiser.get(address("rules_choose", league)).content.decode()
    for card in load_cards():
        assert address("rules_card", league, card.key) in page
        assert organiser.get(address("rules_card", league, card.key)).status_code == 200


def test_unknown_card_is_not_found(client: Client, league: League) -> None:
    assert client.get(address("rules_card", league, "nonsense")).status_code == 404


def test_card_becomes_a_rule_set_and_is_used_when_there_was_none(client: Client) -> None:
    league = make_league(card=None)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    client.post(address("rules_choose", league), {"card": "cinderella"})
    league.refresh_from_db()
    assert current(league).ruleset.card == "cinderella"
    assert current(league).ruleset.name == load_card("cinderella").name["ja"]


def test_card_with_open_settings_is_not_used_before_they_are_set(client: Client) -> None:
    league = make_league(card=None)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    answer = client.post(address("rules_choose", league), {"card": "parlour-placement"})
    version = RulesetVersion.objects.get()
    league.refresh_from_db()
    assert league.current_version is None
    assert answer["Location"] == address("rules_edit", league, version.pk)
    answer = client.post(address("rules_use", league, version.pk))
    assert answer["Location"] == address("rules_edit", league, version.pk)
    client.post(address("rules_edit", league, version.pk), answers_for(version.parameters, uma="3 1 -1 -3"))
    league.refresh_from_db()
    assert (current(league).pk, current(league).number) == (version.pk, 1)


def test_incomplete_rules_are_refused_by_the_service() -> None:
    league = make_league()
    version = adopt_card(league=league, card_key="parlour-placement", name="parlour", by=SYSTEM)
    with pytest.raises(RulesIncompleteError) as refusal:
        make_current(league=league, version=version, by=SYSTEM)
    assert refusal.value.missing == ("uma",)


def test_saving_makes_a_new_version_and_leaves_the_old_one(organiser: Client, league: League) -> None:
    version = current(league)
    sent = answers_for(version.parameters, uma="20 10 -10 -20", note="総会の決定")
    answer = organiser.post(address("rules_edit", league, version.pk), sent)
    saved = RulesetVersion.objects.get(number=2)
    assert answer["Location"] == address("rules_version", league, saved.pk)
    assert (saved.note, saved.parameters["uma"]) == ("総会の決定", ["20", "10", "-10", "-20"])
    league.refresh_from_db()
    assert league.current_version == version
    page = organiser.get(answer["Location"])
    assert [change.label for change in page.context["changes"]]


def test_saving_nothing_new_keeps_the_version(organiser: Client, league: League) -> None:
    version = current(league)
    organiser.post(address("rules_edit", league, version.pk), answers_for(version.parameters))
    assert RulesetVersion.objects.count() == 1


def test_json_saves_what_the_form_does_not_ask(organiser: Client, league: League) -> None:
    version = current(league)
    text = json.dumps({**version.parameters, "fees": {"game": "1", "top": "0.5"}})
    organiser.post(address("rules_edit", league, version.pk), {"way": "json", "json": text})
    assert RulesetVersion.objects.get(number=2).parameters["fees"] == {"game": "1", "top": "0.5"}


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "NaN",
        '{"players": NaN}',
        '{"players": 1e999}',
        '{"players": 4, "uma": "\\ud800"}',
        '{"\\u0000": 1}',
        '{"players": ' + "9" * 5000 + "}",
        '{"start_points": ' + "9" * 400 + "}",
        "[" * 9000 + "]" * 9000,
        '{"a":' * 3000 + "1" + "}" * 3000,
        '{"uma": [[[[1]]]]}',
        '{"uma": {"a": 1}}',
        '{"bust": {"ends": "never", "draw_shares": {"x": 1}}}',
        '{"ledgers": {"ranking": {"parts": [["base"]]}}}',
        '{"players": 4.5}',
        '{"oka": 1e400}',
        '{"oka": 0.00001}',
    ],
)
def test_invalid_json_is_refused_in_one_sentence(organiser: Client, league: League, text: str) -> None:
    page = organiser.post(address("rules_edit", league, current(league).pk), {"way": "json", "json": text})
    assert page.status_code == 200
    assert page.context["json_form"].errors
    assert RulesetVersion.objects.count() == 1


def test_example_is_recalculated_while_typing(organiser: Client, league: League) -> None:
    version = current(league)
    scores = {"raw_0": "31700", "raw_1": "31300", "raw_2": "25500", "raw_3": "11500"}
    sent = answers_for(version.parameters, uma="20 10 -10 -20", **scores)
    part = organiser.post(address("rules_example", league, version.pk), sent)
    assert [seat.settlement for seat in part.context["example"].seats] == [41000, 11000, -14000, -38000]
    assert "<html" not in part.content.decode()


def test_example_says_what_contradicts(organiser: Client, league: League) -> None:
    version = current(league)
    part = organiser.post(address("rules_example", league, version.pk), answers_for(version.parameters, uma="1 2"))
    assert part.context["example"] is None
    assert part.context["problems"]


def test_example_without_script_keeps_what_was_typed(organiser: Client, league: League) -> None:
    version = current(league)
    scores = {"raw_0": "40000", "raw_1": "30000", "raw_2": "20000", "raw_3": "10000"}
    sent = answers_for(version.parameters, uma="20 10 -10 -20", do="example", **scores)
    page = organiser.post(address("rules_edit", league, version.pk), sent)
    assert page.context["form"]["uma"].value() == "20 10 -10 -20"
    assert page.context["example"].seats[1].settlement == 10000
    assert RulesetVersion.objects.count() == 1


def test_version_is_used_from_now_on(organiser: Client, league: League) -> None:
    played = play(make_session(league))
    version = save_version(
        ruleset=current(league).ruleset,
        parameters={**current(league).parameters, "leftover": "void"},
        note="",
        by=SYSTEM,
    )
    organiser.post(address("rules_use", league, version.pk))
    league.refresh_from_db()
    played.refresh_from_db()
    assert league.current_version == version
    assert played.ruleset_version != version


@pytest.mark.parametrize(("name", "kind"), [("rules_impact", Job.Kind.IMPACT), ("rules_rescore", Job.Kind.RESCORE)])
def test_preview_and_rescoring_begin_a_job(organiser: Client, league: League, name: str, kind: str) -> None:
    answer = organiser.post(address(name, league, current(league).pk))
    job = Job.objects.get()
    assert (job.kind, job.parameters) == (kind, {"version": current(league).pk})
    assert answer["Location"] == address("job", league, job.pk)
    assert organiser.post(address(name, league, current(league).pk))["Location"] == answer["Location"]


def test_differences_are_in_words() -> None:
    before = write_ruleset(load_card("camarade").ruleset)
    after = {**before, "uma": ["20", "10", "-10", "-20"]}
    (change,) = differences(before, after)
    assert change.before != change.after
    assert differences(None, after) == ()


def test_second_rule_set_from_a_card_gets_a_key_of_its_own() -> None:
    league = make_league()
    adopt_card(league=league, card_key="camarade", name="again", by=SYSTEM)
    assert sorted(Ruleset.objects.values_list("key", flat=True)) == ["camarade", "camarade-2"]


def test_answers_of_the_form_come_from_stored_parameters() -> None:
    answers = asked_from({"players": 4, "bust": {"ends": "never", "prize": 500, "prize_in": "chips"}})
    assert (answers["bust_prize"], answers["uma_kind"], answers["uma"]) == ("500", "fixed", "")


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.key)
def test_the_example_of_every_card_is_read_as_the_page_has_filled_it_in(card: Any) -> None:
    scores = example_scores(card.ruleset, card)
    typed = {f"raw_{seat}": str(score) for seat, score in enumerate(scores)}
    trial = ExampleForm(typed, scores=scores)
    assert trial.is_valid()
    assert trial.scores(len(scores)) == scores


def test_an_example_with_nine_hundred_points_adds_up_untouched(client: Client) -> None:
    league = make_league(card="parlour-placement", parameters={"uma": [3, 1, -1, -3]})
    address = reverse("league:rules_version", args=[league.slug, current(league).pk])
    before = client.get(address)
    typed = {f"raw_{seat}": field.value() for seat, field in enumerate(before.context["seats"])}
    after = client.get(address, typed)
    assert 900 in typed.values()
    assert after.context["example"] == before.context["example"]

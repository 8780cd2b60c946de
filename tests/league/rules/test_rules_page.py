from typing import Any

import pytest
from django.test import Client

from league.forms.rules.answers import field_of
from league.forms.rules.choices import ExampleForm
from league.forms.rules.questions import RulesForm
from league.models import League, Ruleset, RulesetVersion
from league.selectors.rulebook import example_scores, worked_example
from league.services.history import SYSTEM
from league.services.rules import adopt_card
from scoring.core import load_card, load_cards, read_ruleset, write_ruleset
from tests.league.entry_contexts import url
from tests.league.factories import make_league, make_user

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
    form = RulesForm(answers_for(parameters), base=parameters)
    assert form.is_valid(), form.errors
    assert read_ruleset(form.parameters) == card.ruleset


def test_parameter_path_leads_to_its_field() -> None:
    fields = RulesForm(base={"players": 4}).fields
    assert field_of("bust.draw_shares.2", fields) == "bust_shares"
    assert field_of("ledgers.ranking.parts[0]", fields) == "ranking_parts"
    assert field_of("uma[3]", fields) == "uma"
    assert field_of("fees.game", fields) == "fees_game"
    assert field_of("house.chips.others[2].count", fields) == "house_chips_others"
    assert field_of("umma", fields) is None


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.key)
def test_every_card_has_an_example_or_an_error(card: Any) -> None:
    example = worked_example(card.ruleset, example_scores(card.ruleset, card))
    assert bool(example.seats) != bool(example.error)
    assert bool(example.seats) or card.ruleset.missing or card.ruleset.unset
    scores = example_scores(card.ruleset, card)
    trial = ExampleForm({f"raw_{seat}": str(score) for seat, score in enumerate(scores)}, scores=scores)
    assert trial.is_valid()
    assert trial.scores(len(scores)) == scores


def test_rules_page_shows_the_current_version_to_visitors(client: Client, league: League) -> None:
    page = client.get(url("rules", league))
    assert page.context["version"] == league.current_version
    assert "+21.7" in page.content.decode()


def test_rules_page_calculates_an_example_from_given_scores(client: Client, league: League) -> None:
    scores = {"raw_0": "308", "raw_1": "308", "raw_2": "255", "raw_3": "129"}
    example = client.get(url("rules", league), scores).context["example"]
    assert [seat.ranking for seat in example.seats] == [20800, 800, -4500, -17100]


@pytest.mark.long
def test_every_rule_card_is_listed_and_opens(organiser: Client, league: League) -> None:
    page = organiser.get(url("rules_choose", league)).content.decode()
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


def test_saving_rules_creates_a_new_version(organiser: Client, league: League) -> None:
    version = current(league)
    sent = answers_for(version.parameters, uma="20 10 -10 -20", note="総会の決定")
    answer = organiser.post(url("rules_edit", league, version.pk), sent)
    saved = RulesetVersion.objects.get(number=2)
    assert answer["Location"] == url("rules_version", league, saved.pk)
    assert (saved.note, saved.parameters["uma"]) == ("総会の決定", ["20", "10", "-10", "-20"])
    league.refresh_from_db()
    assert league.current_version == version
    page = organiser.get(answer["Location"])
    assert [change.label for change in page.context["changes"]]


def test_saving_unchanged_rules_creates_no_version(organiser: Client, league: League) -> None:
    version = current(league)
    organiser.post(url("rules_edit", league, version.pk), answers_for(version.parameters))
    assert RulesetVersion.objects.count() == 1


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
    page = organiser.post(url("rules_edit", league, current(league).pk), {"way": "json", "json": text})
    assert page.status_code == 200
    assert page.context["json_form"].errors
    assert RulesetVersion.objects.count() == 1


def test_example_of_invalid_rules_shows_the_problems(organiser: Client, league: League) -> None:
    version = current(league)
    part = organiser.post(url("rules_example", league, version.pk), answers_for(version.parameters, uma="1 2"))
    assert part.context["example"] is None
    assert part.context["problems"]


def test_example_without_script_keeps_what_was_typed(organiser: Client, league: League) -> None:
    version = current(league)
    scores = {"raw_0": "40000", "raw_1": "30000", "raw_2": "20000", "raw_3": "10000"}
    sent = answers_for(version.parameters, uma="20 10 -10 -20", do="example", **scores)
    page = organiser.post(url("rules_edit", league, version.pk), sent)
    assert page.context["form"]["uma"].value() == "20 10 -10 -20"
    assert page.context["example"].seats[1].settlement == 10000
    assert RulesetVersion.objects.count() == 1


def test_second_rule_set_from_a_card_gets_another_key() -> None:
    league = make_league()
    adopt_card(league=league, card_key="camarade", name="again", by=SYSTEM)
    assert sorted(Ruleset.objects.values_list("key", flat=True)) == ["camarade", "camarade-2"]


def test_untouched_example_with_nine_hundred_points_is_valid(client: Client) -> None:
    league = make_league(card="parlour-placement", parameters={"uma": [3, 1, -1, -3]})
    address = url("rules_version", league, current(league).pk)
    before = client.get(address)
    typed = {f"raw_{seat}": field.value() for seat, field in enumerate(before.context["seats"])}
    after = client.get(address, typed)
    assert 900 in typed.values()
    assert after.context["example"] == before.context["example"]

import pytest
from django.test import Client

from league.models import League, RulesetVersion
from scoring.core import load_cards
from tests.journeys.pages import Visitor
from tests.league.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(client: Client) -> Visitor:
    client.force_login(make_user("aoki"))
    return Visitor(client)


def begun(visitor: Visitor, card: str) -> Visitor:
    visitor.opens("/").follows("リーグを作る")
    return visitor.submits("リーグを作る", name="金曜会", slug="friday", card=card)


@pytest.mark.parametrize("card", sorted(card.key for card in load_cards() if card.ruleset.missing))
def test_new_league_with_open_rules_asks_for_them(visitor: Visitor, card: str) -> None:
    begun(visitor, card)
    version = RulesetVersion.objects.get(ruleset__league__slug="friday")
    assert visitor.address == f"/l/friday/manage/rules/{version.pk}/edit/"
    visitor.reads("次の項目を決めてください").misses("ができました")


def test_completed_rules_become_the_first_version(visitor: Visitor) -> None:
    begun(visitor, "parlour-placement")
    visitor.submits("新しい版として保存", uma="30 10 -10 -30")
    version = RulesetVersion.objects.get(ruleset__league__slug="friday")
    assert (version.number, League.objects.get(slug="friday").current_version) == (1, version)
    assert visitor.address == f"/l/friday/rules/{version.pk}/"


@pytest.mark.long
def test_unfinished_rules_are_linked_and_can_be_replaced(visitor: Visitor) -> None:
    begun(visitor, "banchi-4p")
    version = RulesetVersion.objects.get(ruleset__league__slug="friday")
    visitor.opens("/").follows("金曜会").follows("ルールの未設定を埋める")
    assert visitor.address == f"/l/friday/manage/rules/{version.pk}/edit/"
    visitor.opens("/").follows("金曜会").follows("運営").follows("ルールの未設定を埋める")
    assert visitor.address == f"/l/friday/manage/rules/{version.pk}/edit/"
    visitor.opens("/").follows("金曜会").follows("ルール").follows("ほかのルールを選ぶ")
    visitor.submits("このルールを使う", card="camarade")
    (version,) = RulesetVersion.objects.filter(ruleset__league__slug="friday")
    assert version.ruleset.card == "camarade"


@pytest.mark.long
def test_saving_incomplete_rules_asks_again(visitor: Visitor) -> None:
    begun(visitor, "banchi-4p")
    visitor.submits("新しい版として保存").reads("次の項目を決めてください")
    assert League.objects.get(slug="friday").current_version is None
    assert RulesetVersion.objects.filter(ruleset__league__slug="friday").count() == 1

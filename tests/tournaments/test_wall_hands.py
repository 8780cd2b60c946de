import pytest

from league.models import Player
from tournaments.core.ticking import Situation
from tournaments.messages.needs import LastHandSentences
from tournaments.selectors.projected_tables import MOST_LINES, HandCard, card_of

NAMES = {"1": "青木 {陽}", "2": "石田", "3": "上野"}
NOW = Situation((20_000, 30_000, 25_000, 25_000), riichi=(0,))

pytestmark = pytest.mark.usefixtures("english")


def card(*said: str) -> HandCard:
    return card_of(Player(pk=7, name="江口"), LastHandSentences(said, (), (), ()), 0, NOW, NAMES)


def test_last_hand_card_uses_the_largest_fitting_type() -> None:
    few = card("Tsumo: any value.", "A draw is not enough.")
    many = card(*(f"Ron from {{{n}}}: {n}." for n in "123"), "x", "y")
    assert (few.size, many.size) == ("large", "big")
    assert (few.score, few.is_dealer, few.has_riichi) == (20_000, True, True)


def test_long_last_hand_card_is_shortened() -> None:
    long = card("Tsumo: any value.", f"Draw: tenpai {'青木・石田 / ' * 15}.")
    assert long.said[-1] == "On a draw: it depends on who is tenpai."
    much = card(
        "Tsumo: any value.", *(f"Ron from {{{n}}}: {f'{n},000, ' * 14}8,000 or more." for n in "123"), "No draw."
    )
    assert much.said[0] == "Tsumo: any value."
    assert much.said[-2:] == ("…", "No draw.")
    assert len(much.said) <= MOST_LINES
    assert much.in_one_line == ("Tsumo: any value.", "…", "No draw.")
    told = ("Tsumo: 1,200-2,300 or more.", *(f"Ron from {{{n}}}: {n}8,000 or more." for n in "123"), "No draw.")
    long_names = {"1": "Miyabi Tachibana", "2": "Ruri Fujibakama", "3": "Anzu Enoki"}
    assert card_of(Player(pk=7, name="江口"), LastHandSentences(told, (), (), ()), 0, NOW, long_names).said[1:-1] == (
        "Ron from M. Tachibana: 18,000 or more.",
        "Ron from R. Fujibakama: 28,000 or more.",
        "Ron from Anzu Enoki: 38,000 or more.",
    )

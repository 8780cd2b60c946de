"""Payments and draws beside the hands: what people call these rules of a house, and the sentences they are."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from scoring.messages.house.clauses import Clause

PAYMENTS: Mapping[str, Clause] = {
    "honba_value": Clause(
        pgettext_lazy("rule of a house", "A honba is worth"),
        amount=_("Each honba is worth %(value)s."),
        zero=_("Honba are worth nothing."),
    ),
    "honba_tsumo": Clause(
        pgettext_lazy("rule of a house", "Honba by tsumo"),
        options={
            "divided": _("By tsumo the honba are divided among those who pay."),
            "each": _("By tsumo each of the others pays the whole honba."),
        },
    ),
    "noten_pool": Clause(
        pgettext_lazy("rule of a house", "Noten payments"),
        amount=_("At a draw %(value)s points move from noten to tenpai."),
        zero=_("There are no noten payments."),
    ),
    "multi_ron": Clause(
        pgettext_lazy("rule of a house", "Several wins on one tile"),
        options={
            "head_bump": _("Only the first in turn wins (head bump)."),
            "double": _("Two may win on one tile, three may not."),
            "triple": _("Two or three may win on one tile."),
        },
    ),
    "multi_ron_honba": Clause(
        pgettext_lazy("rule of a house", "Honba of several wins"),
        options={
            "first": _("Of several winners the first in turn gets the honba."),
            "each": _("Each of several winners gets the honba."),
        },
    ),
    "multi_ron_deposits": Clause(
        pgettext_lazy("rule of a house", "Sticks of several wins"),
        options={
            "first": _("Of several winners the first in turn gets the riichi sticks."),
            "own_back_rest_first": _("Winners get their own riichi sticks back, the first in turn the rest."),
        },
    ),
    "abortive.kinds": Clause(
        pgettext_lazy("rule of a house", "Abortive draws"),
        members={
            "nine_terminals": pgettext_lazy("rule of a house", "nine terminals and honours"),
            "four_winds": pgettext_lazy("rule of a house", "four winds"),
            "four_kans": pgettext_lazy("rule of a house", "four kans"),
            "four_riichi": pgettext_lazy("rule of a house", "four riichi"),
            "triple_ron": pgettext_lazy("rule of a house", "three calls of ron"),
        },
        several=_("These break off a hand: %(list)s."),
        none=_("Nothing breaks off a hand."),
    ),
    "abortive.dealer": Clause(
        pgettext_lazy("rule of a house", "The deal after one"),
        options={
            "stays": _("After an abortive draw the dealer stays."),
            "passes": _("After an abortive draw the deal moves."),
        },
    ),
    "abortive.honba": Clause(
        pgettext_lazy("rule of a house", "Honba after one"),
        options={True: _("An abortive draw adds a honba."), False: _("An abortive draw adds no honba.")},
    ),
    "abortive.last_hand": Clause(
        pgettext_lazy("rule of a house", "In the last hand"),
        options={
            "ends": _("In the last hand an abortive draw ends the game."),
            "continues": _("In the last hand the game goes on after an abortive draw."),
        },
    ),
    "nagashi.counts_as": Clause(
        pgettext_lazy("rule of a house", "Nagashi mangan"),
        options={
            "none": _("There is no nagashi mangan."),
            "win": _("Nagashi counts as a win."),
            "draw": _("Nagashi is paid at the draw, which stays a draw."),
        },
    ),
    "nagashi.value": Clause(
        pgettext_lazy("rule of a house", "Nagashi is worth"),
        options={"mangan": _("It is worth a mangan."), "yakuman": _("It is worth a yakuman.")},
    ),
    "nagashi.own_calls": Clause(
        pgettext_lazy("rule of a house", "With calls of one's own"),
        options={True: _("Calls of one's own do not spoil it."), False: _("A call of one's own spoils it.")},
    ),
    "nagashi.own_riichi": Clause(
        pgettext_lazy("rule of a house", "With riichi of one's own"),
        options={True: _("A riichi of one's own does not spoil it."), False: _("A riichi of one's own spoils it.")},
    ),
    "nagashi.honba_next": Clause(
        pgettext_lazy("rule of a house", "Honba after it"),
        options={True: _("It adds a honba."), False: _("It adds no honba.")},
    ),
}

"""Length, end, deal, payments and draws: what people call these rules of a house, and the sentences they are."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from scoring.messages.house.clauses import Clause

LENGTH: Mapping[str, Clause] = {
    "rounds": Clause(
        pgettext_lazy("rule of a house", "Length"),
        options={
            "tonpuu": _("One East round is played."),
            "tonnan": _("An East and a South round are played."),
            "full": _("All four rounds are played."),
        },
    ),
    "extension.next": Clause(
        pgettext_lazy("rule of a house", "After the last hand"),
        options={
            "none": _("After the last hand the game ends whatever the scores."),
            "next_round": _("If nobody has enough after the last hand, the next round is played."),
            "return_east": _("If nobody has enough after the last hand, play returns to the East round."),
        },
    ),
    "extension.if_top_below": Clause(
        pgettext_lazy("rule of a house", "More is played below"),
        amount=_("More is played while the top has less than %(value)s."),
    ),
    "extension.ends_at": Clause(
        pgettext_lazy("rule of a house", "Added hands end at"), amount=_("Added hands end when somebody has %(value)s.")
    ),
    "extension.inclusive": Clause(
        pgettext_lazy("rule of a house", "Exactly that much"),
        options={True: _("Exactly that much is enough."), False: _("It takes more than that.")},
    ),
    "extension.sudden_death": Clause(
        pgettext_lazy("rule of a house", "When it ends"),
        options={
            True: _("It ends with the hand in which that happens."),
            False: _("The added round is played to its end."),
        },
    ),
    "extension.last_round": Clause(
        pgettext_lazy("rule of a house", "No further than"),
        options={
            "east": _("It ends with that East round at the latest."),
            "south": _("It ends with the South round at the latest."),
            "west": _("It ends with the West round at the latest."),
            "north": _("It ends with the North round at the latest."),
        },
    ),
    "cold_game": Clause(
        pgettext_lazy("rule of a house", "Cold game"),
        amount=_("With %(value)s or more the game ends at once."),
        zero=_("There is no cold game."),
    ),
    "agari_yame.who": Clause(
        pgettext_lazy("rule of a house", "Stopping after a win"),
        options={
            "none": _("The last dealer cannot stop after a win."),
            "top": _("The last dealer may stop after a win as the top."),
            "second_or_better": _("The last dealer may stop after a win as first or second."),
            "any": _("The last dealer may stop after a win at any place."),
        },
    ),
    "agari_yame.top": Clause(
        pgettext_lazy("rule of a house", "The top after a win"),
        options={
            "optional": _("The top is free to stop after a win."),
            "forced": _("The top has to stop after a win."),
            "auto": _("After a win of the top the game ends by itself."),
        },
    ),
    "tenpai_yame.who": Clause(
        pgettext_lazy("rule of a house", "Stopping after a tenpai draw"),
        options={
            "none": _("The last dealer cannot stop after a tenpai draw."),
            "top": _("The last dealer may stop after a tenpai draw as the top."),
            "second_or_better": _("The last dealer may stop after a tenpai draw as first or second."),
            "any": _("The last dealer may stop after a tenpai draw at any place."),
        },
    ),
    "tenpai_yame.top": Clause(
        pgettext_lazy("rule of a house", "The top after a tenpai draw"),
        options={
            "optional": _("The top is free to stop after a tenpai draw."),
            "forced": _("The top has to stop after a tenpai draw."),
            "auto": _("After a tenpai draw of the top the game ends by itself."),
        },
    ),
}

DEAL: Mapping[str, Clause] = {
    "renchan.east": Clause(
        pgettext_lazy("rule of a house", "The dealer stays (East)"),
        options={
            "win": _("In the East round the dealer stays on a win."),
            "tenpai": _("In the East round the dealer stays on a win or tenpai."),
            "never": _("In the East round the deal always moves."),
        },
    ),
    "renchan.south": Clause(
        pgettext_lazy("rule of a house", "The dealer stays (South)"),
        options={
            "win": _("In the South round the dealer stays on a win."),
            "tenpai": _("In the South round the dealer stays on a win or tenpai."),
            "never": _("In the South round the deal always moves."),
        },
    ),
    "renchan_multi_ron": Clause(
        pgettext_lazy("rule of a house", "The deal after several wins"),
        options={
            "head": _("Of several winners the first in turn decides the deal."),
            "any_dealer_winner": _("The dealer stays if among several winners."),
        },
    ),
    "dealer_may_pass": Clause(
        pgettext_lazy("rule of a house", "Giving up the deal"),
        options={
            True: _("The dealer may give up the deal; the next one begins at 0 honba."),
            False: _("The dealer cannot give up the deal."),
        },
    ),
    "honba_on_draw": Clause(
        pgettext_lazy("rule of a house", "Honba after a draw"),
        options={
            True: _("A draw adds a honba even when the deal moves."),
            False: _("A draw that moves the deal takes the honba away."),
        },
    ),
    "round_winds.east": Clause(
        pgettext_lazy("rule of a house", "Winds of the East round"),
        members={
            "east": pgettext_lazy("rule of a house", "East"),
            "south": pgettext_lazy("rule of a house", "South"),
            "west": pgettext_lazy("rule of a house", "West"),
            "north": pgettext_lazy("rule of a house", "North"),
        },
        several=_("In the East round these count as the wind of the round: %(list)s."),
        none=_("In the East round no wind counts as the wind of the round."),
    ),
    "round_winds.south": Clause(
        pgettext_lazy("rule of a house", "Winds of the South round"),
        members={
            "east": pgettext_lazy("rule of a house", "East"),
            "south": pgettext_lazy("rule of a house", "South"),
            "west": pgettext_lazy("rule of a house", "West"),
            "north": pgettext_lazy("rule of a house", "North"),
        },
        several=_("In the South round these count as the wind of the round: %(list)s."),
        none=_("In the South round no wind counts as the wind of the round."),
    ),
}

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

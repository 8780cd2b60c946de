"""Labels and sentences: game length, end, dealer, payments and draws."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from scoring.messages.house.clauses import Clause

LENGTH: Mapping[str, Clause] = {
    "rounds": Clause(
        pgettext_lazy("rule of a house", "Length"),
        options={
            "tonpuu": _("East rounds only (tonpuusen)."),
            "tonnan": _("East and South rounds (hanchan)."),
            "full": _("All four rounds."),
        },
    ),
    "extension.next": Clause(
        pgettext_lazy("rule of a house", "After the last hand"),
        options={
            "none": _("The game ends after the last hand, whatever the scores."),
            "next_round": _("If no one has enough points after the last hand, the next round is played."),
            "return_east": _("If no one has enough points after the last hand, play returns to the East round."),
        },
    ),
    "extension.if_top_below": Clause(
        pgettext_lazy("rule of a house", "Extension if 1st has less than"),
        amount=_("The game is extended if 1st place has less than %(value)s."),
    ),
    "extension.ends_at": Clause(
        pgettext_lazy("rule of a house", "The extension ends at"),
        amount=_("The extension ends when someone reaches %(value)s."),
    ),
    "extension.inclusive": Clause(
        pgettext_lazy("rule of a house", "At exactly that score"),
        options={True: _("Exactly that score is enough."), False: _("More than that score is needed.")},
    ),
    "extension.sudden_death": Clause(
        pgettext_lazy("rule of a house", "When it ends"),
        options={
            True: _("The game ends with the hand in which that score is reached (sudden death)."),
            False: _("The extra round is played to the end."),
        },
    ),
    "extension.last_round": Clause(
        pgettext_lazy("rule of a house", "Latest end"),
        options={
            "east": _("The game ends no later than the end of that East round."),
            "south": _("The game ends no later than the end of the South round."),
            "west": _("The game ends no later than the end of the West round."),
            "north": _("The game ends no later than the end of the North round."),
        },
    ),
    "cold_game": Clause(
        pgettext_lazy("rule of a house", "Mercy rule"),
        amount=_("The game ends early when someone reaches %(value)s points (mercy rule)."),
        zero=_("No mercy rule."),
    ),
    "agari_yame.who": Clause(
        pgettext_lazy("rule of a house", "Agari-yame"),
        options={
            "none": _("No agari-yame: the last dealer cannot stop after a win."),
            "top": _("Agari-yame: the last dealer may end the game after a win if in 1st."),
            "second_or_better": _("Agari-yame: the last dealer may end the game after a win if in 1st or 2nd."),
            "any": _("Agari-yame: the last dealer may end the game after a win in any placement."),
        },
    ),
    "agari_yame.top": Clause(
        pgettext_lazy("rule of a house", "Agari-yame in 1st"),
        options={
            "optional": _("In 1st, stopping after a win is optional."),
            "forced": _("In 1st, the last dealer has to stop after a win."),
            "auto": _("If the last dealer wins in 1st, the game ends automatically."),
        },
    ),
    "tenpai_yame.who": Clause(
        pgettext_lazy("rule of a house", "Tenpai-yame"),
        options={
            "none": _("No tenpai-yame: the last dealer cannot end the game by being tenpai on a draw."),
            "top": _("Tenpai-yame: the last dealer may end the game when tenpai on a draw, if in 1st."),
            "second_or_better": _(
                "Tenpai-yame: the last dealer may end the game when tenpai on a draw, if in 1st or 2nd."
            ),
            "any": _("Tenpai-yame: the last dealer may end the game when tenpai on a draw, in any placement."),
        },
    ),
    "tenpai_yame.top": Clause(
        pgettext_lazy("rule of a house", "Tenpai-yame in 1st"),
        options={
            "optional": _("In 1st, stopping when tenpai on a draw is optional."),
            "forced": _("In 1st, the last dealer has to stop when tenpai on a draw."),
            "auto": _("If the last dealer is in 1st and tenpai on a draw, the game ends automatically."),
        },
    ),
}

DEAL: Mapping[str, Clause] = {
    "renchan.east": Clause(
        pgettext_lazy("rule of a house", "Dealer repeats (East)"),
        options={
            "win": _("In the East round the dealer repeats on a win."),
            "tenpai": _("In the East round the dealer repeats on a win or tenpai."),
            "never": _("In the East round the deal always passes."),
        },
    ),
    "renchan.south": Clause(
        pgettext_lazy("rule of a house", "Dealer repeats (South)"),
        options={
            "win": _("In the South round the dealer repeats on a win."),
            "tenpai": _("In the South round the dealer repeats on a win or tenpai."),
            "never": _("In the South round the deal always passes."),
        },
    ),
    "renchan_multi_ron": Clause(
        pgettext_lazy("rule of a house", "Dealer after multiple wins"),
        options={
            "head": _("After multiple wins, the deal follows the first winner in turn order."),
            "any_dealer_winner": _("The dealer repeats if they are one of the winners."),
        },
    ),
    "dealer_may_pass": Clause(
        pgettext_lazy("rule of a house", "Giving up the deal"),
        options={
            True: _("The dealer may give up the deal; the next dealer starts at 0 honba."),
            False: _("The dealer cannot give up the deal."),
        },
    ),
    "honba_on_draw": Clause(
        pgettext_lazy("rule of a house", "Honba after a draw"),
        options={
            True: _("A draw adds a honba, even if the deal passes."),
            False: _("A draw after which the deal passes resets the honba."),
        },
    ),
    "round_winds.east": Clause(
        pgettext_lazy("rule of a house", "Round winds in East"),
        members={
            "east": pgettext_lazy("rule of a house", "East"),
            "south": pgettext_lazy("rule of a house", "South"),
            "west": pgettext_lazy("rule of a house", "West"),
            "north": pgettext_lazy("rule of a house", "North"),
        },
        several=_("Round winds in the East round: %(list)s."),
        none=_("No round wind in the East round."),
    ),
    "round_winds.south": Clause(
        pgettext_lazy("rule of a house", "Round winds in South"),
        members={
            "east": pgettext_lazy("rule of a house", "East"),
            "south": pgettext_lazy("rule of a house", "South"),
            "west": pgettext_lazy("rule of a house", "West"),
            "north": pgettext_lazy("rule of a house", "North"),
        },
        several=_("Round winds in the South round: %(list)s."),
        none=_("No round wind in the South round."),
    ),
}

PAYMENTS: Mapping[str, Clause] = {
    "honba_value": Clause(
        pgettext_lazy("rule of a house", "Honba value"),
        amount=_("Each honba is worth %(value)s."),
        zero=_("Honba are worth no points."),
    ),
    "honba_tsumo": Clause(
        pgettext_lazy("rule of a house", "Honba on tsumo"),
        options={
            "divided": _("On a tsumo, the honba is split between the payers."),
            "each": _("On a tsumo, each payer pays the full honba."),
        },
    ),
    "noten_pool": Clause(
        pgettext_lazy("rule of a house", "Noten payments"),
        amount=_("On a draw, noten players pay tenpai players %(value)s points in total."),
        zero=_("No noten payments."),
    ),
    "multi_ron": Clause(
        pgettext_lazy("rule of a house", "Multiple ron"),
        options={
            "head_bump": _("Only the first winner in turn order wins (head bump, atamahane)."),
            "double": _("Double ron is allowed, triple ron is not."),
            "triple": _("Double and triple ron are allowed."),
        },
    ),
    "multi_ron_honba": Clause(
        pgettext_lazy("rule of a house", "Honba on multiple ron"),
        options={
            "first": _("On a multiple ron, the first winner in turn order gets the honba."),
            "each": _("On a multiple ron, each winner gets the honba."),
        },
    ),
    "multi_ron_deposits": Clause(
        pgettext_lazy("rule of a house", "Sticks on multiple ron"),
        options={
            "first": _("On a multiple ron, the first winner in turn order gets the riichi sticks."),
            "own_back_rest_first": _(
                "Winners get their own riichi sticks back; the first in turn order gets the rest."
            ),
        },
    ),
    "abortive.kinds": Clause(
        pgettext_lazy("rule of a house", "Abortive draws"),
        members={
            "nine_terminals": pgettext_lazy("rule of a house", "nine terminals and honours"),
            "four_winds": pgettext_lazy("rule of a house", "four winds"),
            "four_kans": pgettext_lazy("rule of a house", "four kans"),
            "four_riichi": pgettext_lazy("rule of a house", "four riichi"),
            "triple_ron": pgettext_lazy("rule of a house", "triple ron"),
        },
        several=_("Abortive draws: %(list)s."),
        none=_("No abortive draws."),
    ),
    "abortive.dealer": Clause(
        pgettext_lazy("rule of a house", "Dealer after an abortive draw"),
        options={
            "stays": _("After an abortive draw the dealer repeats."),
            "passes": _("After an abortive draw the deal passes."),
        },
    ),
    "abortive.honba": Clause(
        pgettext_lazy("rule of a house", "Honba after an abortive draw"),
        options={True: _("An abortive draw adds a honba."), False: _("An abortive draw adds no honba.")},
    ),
    "abortive.last_hand": Clause(
        pgettext_lazy("rule of a house", "Abortive draw in the last hand"),
        options={
            "ends": _("An abortive draw in the last hand ends the game."),
            "continues": _("The game continues after an abortive draw in the last hand."),
        },
    ),
    "nagashi.counts_as": Clause(
        pgettext_lazy("rule of a house", "Nagashi mangan"),
        options={
            "none": _("No nagashi mangan."),
            "win": _("Nagashi mangan counts as a win."),
            "draw": _("Nagashi mangan is paid, but the hand still counts as a draw."),
        },
    ),
    "nagashi.value": Clause(
        pgettext_lazy("rule of a house", "Nagashi value"),
        options={"mangan": _("Nagashi is worth a mangan."), "yakuman": _("Nagashi is worth a yakuman.")},
    ),
    "nagashi.own_calls": Clause(
        pgettext_lazy("rule of a house", "Nagashi after calling"),
        options={True: _("Calling tiles does not cancel nagashi."), False: _("Calling a tile cancels nagashi.")},
    ),
    "nagashi.own_riichi": Clause(
        pgettext_lazy("rule of a house", "Nagashi in riichi"),
        options={True: _("Declaring riichi does not cancel nagashi."), False: _("Declaring riichi cancels nagashi.")},
    ),
    "nagashi.honba_next": Clause(
        pgettext_lazy("rule of a house", "Honba after nagashi"),
        options={True: _("Nagashi adds a honba."), False: _("Nagashi adds no honba.")},
    ),
}

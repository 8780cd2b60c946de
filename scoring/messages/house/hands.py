"""Labels and sentences: values of hands."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from scoring.messages.house.clauses import Clause

OTHERS = "chips.others"

RIICHI: Mapping[str, Clause] = {
    "ippatsu": Clause(
        pgettext_lazy("rule of a house", "Ippatsu"),
        options={True: _("Ippatsu counts."), False: _("Ippatsu does not count.")},
    ),
    "ura": Clause(
        pgettext_lazy("rule of a house", "Ura-dora"),
        options={True: _("Ura-dora count."), False: _("Ura-dora do not count.")},
    ),
    "kan_dora": Clause(
        pgettext_lazy("rule of a house", "Kan-dora"),
        options={True: _("Kan-dora count."), False: _("Kan-dora do not count.")},
    ),
    "red_fives": Clause(
        pgettext_lazy("rule of a house", "Red fives"),
        amount=_("Red fives in the set: %(value)s."),
        zero=_("There are no red fives."),
    ),
    "open_tanyao": Clause(
        pgettext_lazy("rule of a house", "Open tanyao"),
        options={True: _("Tanyao counts with calls."), False: _("Tanyao does not count with calls.")},
    ),
    "swap_calling": Clause(
        pgettext_lazy("rule of a house", "Swap calling"),
        options={True: _("Swap calling is allowed."), False: _("Swap calling is not allowed.")},
    ),
    "min_riichi_points": Clause(
        pgettext_lazy("rule of a house", "Riichi needs"),
        amount=_("Riichi takes at least %(value)s points."),
        zero=_("Riichi can be declared with any number of points."),
    ),
    "riichi_needs_draw": Clause(
        pgettext_lazy("rule of a house", "Riichi and the last tiles"),
        options={
            True: _("Riichi takes a draw of one's own to be left."),
            False: _("Riichi can be declared without a draw left."),
        },
    ),
    "riichi_deposit": Clause(
        pgettext_lazy("rule of a house", "A riichi stick is"),
        amount=_("A riichi deposit is %(value)s points."),
        zero=_("Riichi costs no deposit."),
    ),
    "open_riichi_deposit": Clause(
        pgettext_lazy("rule of a house", "An open riichi is"),
        amount=_("An open riichi deposit is %(value)s points."),
        zero=_("There is no open riichi."),
    ),
    "furiten_riichi": Clause(
        pgettext_lazy("rule of a house", "Riichi in furiten"),
        options={True: _("Riichi in furiten is allowed."), False: _("Riichi in furiten is not allowed.")},
    ),
}

VALUES: Mapping[str, Clause] = {
    "kiriage": Clause(
        pgettext_lazy("rule of a house", "Kiriage mangan"),
        options={
            True: _("30 fu 4 han and 60 fu 3 han are a mangan."),
            False: _("30 fu 4 han and 60 fu 3 han are not rounded up."),
        },
    ),
    "kazoe": Clause(
        pgettext_lazy("rule of a house", "Counted yakuman"),
        options={
            0: _("No number of han makes a yakuman."),
            13: _("13 han or more are a yakuman."),
            15: _("15 han or more are a yakuman."),
        },
    ),
    "sanbaiman_from": Clause(
        pgettext_lazy("rule of a house", "Sanbaiman"),
        options={11: _("11 han or more are a sanbaiman."), 13: _("13 han or more are a sanbaiman.")},
    ),
    "yakuman_stacking": Clause(
        pgettext_lazy("rule of a house", "Several yakuman"),
        options={True: _("Several yakuman in one hand add up."), False: _("A hand is worth one yakuman at most.")},
    ),
    "double_yakuman_forms": Clause(
        pgettext_lazy("rule of a house", "Double yakuman"),
        options={
            True: _("Some forms are a double yakuman by themselves."),
            False: _("No form is a double yakuman by itself."),
        },
    ),
    "double_wind_pair_fu": Clause(
        pgettext_lazy("rule of a house", "Pair of a double wind"),
        options={2: _("A pair of a double wind is 2 fu."), 4: _("A pair of a double wind is 4 fu.")},
    ),
    "rinshan_tsumo_fu": Clause(
        pgettext_lazy("rule of a house", "Tsumo after a kan"),
        options={True: _("A win by rinshan has the 2 fu of tsumo."), False: _("A win by rinshan has no fu of tsumo.")},
    ),
    "open_no_fu_hand": Clause(
        pgettext_lazy("rule of a house", "An open hand without fu"),
        options={20: _("An open hand without fu is 20 fu."), 30: _("An open hand without fu is 30 fu.")},
    ),
}

PAO: Mapping[str, Clause] = {
    "pao.hands": Clause(
        pgettext_lazy("rule of a house", "Pao is known for"),
        members={
            "daisangen": pgettext_lazy("rule of a house", "daisangen"),
            "daisuushi": pgettext_lazy("rule of a house", "daisuushi"),
            "suukantsu": pgettext_lazy("rule of a house", "suukantsu"),
            "daiminkan": pgettext_lazy("rule of a house", "an open kan (daiminkan)"),
        },
        several=_("Whoever makes these certain is liable: %(list)s."),
        none=_("There is no pao."),
    ),
    "pao.ron": Clause(
        pgettext_lazy("rule of a house", "Off another player"),
        options={
            "half": _("Off another player's tile both pay half."),
            "discarder": _("Off another player's tile the discarder pays it all."),
        },
    ),
    "pao.honba_payer": Clause(
        pgettext_lazy("rule of a house", "Honba then"),
        options={
            "discarder": _("The honba is the discarder's to pay."),
            "liable": _("The honba is the liable player's to pay."),
        },
    ),
    "pao.scope": Clause(
        pgettext_lazy("rule of a house", "What is paid for"),
        options={
            "fixed_yakuman": _("Only the yakuman that was made certain is paid for."),
            "hand": _("The whole hand is paid for."),
        },
    ),
}

SANMA: Mapping[str, Clause] = {
    "sanma.round_unit": Clause(
        pgettext_lazy("rule of a house", "Smallest stick"),
        options={100: _("Wins are rounded up to hundreds."), 1000: _("Wins are rounded up to thousands.")},
    ),
    "sanma.tsumo_loss": Clause(
        pgettext_lazy("rule of a house", "Tsumo among three"),
        options={
            True: _("By tsumo the share of the absent player is lost."),
            False: _("By tsumo the share of the absent player is paid by the others."),
        },
    ),
    "sanma.north": Clause(
        pgettext_lazy("rule of a house", "North"),
        options={
            "dora": _("North is set aside as dora."),
            "guest": _("North is a wind of nobody and counts as the round's."),
        },
    ),
}

CHIPS: Mapping[str, Clause] = {
    "chips.red": Clause(
        pgettext_lazy("rule of a house", "Red five"),
        amount=_("Chips for each red five: %(value)s."),
        zero=_("There are no chips for red fives."),
    ),
    "chips.gold": Clause(
        pgettext_lazy("rule of a house", "Gold five"),
        amount=_("Chips for each gold five: %(value)s."),
        zero=_("There are no chips for gold fives."),
    ),
    "chips.ippatsu": Clause(
        pgettext_lazy("rule of a house", "Ippatsu"),
        amount=_("Chips for ippatsu: %(value)s."),
        zero=_("There are no chips for ippatsu."),
    ),
    "chips.ura": Clause(
        pgettext_lazy("rule of a house", "Ura-dora"),
        amount=_("Chips for each ura-dora: %(value)s."),
        zero=_("There are no chips for ura-dora."),
    ),
    "chips.open_hands": Clause(
        pgettext_lazy("rule of a house", "Open hands"),
        options={True: _("Open hands have chips too."), False: _("Only closed hands have chips.")},
    ),
    "chips.yakuman_ron": Clause(
        pgettext_lazy("rule of a house", "Yakuman by ron"),
        amount=_("Chips of the discarder for a yakuman: %(value)s."),
        zero=_("There are no chips for a yakuman by ron."),
    ),
    "chips.yakuman_tsumo_each": Clause(
        pgettext_lazy("rule of a house", "Yakuman by tsumo, each"),
        amount=_("Chips of each of the others for a yakuman by tsumo: %(value)s."),
        zero=_("There are no chips for a yakuman by tsumo."),
    ),
    "chips.kazoe_pays": Clause(
        pgettext_lazy("rule of a house", "Chips for a counted yakuman"),
        options={
            True: _("A counted yakuman has the chips of a yakuman."),
            False: _("A counted yakuman has no chips of a yakuman."),
        },
    ),
    OTHERS: Clause(pgettext_lazy("rule of a house", "Other chips")),
}

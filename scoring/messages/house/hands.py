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
        amount=_("%(value)s red fives."),
        zero=_("No red fives."),
    ),
    "open_tanyao": Clause(
        pgettext_lazy("rule of a house", "Open tanyao"),
        options={True: _("Open tanyao is allowed."), False: _("Open tanyao is not allowed.")},
    ),
    "swap_calling": Clause(
        pgettext_lazy("rule of a house", "Swap calling (kuikae)"),
        options={True: _("Swap calling is allowed."), False: _("Swap calling is not allowed.")},
    ),
    "min_riichi_points": Clause(
        pgettext_lazy("rule of a house", "Points needed for riichi"),
        amount=_("Riichi needs at least %(value)s points."),
        zero=_("Riichi is possible with any number of points."),
    ),
    "riichi_needs_draw": Clause(
        pgettext_lazy("rule of a house", "Riichi without a draw left"),
        options={
            True: _("You need at least one draw left to declare riichi."),
            False: _("You can declare riichi without a draw left."),
        },
    ),
    "riichi_deposit": Clause(
        pgettext_lazy("rule of a house", "Riichi deposit"),
        amount=_("The riichi deposit is %(value)s points."),
        zero=_("Riichi needs no deposit."),
    ),
    "open_riichi_deposit": Clause(
        pgettext_lazy("rule of a house", "Open riichi deposit"),
        amount=_("The open riichi deposit is %(value)s points."),
        zero=_("No open riichi."),
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
            True: _("4 han 30 fu and 3 han 60 fu are rounded up to mangan."),
            False: _("No rounding up to mangan (4 han 30 fu is 7,700)."),
        },
    ),
    "kazoe": Clause(
        pgettext_lazy("rule of a house", "Kazoe yakuman"),
        options={
            0: _("No kazoe yakuman."),
            13: _("13 or more han count as a yakuman."),
            15: _("15 or more han count as a yakuman."),
        },
    ),
    "sanbaiman_from": Clause(
        pgettext_lazy("rule of a house", "Sanbaiman"),
        options={
            11: _("11 or more han count as a sanbaiman."),
            13: _("A hand of 13 or more han counts as a sanbaiman."),
        },
    ),
    "yakuman_stacking": Clause(
        pgettext_lazy("rule of a house", "Several yakuman"),
        options={True: _("Several yakuman in one hand add up."), False: _("A hand is worth at most one yakuman.")},
    ),
    "double_yakuman_forms": Clause(
        pgettext_lazy("rule of a house", "Double yakuman"),
        options={
            True: _("Some hands are double yakuman."),
            False: _("No double yakuman."),
        },
    ),
    "double_wind_pair_fu": Clause(
        pgettext_lazy("rule of a house", "Double wind pair"),
        options={2: _("A double wind pair is worth 2 fu."), 4: _("A double wind pair is worth 4 fu.")},
    ),
    "rinshan_tsumo_fu": Clause(
        pgettext_lazy("rule of a house", "Rinshan tsumo fu"),
        options={True: _("Rinshan wins score 2 fu for tsumo."), False: _("Rinshan wins score no fu for tsumo.")},
    ),
    "open_no_fu_hand": Clause(
        pgettext_lazy("rule of a house", "Open pinfu shape"),
        options={20: _("An open pinfu shape is worth 20 fu."), 30: _("An open pinfu shape is worth 30 fu.")},
    ),
}

PAO: Mapping[str, Clause] = {
    "pao.hands": Clause(
        pgettext_lazy("rule of a house", "Pao applies to"),
        members={
            "daisangen": pgettext_lazy("rule of a house", "daisangen"),
            "daisuushi": pgettext_lazy("rule of a house", "daisuushi"),
            "suukantsu": pgettext_lazy("rule of a house", "suukantsu"),
            "daiminkan": pgettext_lazy("rule of a house", "an open kan (daiminkan)"),
        },
        several=_("The player who completes these for someone else is liable (pao): %(list)s."),
        none=_("No pao."),
    ),
    "pao.ron": Clause(
        pgettext_lazy("rule of a house", "Deal-in by another player"),
        options={
            "half": _("If another player deals in, each pays half."),
            "discarder": _("If another player deals in, that player pays everything."),
        },
    ),
    "pao.honba_payer": Clause(
        pgettext_lazy("rule of a house", "Honba in that case"),
        options={
            "discarder": _("The discarder pays the honba."),
            "liable": _("The liable player pays the honba."),
        },
    ),
    "pao.scope": Clause(
        pgettext_lazy("rule of a house", "Scope of pao"),
        options={
            "fixed_yakuman": _("Pao covers only the yakuman that triggered it."),
            "hand": _("Pao covers the whole hand."),
        },
    ),
}

SANMA: Mapping[str, Clause] = {
    "sanma.round_unit": Clause(
        pgettext_lazy("rule of a house", "Score unit"),
        options={100: _("Scores are rounded up to hundreds."), 1000: _("Scores are rounded up to thousands.")},
    ),
    "sanma.tsumo_loss": Clause(
        pgettext_lazy("rule of a house", "Tsumo loss"),
        options={
            True: _("On a tsumo, the fourth player's share is not paid (tsumo loss)."),
            False: _("On a tsumo, the others pay the fourth player's share (no tsumo loss)."),
        },
    ),
    "sanma.north": Clause(
        pgettext_lazy("rule of a house", "North"),
        options={
            "dora": _("North tiles are set aside as dora (nuki-dora)."),
            "guest": _("North counts as a round wind for everyone."),
        },
    ),
}

CHIPS: Mapping[str, Clause] = {
    "chips.red": Clause(
        pgettext_lazy("rule of a house", "Red five"),
        amount=_("%(value)s chips for each red five."),
        zero=_("No chips for red fives."),
    ),
    "chips.gold": Clause(
        pgettext_lazy("rule of a house", "Gold five"),
        amount=_("%(value)s chips for each gold five."),
        zero=_("No chips for gold fives."),
    ),
    "chips.ippatsu": Clause(
        pgettext_lazy("rule of a house", "Ippatsu"),
        amount=_("%(value)s chips for ippatsu."),
        zero=_("No chips for ippatsu."),
    ),
    "chips.ura": Clause(
        pgettext_lazy("rule of a house", "Ura-dora"),
        amount=_("%(value)s chips for each ura-dora."),
        zero=_("No chips for ura-dora."),
    ),
    "chips.open_hands": Clause(
        pgettext_lazy("rule of a house", "Open hands"),
        options={True: _("Open hands also earn chips."), False: _("Only closed hands earn chips.")},
    ),
    "chips.yakuman_ron": Clause(
        pgettext_lazy("rule of a house", "Yakuman by ron"),
        amount=_("For a yakuman by ron, the discarder pays %(value)s chips."),
        zero=_("No chips for a yakuman by ron."),
    ),
    "chips.yakuman_tsumo_each": Clause(
        pgettext_lazy("rule of a house", "Yakuman by tsumo, each"),
        amount=_("For a yakuman by tsumo, each other player pays %(value)s chips."),
        zero=_("No chips for a yakuman by tsumo."),
    ),
    "chips.kazoe_pays": Clause(
        pgettext_lazy("rule of a house", "Kazoe yakuman chips"),
        options={
            True: _("A kazoe yakuman earns yakuman chips."),
            False: _("A kazoe yakuman earns no yakuman chips."),
        },
    ),
    OTHERS: Clause(pgettext_lazy("rule of a house", "Other chips")),
}

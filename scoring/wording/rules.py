"""A rule set as the sentences of a rule sheet, made from its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.core import LEDGER_PARTS, Part, Ruleset
from scoring.wording.numbers import amount_text, joined, points_text, raw_text


@dataclass(frozen=True, slots=True)
class Description:
    """One clause: the parameter it comes from, a heading, and the sentence."""

    parameter: str
    label: str
    sentence: str


LABELS: dict[str, Promise] = {
    "players": gettext_lazy("Players"),
    "start_points": gettext_lazy("Start points"),
    "return_points": gettext_lazy("Return points"),
    "score_basis": gettext_lazy("What counts"),
    "oka": gettext_lazy("Oka"),
    "uma": gettext_lazy("Uma"),
    "uma_floating": gettext_lazy("Floating uma"),
    "tie": gettext_lazy("Ties"),
    "split": gettext_lazy("Remainders"),
    "rounding": gettext_lazy("Rounding"),
    "leftover": gettext_lazy("Sticks left on the table"),
    "below_zero_floor": gettext_lazy("Floor below zero"),
    "bust": gettext_lazy("Bust"),
    "chombo": gettext_lazy("Chombo"),
    "fine": gettext_lazy("Fines"),
    "lend_below_zero": gettext_lazy("Loan below zero"),
    "chips": gettext_lazy("Chips"),
    "fees": gettext_lazy("Table fees"),
    "ledgers": gettext_lazy("Ledgers"),
    "ruleset": gettext_lazy("Rule set"),
}


def parameter_label(path: str) -> str:
    """Return what people call a parameter; of a nested one the heading and the rest of the path."""
    name, dot, rest = path.partition(".")
    label = str(LABELS.get(name, path))
    return f"{label} ({rest})" if dot and name in LABELS else label


def describe_ruleset(rules: Ruleset) -> list[Description]:
    """Return the clauses of a rule set in the active language, what is open included."""
    clauses = [
        Description(name, parameter_label(name), sentence) for name, sentence in _sentences(rules) if sentence
    ]
    open_parameters = [name for name in (*rules.missing, *rules.unset) if name not in {one.parameter for one in clauses}]
    return clauses + [Description(name, parameter_label(name), _open(name, rules)) for name in open_parameters]


def _open(name: str, rules: Ruleset) -> str:
    if name in rules.missing:
        return _("Not set. The league cannot score before an organiser sets it.")
    return _("Not set. A hanchan that needs it is refused until an organiser sets it.")


def _sentences(rules: Ruleset) -> Iterator[tuple[str, str]]:
    yield "players", "" if rules.players is None else _("%(players)s players.") % {"players": rules.players}
    yield "start_points", _each_begins(rules)
    yield "return_points", _return(rules)
    if rules.score_basis == "placement":
        yield "score_basis", _("Only the placement counts; raw scores decide it and nothing else.")
    yield "oka", _oka(rules)
    yield "uma", _uma(rules)
    yield "uma_floating", _floating(rules)
    yield "tie", _tie(rules)
    yield "split", _split(rules)
    yield "rounding", _rounding(rules)
    yield "leftover", "" if rules.leftover is None else _leftovers()[rules.leftover.value]
    yield "below_zero_floor", _floor(rules)
    yield "bust", _bust(rules)
    yield "chombo", _chombo(rules)
    yield "fine", "" if rules.fine is None else _fine(rules.fine.amount)
    yield "lend_below_zero", _loan(rules)
    yield "chips", "" if rules.chips is None else _("Each chip is worth %(value)s.") % {"value": points_text(rules.chips)}
    yield "fees", _fees(rules)
    yield "ledgers", _ledgers(rules)


def _each_begins(rules: Ruleset) -> str:
    if rules.start_points is None:
        return ""
    return _("Everybody begins with %(points)s points.") % {"points": raw_text(rules.start_points)}


def _return(rules: Ruleset) -> str:
    if rules.return_points is None:
        return ""
    return _("The base is (raw score − %(points)s) ÷ 1,000.") % {"points": raw_text(rules.return_points)}


def _oka(rules: Ruleset) -> str:
    if not rules.oka_points:
        return ""
    return _("The top gets %(oka)s.") % {"oka": points_text(rules.oka_points)}


def _row(row: tuple[int, ...]) -> str:
    return " / ".join(points_text(points) for points in row)


def _uma(rules: Ruleset) -> str:
    return "" if rules.uma is None else _("By place: %(row)s.") % {"row": _row(rules.uma)}


def _floating(rules: Ruleset) -> str:
    uma = rules.uma_floating
    if uma is None:
        return ""
    rows = joined(
        _("with %(floaters)s: %(row)s") % {"floaters": floaters, "row": _row(row)} for floaters, row in uma.rows
    )
    facts = {"threshold": raw_text(uma.threshold), "rows": rows}
    if uma.inclusive:
        return _("By the number of players at %(threshold)s or above: %(rows)s.") % facts
    return _("By the number of players above %(threshold)s: %(rows)s.") % facts


def _tie(rules: Ruleset) -> str:
    tie = rules.tie
    if tie is None:
        return ""
    ranks = {
        "seat": _("Of equal scores the seat nearer the first dealer is placed higher"),
        "shared": _("Equal scores share the placement"),
    }
    umas = {
        "seat": _("the uma follows the placement"),
        "split": _("they share the uma of the places they cover"),
    }
    facts = {"rank": ranks[tie.rank.value], "uma": umas[tie.uma.value]}
    if not rules.oka_points:
        return _("%(rank)s; %(uma)s.") % facts
    okas = {
        "seat": _("the oka goes to the seat nearest the first dealer"),
        "split": _("tied tops share the oka"),
    }
    return _("%(rank)s; %(uma)s; %(oka)s.") % (facts | {"oka": okas[tie.oka.value]})


def _split(rules: Ruleset) -> str:
    split = rules.split
    if split is None:
        return ""
    sentences = {
        "one_each_nearest": _("What does not divide goes out in steps of %(unit)s, nearest the first dealer first."),
        "all_nearest": _("Shares are multiples of %(unit)s; the whole remainder goes to the seat nearest the first dealer."),
        "seat_order_if_indivisible": _("If shares in steps of %(unit)s do not divide evenly, the order of the seats decides."),
    }
    return sentences[split.remainder.value] % {"unit": amount_text(split.unit)}


def _rounding(rules: Ruleset) -> str:
    rounding = rules.rounding
    if rounding is None:
        return ""
    words = {
        "floor": _("down"),
        "ceil": _("up"),
        "trunc": _("toward zero"),
        "away": _("away from zero"),
        "half_up": _("to the nearest, halves up"),
        "half_down": _("to the nearest, halves down"),
    }
    facts = {"how": words[rounding.mode.value], "unit": amount_text(rounding.unit)}
    if rounding.basis.value == "raw":
        text = _("The raw score is rounded to full %(unit)s pt, %(how)s.") % facts
    else:
        text = _("The difference to the return points is rounded to full %(unit)s pt, %(how)s.") % facts
    if rounding.top_absorbs:
        return _("%(rounding)s Only places 2 and below are rounded; the top takes the balance.") % {"rounding": text}
    return text


def _leftovers() -> dict[str, str]:
    return {
        "top": _("They go to the top; placements do not change by it."),
        "split_tops": _("They go to the top; tied tops share them, hundreds nearest the first dealer first."),
        "top_after_rank_points": _("They go to the top after the places are paid; of tied tops to the one nearest the first dealer."),
        "void": _("They belong to nobody; the table then adds up to less than zero."),
        "returned": _("They go back to whoever put them down."),
    }


def _floor(rules: Ruleset) -> str:
    if rules.below_zero_floor is None:
        return ""
    return _("A loser counts no lower than %(points)s; the top gets that much less.") % {
        "points": raw_text(rules.below_zero_floor)
    }


def _bust(rules: Ruleset) -> str:
    bust = rules.bust
    if bust is None:
        return ""
    ends = {
        "never": _("Nobody is bust; play goes on below zero."),
        "below_zero": _("Below zero a player is bust and the game ends; exactly 0 plays on."),
        "zero_or_below": _("At zero or below a player is bust and the game ends."),
    }[bust.ends.value]
    if not bust.prize:
        return ends
    prize = str(bust.prize) if bust.prize_in == "chips" else amount_text(bust.prize)
    if bust.prize_in == "chips":
        return _("%(ends)s A busted player pays %(prize)s chips to whoever busted him.") % {"ends": ends, "prize": prize}
    return _("%(ends)s A busted player pays %(prize)s to whoever busted him.") % {"ends": ends, "prize": prize}


def _chombo(rules: Ruleset) -> str:
    chombo = rules.chombo
    if chombo is None:
        return ""
    sentences = {
        "none": _("A chombo has no effect on points here; the hand is played again."),
        "mangan": _("A chombo costs a mangan, paid with sticks; the raw scores have it in them."),
        "flat_each": _("A chombo costs %(amount)s to each, paid with sticks; the raw scores have it in them."),
        "total": _("Each chombo is %(amount)s on the total; the hanchan stays as it is."),
    }
    if chombo.kind.value == "total" and chombo.ledger == "game":
        return _("Each chombo is %(amount)s in the hanchan.") % {"amount": points_text(chombo.amount)}
    amount = points_text(chombo.amount) if chombo.kind.value == "total" else raw_text(chombo.amount)
    return sentences[chombo.kind.value] % {"amount": amount}


def _fine(amount: int) -> str:
    return _("A fine of %(amount)s points lies on the table for the next winner.") % {"amount": raw_text(amount)}


def _loan(rules: Ruleset) -> str:
    if rules.lend_below_zero is None:
        return ""
    return _("Below zero a player borrows %(amount)s points and plays on.") % {"amount": raw_text(rules.lend_below_zero)}


def _fees(rules: Ruleset) -> str:
    if rules.fees is None:
        return ""
    return _("Each player leaves %(game)s, the top %(top)s more.") % {
        "game": amount_text(rules.fees.game),
        "top": amount_text(rules.fees.top),
    }


def _ledgers(rules: Ruleset) -> str:
    if rules.ledgers is None:
        return _("One account: ranking and settlement are the same.")
    parts = {
        Part.BASE: _("base"),
        Part.OKA: _("oka"),
        Part.UMA: _("uma"),
        Part.BUST: _("bust prize"),
        Part.CHIPS: _("chips"),
        Part.FEES: _("fees"),
        Part.PENALTIES: _("penalties"),
    }
    held = {ledger.value: joined(parts[part] for part in LEDGER_PARTS if part in rule.parts) for ledger, rule in rules.ledgers}
    return _("The ranking adds up %(ranking)s; the settlement %(settlement)s.") % held

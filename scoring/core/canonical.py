"""Writes rule sets as plain tables. Undefined parameters are omitted, so that reading returns an equal value."""

from collections.abc import Mapping
from typing import Any

from scoring.core.house import write_house
from scoring.core.points import format_points
from scoring.core.ruleset import (
    EVENLY,
    LEDGER_PARTS,
    BustRule,
    ChomboKind,
    ChomboRule,
    FloatingUma,
    Ledger,
    LedgerRule,
    Rounding,
    ScoringRules,
)


def write_ruleset(rules: ScoringRules) -> dict[str, Any]:
    """Return a rule set's parameters as JSON: decimals as text, undefined parameters omitted."""
    table = {
        "players": rules.players,
        "start_points": rules.start_points,
        "return_points": rules.return_points,
        "score_basis": rules.score_basis,
        "oka": "auto" if rules.oka is None else format_points(rules.oka),
        "uma": rules.uma and _row(rules.uma),
        "uma_floating": rules.uma_floating and _floating(rules.uma_floating),
        "tie": rules.tie and {name: answer.value for name, answer in vars(rules.tie).items()},
        "split": rules.split and {"unit": format_points(rules.split.unit), "remainder": rules.split.remainder.value},
        "rounding": rules.rounding and _rounding(rules.rounding),
        "leftover": rules.leftover and rules.leftover.value,
        "below_zero_floor": rules.below_zero_floor,
        "bust": rules.bust and _bust(rules.bust),
        "chombo": rules.chombo and _chombo(rules.chombo),
        "fine": rules.fine and {"amount": rules.fine.amount, "to": rules.fine.to},
        "lend_below_zero": rules.lend_below_zero,
        "chips": None if rules.chips is None else {"value": format_points(rules.chips)},
        "fees": rules.fees and {"game": format_points(rules.fees.game), "top": format_points(rules.fees.top)},
        "ledgers": rules.ledgers and _ledgers(rules.ledgers),
        "house": rules.house and write_house(rules.house),
    }
    return _without_none(table)


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value is not None}


def _row(row: tuple[int, ...]) -> list[str]:
    return [format_points(points) for points in row]


def _floating(uma: FloatingUma) -> dict[str, Any]:
    rows = {str(floaters): _row(row) for floaters, row in uma.rows}
    return {"threshold": uma.threshold, "inclusive": uma.inclusive, "rows": rows}


def _rounding(rounding: Rounding) -> dict[str, Any]:
    return {
        "mode": rounding.mode.value,
        "basis": rounding.basis.value,
        "unit": format_points(rounding.unit),
        "top_absorbs": rounding.top_absorbs,
    }


def _bust(bust: BustRule) -> dict[str, Any]:
    amount = format_points if bust.prize_in == "points" else int
    rows = {str(tenpai): [amount(share) for share in row] for tenpai, row in bust.draw_shares or ()}
    return _without_none(
        {
            "ends": bust.ends.value,
            "prize": amount(bust.prize),
            "prize_in": bust.prize_in,
            "win": bust.win,
            "draw_shares": "equal_split" if bust.draw_shares == EVENLY else rows or None,
            "other": bust.other,
            "illegal_riichi": bust.illegal_riichi,
        }
    )


def _chombo(chombo: ChomboRule) -> dict[str, Any]:
    amounts: dict[ChomboKind, str | int] = {
        ChomboKind.TOTAL: format_points(chombo.amount),
        ChomboKind.FLAT_EACH: chombo.amount,
    }
    return _without_none(
        {
            "kind": chombo.kind.value,
            "amount": amounts.get(chombo.kind, chombo.amount or None),
            "ledger": chombo.ledger,
            "hand": chombo.hand,
            "dealer": chombo.dealer,
            "deposits_back": chombo.deposits_back,
        }
    )


def _ledgers(ledgers: tuple[tuple[Ledger, LedgerRule], ...]) -> dict[str, Any]:
    return {
        ledger.value: {
            "parts": [part.value for part in LEDGER_PARTS if part in rule.parts],
            "rounded": rule.rounded,
        }
        for ledger, rule in ledgers
    }

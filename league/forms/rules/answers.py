"""Conversion between answers of the form and rule set parameters."""

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from league.forms.points import PointsField, SticksField
from league.forms.rules.house import house_answers, house_from
from league.messages import PARTS as PART_NAMES
from scoring.core import format_points, read_ruleset

PLAIN_NAMES = (
    "players",
    "start_points",
    "return_points",
    "score_basis",
    "leftover",
    "below_zero_floor",
    "lend_below_zero",
)
"""Parameters with a field of the same name."""

FIELD_OF: Mapping[str, str] = {
    "uma_floating.threshold": "uma_threshold",
    "uma_floating.inclusive": "uma_inclusive",
    "uma_floating": "uma_rows",
    "tie": "tie_rank",
    "split": "split_unit",
    "rounding": "rounding_mode",
    "bust.draw_shares": "bust_shares",
    "bust": "bust_ends",
    "chombo": "chombo_kind",
    "fine": "fine_amount",
    "fees": "fees_game",
    "ledgers.ranking": "ranking_parts",
    "ledgers.settlement": "settlement_parts",
}
"""Field by parameter, if the names differ."""


def field_of(path: str, fields: Mapping[str, Any]) -> str | None:
    """Return the field for a parameter path such as `bust.draw_shares.2`, or None."""
    steps = path.split(".")
    for length in range(len(steps), 0, -1):
        part = steps[:length]
        name = re.sub(r"\[\d+\]", "", "_".join(part))
        if name in fields:
            return name
        if ".".join(part) in FIELD_OF:
            return FIELD_OF[".".join(part)]
    return None


def parameters_from(base: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with the answers applied; other parameters are kept."""
    parameters = copy.deepcopy(dict(base))
    for name in PLAIN_NAMES:
        _put(parameters, name, values[name])
    _put_uma(parameters, values)
    _put(parameters, "oka", "auto" if values["oka_kind"] == "auto" else _text(values["oka_amount"]) or "0")
    _put(parameters, "tie", _answers(values, "tie", ("rank", "uma", "oka")))
    _put(parameters, "split", _answers(values, "split", ("unit", "remainder")))
    _put_rounding(parameters, values)
    _put_bust(parameters, values)
    _put_chombo(parameters, values)
    _put(parameters, "chips", values["chips"] is not None and {"value": _text(values["chips"])})
    _put(parameters, "fine", values["fine_amount"] is not None and {"amount": values["fine_amount"], "to": "pot"})
    _put_fees(parameters, values)
    _put_ledgers(parameters, values)
    _put(parameters, "house", house_from(values))
    return parameters


def _put(parameters: dict[str, Any], name: str, value: Any) -> None:
    """Set a parameter; remove it if the value is empty, i.e. undecided."""
    if value is None or value is False or value in ("", {}):
        parameters.pop(name, None)
    else:
        parameters[name] = value


def _text(points: int | None) -> str | None:
    return None if points is None else format_points(points)


def _answers(values: Mapping[str, Any], table: str, names: Sequence[str]) -> dict[str, Any]:
    return {name: values[f"{table}_{name}"] for name in names if values[f"{table}_{name}"] not in ("", None)}


def _put_uma(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    fixed = values["uma_kind"] == "fixed"
    _put(parameters, "uma", [_text(points) for points in values["uma"] or ()] or None if fixed else None)
    floating: dict[str, Any] = {"inclusive": values["uma_inclusive"]}
    _put(floating, "threshold", values["uma_threshold"])
    _put(floating, "rows", _rows(values["uma_rows"]))
    _put(parameters, "uma_floating", None if fixed else floating)


def _rows(rows: Mapping[str, Sequence[int]] | None) -> dict[str, list[str | None]]:
    return {number: [_text(points) for points in row or ()] for number, row in (rows or {}).items()}


def _put_rounding(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    if values["rounding_mode"] == "none":
        parameters.pop("rounding", None)
        return
    rounding = _answers(values, "rounding", ("mode", "basis"))
    _put(rounding, "unit", _text(values["rounding_unit"]))
    parameters["rounding"] = rounding | {"top_absorbs": values["rounding_top_absorbs"]}


def _put_bust(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    if not values["bust_ends"]:
        parameters.pop("bust", None)
        return
    in_chips = values["bust_prize_in"] == "chips"
    bust = _answers(values, "bust", ("ends", "win", "other"))
    bust |= {"prize_in": values["bust_prize_in"] or "points", "illegal_riichi": values["bust_illegal_riichi"]}
    _put(bust, "prize", _amount(values["bust_prize"], in_chips=in_chips))
    shares = {
        number: [_amount(points, in_chips=in_chips) for points in row or ()]
        for number, row in (values["bust_shares"] or {}).items()
    }
    _put(bust, "draw_shares", "equal_split" if values["bust_draw"] == "equal_split" else shares)
    parameters["bust"] = bust


def _amount(points: int | None, *, in_chips: bool) -> int | str | None:
    """Format an amount as a parameter. Half a chip is kept as text, so that validation rejects it."""
    if points is None or not in_chips or points % 1000:
        return _text(points)
    return points // 1000


def _put_chombo(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    kind = values["chombo_kind"]
    if not kind:
        parameters.pop("chombo", None)
        return
    chombo = {
        "kind": kind,
        "ledger": values["chombo_ledger"] or "total",
        **_answers(values, "chombo", ("hand", "dealer")),
    }
    if values["chombo_deposits_back"]:
        chombo["deposits_back"] = values["chombo_deposits_back"] == "yes"
    typed = values["chombo_amount"]
    field = PointsField(required=False) if kind == "total" else SticksField(required=False)
    amount = field.clean(typed) if kind in ("total", "flat_each") else None
    _put(chombo, "amount", _text(amount) if kind == "total" else amount)
    parameters["chombo"] = chombo


def _put_fees(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    game, top = values["fees_game"], values["fees_top"]
    said = game is not None or top is not None
    _put(parameters, "fees", said and {"game": _text(game or 0), "top": _text(top or 0)})


def _put_ledgers(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    asked = {
        ledger: {"parts": sorted(values[f"{ledger}_parts"]), "rounded": values[f"{ledger}_rounded"]}
        for ledger in ("ranking", "settlement")
    }
    both = {"parts": sorted(PART_NAMES), "rounded": "rounding" in parameters}
    if "ledgers" in parameters or any(ledger != both for ledger in asked.values()):
        parameters["ledgers"] = asked


def asked_from(parameters: Mapping[str, Any]) -> dict[str, Any]:
    rules = read_ruleset(parameters)
    floating: Mapping[str, Any] = parameters.get("uma_floating") or {}
    rounding: Mapping[str, Any] = parameters.get("rounding") or {}
    answers = {name: parameters.get(name) for name in PLAIN_NAMES}
    answers |= {f"tie_{name}": answer for name, answer in (parameters.get("tie") or {}).items()}
    answers |= {f"split_{name}": answer for name, answer in (parameters.get("split") or {}).items()}
    answers |= {
        "score_basis": rules.score_basis,
        "uma_kind": "floating" if floating else "fixed",
        "uma": "  ".join(map(str, parameters.get("uma") or ())),
        "uma_threshold": floating.get("threshold"),
        "uma_inclusive": floating.get("inclusive", True),
        "uma_rows": floating.get("rows"),
        "oka_kind": "auto" if rules.oka is None else "points",
        "oka_amount": rules.oka,
        "rounding_mode": rounding.get("mode", "none"),
        "rounding_basis": rounding.get("basis", "diff"),
        "rounding_unit": rules.rounding.unit if rules.rounding else 1000,
        "rounding_top_absorbs": rounding.get("top_absorbs", False),
        "chips": rules.chips,
        "fine_amount": rules.fine and rules.fine.amount,
        "fees_game": rules.fees and rules.fees.game,
        "fees_top": rules.fees and rules.fees.top,
    }
    for ledger, held in rules.accounts:
        answers |= {f"{ledger}_parts": [str(part) for part in held.parts], f"{ledger}_rounded": held.rounded}
    return answers | _bust_answers(parameters) | _chombo_answers(parameters) | house_answers(rules.house)


def _bust_answers(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers about busts, with common defaults as long as there is no prize."""
    bust: Mapping[str, Any] = parameters.get("bust") or {}
    shares = bust.get("draw_shares")
    has_prize = bool(rule.prize) if (rule := read_ruleset(parameters).bust) else False
    return {
        "bust_ends": bust.get("ends", ""),
        "bust_prize": str(bust.get("prize", "")),
        "bust_prize_in": bust.get("prize_in", "points"),
        "bust_win": bust.get("win", "" if has_prize else "first"),
        "bust_draw": "rows" if isinstance(shares, Mapping) else shares or ("" if has_prize else "equal_split"),
        "bust_shares": shares if isinstance(shares, Mapping) else None,
        "bust_other": bust.get("other", "" if has_prize else "none"),
        "bust_illegal_riichi": bust.get("illegal_riichi", False),
    }


def _chombo_answers(parameters: Mapping[str, Any]) -> dict[str, Any]:
    chombo: Mapping[str, Any] = parameters.get("chombo") or {}
    back = chombo.get("deposits_back")
    return {
        "chombo_kind": chombo.get("kind", ""),
        "chombo_amount": chombo.get("amount"),
        "chombo_ledger": chombo.get("ledger", "total"),
        "chombo_hand": chombo.get("hand", ""),
        "chombo_dealer": chombo.get("dealer", ""),
        "chombo_deposits_back": "" if back is None else "yes" if back else "no",
    }

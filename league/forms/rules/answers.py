"""Conversion between answers of the form and rule set parameters."""

import re
from collections.abc import Mapping
from functools import reduce
from typing import Any

from django import forms

from league.forms.points import PointsField, SticksField
from league.forms.rules.house import NONE, ChipsField, RowsField, SomeField
from league.forms.rules.house import PATHS as HOUSE_PATHS
from league.selectors.rulebook import value_at
from scoring.core import LEDGER_PARTS, format_points, read_ruleset
from scoring.messages.clauses import SWITCHES

TABLES = {
    "tie": ("rank", "uma", "oka"),
    "split": ("unit", "remainder"),
    "rounding": ("mode", "basis", "unit", "top_absorbs"),
    "bust": ("ends", "prize", "prize_in", "win", "other", "illegal_riichi"),
    "chombo": ("kind", "amount", "ledger", "hand", "dealer", "deposits_back"),
    "fine": ("amount",),
    "fees": ("game", "top"),
}
PLAIN = ("players", "start_points", "return_points", "uma", "score_basis", "leftover", "below_zero_floor", "lend_below_zero")  # fmt: skip

PATHS: Mapping[str, str] = {
    **{name: name for name in PLAIN},
    **{f"{table}_{name}": f"{table}.{name}" for table, names in TABLES.items() for name in names},
    "bust_shares": "bust.draw_shares",
    "uma_rows": "uma_floating.rows",
    "uma_threshold": "uma_floating.threshold",
    "uma_inclusive": "uma_floating.inclusive",
    "oka_amount": "oka",
    "chips": "chips.value",
    "ranking_parts": "ledgers.ranking.parts",
    "ranking_rounded": "ledgers.ranking.rounded",
    "settlement_parts": "ledgers.settlement.parts",
    "settlement_rounded": "ledgers.settlement.rounded",
    **{name: f"house.{path}" for name, path in HOUSE_PATHS.items()},
}
"""Parameter path by field. The first field of a table also shows the errors of the whole table."""

ASKED = frozenset(path.split(".")[0] for path in PATHS.values())


def field_of(path: str) -> str | None:
    """Return the field for a parameter path such as `bust.draw_shares.2`, or None."""
    steps = re.sub(r"\[\d+\]", "", path).split(".")
    parts = [".".join(steps[:length]) for length in range(len(steps), 0, -1)]
    found = (name for part in parts for name, known in PATHS.items() if f"{known}.".startswith(f"{part}."))
    return next(found, None)


def parameters_from(
    base: Mapping[str, Any], values: Mapping[str, Any], fields: Mapping[str, forms.Field]
) -> dict[str, Any]:
    """Return `base` with the answers applied; other parameters are kept."""
    parameters = {name: value for name, value in base.items() if name not in ASKED}
    left_out = _left_out(values)
    for name, path in PATHS.items():
        *tables, last = path.split(".")
        value = _parameter(fields[name], values[name])
        if value is not None and path.split(".")[0] not in left_out:
            held: dict[str, Any] = reduce(lambda table, step: table.setdefault(step, {}), tables, parameters)
            held[last] = value
    parameters["oka"] = "auto" if values["oka_kind"] == "auto" else parameters.get("oka", "0")
    if "bust" in parameters:
        _complete_bust(parameters["bust"], values)
    if "chombo" in parameters:
        _complete_chombo(parameters["chombo"], values)
    if "fine" in parameters:
        parameters["fine"]["to"] = "pot"
    if "fees" in parameters:
        parameters["fees"] = {"game": "0", "top": "0"} | parameters["fees"]
    # One account for both follows the rounding, also where it was just switched on or off.
    rounded = {"rounding" in base, "rounding" in parameters}
    ledgers = [(set(held["parts"]), held["rounded"]) for held in parameters["ledgers"].values()]
    if "ledgers" not in base and ledgers[0] == ledgers[1] in [(set(map(str, LEDGER_PARTS)), each) for each in rounded]:
        del parameters["ledgers"]
    return parameters


def _left_out(values: Mapping[str, Any]) -> set[str]:
    """Return the top-level parameters that the answers switch off."""
    is_off = {
        "uma": values["uma_kind"] != "fixed",
        "uma_floating": values["uma_kind"] == "fixed",
        "rounding": values["rounding_mode"] == "none",
        "bust": not values["bust_ends"],
        "chombo": not values["chombo_kind"],
    }
    return {name for name, off in is_off.items() if off}


def _parameter(field: forms.Field, answer: Any) -> Any:
    """Return the parameter for an answer; None if undecided."""
    if answer in ("", None) or (answer == [] and isinstance(field, SomeField | ChipsField)):
        return None
    if isinstance(field, RowsField):
        return {number: [format_points(points) for points in row or ()] for number, row in answer.items()} or None
    if isinstance(field, PointsField):
        return [format_points(points) for points in answer] if isinstance(answer, tuple) else format_points(answer)
    if isinstance(field, SomeField):
        return [kind for kind in answer if kind != NONE]
    if isinstance(field, forms.ChoiceField) and answer in SWITCHES.values():
        return answer == SWITCHES[True]
    return answer


def _complete_bust(bust: dict[str, Any], values: Mapping[str, Any]) -> None:
    bust.setdefault("prize_in", "points")
    if bust["prize_in"] == "chips":
        if "prize" in bust:
            bust["prize"] = _in_chips(bust["prize"])
        bust["draw_shares"] = {
            number: [_in_chips(points) for points in row] for number, row in bust.get("draw_shares", {}).items()
        }
    if values["bust_draw"] == "equal_split":
        bust["draw_shares"] = "equal_split"
    elif not bust.get("draw_shares"):
        bust.pop("draw_shares", None)


def _in_chips(points: str) -> int | str:
    """Return a whole number. Half a chip is kept as text, so that validation rejects it."""
    return points if "." in points else int(points)


def _complete_chombo(chombo: dict[str, Any], values: Mapping[str, Any]) -> None:
    chombo.setdefault("ledger", "total")
    chombo.pop("amount", None)
    kinds: dict[str, type[forms.Field]] = {"total": PointsField, "flat_each": SticksField}
    if chombo["kind"] in kinds:
        field = kinds[chombo["kind"]](required=False)
        amount = _parameter(field, field.clean(values["chombo_amount"]))
        if amount is not None:
            is_plain = chombo["kind"] == "total" and not str(amount).startswith("-")
            chombo["amount"] = f"-{amount}" if is_plain else amount


def asked_from(parameters: Mapping[str, Any], fields: Mapping[str, forms.Field]) -> dict[str, Any]:
    """Return the answers for stored parameters, with common defaults for bust prizes as long as there is none."""
    rules = read_ruleset(parameters)
    usual = {
        "score_basis": rules.score_basis,
        "uma_kind": "floating" if "uma_floating" in parameters else "fixed",
        "uma_inclusive": True,
        "rounding_mode": "none",
        "rounding_basis": "diff",
        "rounding_unit": "1",
        "bust_prize_in": "points",
        "chombo_ledger": "total",
    }
    if rules.bust is None or not rules.bust.prize:
        usual |= {"bust_win": "first", "bust_draw": "equal_split", "bust_other": "none"}
    found = {name: value_at(parameters, path) for name, path in PATHS.items()}
    answers = usual | {name: _answer(fields[name], value) for name, value in found.items() if value is not None}
    if "chombo_amount" in answers:
        answers["chombo_amount"] = str(answers["chombo_amount"]).removeprefix("-")
    shares = answers.pop("bust_shares", None)
    if shares is not None:
        answers |= {"bust_draw": shares} if isinstance(shares, str) else {"bust_draw": "rows", "bust_shares": shares}
    for ledger, held in rules.accounts:
        answers |= {f"{ledger}_parts": [str(part) for part in held.parts], f"{ledger}_rounded": held.rounded}
    return answers | {"oka_kind": "auto" if rules.oka is None else "points", "oka_amount": rules.oka}


def _answer(field: forms.Field, value: Any) -> Any:
    if isinstance(field, SomeField):
        return list(value) or [NONE]
    if isinstance(field, PointsField) and isinstance(value, int):
        # A number of chips, not thousandths of a point.
        return str(value)
    return SWITCHES[value] if isinstance(value, bool) and isinstance(field, forms.ChoiceField) else value

"""Rule sets read from and written to plain tables, as TOML and JSON hold them.

Every fault is one sentence that names the parameter.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from scoring.core.points import MAX_POINTS, format_points, parse_points, shown
from scoring.core.rounding import Basis, Mode
from scoring.core.ruleset import (
    EVENLY,
    LEDGER_PARTS,
    BustEnds,
    BustRule,
    ChomboKind,
    ChomboRule,
    DrawShares,
    Fees,
    Fine,
    FloatingUma,
    Ledger,
    LedgerRule,
    Leftover,
    Part,
    Remainder,
    Rounding,
    ScoringRules,
    Split,
    TieAnswer,
    TieRule,
)

Choice = TypeVar("Choice", bound=StrEnum)
Table = Mapping[str, Any]

HUNDRED = 100
"""Sticks come in hundreds."""


class RulesetError(ValueError):
    """Parameters that cannot be read or that contradict each other; `path` names the one to mend."""

    def __init__(self, code: str, path: str, **values: object) -> None:
        self.code = code
        self.path = path
        self.values = {"path": path, **values}
        super().__init__(MESSAGES[code].format(**self.values))


MESSAGES = {
    "unknown_key": "{path}: there is no such parameter",
    "not_a_table": "{path}: a table of parameters is expected here",
    "not_a_list": "{path}: a list is expected here",
    "not_whole": "{path}: {value} is not a whole number",
    "not_points": "{path}: {value} is not a number of points with at most three decimals",
    "not_hundreds": "{path}: {value} is not a multiple of 100",
    "not_a_switch": "{path}: {value} is neither true nor false",
    "not_a_choice": "{path}: {value} is not one of {choices}",
    "out_of_range": "{path}: {value} is not between {low} and {high}",
    "wrong_length": "{path}: {count} values are given, {players} players need {players}",
    "two_umas": "uma, uma_floating: give one of them, not both",
    "return_below_start": "{path}: {value} is below the start points {start}",
    "shares": "{path}: the shares add up to {total}, the prize is {prize}",
    "share_count": "{path}: {count} shares are given for {tenpai} tenpai players",
    "incomplete": "{path}: this is missing",
}


def read_ruleset(parameters: Table) -> ScoringRules:
    """Return the rule set that the parameters describe; a parameter left out stays open.

    `parameters`: as TOML or JSON hold them, points as text or numbers with at most three decimals. Raises RulesetError
    for an unknown, wrong or contradicting one.
    """
    table = _table(parameters, "ruleset")
    _refuse_unknown(table, READERS, "")
    values = {name: reader(table[name], name) for name, reader in READERS.items() if table.get(name) is not None}
    rules = ScoringRules(**values)
    _check(rules)
    return rules


def _check(rules: ScoringRules) -> None:
    if rules.uma is not None and rules.uma_floating is not None:
        raise RulesetError("two_umas", "uma")
    if rules.players is not None:
        _check_lengths(rules, rules.players)
    if rules.return_points is not None and rules.start_points is not None and rules.return_points < rules.start_points:
        raise RulesetError("return_below_start", "return_points", value=rules.return_points, start=rules.start_points)
    if rules.bust is not None and rules.bust.draw_shares is not None:
        _check_shares(rules.bust)


def _check_lengths(rules: ScoringRules, players: int) -> None:
    rows = [("uma", rules.uma)] if rules.uma is not None else []
    if rules.uma_floating is not None:
        rows += [(f"uma_floating.rows.{floaters}", row) for floaters, row in rules.uma_floating.rows]
    for path, row in rows:
        if len(row) != players:
            raise RulesetError("wrong_length", path, count=len(row), players=players)


def _check_shares(bust: BustRule) -> None:
    for tenpai, shares in bust.draw_shares or ():
        path = f"bust.draw_shares.{tenpai}"
        if len(shares) != tenpai:
            raise RulesetError("share_count", path, count=len(shares), tenpai=tenpai)
        if sum(shares) != bust.prize:
            as_text = format_points if bust.prize_in == "points" else str
            raise RulesetError("shares", path, total=as_text(sum(shares)), prize=as_text(bust.prize))


# --- Single values ---------------------------------------------------------------------------------------------------


def _table(value: object, path: str) -> Table:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise RulesetError("not_a_table", path)
    return value


def _list(value: object, path: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise RulesetError("not_a_list", path)
    return value


def _refuse_unknown(table: Table, known: object, path: str) -> None:
    for key in table:
        if key not in known:  # type: ignore[operator]
            raise RulesetError("unknown_key", f"{path}.{key}" if path else key)


_WHOLE = re.compile(r"[+-]?[0-9]{1,11}")


def _whole(value: object, path: str) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RulesetError("not_whole", path, value=shown(value))
    return value


def _between(low: int, high: int) -> Callable[[object, str], int]:
    def read(value: object, path: str) -> int:
        number = _whole(value, path)
        if not low <= number <= high:
            raise RulesetError(
                "out_of_range", path, value=number if abs(number) < MAX_POINTS else shown(number), low=low, high=high
            )
        return number

    return read


def _sticks(low: int, high: int) -> Callable[[object, str], int]:
    inside = _between(low, high)

    def read(value: object, path: str) -> int:
        number = inside(value, path)
        if number % HUNDRED:
            raise RulesetError("not_hundreds", path, value=number)
        return number

    return read


def _points(value: object, path: str) -> int:
    try:
        return parse_points(value)
    except ValueError as error:
        raise RulesetError("not_points", path, value=shown(value)) from error


def _positive_points(value: object, path: str) -> int:
    points = _points(value, path)
    if points < 0:
        raise RulesetError("out_of_range", path, value=format_points(points), low=0, high="∞")
    return points


def _row(value: object, path: str) -> tuple[int, ...]:
    return tuple(_points(entry, f"{path}[{place}]") for place, entry in enumerate(_list(value, path)))


def _switch(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise RulesetError("not_a_switch", path, value=shown(value))
    return value


def _choice(choices: type[Choice], *allowed: Choice) -> Callable[[object, str], Choice]:
    known = allowed or tuple(choices)

    def read(value: object, path: str) -> Choice:
        for choice in known:
            if value == choice.value:
                return choice
        raise RulesetError("not_a_choice", path, value=shown(value), choices=", ".join(known))

    return read


def _word(*allowed: str) -> Callable[[object, str], str]:
    def read(value: object, path: str) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise RulesetError("not_a_choice", path, value=shown(value), choices=", ".join(allowed))
        return value

    return read


# --- Tables ----------------------------------------------------------------------------------------------------------


def _fields(value: object, path: str, readers: Mapping[str, Callable[[Any, str], Any]]) -> dict[str, Any]:
    table = _table(value, path)
    _refuse_unknown(table, readers, path)
    return {
        name: reader(table[name], f"{path}.{name}") for name, reader in readers.items() if table.get(name) is not None
    }


def _complete(fields: dict[str, Any], path: str, *needed: str) -> dict[str, Any]:
    for name in needed:
        if name not in fields:
            raise RulesetError("incomplete", f"{path}.{name}")
    return fields


def _oka(value: object, path: str) -> int | None:
    return None if value == "auto" else _points(value, path)


def _floating(value: object, path: str) -> FloatingUma:
    readers = {"threshold": _sticks(-1_000_000, 1_000_000), "inclusive": _switch, "rows": _numbered(_row, 0, 4)}
    fields = _complete(_fields(value, path, readers), path, "threshold", "rows")
    return FloatingUma(fields["threshold"], fields.get("inclusive", True), fields["rows"])


def _numbered(
    reader: Callable[[object, str], tuple[int, ...]], low: int, high: int
) -> Callable[[object, str], tuple[tuple[int, tuple[int, ...]], ...]]:
    """Return a reader of tables whose keys are small numbers, as TOML and JSON write them: as text."""
    numbers = {str(number): number for number in range(low, high + 1)}

    def read(value: object, path: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
        if not isinstance(value, Mapping):
            raise RulesetError("not_a_table", path)
        table = {str(key): row for key, row in value.items()}
        _refuse_unknown(table, numbers, path)
        return tuple(sorted((numbers[key], reader(row, f"{path}.{key}")) for key, row in table.items()))

    return read


def _tie(value: object, path: str) -> TieRule:
    by_rank = _choice(TieAnswer, TieAnswer.SEAT, TieAnswer.SHARED)
    by_points = _choice(TieAnswer, TieAnswer.SEAT, TieAnswer.SPLIT)
    fields = _fields(value, path, {"rank": by_rank, "uma": by_points, "oka": by_points})
    return TieRule(**_complete(fields, path, "rank", "uma", "oka"))


def _split_unit(value: object, path: str) -> int:
    unit = 1 if value == "exact" else _points(value, path)
    if unit <= 0:
        raise RulesetError("out_of_range", path, value=format_points(unit), low="0.001", high="∞")
    return unit


def _split(value: object, path: str) -> Split:
    fields = _fields(value, path, {"unit": _split_unit, "remainder": _choice(Remainder)})
    return Split(**_complete(fields, path, "unit", "remainder"))


def _rounding(value: object, path: str) -> Rounding | None:
    readers = {"mode": _choice(Mode), "basis": _choice(Basis), "unit": _split_unit, "top_absorbs": _switch}
    fields = _complete(_fields(value, path, readers), path, "mode")
    if fields["mode"] is Mode.NONE:
        return None
    _complete(fields, path, "basis")
    return Rounding(fields["mode"], fields["basis"], fields.get("unit", 1000), fields.get("top_absorbs", False))


def _bust(value: object, path: str) -> BustRule:
    table = _table(value, path)
    prize_in = _word("points", "chips")(table.get("prize_in", "points"), f"{path}.prize_in")
    amount = _positive_points if prize_in == "points" else _between(0, 1_000_000)

    def amounts(value: object, path: str) -> tuple[int, ...]:
        return tuple(amount(entry, f"{path}[{place}]") for place, entry in enumerate(_list(value, path)))

    def draw_shares(value: object, path: str) -> DrawShares | None:
        return EVENLY if value == "equal_split" else _numbered(amounts, 1, 3)(value, path) or None

    readers = {
        "ends": _choice(BustEnds),
        "prize": amount,
        "prize_in": _word("points", "chips"),
        "win": _word("first", "split", "each"),
        "draw_shares": draw_shares,
        "other": _word("none", "equal_split", "manual"),
        "illegal_riichi": _switch,
    }
    fields = _complete(_fields(table, path, readers), path, "ends")
    if not fields.get("prize"):
        # Where there is no prize nobody asks who gets it.
        fields = {name: value for name, value in fields.items() if name not in {"win", "other"} and value != EVENLY}
    return BustRule(**fields)


def _chombo(value: object, path: str) -> ChomboRule:
    table = _table(value, path)
    kind = _choice(ChomboKind)(table.get("kind"), f"{path}.kind")
    amount = _penalty if kind is ChomboKind.TOTAL else _sticks(0, 100_000)
    readers = {
        "kind": _choice(ChomboKind),
        "amount": amount,
        "ledger": _word("game", "total"),
        "hand": _word("replay", "ends_game"),
        "dealer": _word("stays", "passes_unless_last"),
        "deposits_back": _switch,
    }
    needed = ("amount",) if kind in {ChomboKind.TOTAL, ChomboKind.FLAT_EACH} else ()
    return ChomboRule(**_complete(_fields(table, path, readers), path, *needed))


def _penalty(value: object, path: str) -> int:
    points = _points(value, path)
    if points > 0:
        raise RulesetError("out_of_range", path, value=format_points(points), low="-∞", high=0)
    return points


def _fine(value: object, path: str) -> Fine:
    readers = {"amount": _sticks(0, 100_000), "to": _word("pot")}
    return Fine(**_complete(_fields(value, path, readers), path, "amount"))


def _chips(value: object, path: str) -> int:
    fields: dict[str, int] = _complete(_fields(value, path, {"value": _points}), path, "value")
    return fields["value"]


def _fees(value: object, path: str) -> Fees:
    return Fees(**_fields(value, path, {"game": _positive_points, "top": _positive_points}))


def _ledgers(value: object, path: str) -> tuple[tuple[Ledger, LedgerRule], ...]:
    readers = {ledger.value: _ledger for ledger in Ledger}
    fields = _complete(_fields(value, path, readers), path, *readers)
    return tuple((ledger, fields[ledger.value]) for ledger in Ledger)


def _ledger(value: object, path: str) -> LedgerRule:
    fields = _complete(_fields(value, path, {"parts": _parts, "rounded": _switch}), path, "parts")
    return LedgerRule(fields["parts"], fields.get("rounded", False))


def _parts(value: object, path: str) -> frozenset[Part]:
    part = _choice(Part, *LEDGER_PARTS)
    return frozenset(part(name, f"{path}[{number}]") for number, name in enumerate(_list(value, path)))


READERS: dict[str, Callable[[Any, str], Any]] = {
    "players": _between(3, 4),
    "start_points": _sticks(0, 1_000_000),
    "return_points": _sticks(0, 1_000_000),
    "score_basis": _word("points", "placement"),
    "oka": _oka,
    "uma": _row,
    "uma_floating": _floating,
    "tie": _tie,
    "split": _split,
    "rounding": _rounding,
    "leftover": _choice(Leftover),
    "below_zero_floor": _sticks(-1_000_000, 0),
    "bust": _bust,
    "chombo": _chombo,
    "fine": _fine,
    "lend_below_zero": _sticks(0, 1_000_000),
    "chips": _chips,
    "fees": _fees,
    "ledgers": _ledgers,
}

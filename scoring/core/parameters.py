"""Reads rule sets from plain tables, as loaded from TOML and JSON.

Each error is one sentence naming the parameter.
"""

from collections.abc import Callable, Mapping

from scoring.core.house import read_house
from scoring.core.points import format_points
from scoring.core.reading import (
    Reader,
    RulesetError,
    Table,
    between,
    choice,
    complete,
    fields_of,
    list_of,
    points_of,
    points_row,
    positive_points,
    refuse_unknown,
    sticks,
    switch,
    table_of,
    word,
)
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


def read_ruleset(parameters: Table) -> ScoringRules:
    """Return the rule set described by the parameters. Omitted parameters remain undefined.

    `parameters`: a table loaded from TOML or JSON; points as text or numbers with at most three decimals. Raise
    RulesetError for unknown, invalid or contradictory parameters.
    """
    table = table_of(parameters, "ruleset")
    refuse_unknown(table, READERS, "")
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


def _oka(value: object, path: str) -> int | None:
    return None if value == "auto" else points_of(value, path)


def _floating(value: object, path: str) -> FloatingUma:
    readers = {"threshold": sticks(-1_000_000, 1_000_000), "inclusive": switch, "rows": _numbered(points_row, 0, 4)}
    fields = complete(fields_of(value, path, readers), path, "threshold", "rows")
    return FloatingUma(fields["threshold"], fields.get("inclusive", True), fields["rows"])


def _numbered(
    reader: Callable[[object, str], tuple[int, ...]], low: int, high: int
) -> Callable[[object, str], tuple[tuple[int, tuple[int, ...]], ...]]:
    """Return a reader of tables whose keys are small integers, which TOML and JSON store as text."""
    numbers = {str(number): number for number in range(low, high + 1)}

    def read(value: object, path: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
        if not isinstance(value, Mapping):
            raise RulesetError("not_a_table", path)
        table = {str(key): row for key, row in value.items()}
        refuse_unknown(table, numbers, path)
        return tuple(sorted((numbers[key], reader(row, f"{path}.{key}")) for key, row in table.items()))

    return read


def _tie(value: object, path: str) -> TieRule:
    by_rank = choice(TieAnswer, TieAnswer.SEAT, TieAnswer.SHARED)
    by_points = choice(TieAnswer, TieAnswer.SEAT, TieAnswer.SPLIT)
    fields = fields_of(value, path, {"rank": by_rank, "uma": by_points, "oka": by_points})
    return TieRule(**complete(fields, path, "rank", "uma", "oka"))


def _split_unit(value: object, path: str) -> int:
    unit = 1 if value == "exact" else points_of(value, path)
    if unit <= 0:
        raise RulesetError("out_of_range", path, value=format_points(unit), low="0.001", high="∞")
    return unit


def _split(value: object, path: str) -> Split:
    fields = fields_of(value, path, {"unit": _split_unit, "remainder": choice(Remainder)})
    return Split(**complete(fields, path, "unit", "remainder"))


def _rounding(value: object, path: str) -> Rounding | None:
    readers = {"mode": choice(Mode), "basis": choice(Basis), "unit": _split_unit, "top_absorbs": switch}
    fields = complete(fields_of(value, path, readers), path, "mode")
    if fields["mode"] is Mode.NONE:
        return None
    complete(fields, path, "basis")
    return Rounding(fields["mode"], fields["basis"], fields.get("unit", 1000), fields.get("top_absorbs", False))


def _bust(value: object, path: str) -> BustRule:
    table = table_of(value, path)
    prize_in = word("points", "chips")(table.get("prize_in", "points"), f"{path}.prize_in")
    amount = positive_points if prize_in == "points" else between(0, 1_000_000)

    def amounts(value: object, path: str) -> tuple[int, ...]:
        return tuple(amount(entry, f"{path}[{place}]") for place, entry in enumerate(list_of(value, path)))

    def draw_shares(value: object, path: str) -> DrawShares | None:
        return EVENLY if value == "equal_split" else _numbered(amounts, 1, 3)(value, path) or None

    readers = {
        "ends": choice(BustEnds),
        "prize": amount,
        "prize_in": word("points", "chips"),
        "win": word("first", "split", "each"),
        "draw_shares": draw_shares,
        "other": word("none", "equal_split", "manual"),
        "illegal_riichi": switch,
    }
    fields = complete(fields_of(table, path, readers), path, "ends")
    if not fields.get("prize"):
        # Without a prize it does not matter who gets it.
        fields = {name: value for name, value in fields.items() if name not in {"win", "other"} and value != EVENLY}
    return BustRule(**fields)


def _chombo(value: object, path: str) -> ChomboRule:
    table = table_of(value, path)
    kind = choice(ChomboKind)(table.get("kind"), f"{path}.kind")
    amount = _penalty if kind is ChomboKind.TOTAL else sticks(0, 100_000)
    readers = {
        "kind": choice(ChomboKind),
        "amount": amount,
        "ledger": word("game", "total"),
        "hand": word("replay", "ends_game"),
        "dealer": word("stays", "passes_unless_last"),
        "deposits_back": switch,
    }
    needed = ("amount",) if kind in {ChomboKind.TOTAL, ChomboKind.FLAT_EACH} else ()
    return ChomboRule(**complete(fields_of(table, path, readers), path, *needed))


def _penalty(value: object, path: str) -> int:
    points = points_of(value, path)
    if points > 0:
        raise RulesetError("out_of_range", path, value=format_points(points), low="-∞", high=0)
    return points


def _fine(value: object, path: str) -> Fine:
    readers = {"amount": sticks(0, 100_000), "to": word("pot")}
    return Fine(**complete(fields_of(value, path, readers), path, "amount"))


def _chips(value: object, path: str) -> int:
    fields: dict[str, int] = complete(fields_of(value, path, {"value": points_of}), path, "value")
    return fields["value"]


def _fees(value: object, path: str) -> Fees:
    return Fees(**fields_of(value, path, {"game": positive_points, "top": positive_points}))


def _ledgers(value: object, path: str) -> tuple[tuple[Ledger, LedgerRule], ...]:
    readers = {ledger.value: _ledger for ledger in Ledger}
    fields = complete(fields_of(value, path, readers), path, *readers)
    return tuple((ledger, fields[ledger.value]) for ledger in Ledger)


def _ledger(value: object, path: str) -> LedgerRule:
    fields = complete(fields_of(value, path, {"parts": _parts, "rounded": switch}), path, "parts")
    return LedgerRule(fields["parts"], fields.get("rounded", False))


def _parts(value: object, path: str) -> frozenset[Part]:
    part = choice(Part, *LEDGER_PARTS)
    return frozenset(part(name, f"{path}[{number}]") for number, name in enumerate(list_of(value, path)))


READERS: dict[str, Reader] = {
    "players": between(3, 4),
    "start_points": sticks(0, 1_000_000),
    "return_points": sticks(0, 1_000_000),
    "score_basis": word("points", "placement"),
    "oka": _oka,
    "uma": points_row,
    "uma_floating": _floating,
    "tie": _tie,
    "split": _split,
    "rounding": _rounding,
    "leftover": choice(Leftover),
    "below_zero_floor": sticks(-1_000_000, 0),
    "bust": _bust,
    "chombo": _chombo,
    "fine": _fine,
    "lend_below_zero": sticks(0, 1_000_000),
    "chips": _chips,
    "fees": _fees,
    "ledgers": _ledgers,
    "house": read_house,
}

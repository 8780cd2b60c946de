"""Reading and writing of rule sets as plain tables, as loaded from TOML and JSON.

Each error is one sentence naming the parameter.
"""

from typing import Any

from scoring.core.points import format_points
from scoring.core.reading import RulesetError, Table, table_reader, write_table
from scoring.core.ruleset import BustRule, ScoringRules


def read_ruleset(parameters: Table) -> ScoringRules:
    """Return the rule set described by the parameters. Omitted parameters remain undefined.

    `parameters`: a table loaded from TOML or JSON; points as text or numbers with at most three decimals. Raise
    RulesetError for unknown, invalid or contradictory parameters.
    """
    rules: ScoringRules = _read(parameters, "")
    _check(rules)
    return rules


_read = table_reader(ScoringRules)


def write_ruleset(rules: ScoringRules) -> dict[str, Any]:
    """Return a rule set's parameters as JSON: decimals as text, undefined parameters omitted."""
    return write_table(rules)


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

"""What the rows of a game's seats say of its points: columns that scoring derives, in 1/1000 pt."""

from scoring.core import FinishedGame, Ledger, Part, ScoringRules, score

Derived = tuple[int, ...]
"""The values of one seat in the order of COLUMNS."""

COLUMNS = (
    "placement",
    "sharing",
    "is_bust",
    "points",
    "settlement",
    "base",
    "oka",
    "uma",
    "bust",
    "chip_points",
    "other",
    "total_only",
)

PART_COLUMNS = {
    Part.BASE: "base",
    Part.OKA: "oka",
    Part.UMA: "uma",
    Part.BUST: "bust",
    Part.CHIPS: "chip_points",
    Part.FEES: "other",
    Part.PENALTIES: "other",
    Part.LEFTOVER: "base",
    Part.ROUNDING: "base",
    Part.FLOOR: "base",
    Part.GIVEN: "base",
}
"""Where a part of the points is kept."""

_KEPT_APART = tuple(dict.fromkeys(PART_COLUMNS.values()))


def derived(game: FinishedGame, rules: ScoringRules) -> tuple[Derived, ...]:
    """Return the columns of every seat, first dealer first; the parts of the ranking ledger. Raises ScoringError."""
    scored = score(game, rules)
    sums = {column: [0] * game.size for column in _KEPT_APART}
    for part, amounts in scored.parts(Ledger.RANKING).items():
        column = sums[PART_COLUMNS[part]]
        for seat, amount in enumerate(amounts):
            column[seat] += amount
    named = {bust.seat for bust in game.busts}
    busted = [seat in named or rules.is_bust(raw) for seat, raw in enumerate(game.raw)] or [False] * game.size
    order = scored.order
    kept = (sums[column] for column in _KEPT_APART)
    columns = (order.placements, order.sharing, busted, scored.ranking, scored.settlement, *kept, scored.total_only)
    return tuple(zip(*columns, strict=True))

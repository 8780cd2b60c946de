"""What the rows of a game's seats say of its points: columns that scoring derives, in 1/1000 pt."""

from operator import sub

from scoring.core import FinishedGame, Ledger, Part, ScoredGame, ScoringRules, score
from scoring.core.busts import prizes
from scoring.core.ties import rank_points

Amounts = tuple[int, ...]
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

_NOTHING = {3: (0, 0, 0), 4: (0, 0, 0, 0)}
_NOBODY = {3: (False,) * 3, 4: (False,) * 4}


class Derivation:
    """Derives game after game under one rule set; what hangs on the finishing order alone is worked out once."""

    def __init__(self, rules: ScoringRules) -> None:
        held = dict(rules.accounts)[Ledger.RANKING].parts
        self.rules = rules
        self.holds_uma = Part.UMA in held
        self.bust = rules.bust if Part.BUST in held else None
        self.pays_in_points = rules.bust is None or rules.bust.prize_in == "points"
        self.oka = rules.oka_points if Part.OKA in held else 0
        self.shares: dict[object, tuple[Amounts, Amounts]] = {}

    def seats(self, game: FinishedGame) -> tuple[Derived, ...]:
        """Return the columns of every seat, first dealer first; the parts of the ranking ledger. Raises ScoringError.

        Where there are no chips, chombo or fees, all that is not oka, uma or the prize for a bust is base. Points that
        were given as a whole are kept there.
        """
        scored, rules = score(game, self.rules), self.rules
        chips = other = bust = _NOTHING[game.size]
        if game.points:
            base, oka, uma = game.points, chips, chips
        elif game.chips or game.chombo or rules.fees is not None or (game.busts and not self.pays_in_points):
            base, oka, uma, bust, chips, other = _part_by_part(scored)
        else:
            oka, uma = self._rank_points(scored)
            base = tuple(map(sub, map(sub, scored.ranking, oka), uma))
            if game.busts and self.bust is not None:
                bust = prizes(game, self.bust, scored.order)
                base = tuple(map(sub, base, bust))
        order = scored.order
        return tuple(
            zip(
                order.placements,
                order.sharing,
                _busted(game, rules),
                scored.ranking,
                scored.settlement,
                base,
                oka,
                uma,
                bust,
                chips,
                other,
                scored.total_only,
                strict=True,
            )
        )

    def _rank_points(self, scored: ScoredGame) -> tuple[Amounts, Amounts]:
        """Return oka and uma of every seat."""
        order, row = scored.order, self.rules.uma
        if row is None:
            row = scored.scene.row
        known = (order.seats, order.groups, row)
        shares = self.shares.get(known)
        if shares is None:
            held = row if self.holds_uma else _NOTHING[len(row)]
            points = rank_points(order, held, self.oka, self.rules)
            shares = self.shares[known] = (points.oka, points.uma)
        return shares


def _part_by_part(scored: ScoredGame) -> tuple[Amounts, ...]:
    """Return base, oka, uma, bust, chips and the rest, each by seat, as the ranking ledger adds them up."""
    sums = {column: list(_NOTHING[len(scored.ranking)]) for column in _KEPT_APART}
    for part, amounts in scored.accounts[Ledger.RANKING].parts.items():
        column = sums[PART_COLUMNS[part]]
        for seat, amount in enumerate(amounts):
            column[seat] += amount
    return tuple(tuple(sums[column]) for column in _KEPT_APART)


def _busted(game: FinishedGame, rules: ScoringRules) -> tuple[bool, ...]:
    if game.points or (min(game.raw) > 0 and not game.busts):
        return _NOBODY[game.size]
    named = {bust.seat for bust in game.busts}
    return tuple(seat in named or rules.is_bust(raw) for seat, raw in enumerate(game.raw))

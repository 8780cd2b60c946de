from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, repeat

from league.messages import joined
from league.models import Hanchan
from league.selectors.games import game_of
from scoring.core import Ledger, PointsLine, RulesetError, ScoredGame, ScoredSeat, ScoringError, score
from scoring.core.hanchan import STICK
from scoring.core.ruleset import TieRule


@dataclass(frozen=True, slots=True)
class TiedSeats:
    """Seats with equal raw scores, nearest to the first dealer first, and the rule that they are placed and paid by.

    `oka` is in 1/1000 pt, 0 if the tie is not for first place.
    """

    seats: tuple[int, ...]
    raw: int
    place: int
    rule: TieRule | None
    has_uma: bool
    oka: int
    names: tuple[str, ...]

    @property
    def first(self) -> str:
        """The tied player closest to the first dealer."""
        return self.names[0]

    @property
    def everybody(self) -> str:
        """The tied players' names, joined for a sentence."""
        return joined(self.names)

    @property
    def neighbours(self) -> tuple[tuple[int, str, str], ...]:
        """Adjacent tied players who can swap seats, as (first seat, name, other name)."""
        pairs = zip(self.seats, self.names, self.seats[1:], self.names[1:], strict=False)
        return tuple((seat, name, other) for seat, name, following, other in pairs if following == seat + 1)


Lines = list[tuple[PointsLine, int]]
"""The lines of a calculation, each with the subtotal in 1/1000 pt."""


@dataclass(frozen=True)
class ExplainedHanchan:
    """A hanchan with its scoring explained; `names` by seat."""

    scored: ScoredGame
    names: Sequence[str]

    @cached_property
    def has_two_accounts(self) -> bool:
        """Whether ranking and settlement differ in parts or rounding."""
        ranking, settlement = self.scored.accounts.values()
        return ranking.rule != settlement.rule

    @property
    def has_wrong_total(self) -> bool:
        """Whether a wrong total was accepted; the rules alone can also cause a sum other than 0."""
        game, rules = self.scored.game, self.scored.scene.rules
        expected = len(game.raw) * (rules.start_points or 0)
        return game.as_is and (bool(game.points) or sum(game.raw) + STICK * game.sticks_left != expected)

    @property
    def sum(self) -> int:
        """The sum of the ranking points in 1/1000 pt."""
        return sum(self.scored.ranking)

    @cached_property
    def ties(self) -> tuple[TiedSeats, ...]:
        """The ties, best placement first."""
        # If points were entered directly, no tie rule applied.
        groups = () if self.scored.game.points else self.scored.order.groups
        return tuple(_tie(self.scored, group, self.names) for group in groups)

    @property
    def seats(self) -> Iterator[tuple[str, int | None, ScoredSeat, list[tuple[Ledger, Lines, int]]]]:
        """Each seat with its name, raw score, and calculations: both ledgers with their points, one if they are equal."""
        ledgers = [*Ledger] if self.has_two_accounts else [Ledger.RANKING]
        for name, raw, seat in zip(self.names, self.scored.game.raw or repeat(None), self.scored.seats, strict=False):
            breakdown, points = seat.breakdown, seat.points
            yield name, raw, seat, [(ledger, _with_sums(breakdown[ledger]), points[ledger]) for ledger in ledgers]


def _with_sums(lines: Sequence[PointsLine]) -> Lines:
    return [*zip(lines, accumulate(line.points for line in lines), strict=True)]


def _tie(scored: ScoredGame, group: tuple[int, int], names: Sequence[str]) -> TiedSeats:
    seats, rules = scored.order.tied(group), scored.scene.rules
    return TiedSeats(
        seats=seats,
        raw=scored.scene.game.raw[seats[0]],
        place=group[0] + 1,
        rule=rules.tie,
        has_uma=any(scored.scene.row[group[0] : sum(group)]),
        oka=rules.oka_points if group[0] == 0 else 0,
        names=tuple(names[seat] for seat in seats),
    )


def explained_hanchan(hanchan: Hanchan, names: Sequence[str]) -> ExplainedHanchan | None:
    """Return how a stored hanchan was scored, or None if its rules cannot be read."""
    try:
        return ExplainedHanchan(score(game_of(hanchan), hanchan.ruleset_version.read()), names)
    except (RulesetError, ScoringError):
        return None

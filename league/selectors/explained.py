from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from league.messages.sessions import listed
from league.models import Hanchan
from league.selectors.games import game_of
from scoring.core import Ledger, PointsLine, RulesetError, ScoredGame, ScoringError, score
from scoring.core.hanchan import STICK
from scoring.messages import reason_sentence


@dataclass(frozen=True, slots=True)
class TiedSeats:
    """Seats with equal raw scores, nearest to the first dealer first, and how the rules treat rank, uma and oka.

    `oka` is in 1/1000 pt, 0 if the tie is not for first place.
    """

    seats: tuple[int, ...]
    raw: int
    place: int
    is_shared: bool
    has_uma: bool
    splits_uma: bool
    oka: int
    splits_oka: bool
    names: tuple[str, ...]

    @property
    def first(self) -> str:
        """The tied player closest to the first dealer."""
        return self.names[0]

    @property
    def everybody(self) -> str:
        """The tied players' names, joined for a sentence."""
        return listed(self.names)

    @property
    def neighbours(self) -> tuple[tuple[int, str, str], ...]:
        """Adjacent tied players who can swap seats, as (first seat, name, other name)."""
        pairs = zip(self.seats, self.names, self.seats[1:], self.names[1:], strict=False)
        return tuple((seat, name, other) for seat, name, following, other in pairs if following == seat + 1)


@dataclass(frozen=True, slots=True)
class CalculationStep:
    """One line of a calculation with the sentence of its rule; `running` is the subtotal in 1/1000 pt."""

    line: PointsLine
    sentence: str
    running: int


@dataclass(frozen=True, slots=True)
class AccountOfSeat:
    ledger: Ledger
    points: int
    steps: tuple[CalculationStep, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on the calculation, with the rule parameter it follows from."""

    sentence: str
    clause: str


@dataclass(frozen=True, slots=True)
class ExplainedSeat:
    """One player's calculation from raw score to points, for each ledger if they differ.

    `remarks` explain effects outside these points, such as a chombo deducted from the total.
    """

    number: int
    name: str
    placement: int
    raw: int | None
    remarks: tuple[Remark, ...]
    accounts: tuple[AccountOfSeat, ...]


@dataclass(frozen=True, slots=True)
class ExplainedHanchan:
    """A hanchan with its scoring explained. `sums`: ledger → total in 1/1000 pt."""

    scored: ScoredGame
    ties: tuple[TiedSeats, ...]
    seats: tuple[ExplainedSeat, ...]
    sums: dict[str, int]

    @property
    def has_two_accounts(self) -> bool:
        """Whether ranking and settlement differ."""
        return has_two_accounts(self.scored)

    @property
    def has_wrong_total(self) -> bool:
        """Whether a wrong total was accepted; the rules alone can also cause a sum other than 0."""
        game, rules = self.scored.game, self.scored.scene.rules
        expected = len(game.raw) * (rules.start_points or 0)
        return game.as_is and (bool(game.points) or sum(game.raw) + STICK * game.sticks_left != expected)


def has_two_accounts(scored: ScoredGame) -> bool:
    """Return whether ranking and settlement differ in parts or rounding."""
    ranking, settlement = scored.accounts.values()
    return ranking.rule != settlement.rule


def ties_of(scored: ScoredGame, names: Sequence[str]) -> tuple[TiedSeats, ...]:
    """Return the ties of a game, best placement first; `names` by seat."""
    # If points were entered directly, no tie rule applied.
    return () if scored.game.points else tuple(_tie(scored, group, names) for group in scored.order.groups)


def _tie(scored: ScoredGame, group: tuple[int, int], names: Sequence[str]) -> TiedSeats:
    seats, rules = scored.order.tied(group), scored.scene.rules
    answers = rules.tie
    return TiedSeats(
        seats=seats,
        raw=scored.scene.game.raw[seats[0]],
        place=group[0] + 1,
        is_shared=answers is not None and answers.rank == "shared",
        has_uma=any(scored.scene.row[group[0] : sum(group)]),
        splits_uma=answers is not None and answers.uma == "split",
        oka=rules.oka_points if group[0] == 0 else 0,
        splits_oka=answers is not None and answers.oka == "split",
        names=tuple(names[seat] for seat in seats),
    )


def explained_game(scored: ScoredGame, names: Sequence[str]) -> ExplainedHanchan:
    """Return the full calculation of a scored game; `names` by seat."""
    two = has_two_accounts(scored)
    seats = tuple(
        ExplainedSeat(
            number,
            names[number],
            seat.placement,
            scored.scene.game.raw[number] if scored.scene.game.raw else None,
            tuple(Remark(reason_sentence(remark, names), remark.clause) for remark in seat.remarks),
            tuple(
                AccountOfSeat(ledger, seat.points[ledger], _steps(lines, names))
                for ledger, lines in seat.breakdown.items()
                if two or ledger is Ledger.RANKING
            ),
        )
        for number, seat in enumerate(scored.seats)
    )
    sums = {ledger.value: sum(account.points) for ledger, account in scored.accounts.items()}
    return ExplainedHanchan(scored, ties_of(scored, names), seats, sums)


def _steps(lines: Sequence[PointsLine], names: Sequence[str]) -> tuple[CalculationStep, ...]:
    sums = accumulate(line.points for line in lines)
    return tuple(
        CalculationStep(line, reason_sentence(line.reason, names), running)
        for line, running in zip(lines, sums, strict=True)
    )


def explained_hanchan(hanchan: Hanchan, names: Sequence[str]) -> ExplainedHanchan | None:
    """Return how a stored hanchan was scored, or None if its rules cannot be read."""
    try:
        return explained_game(score(game_of(hanchan), hanchan.ruleset_version.read()), names)
    except (RulesetError, ScoringError):
        return None

"""The players of a stored board with whom a player's figures are compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from league.core.board_lines import TWELFTHS
from league.core.periods import Period
from league.models import League, Standing
from league.selectors.standings_sql import minimum_for, points_column
from stats.core.estimates import Estimate, Quotient, Sample, percentile, prior_of
from stats.core.statistics import PROVISIONAL_BELOW


class Peer(NamedTuple):
    """The columns of a Standing that are compared between players."""

    player: int
    hanchan: int
    first: int
    second: int
    third: int
    fourth: int
    sums_hanchan: int
    sums_placed: int
    busts: int
    plus: int
    points: int

    @property
    def placed(self) -> int:
        return self.hanchan + self.sums_placed

    @property
    def sample(self) -> Sample:
        """The placements, times twelve. A shared placement counts in equal parts for each place it covers."""
        places = (self.first, self.second, self.third, self.fourth)
        return Sample(
            self.placed,
            sum(place * parts for place, parts in enumerate(places, start=1)),
            TWELFTHS * sum(place * place * parts for place, parts in enumerate(places, start=1)),
        )


FIGURES: Mapping[str, Callable[[Peer], Quotient]] = {
    "average_placement": lambda peer: (-peer.sample.total, peer.placed),
    "average_points": lambda peer: (peer.points, peer.hanchan),
    "first": lambda peer: (peer.first, peer.placed),
    "top_two": lambda peer: (peer.first + peer.second, peer.placed),
    "not_last": lambda peer: (-peer.fourth, peer.placed),
    "plus": lambda peer: (peer.plus, peer.hanchan),
    "busts": lambda peer: (-peer.busts, peer.hanchan),
}
"""Figures compared between players; higher is better."""


@dataclass(frozen=True, slots=True)
class PeerView:
    """A player's place among the others. `enough`: number of players who reach the `minimum`, including this one.

    `percentiles`: by figure, empty below the minimum. `strength`: estimated average placement, None if it cannot be
    told from luck.
    """

    minimum: int = PROVISIONAL_BELOW
    enough: int = 0
    percentiles: Mapping[str, Fraction] = field(default_factory=dict)
    strength: Estimate | None = None


def peer_view(league: League, period: Period, player: int) -> PeerView:
    """Return a player's place among the others on a stored board; empty for a custom range. One query."""
    lines = Standing.objects.filter(league=league, period=period.key).order_by()
    rows = lines.values_list("player_id", *Peer._fields[1:-1], points_column(league))
    peers = [peer for row in rows if (peer := Peer._make(row)).hanchan]
    minimum = max(PROVISIONAL_BELOW, minimum_for(league, period))
    own = next((peer for peer in peers if peer.player == player), None)
    enough = [peer for peer in peers if peer.hanchan >= minimum]
    return PeerView(minimum, len(enough), _percentiles(own, enough), _strength(own, peers))


def _percentiles(own: Peer | None, enough: Sequence[Peer]) -> dict[str, Fraction]:
    """Return the share of qualified players who do worse, by figure; empty below the minimum or without others."""
    if own not in enough or own is None or len(enough) < 2:
        return {}
    found = ((name, percentile(figure(own), map(figure, enough))) for name, figure in FIGURES.items())
    return {name: share for name, share in found if share is not None}


def _strength(own: Peer | None, peers: Sequence[Peer]) -> Estimate | None:
    prior = prior_of([peer.sample for peer in peers]) if own else None
    if own is None or prior is None:
        return None
    value, error, weight = prior.estimate(own.sample)
    return Estimate(value / TWELFTHS, error / TWELFTHS, weight)

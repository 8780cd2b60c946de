"""What is believed of hanchan to come: what places bring, and who is stronger."""

from collections.abc import Mapping
from functools import cached_property
from itertools import groupby
from math import sqrt
from operator import itemgetter

from league.models import Hanchan, RulesetVersion, Seat
from scoring.core import ScoringRules
from stats.core.ratings.blocks import unpacked
from stats.core.ratings.skill import BETA_SQUARED, MIN_HANCHAN, MU, SIGMA
from stats.selectors.ratings import latest_blocks
from tournaments.core.facts import Participant
from tournaments.core.format import Stage
from tournaments.core.odds.bank import Bank
from tournaments.selectors.seating import SessionSeating, session_seatings
from tournaments.selectors.state import CurrentState

BANK = 300
"""So many of a league's latest hanchan say what places bring."""


class Knowledge:
    """What a page knows of the play of a tournament: rules, seats, results and strengths, each asked for once, when first needed.

    `seatings`: who sits with whom in its sessions, where the page has asked already.
    """

    def __init__(self, current: CurrentState, seatings: tuple[SessionSeating, ...] | None = None) -> None:
        self.current = current
        self._seatings = seatings
        self._banks: dict[int, Bank] = {}

    @cached_property
    def _own_rules(self) -> dict[str, RulesetVersion]:
        return self.current.tournament.rules_by_stage()

    def rules_of(self, stage: Stage) -> RulesetVersion:
        """Return what a stage is played by: its own rules, else those of the tournament. One query for all stages."""
        return self._own_rules.get(stage.key, self.current.tournament.ruleset_version)

    @cached_property
    def seatings(self) -> tuple[SessionSeating, ...]:
        """The sessions of the tournament with their seats. Two queries, and one for players who did not enter."""
        return session_seatings(self.current) if self._seatings is None else self._seatings

    def bank_of(self, version: RulesetVersion, rules: ScoringRules) -> Bank:
        """Return what the latest hanchan under these rules brought to their places. One query for each version."""
        if version.pk not in self._banks:
            self._banks[version.pk] = bank_of(version, rules)
        return self._banks[version.pk]

    @cached_property
    def strengths(self) -> dict[Participant, float]:
        """How strong the players are, by primary key of the entry; who is not known is missing. One query."""
        return strengths_of(self.current)


def bank_of(version: RulesetVersion, rules: ScoringRules) -> Bank:
    """Return what the latest hanchan under these rules brought to their places. One query."""
    latest = Hanchan.objects.counted().filter(ruleset_version=version).order_by("-played_at", "-pk").values("pk")[:BANK]
    seats = Seat.objects.filter(hanchan_id__in=latest).order_by("hanchan_id").values_list("hanchan_id", "points")
    rows = (tuple(sorted((points for _, points in table), reverse=True)) for _, table in groupby(seats, itemgetter(0)))
    return tuple(row for row in rows if len(row) == rules.players)


def strengths_of(current: CurrentState) -> dict[Participant, float]:
    """Return how strong the players of a tournament are as Plackett and Luce take it, by primary key of the entry. One query.

    From the rating that knows how sure it is, drawn towards 0, which is everybody's before they played: by what is not known of
    the player, and by the luck of a hanchan. Who has played too little for a rating, or has none, is missing.
    """
    entry_of = {entry.player.pk: pk for pk, entry in current.entries.items()}
    found: dict[Participant, float] = {}
    for player, number, content in latest_blocks(entry_of).values_list("player", "number", "content"):
        *_, newest = unpacked(number, bytes(content))
        if newest.nth + 1 >= MIN_HANCHAN:
            found[entry_of[player]] = strength(*newest.belief)
    return found


def strength(mu: float, sigma: float) -> float:
    known = 1 - (sigma / SIGMA) ** 2
    return known * (mu - MU) / sqrt(4 * (BETA_SQUARED + sigma * sigma))


def names_of_strengths(strengths: Mapping[Participant, float]) -> dict[str, float]:
    return {str(pk): value for pk, value in strengths.items()}

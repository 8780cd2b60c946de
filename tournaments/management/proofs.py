"""Check that cached tournament states equal those derived from facts."""

from collections.abc import Iterator

from django.core.cache import cache

from league.models import League
from league.services.proofs.values import Difference, Proof, ProofTally
from tournaments.http.pages import kept_state
from tournaments.models import Tournament
from tournaments.selectors.state import state_of, tournaments_of


def check_tournaments(league: League, tally: ProofTally) -> Iterator[Difference]:
    for tournament in reversed(tournaments_of(league)):
        tournament.league = league
        right = state_of(tournament).state
        rankings = [
            (each.stage.key, ranking.block, ranking.lines) for each in right.stages for ranking in each.rankings
        ]
        tally.add(tournament.pk, rankings, right.final_ranks)
        row = f"tournament {tournament.pk}"
        if kept_state(tournament).state != right:
            yield Difference(row, "kept state", "another one", None, why="differs from the one derived from its facts")
        yield from _strangers(row, tournament)


def _strangers(row: str, tournament: Tournament) -> Iterator[Difference]:
    entered = set(tournament.entries.values_list("pk", flat=True))
    for decision in tournament.decisions.order_by("pk"):
        unknown = sorted(pk for pk in set(decision.entries()) - entered if pk > 0)
        if unknown:
            where = f"{row} decision {decision.pk}"
            yield Difference(where, "entries", unknown, None, is_fact=True, why="who did not enter this tournament")


TOURNAMENTS = Proof("tournaments", "tournaments", check_tournaments, lambda _league: cache.clear())

"""What the history and what people said were chained as is what stands there."""

from collections.abc import Iterator

from league.models import ChainLink, League
from league.selectors.chain import check_chain
from league.services.chain import chain_history
from league.services.proofs.values import Difference, Proof, ProofTally


def check_history(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield where the chained history is not as it was chained; what waits is chained before."""
    chain_history(league.pk)
    for fault in check_chain(league):
        yield Difference("history", "chain", "", "", is_fact=True, why=str(fault))
    # The heads are others wherever what waited was chained at another moment; what they chain is the same.
    for facts in ChainLink.objects.filter(league=league).order_by("number").values_list("facts", flat=True).iterator():
        for kind, number in facts:
            tally.add(kind, number)


HISTORY = Proof("history", "facts", check_history)

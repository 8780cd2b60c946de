"""The proofs of a league, in the order in which they depend on each other, and the proof of sort keys."""

from collections.abc import Iterator

from league.core.name_order import name_order
from league.models import League, Player
from league.models.editions import raise_edition
from league.services.proofs.boards import BOARDS
from league.services.proofs.facts import FACTS
from league.services.proofs.photos import PHOTOS
from league.services.proofs.scores import SCORES
from league.services.proofs.values import Difference, Proof, ProofTally

AT_ONCE = 500


def check_names(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield players whose sort key is outdated, as after a change of the sorting rules."""
    for player, place in _places(league):
        tally.add(player.pk, place)
        if player.sort_key != place:
            yield Difference(f"player {player.pk}", "sort_key", player.sort_key, place)


def repair_names(league: League) -> None:
    late = []
    for player, place in _places(league):
        if player.sort_key != place:
            player.sort_key = place
            late.append(player)
    Player.objects.bulk_update(late, ["sort_key"], AT_ONCE)
    raise_edition(league.pk)


def _places(league: League) -> Iterator[tuple[Player, str]]:
    players = Player.objects.filter(league=league).order_by("pk").only("name", "kana", "romanised", "sort_key")
    for player in players.iterator(AT_ONCE):
        yield player, name_order(player.name, player.kana, player.romanised)


NAMES = Proof("names", "players", check_names, repair_names)

proofs: list[Proof] = [FACTS, SCORES, BOARDS, NAMES, PHOTOS]
"""All proofs; other apps append theirs when loaded."""

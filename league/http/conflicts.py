"""What a page says where somebody else corrected a hanchan first."""

from dataclasses import dataclass

from league.messages import plain_name
from league.models import Hanchan, Player, Revision
from league.selectors.conflicts import ConflictingFact, clashes, last_change, named, people_among, state_at
from league.selectors.games import snapshot_of
from league.services.results import HanchanResult, TableAndTime
from league.services.versions import as_typed


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody else was quicker: who and when, and every fact that is now said in two ways."""

    by: Revision | None
    clashes: tuple[ConflictingFact, ...]


def conflict_with(current: Hanchan, seen: int, result: HanchanResult, table_and_time: TableAndTime) -> Conflict:
    """Return what was there at the version that was seen, what stands now, and what is typed here."""
    before, theirs = state_at(current, seen), snapshot_of(current)
    ours = as_typed(current, result, table_and_time)
    found = clashes(before, theirs, ours) if before else ()
    names = {pk: plain_name(player) for pk, player in Player.objects.in_bulk(people_among(found)).items()}
    names |= {player.pk: plain_name(player) for player in result.players}
    return Conflict(last_change(current), named(found, names, dict(enumerate(map(plain_name, result.players)))))

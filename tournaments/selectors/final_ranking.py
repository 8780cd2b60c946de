"""The final ranking of a tournament, and its champions."""

from dataclasses import dataclass

from tournaments.core.format import Fill
from tournaments.core.state import TakenPlace
from tournaments.messages.places import place_label
from tournaments.messages.ranks import unranked_words
from tournaments.messages.titles import stage_name
from tournaments.models import Entry
from tournaments.selectors.state import CurrentState


@dataclass(frozen=True, slots=True)
class FinalRankingLine:
    """Where somebody came in the end. `where`: the stage or outcome they got to, in words; `mark`: why they have no rank."""

    rank: int
    entry: Entry
    where: str
    mark: str = ""


def final_ranking(current: CurrentState) -> list[FinalRankingLine]:
    """Return who came where; empty until the last stage is decided."""
    format_ = current.state.format
    found = []
    for each in current.state.final_ranks:
        stage = format_.stage(each.stage)
        by_class = stage.fill is Fill.ORDER and len(stage.blocks) > 1
        place = TakenPlace(each.participant, each.stage, each.block if by_class else "", each.position)
        where = place_label(place, format_) if by_class else stage_name(stage)
        found.append(
            FinalRankingLine(each.rank, current.entries[int(each.participant)], where, unranked_words(each.unranked))
        )
    return found


def champions(current: CurrentState) -> list[Entry]:
    if not current.state.is_over:
        return []
    return [each.entry for each in final_ranking(current) if each.rank == 1]

"""The standings of a block as a page shows them: lines, cuts, and the reason of every broken tie."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from scoring.messages.decisions import decision_sentence
from tournaments.core.facts import Participant
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import StageProgress
from tournaments.messages.places import cut_label, destination_label
from tournaments.messages.titles import block_name
from tournaments.models import Entry
from tournaments.selectors.names import names_of, reader_name
from tournaments.selectors.state import CurrentState


@dataclass(frozen=True, slots=True)
class BlockStandingsRow:
    """A line of a block. `cut`: what the line drawn below it is called; `reason_number`: the number of the reason below."""

    line: RankingLine
    entry: Entry
    advances_to: str
    cut: str
    reason_number: int | None
    approved: bool = False


@dataclass(frozen=True, slots=True)
class BlockStandings:
    """A block as a page shows it. `reasons`: sentences on broken ties, in the order of their numbers."""

    key: str
    title: str
    rows: tuple[BlockStandingsRow, ...]
    reasons: tuple[str, ...]
    undecided: tuple[str, ...]
    shown_parts: frozenset[str]
    complete: bool
    has_cuts: bool
    has_paths: bool

    @property
    def span(self) -> int:
        return 5 + len(self.shown_parts) + 2 * self.has_cuts + self.has_paths


def block_standings(current: CurrentState, progress: StageProgress) -> tuple[BlockStandings, ...]:
    return tuple(_block_standings(current, progress, ranking) for ranking in progress.rankings if ranking.lines)


def _block_standings(current: CurrentState, progress: StageProgress, ranking: BlockRanking) -> BlockStandings:
    reasons: list[str] = []
    cuts = {cut.after: cut_label(cut, current.state.format) for cut in ranking.cuts}
    approved = decided_players(progress)
    rows = []
    for line, below in zip(ranking.lines, (*ranking.lines[1:], None), strict=True):
        why = _why(current, line, below)
        if why:
            reasons.append(why)
        rows.append(
            BlockStandingsRow(
                line=line,
                entry=current.entries[int(line.participant)],
                advances_to=destination_label(_destination(progress, line), current.state.format),
                cut=cuts.get(line.position, "") if ranking.started else "",
                reason_number=len(reasons) if why else None,
                approved=line.participant in approved,
            )
        )
    parts = ("carried", "bonus", "chombo", "other_points")
    return BlockStandings(
        key=ranking.block,
        title=block_name(ranking.block) if len(progress.stage.blocks) > 1 else "",
        rows=tuple(rows),
        reasons=tuple(reasons),
        undecided=tuple(_undecided(current, ranking)),
        shown_parts=frozenset(part for part in parts if any(getattr(line, part) for line in ranking.lines)),
        complete=ranking.complete,
        has_cuts=bool(ranking.cuts) and ranking.started,
        has_paths=bool(progress.paths) and ranking.started,
    )


def _destination(progress: StageProgress, line: RankingLine) -> str | None:
    """Return where somebody goes: as decided where that is decided, else as it would be if it ended now."""
    for path in progress.paths:
        if path.decision and line.participant in path.decision.players:
            return path.to
    decided = {path.to for path in progress.paths if path.decision}
    return None if line.advances_to in decided else line.advances_to


def _why(current: CurrentState, line: RankingLine, below: RankingLine | None) -> str:
    if line.decided_by is None or below is None:
        return ""
    names = [reader_name(current.player(each.participant)) for each in (line, below)]
    return decision_sentence(line.decided_by, *names)


def _undecided(current: CurrentState, ranking: BlockRanking) -> Iterator[str]:
    undecided = {line.participant for line in ranking.lines if line.undecided}
    for group in ranking.level:
        if undecided & set(group):
            yield _("%(names)s are level, and no rule separates them. Before a line runs between them, an organiser decides.") % {
                "names": names_of(current, group)
            }  # fmt: skip


def decided_players(progress: StageProgress) -> set[Participant]:
    return {participant for path in progress.paths if path.decision for participant in path.decision.players}

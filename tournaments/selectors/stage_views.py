"""Stages on tournament pages: standings, places, final ranking, and the list of tournaments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise

from django.db.models import Max, Q
from django.utils.translation import gettext as _

from league.messages import exact_name
from league.models import League
from scoring.messages.decisions import decision_sentence
from scoring.messages.numbers import sentences
from tournaments.core.facts import Participant
from tournaments.core.format import Destination, Entrants, Fill, Outcome, RankBy, Stage
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import AdvancementPath, StageProgress, StageState
from tournaments.messages import titles
from tournaments.messages.moves import moves_on
from tournaments.models import Entry, StageSession, Tournament
from tournaments.selectors.state import CurrentState, absent, mark_of, names_of, reader_name

SEEN_AT_ONCE = 8

CHAMPION_FOR = timedelta(days=14)
"""For this long after the last session the league's home names the champion."""


@dataclass(frozen=True, slots=True)
class BlockStandingsRow:
    """A row of standings. `cut`: label of the line drawn below it; `reason_number`: number of its tie-break reason."""

    line: RankingLine
    entry: Entry
    mark: str
    advances_to: str
    cut: str
    reason_number: int | None
    approved: bool = False


@dataclass(frozen=True, slots=True)
class BlockStandings:
    """Standings of a block.

    `reasons`: sentences on broken ties, numbered from 1; `notes`: other sentences on them. `is_blank`: no one has points.
    `is_uneven`: not all are to play as many hanchan. `absent`: names of those who withdrew before their first.
    """

    key: str
    title: str
    rows: tuple[BlockStandingsRow, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    shown_parts: frozenset[str]
    has_cuts: bool
    has_paths: bool
    is_complete: bool
    is_blank: bool
    is_uneven: bool
    absent: str

    @property
    def edges(self) -> list[tuple[BlockStandingsRow, BlockStandingsRow]]:
        """The last row above and the first below each cut line, where there are too many rows to see them at once."""
        return [(row, below) for row, below in pairwise(self.rows) if row.cut] if len(self.rows) > SEEN_AT_ONCE else []

    @property
    def span(self) -> int:
        return 4 + len(self.shown_parts) + 2 * self.has_cuts + self.has_paths


def _block_standings(current: CurrentState, progress: StageProgress, ranking: BlockRanking) -> BlockStandings:
    reasons: list[str] = []
    ranking = ranking.as_listed
    cuts = {cut.after: titles.cut_label(cut, current.state.format) for cut in ranking.cuts}
    approved, passed = decided_players(progress.paths), _passed_on(current, progress, ranking)
    ways = [path.decision for path in current.state.paths_into(progress.stage.key) if path.decision]
    came = {each for way in ways for each in way.added} & {each.successor for each in current.facts.withdrawals}
    rows = []
    for line, below in zip(ranking.lines, (*ranking.lines[1:], None), strict=True):
        names = [reader_name(current.player(each.participant)) for each in (line, below) if each]
        why = decision_sentence(line.decided_by, *names) if below else ""
        if why:
            reasons.append(why)
        rows.append(
            BlockStandingsRow(
                line=line,
                entry=current.entries[int(line.participant)],
                mark=mark_of(current, line)
                or (_("moved up") if line.participant in came else passed.get(line.participant, "")),
                advances_to=_advances_to(current, progress, line, passed),
                cut=cuts.get(line.position, "") if ranking.started else "",
                reason_number=len(reasons) if why else None,
                approved=line.participant in approved,
            )
        )
    parts = ("carried", "bonus", "chombo", "other_points")
    counted = frozenset(part for part in parts if any(getattr(line, part) for line in ranking.lines))
    return BlockStandings(
        key=ranking.block,
        title=titles.block_name(ranking.block) if len(progress.stage.blocks) > 1 else "",
        rows=tuple(rows),
        reasons=tuple(reasons),
        notes=(*_undecided(current, ranking), *_unequal(progress.stage, ranking)),
        # Before the first hanchan the points are what is carried over.
        shown_parts=counted if ranking.started else counted - {"carried"},
        has_cuts=ranking.started and not ranking.complete and any(line.below is not None for line in ranking.lines),
        has_paths=ranking.started and any(row.approved or row.line.advances_to for row in rows),
        is_complete=ranking.complete,
        is_blank=not ranking.started and not counted,
        absent=names_of(current, absent(current, progress.stage.key, ranking.block)),
        is_uneven=len({line.planned for line in ranking.lines if not line.withdrawn}) > 1,
    )


def _passed_on(current: CurrentState, progress: StageProgress, ranking: BlockRanking) -> dict[Participant, str]:
    """Return marks for those whose place was decided without them, and for those who got it."""
    paths = [path for path in progress.paths if path.complete and not path.overtaken]
    decided = {path.to: path.decision.players for path in paths if path.decision}
    led = {line.participant: to for line, to in zip(ranking.counting, ranking.leads, strict=False)}
    out = {each: to for each, to in led.items() if to in decided and each not in decided_players(progress.paths)}
    gone = {each.participant: _("withdrew") for each in current.facts.withdrawals if progress.state != "running"}
    marks = dict.fromkeys(out, _("does not advance")) | gone
    return marks | {each: _("moved up") for to in out.values() if to for each in decided[to] if led.get(each) != to}


def _advances_to(
    current: CurrentState, progress: StageProgress, line: RankingLine, passed: Mapping[Participant, str]
) -> str:
    to = _destination(progress, line)
    if to and line.participant in {each.participant for each in current.facts.withdrawals}:
        # Who withdrew on the way has no place there.
        there = (place.participant for each in current.state.stages if each.stage.key == to for place in each.places)
        to = to if line.participant in there else None
    if to is None and current.state.format.title_of(progress.stage.key):
        return titles.unranked_words(line.unranked) or (titles.rank_text(line.rank) if line.rank else "")
    told = _("withdrew") if line.withdrawn else passed.get(line.participant)
    return told if to is None and told else titles.destination_label(to, current.state.format)


def _destination(progress: StageProgress, line: RankingLine) -> str | None:
    decided = {path.to: path.decision.players for path in progress.paths if path.decision}
    usual = None if line.advances_to in decided else line.advances_to
    return next((to for to, players in decided.items() if line.participant in players), usual)


def _undecided(current: CurrentState, ranking: BlockRanking) -> Iterator[str]:
    undecided = {line.participant for line in ranking.lines if line.undecided}
    for group in ranking.level:
        if undecided & set(group):
            yield _("%(names)s are tied, and no rule breaks the tie. If a cut line falls between them, an organiser "
                    "decides.") % {
                "names": names_of(current, group)
            }  # fmt: skip


def _unequal(stage: Stage, ranking: BlockRanking) -> Iterator[str]:
    if ranking.ahead:
        yield _("Ranks are for the whole tournament: ranks 1 to %(number)s are decided elsewhere.") % {
            "number": ranking.ahead
        }
    if stage.rank_by is not RankBy.POINTS:
        return
    if any(line.replaces is not None and line.played < furthest([ranking]) for line in ranking.lines):
        yield _("A substitute starts at 0 points and is ranked by their own hanchan.")
    if len({line.planned for line in ranking.lines if not line.withdrawn and line.replaces is None}) > 1:
        yield _("Some players sit out and play fewer hanchan: a hanchan not played counts 0 points.")
    if any(line.withdrawn and line.rank and not line.counts for line in ranking.lines):
        yield _("Players who withdrew keep their points and come after those who play to the end.")


def decided_players(paths: Iterable[AdvancementPath]) -> set[Participant]:
    return {participant for path in paths if path.decision for participant in path.decision.players}


NOT_BEGUN = frozenset({StageState.WAITING, StageState.UNDRAWN, StageState.READY})


@dataclass(frozen=True, slots=True)
class DestinationPlace:
    """A place of a destination. `origin`: short label of where it was won."""

    entry: Entry
    origin: str
    provisional: str = ""
    stage: str | None = None
    block: str = ""


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage as shown on its page.

    `played`: most hanchan a player of an unfinished block has played; `furthest`: the same for all blocks. `session`: number of the current session, 0 if there is only one.
    `onward`: who advances, in words, until each block has its cut lines. `vacant`: where players of open places come from.
    """

    progress: StageProgress
    name: str
    played: int
    furthest: int
    session: int
    blocks: tuple[BlockStandings, ...]
    places: tuple[DestinationPlace, ...]
    vacant: list[str]
    open: bool
    onward: str
    is_final: bool

    @property
    def key(self) -> str:
        return self.progress.stage.key

    @property
    def planned(self) -> int:
        return self.progress.stage.planned

    @property
    def least(self) -> int:
        return slowest([ranking for ranking in self.progress.rankings if ranking.started])


def stage_views(current: CurrentState) -> tuple[StageView, ...]:
    now = {progress.stage.key for progress in current_stages(current)}
    return tuple(stage_view(current, progress, is_open=progress.stage.key in now) for progress in current.state.stages)


def stage_view(current: CurrentState, progress: StageProgress, *, is_open: bool = True) -> StageView:
    reached = furthest(progress.rankings)
    played = furthest(ranking for ranking in progress.rankings if ranking.started and not ranking.complete) or reached
    return StageView(
        progress=progress,
        name=titles.stage_name(progress.stage),
        played=played,
        furthest=reached,
        session=_session(progress, played),
        blocks=tuple(_block_standings(current, progress, each) for each in progress.rankings if each.lines),
        places=tuple(destination_places(current, progress.stage)),
        vacant=open_places(current, progress.stage),
        open=is_open,
        onward=onward_words(current, progress),
        is_final=current.state.format.title_of(progress.stage.key) is not None,
    )


def onward_words(current: CurrentState, progress: StageProgress) -> str:
    stage, format_ = progress.stage, current.state.format
    is_told = progress.state is StageState.DECIDED or all(each.as_listed.cuts for each in progress.rankings)
    return "" if is_told or format_.title_of(stage.key) else sentences(*moves_on(stage, format_))


def furthest(rankings: Iterable[BlockRanking]) -> int:
    return max((line.played for ranking in rankings for line in ranking.lines), default=0)


def slowest(rankings: Sequence[BlockRanking]) -> int:
    """Return the fewest hanchan of a player who goes on with their block."""
    return min((line.played for ranking in rankings for line in ranking.lines if line.left), default=furthest(rankings))


def _session(progress: StageProgress, played: int) -> int:
    if progress.stage.sessions == 1:
        return 0
    return min(progress.stage.sessions, max(1, -(-played // progress.stage.hanchan)))


def current_stages(current: CurrentState) -> list[StageProgress]:
    stages = current.state.stages
    busy = [each for each in stages if each.state in {StageState.RUNNING, StageState.PLAYED}]
    return busy or [each for each in stages if each.state is not StageState.DECIDED][:1]


def destination_places(current: CurrentState, to: Destination) -> Iterator[DestinationPlace]:
    state, format_ = current.state, current.state.format
    places = state.arrivals[to.key] if isinstance(to, Outcome) else state.stage(to.key).places
    known = {place.participant for place in places}
    for place in places:
        entry = current.entries[int(place.participant)]
        label = titles.place_label(place, format_, entry.seed)
        yield DestinationPlace(entry, label, "" if place.approved else _("to be approved"), place.stage, place.block)
    for path in state.paths_into(to.key):
        rankings = state.stage(path.stage).rankings
        # Standings rank those who have yet to play last, so no one is named for these blocks until all have played.
        early = {each.block for each in rankings if any(not line.rank and line.counts for line in each.as_listed.lines)}
        if path.decision is None and furthest(rankings):
            out = {line.participant for each in rankings for line in each.lines if line.advances_to is None}
            for place in path.going:
                has_begun = not place.block or state.stage(path.stage).ranking(place.block).started
                if has_begun and place.block not in early and place.participant not in known | out:
                    known.add(place.participant)
                    entry, label = current.entries[int(place.participant)], titles.place_label(place, format_)
                    when = _("to be approved") if path.complete else _("if it ended now")
                    yield DestinationPlace(entry, label, when, place.stage, place.block)


def open_places(current: CurrentState, to: Stage) -> list[str]:
    """Return where the players of a stage's open places come from, and whose place a withdrawal has left open."""
    state, format_ = current.state, current.state.format
    taken = [each.origin for each in destination_places(current, to)]
    decided = {path.stage: path for path in state.paths_into(to.key) if path.decision}
    waited_for = [each for each in to.sources if isinstance(each, Entrants) or each.stage not in decided]
    found = [label for source in waited_for for label in titles.source_labels(source, format_) if label not in taken]
    gone = {each.participant for each in current.facts.withdrawals}
    for key, path in decided.items():
        for place in [each for each in path.proposal.places if each.participant in gone][: path.vacant]:
            label = titles.rank_label(format_.stage(key), place.block, place.position, format_)
            found.insert(0, _("%(place)s (withdrew, vacant)") % {"place": label})
    return found[: max(0, (state.stage(to.key).expected or len(found)) - len(taken))]


def sessions_of(current: CurrentState, stage: str) -> list[StageSession]:
    return [each for each in current.sessions_in_order() if each.stage == stage]


@dataclass(frozen=True, slots=True)
class FinalRankingLine:
    """A line of the final ranking. `where`: stage reached; `mark`: beside the name; `points`, `played`: in that stage."""

    rank: int
    entry: Entry
    where: str
    mark: str
    points: int
    played: int


def final_ranking(current: CurrentState) -> list[FinalRankingLine]:
    format_ = current.state.format
    found = []
    gone = {each.participant for each in current.facts.withdrawals}
    rankings = [(each.stage.key, ranking) for each in current.state.stages for ranking in each.rankings]
    lines = {(key, line.participant): line for key, ranking in rankings for line in ranking.lines}
    for each in current.state.final_ranks:
        stage = format_.stage(each.stage)
        by_class = stage.fill is Fill.ORDER and len(stage.blocks) > 1
        where = titles.stage_and_block(stage, each.block) if by_class else titles.stage_name(stage)
        line = lines.get((each.stage, each.participant))
        mark = _("withdrew") if each.participant in gone else mark_of(current, line) if line else ""
        entry, earned = current.entries[int(each.participant)], (line.points, line.played) if line else (0, 0)
        found.append(FinalRankingLine(each.rank, entry, where, titles.unranked_words(each.unranked) or mark, *earned))
    return found


def champions(current: CurrentState) -> list[FinalRankingLine]:
    return [each for each in final_ranking(current) if each.rank == 1] if current.state.is_over else []


def champion_sentence(current: CurrentState, stage: Stage, moves: Mapping[str, Iterable[int]]) -> str:
    """Return who wins the title with these moves from a stage, empty if no one does."""
    title, tournament = current.state.format.title_of(stage.key), current.tournament
    if title is None or not moves.get(title.key):
        return ""
    return _("%(names)s is the champion of %(tournament)s.") % {
        "names": names_of(current, map(str, moves[title.key])),
        "tournament": exact_name(tournament),
    }


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    tournament: Tournament
    entries: int
    now: tuple[str, ...] = ()
    champions: tuple[Entry, ...] = ()


def tournament_summary(current: CurrentState) -> TournamentSummary:
    plain = TournamentSummary(current.tournament, len(current.facts.entrants))
    if current.tournament.state == Tournament.State.FINISHED:
        return replace(plain, champions=tuple(each.entry for each in champions(current)))
    return replace(plain, now=tuple(titles.stage_name(each.stage) for each in current_stages(current)))


def tournaments_of_late(league: League, today: date) -> list[Tournament]:
    """Return the tournaments that go on or ended a few days ago, the latest first."""
    known = league.tournaments.annotate(last=Max("sessions__session__date")).order_by("-pk")
    recent = Q(last__gte=today - CHAMPION_FOR)
    return list(known.filter(recent | ~Q(state=Tournament.State.FINISHED)).select_related("ruleset_version__ruleset"))

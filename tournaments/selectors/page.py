"""What the pages of a tournament show beyond its course: tables with their lines, decisions with names, the ranking."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from league.models import League, Player
from scoring.messages.decisions import decision_sentence
from tournaments.core.facts import Participant
from tournaments.core.format import Destination, Fill, Outcome, is_from
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import AdvancementPath, StageProgress, StageState, TakenPlace
from tournaments.messages.errors import joined
from tournaments.messages.places import cut_label, destination_label, place_label
from tournaments.messages.titles import block_name, stage_name
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.selectors.state import CurrentState

NOT_BEGUN = frozenset({StageState.WAITING, StageState.UNDRAWN, StageState.READY})


def reader_name(player: Player) -> str:
    """Return a player's name as plain text for the page's language."""
    return player.name if get_language() == "ja" else player.romanised or player.name


def names_of(current: CurrentState, players: Iterable[Participant]) -> str:
    """Return the names of players in a row, in the reader's language."""
    return joined(reader_name(current.player(who)) for who in players)


# --- Tables ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlockStandingsRow:
    """A line of a block. `cut`: what the line drawn below it is called; `note`: the number of the reason below."""

    line: RankingLine
    entry: Entry
    goes_to: str
    cut: str
    note: int | None
    approved: bool = False


@dataclass(frozen=True, slots=True)
class BlockStandings:
    """A block as a page shows it. `reasons`: sentences on broken ties, in the order of their numbers."""

    key: str
    title: str
    rows: tuple[BlockStandingsRow, ...]
    reasons: tuple[str, ...]
    undecided: tuple[str, ...]
    shows: frozenset[str]
    complete: bool
    has_lines: bool
    leads_on: bool

    @property
    def span(self) -> int:
        """How many columns it has."""
        return 5 + len(self.shows) + 2 * self.has_lines + self.leads_on


def block_standings(current: CurrentState, course: StageProgress) -> tuple[BlockStandings, ...]:
    """Return the blocks of a stage that have players."""
    return tuple(_block_table(current, course, table) for table in course.tables if table.lines)


def _block_table(current: CurrentState, course: StageProgress, table: BlockRanking) -> BlockStandings:
    reasons: list[str] = []
    cuts = {cut.after: cut_label(cut, current.course.format) for cut in table.cuts}
    approved = decided_players(course)
    rows = []
    for line, below in zip(table.lines, (*table.lines[1:], None), strict=True):
        why = _why(current, line, below)
        if why:
            reasons.append(why)
        rows.append(
            BlockStandingsRow(
                line=line,
                entry=current.entries[int(line.who)],
                goes_to=destination_label(_destination(course, line), current.course.format),
                cut=cuts.get(line.position, "") if table.started else "",
                note=len(reasons) if why else None,
                approved=line.who in approved,
            )
        )
    parts = ("carried", "bonus", "chombo", "loose")
    return BlockStandings(
        key=table.block,
        title=block_name(table.block) if len(course.stage.blocks) > 1 else "",
        rows=tuple(rows),
        reasons=tuple(reasons),
        undecided=tuple(_undecided(current, table)),
        shows=frozenset(part for part in parts if any(getattr(line, part) for line in table.lines)),
        complete=table.complete,
        has_lines=bool(table.cuts) and table.started,
        leads_on=bool(course.ways) and table.started,
    )


def _destination(course: StageProgress, line: RankingLine) -> str | None:
    """Return where somebody goes: as decided where that is decided, else as it would be if it ended now."""
    for way in course.ways:
        if way.decision and line.who in way.decision.players:
            return way.to
    decided = {way.to for way in course.ways if way.decision}
    return None if line.goes_to in decided else line.goes_to


def _why(current: CurrentState, line: RankingLine, below: RankingLine | None) -> str:
    if line.decided_by is None or below is None:
        return ""
    names = [reader_name(current.player(each.who)) for each in (line, below)]
    return decision_sentence(line.decided_by, *names)


def _undecided(current: CurrentState, table: BlockRanking) -> Iterator[str]:
    undecided = {line.who for line in table.lines if line.undecided}
    for group in table.level:
        if undecided & set(group):
            yield _("%(names)s are level, and no rule separates them. Before a line runs between them, an organiser decides.") % {
                "names": names_of(current, group)
            }  # fmt: skip


def decided_players(course: StageProgress) -> set[Participant]:
    """Return who goes on from a stage by approved decisions."""
    return {who for way in course.ways if way.decision for who in way.decision.players}


# --- Stages ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DestinationPlace:
    """Who holds a place, or would hold it if it ended now. `origin`: where it was won, in short."""

    entry: Entry | None
    origin: str
    provisional: bool = False
    stage: str | None = None
    block: str = ""


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage on the tournament page.

    `played`: hanchan of those blocks that are not through yet; `furthest`: of all. `session`: the number of the session
    under way, 0 where there is only one.
    """

    course: StageProgress
    name: str
    played: int
    furthest: int
    session: int
    tables: tuple[BlockStandings, ...]
    holders: tuple[DestinationPlace, ...]
    open: bool

    @property
    def key(self) -> str:
        """The name of the stage in addresses."""
        return self.course.stage.key

    @property
    def planned(self) -> int:
        """How many hanchan each player plays."""
        return self.course.stage.planned


def stage_views(current: CurrentState) -> tuple[StageView, ...]:
    """Return all stages; those that something happens in now are open."""
    now = {course.stage.key for course in current_stages(current)}
    return tuple(stage_view(current, course, is_open=course.stage.key in now) for course in current.course.stages)


def stage_view(current: CurrentState, course: StageProgress, *, is_open: bool = True) -> StageView:
    """Return a stage with its tables and who holds its places."""
    reached = furthest(course.tables)
    played = furthest(table for table in course.tables if table.started and not table.complete) or reached
    return StageView(
        course=course,
        name=stage_name(course.stage),
        played=played,
        furthest=reached,
        session=_session(course, played),
        tables=block_standings(current, course),
        holders=tuple(destination_places(current, course.stage)),
        open=is_open,
    )


def furthest(tables: Iterable[BlockRanking]) -> int:
    """Return how many hanchan whoever has played most has behind him."""
    return max((line.played for table in tables for line in table.lines), default=0)


def _session(course: StageProgress, played: int) -> int:
    if course.stage.sessions == 1:
        return 0
    return min(course.stage.sessions, max(1, -(-played // course.stage.hanchan)))


def current_stages(current: CurrentState) -> list[StageProgress]:
    """Return the stages under way or waiting for approval; before any is, the next one."""
    stages = current.course.stages
    busy = [each for each in stages if each.state in {StageState.RUNNING, StageState.PLAYED}]
    return busy or [each for each in stages if each.state is not StageState.DECIDED][:1]


def destination_places(current: CurrentState, to: Destination) -> Iterator[DestinationPlace]:
    """Yield who holds the places of a stage or an outcome; after them, who would if everything ended now."""
    course, format_ = current.course, current.course.format
    seats = course.arrivals[to.key] if isinstance(to, Outcome) else course.stage(to.key).seats
    taken = {seat.who for seat in seats}
    for seat in seats:
        entry = current.entries[int(seat.who)]
        yield DestinationPlace(entry, place_label(seat, format_, entry.seed), not seat.approved, seat.stage, seat.block)
    for stage, way in ways_into(current, to):
        if way.decision is None and furthest(stage.tables):
            for place in way.proposal.places:
                if place.who not in taken:
                    taken.add(place.who)
                    seat = TakenPlace(place.who, stage.stage.key, place.block, place.position)
                    yield DestinationPlace(
                        entry=current.entries[int(place.who)],
                        origin=place_label(seat, format_),
                        provisional=True,
                        stage=seat.stage,
                        block=seat.block,
                    )


def ways_into(current: CurrentState, to: Destination) -> Iterator[tuple[StageProgress, AdvancementPath]]:
    """Yield the ways into a destination, with the stages they come from."""
    for course in current.course.stages:
        if any(is_from(source, course.stage.key) for source in to.sources):
            yield course, course.way(to.key)


# --- Decisions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DecisionView:
    """A decision in words. `decided` and `proposed` are names; `differs`: others went on than were proposed."""

    decision: Decision
    title: str
    decided: str
    proposed: str
    differs: bool

    @property
    def when(self) -> datetime:
        """When it was made."""
        return self.decision.at


def decision_views(current: CurrentState) -> list[DecisionView]:
    """Return all decisions, the latest first, revoked ones too."""
    return [_decision_view(current, each) for each in sorted(current.decisions, key=lambda each: -each.pk)]


def _decision_view(current: CurrentState, each: Decision) -> DecisionView:
    stage = destination_label(each.stage, current.course.format)
    title = {
        Decision.Kind.DRAW: _("%(stage)s: the blocks were drawn"),
        Decision.Kind.ADVANCE: _("%(stage)s → %(to)s"),
        Decision.Kind.WITHDRAWN: _("%(stage)s: withdrawal"),
        Decision.Kind.ORDER: _("%(stage)s: level players were put in order"),
    }[Decision.Kind(each.kind)] % {
        "stage": stage,
        "to": destination_label(each.to, current.course.format) if each.to else "",
    }
    known = current.entries
    proposed = [pk for pk in each.proposal if pk in known]
    return DecisionView(each, title, _decided(current, each), names_of(current, proposed), each.is_override)


def _decided(current: CurrentState, each: Decision) -> str:
    if each.kind == Decision.Kind.DRAW:
        blocks = [f"{key}: {names_of(current, players)}" for key, players in each.body["blocks"].items()]
        return " / ".join(blocks) if len(blocks) > 1 else ""
    if each.kind == Decision.Kind.WITHDRAWN:
        return joined(_left(current, pk, each.body.get("substitutes", {})) for pk in each.body["entries"])
    return names_of(current, each.body["players"])


def _left(current: CurrentState, pk: int, substitutes: Mapping[str, int]) -> str:
    name, instead = reader_name(current.player(pk)), substitutes.get(str(pk))
    if instead is None:
        return name
    return _("%(name)s (in the place: %(substitute)s)") % {
        "name": name,
        "substitute": reader_name(current.player(instead)),
    }


@dataclass(frozen=True, slots=True)
class OvertakenDecision:
    """An approved decision that the facts no longer give: proposed then, proposed now, and who went on."""

    stage: str
    stage_name: str
    to: str
    then: str
    now: str
    went: str
    ready: bool


def overtaken_decisions(current: CurrentState) -> list[OvertakenDecision]:
    """Return what a person has to look at because a correction changed what a decision rests on."""
    found = []
    for way in current.course.flags:
        if way.decision is not None:
            label = destination_label
            found.append(
                OvertakenDecision(
                    stage=way.stage,
                    stage_name=label(way.stage, current.course.format),
                    to=label(way.to, current.course.format),
                    then=names_of(current, way.decision.proposal),
                    now=names_of(current, way.proposed),
                    went=names_of(current, way.decision.players),
                    ready=way.ready,
                )
            )
    return found


# --- The end ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FinalRankingLine:
    """A line of the final ranking."""

    rank: int
    entry: Entry
    where: str


def final_ranking(current: CurrentState) -> list[FinalRankingLine]:
    """Return who came where; empty until the last stage is decided."""
    format_ = current.course.format
    found = []
    for each in current.course.placings:
        stage = format_.stage(each.stage)
        by_class = stage.fill is Fill.ORDER and len(stage.blocks) > 1
        seat = TakenPlace(each.who, each.stage, each.block if by_class else "", each.position)
        where = place_label(seat, format_) if by_class else stage_name(stage)
        found.append(FinalRankingLine(each.rank, current.entries[int(each.who)], where))
    return found


def champions(current: CurrentState) -> list[Entry]:
    """Return who is on top of the final ranking, once everything is decided."""
    if not current.course.is_over:
        return []
    return [each.entry for each in final_ranking(current) if each.rank == 1]


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament in a list: how far it is and who has won it."""

    tournament: Tournament
    entries: int
    now: tuple[str, ...] = ()
    champions: tuple[Entry, ...] = ()


def tournament_summary(current: CurrentState) -> TournamentSummary:
    """Return a tournament with the names of the stages under way."""
    entered = sum(1 for entry in current.entries.values() if not entry.is_substitute)
    plain = TournamentSummary(current.tournament, entered)
    if current.tournament.state == Tournament.State.FINISHED:
        return replace(plain, champions=tuple(champions(current)))
    return replace(plain, now=tuple(stage_name(each.stage) for each in current_stages(current)))


def running_tournaments(league: League) -> list[Tournament]:
    """Return the tournaments of a league that are being played or prepared. One query."""
    return list(league.tournaments.exclude(state=Tournament.State.FINISHED))


def sessions_of(current: CurrentState, stage: str) -> list[StageSession]:
    """Return the sessions of a stage in the order in which they take place."""
    found = [each for each in current.sessions if each.stage == stage]
    return sorted(found, key=lambda each: (each.session.date, each.number, each.block, each.pk))

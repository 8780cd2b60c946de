"""Decisions as text, decisions whose proposal has changed, withdrawals, and tables that lost a player."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from league.messages import joined, plain_name
from league.models import Player, RulesetVersion
from league.models.plans import EVERY_ROUND
from league.selectors.former import hide_former
from league.selectors.planning import plans_of, played_rounds
from tournaments.core.facts import Participant, Remedy, Unranked
from tournaments.core.format import Best, Stage
from tournaments.core.state import AdvancementPath, StageProgress, StageState
from tournaments.messages.titles import destination_label, rank_text, settled_words, unranked_words
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.selectors.state import CurrentState, house_of_stages, names_of, reader_name


def withdrawal_of(current: CurrentState, pk: int) -> Decision | None:
    return next((each for each in current.standing(Decision.Kind.WITHDRAWN) if pk in each.body["entries"]), None)


def withdrawn(current: CurrentState) -> set[Participant]:
    return {pk for each in current.standing(Decision.Kind.WITHDRAWN) for pk in each.body["entries"]}


def successors_of(decision: Decision) -> dict[str, int]:
    """Return the entries of substitutes and of players who moved up, by entry of who withdrew."""
    found: dict[str, int] = dict(decision.body.get("substitutes", {}))
    for pk, settled in decision.body.get("short", {}).items():
        if settled["remedy"] == Remedy.NEXT:
            found[pk] = settled["player"]
    return found


UNDER_WAY = frozenset({StageState.WAITING, StageState.READY, StageState.RUNNING})


def short_of_hanchan(progress: StageProgress) -> list[int]:
    unfinished = [each for each in progress.rankings if not each.complete]
    return [int(line.participant) for each in unfinished for line in each.lines if line.left]


def can_be_closed(current: CurrentState, progress: StageProgress) -> bool:
    into = current.state.paths_into(progress.stage.key)
    is_known = all(path.decision for path in into) and not progress.undrawn
    return is_known and progress.state in UNDER_WAY and current.tournament.state == Tournament.State.RUNNING


def decided_elsewhere(progress: StageProgress, path: AdvancementPath, pk: int) -> str | None:
    others = (other for other in progress.paths if other.to != path.to)
    return next((other.to for other in others if other.decision and pk in other.decision.players), None)


def told_paths(progress: StageProgress) -> Sequence[AdvancementPath]:
    """Return the paths out of a stage that are a success: all, or the best if no one is eliminated."""
    onward = {player for path in progress.paths for player in path.proposal.players}
    if any(line.participant not in onward for ranking in progress.rankings for line in ranking.counting):
        return progress.paths
    return [path for path in progress.paths if any(place.position == 1 for place in path.proposal.places)]


THREE_PLAYERS = 3


@dataclass(frozen=True, slots=True)
class UnplayedTable:
    stage_session: StageSession
    round: int
    table: int
    players: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class ShortTables:
    entry: Entry
    stage: Stage
    tables: tuple[UnplayedTable, ...]


def unplayed_tables(current: CurrentState, stage: str) -> list[UnplayedTable]:
    here = {each.session_id: each for each in current.sessions if each.stage == stage}
    played = played_rounds(here)
    return [
        UnplayedTable(here[session], number, table, players)
        for (session, number, table), players in plans_of(here).items()
        if number != EVERY_ROUND and (session, number, table) not in played
    ]


def tables_of(tables: Iterable[UnplayedTable], entry: Entry) -> tuple[UnplayedTable, ...]:
    return tuple(each for each in tables if entry.player in each.players)


def short_tables(current: CurrentState) -> Iterator[ShortTables]:
    for progress in current.state.stages:
        left = list(unsettled_in(current, progress.stage.key))
        if not left or progress.state not in {StageState.READY, StageState.RUNNING}:
            continue
        tables = unplayed_tables(current, progress.stage.key)
        for entry in left:
            if found := tables_of(tables, entry):
                yield ShortTables(entry, progress.stage, found)


def unsettled_in(current: CurrentState, stage: str) -> Iterator[Entry]:
    left = unsettled(current.standing(Decision.Kind.WITHDRAWN, stage))
    return (current.entries[pk] for pk in left if pk in current.entries)


def unsettled(withdrawals: Iterable[Decision]) -> Iterator[int]:
    """Yield the primary keys of the entries that withdrew, as long as no remedy is chosen for their tables."""
    for each in withdrawals:
        yield from (pk for pk in each.body["entries"] if str(pk) not in each.body.get("short", {}))


@dataclass(frozen=True, slots=True)
class NextPlayer:
    """Who moves up if a player withdraws.

    `path`: the way the spot was won; `leaves`: where this player is to play now, if decided, and `has_begun`: that
    something was played there. `is_tied`: another player could move up as well.
    """

    entry: Entry
    rank: int
    path: AdvancementPath
    leaves: str | None = None
    has_begun: bool = False
    is_tied: bool = False

    @property
    def answer(self) -> str:
        return f"{Remedy.NEXT}-{self.entry.pk}" if self.is_tied else str(Remedy.NEXT)


def next_players(current: CurrentState, leaver: int, stage: str) -> tuple[NextPlayer, ...]:
    """Return who is next in the ranking for the spot that a player of a stage leaves, if nothing was played there.

    Several if they are tied.
    """
    if (path := won_path(current, leaver, stage)) is None:
        return ()
    progress = current.state.stage(path.stage)
    lines = [(each.block, line) for each in progress.rankings for line in each.lines]
    own = next(((block, line) for block, line in lines if line.participant == leaver), None)
    if own is None:
        return ()
    going = {*path.proposed, *path.proposal.players, *(path.decision.players if path.decision else ())}
    behind = [each for block, each in lines if block == own[0] and each.position > own[1].position]
    if any(place.participant == leaver and isinstance(place.source, Best) for place in path.proposal.places):
        behind = sorted((each for _, each in lines if each.position == own[1].position), key=lambda each: -each.points)
    out = going | withdrawn(current)
    left = [each for each in behind if not (each.participant in out or each.unranked or each.uninvited)]
    tied = [each for each in left if (each.rank, each.points) == (left[0].rank, left[0].points)]
    found = []
    for line in tied:
        leaves, rank = decided_elsewhere(progress, path, int(line.participant)), line.rank or line.position
        entry, is_late = current.entries[int(line.participant)], has_begun(current, leaves)
        found.append(NextPlayer(entry, rank, path, leaves, is_late, is_tied=len(tied) > 1))
    return tuple(found)


def moved_up(current: CurrentState, entry: Entry, stage: str) -> NextPlayer | None:
    """Return who moved up to a spot, while nothing was played there."""
    if (path := won_path(current, entry.pk, stage)) is None:
        return None
    progress = current.state.stage(path.stage)
    own = (line for each in progress.rankings for line in each.lines if line.participant == entry.pk)
    made = (each.decision for each in progress.paths if each.decision and entry.pk in each.decision.proposal)
    left = (decision.to for decision in made if entry.pk not in decision.players)
    return NextPlayer(entry, next((line.rank or line.position for line in own), 0), path, next(left, None))


def moves_up_words(following: NextPlayer) -> str:
    facts = {"name": plain_name(following.entry.player), "rank": rank_text(following.rank)}
    told = _("Moves up: %(name)s (%(rank)s, tied)") if following.is_tied else _("Moves up: %(name)s (%(rank)s)")
    return told % facts


def won_path(current: CurrentState, pk: int, stage: str) -> AdvancementPath | None:
    """Return the path by which a player has a spot in the stage or a later one in which nothing was played."""
    keys = [each.key for each in current.state.format.stages]
    for key in keys[keys.index(stage) :]:
        for path in () if has_begun(current, key) else current.state.paths_into(key):
            going = path.decision.players if path.decision else path.proposal.players
            if pk in going and path.ready and not path.overtaken:
                return path
    return None


def has_begun(current: CurrentState, to: str | None) -> bool:
    return any(ranking.started for each in current.state.stages if each.stage.key == to for ranking in each.rankings)


def seated_elsewhere(current: CurrentState, progress: StageProgress) -> list[Entry]:
    """Return who has a seat in the drawn tables of a stage but does not play in it any more; none once it has begun."""
    if has_begun(current, progress.stage.key):
        return []
    seated = {player.pk for each in unplayed_tables(current, progress.stage.key) for player in each.players}
    staying = {pk for ranking in progress.rankings for pk in ranking.staying}
    staying |= house_of_stages(current.decisions).get(progress.stage.key, frozenset())
    return [each for pk, each in current.entries.items() if each.player.pk in seated and pk not in staying]


def out_of_play(current: CurrentState, stage: str) -> list[Entry]:
    stages = current.state.stages
    going_on = [each for each in stages if stage == each.stage.key or each.state is not StageState.DECIDED]
    playing = {line.participant for each in going_on for ranking in each.rankings for line in ranking.lines}
    playing |= {place.participant for each in going_on for place in each.places} | withdrawn(current)
    keys = [each.key for each in current.state.format.stages]
    before = stages[: keys.index(stage)]
    ranked = [line.participant for each in reversed(before) for ranking in each.rankings for line in ranking.lines]
    order = [int(participant) for participant in dict.fromkeys((*ranked, *current.entries))]
    return [current.entries[pk] for pk in order if pk > 0 and pk not in playing and pk in current.entries]


def rules_for_three(tournament: Tournament) -> list[RulesetVersion]:
    versions = RulesetVersion.objects.filter(ruleset__league=tournament.league, parameters__players=THREE_PLAYERS)
    newest = {each.ruleset_id: each for each in versions.select_related("ruleset").order_by("ruleset", "number")}
    return [each for each in newest.values() if (rules := each.readable()) is not None and not rules.missing]


@dataclass(frozen=True, slots=True)
class DecisionView:
    """A decision as text. `decided`, `proposed`: names. `reasons`: why it was made and revoked, if not told elsewhere."""

    decision: Decision
    title: str
    decided: str
    proposed: str
    reasons: tuple[str, str]


def decision_views(current: CurrentState) -> list[DecisionView]:
    left = [each for each in current.decisions if each.kind == Decision.Kind.WITHDRAWN]
    # Who leaves changes who advances, but the reason is said once, with the name.
    told = {reason for each in left for reason in (each.reason, each.revoked_reason)}
    latest_first = hide_former(sorted(current.decisions, key=lambda each: -each.pk))
    return [_decision_view(current, each, told if each.kind == Decision.Kind.ADVANCE else ()) for each in latest_first]


def _decision_view(current: CurrentState, each: Decision, told: Collection[str]) -> DecisionView:
    title = {
        Decision.Kind.DRAW: _("%(stage)s: drawn"),
        Decision.Kind.ADVANCE: _("%(stage)s → %(to)s"),
        Decision.Kind.WITHDRAWN: _("%(stage)s: withdrawal"),
        Decision.Kind.CLOSED: _("%(stage)s: closed with the hanchan played"),
        Decision.Kind.ORDER: _("%(stage)s: order of tied players decided"),
    }[Decision.Kind(each.kind)] % {
        "stage": destination_label(each.stage, current.state.format),
        "to": destination_label(each.to, current.state.format) if each.to else "",
    }
    proposed = [pk for pk in each.proposal if pk in current.entries]
    made, revoked = ("" if reason in told else reason for reason in (each.reason, each.revoked_reason))
    return DecisionView(each, title, _decided(current, each), names_of(current, proposed), (made, revoked))


def _decided(current: CurrentState, each: Decision) -> str:
    if each.kind == Decision.Kind.DRAW:
        blocks = [f"{key}: {names_of(current, players)}" for key, players in each.body["blocks"].items()]
        return " / ".join(blocks) if len(blocks) > 1 else ""
    if each.kind == Decision.Kind.WITHDRAWN:
        mark = f"({unranked_words(Unranked.DISQUALIFIED)})" if each.body.get("disqualified") else ""
        left = joined(_withdrawn(current, pk, each.body.get("substitutes", {})) for pk in each.body["entries"])
        short = each.body.get("short", {}).items()
        others = [(pk, row) for pk, row in short if row["remedy"] != Remedy.SUBSTITUTE]
        settled = [
            _("Moved up: %(name)s.") % {"name": names_of(current, [row["player"]])}
            if row["remedy"] == Remedy.NEXT
            else settled_words(each, int(pk))
            for pk, row in others
        ]
        return " ".join(filter(None, (left, mark, *settled)))
    if each.kind == Decision.Kind.CLOSED and each.body["unranked"]:
        mark = unranked_words(Unranked.LEFT_OUT)
        return f"{names_of(current, each.body['players'])} ({mark}: {names_of(current, each.body['unranked'])})"
    return names_of(current, each.body["players"])


def _withdrawn(current: CurrentState, pk: int, substitutes: Mapping[str, int]) -> str:
    name, substitute = reader_name(current.player(pk)), substitutes.get(str(pk))
    if substitute is None:
        return name
    names = {"name": name, "substitute": reader_name(current.player(substitute))}
    return _("%(name)s (substitute: %(substitute)s)") % names


def overtaken_decisions(current: CurrentState) -> list[dict[str, object]]:
    """Return decisions whose proposal has changed: the old and new proposals, and who advanced."""
    format_ = current.state.format
    return [
        {
            "stage": path.stage,
            "stage_name": destination_label(path.stage, format_),
            "to": destination_label(path.to, format_),
            "proposed_then": names_of(current, path.decision.proposal),
            "proposed_now": names_of(current, path.proposed),
            "advanced": names_of(current, path.decision.players),
            "ready": path.ready,
        }
        for path in current.state.overtaken
        if path.decision is not None
    ]

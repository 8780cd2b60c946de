"""Pending tasks of a tournament's director, most urgent first."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Q
from django.utils.functional import Promise

from league.models import Hanchan, PlannedSeat
from league.models.plans import EVERY_ROUND
from tournaments.core.facts import Participant
from tournaments.core.format import Format, SeatingMethod, Stage
from tournaments.core.state import StageProgress, StageState, TournamentState
from tournaments.messages import titles
from tournaments.messages.inbox import TASKS
from tournaments.models import Decision, Entry, Registration, StageSession, Tournament
from tournaments.selectors import decisions
from tournaments.selectors.state import CurrentState

UNCONFIRMED_AFTER = timedelta(days=3)
"""Results unconfirmed for this long need attention."""


@dataclass(frozen=True, slots=True)
class InboxItem:
    """A pending task.

    `kind`: "overtaken", "level", "disputed", "short_table", "redraw", "too_few", "vacancy", "approve", "results",
    "registrations", "entries", "draw", "plan", "next_round", "close", "unconfirmed", "finish", "coming". `feeders`:
    earlier stages that could fill a place, and whether their advancement is approved; `successors`: who is next for the
    spot of each of `names`. `is_unplayed`: the tables can be drawn again.
    """

    kind: str
    stage: Stage | None = None
    block: str = ""
    to: str = ""
    names: tuple[Entry, ...] = ()
    count: int = 0
    most: int = 0
    stage_session: StageSession | None = None
    round: int = 0
    hanchan: Hanchan | None = None
    decision: Decision | None = None
    feeders: tuple[tuple[Stage, bool], ...] = ()
    successors: tuple[tuple[decisions.NextPlayer, ...], ...] = ()
    is_unplayed: bool = False

    @property
    def words(self) -> tuple[str | Promise, str | Promise]:
        """The title and the text, with gaps for the facts."""
        kind = "only_block" if self.kind == "draw" and self.count == 1 else self.kind
        return TASKS["round" if kind == "results" and self.round else kind]


def task_facts(item: InboxItem, format_: Format) -> dict[str, object]:
    stage, planned = item.stage, item.stage_session
    return {
        **{"counter": item.count, "number": item.count, "most": item.most, "size": item.most, "round": item.round},
        "stage": titles.stage_name(stage) if stage else "",
        "session": titles.session_title(format_.stage(planned.stage), planned) if planned else "",
        "to": titles.destination_label(item.to or None, format_),
    }


def task_title(item: InboxItem, format_: Format) -> str:
    return str(item.words[0] % task_facts(item, format_))


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session's hanchan.

    `to_draw`: hanchan whose tables depend on results still to come; `behind`: the first round with missing results, and
    how many, or 0 and 0.
    """

    stage_session: StageSession
    planned: int
    entered: int
    unconfirmed: int
    to_draw: int = 0
    behind: tuple[int, int] = (0, 0)

    @property
    def missing(self) -> int:
        return max(0, self.planned - self.entered)


def inbox_items(current: CurrentState, today: date) -> list[InboxItem]:
    sessions = session_states(current)
    found = [*_overtaken(current), *_disputed(current), *_short_tables(current), *_results(current, sessions, today)]
    for progress in current.state.stages:
        # Deciding about the tables settles the number of players too.
        if not any(each.kind == "short_table" and each.stage == progress.stage for each in found):
            found += _too_few(current, progress)
        found += _level(current, progress)
        found += _vacant(current, progress)
        found += _redraw(current, progress)
        if ready := sum(path.ready and path.decision is None for path in progress.paths):
            found.append(InboxItem("approve", stage=progress.stage, count=ready))
    found += _asked(current)
    found += _entries(current)
    for progress in current.state.stages:
        found += _preparation(current, progress, sessions)
    for progress in current.state.stages:
        found += _closing(current, progress, sessions, found)
    found += _unconfirmed(sessions, today)
    if current.state.is_over and current.tournament.state != Tournament.State.FINISHED:
        found.append(InboxItem("finish"))
    return found or _coming(sessions, today)


def session_states(current: CurrentState) -> list[SessionState]:
    ids = [each.session_id for each in current.sessions]
    rounds = PlannedSeat.objects.filter(session__in=ids).exclude(round=EVERY_ROUND)
    tables = rounds.order_by("round").values_list("session", "round").annotate(tables=Count("table", distinct=True))
    planned: dict[int, dict[int, int]] = defaultdict(dict)
    for session, number, count in tables:
        planned[session][number] = count
    awaiting = Hanchan.objects.awaiting().values("pk")
    counts = Hanchan.objects.valid().filter(session__in=ids).order_by().values_list("session", "round")
    played, waiting = defaultdict[int, Counter[int | None]](Counter), Counter[int]()
    for session, number, entered, open_ in counts.annotate(
        entered=Count("pk"), open=Count("pk", filter=Q(pk__in=awaiting))
    ):
        played[session][number] += entered
        waiting[session] += open_
    stages = {each.stage.key: each for each in current.state.stages}
    found = []
    for each in current.sessions_in_order():
        progress, rounds_here = stages[each.stage], planned[each.session_id]
        laid_out, done = len(rounds_here), played[each.session_id]
        is_drawn_later = progress.stage.is_by_standing and not progress.closed and bool(laid_out)
        left = max(0, progress.stage.hanchan - laid_out) if is_drawn_later else 0
        total = sum(rounds_here.values())
        to_draw = left and left * total // laid_out
        behind = ((number, count - done[number]) for number, count in rounds_here.items() if count > done[number])
        counted = total, done.total(), waiting[each.session_id]
        found.append(SessionState(each, *counted, to_draw, next(behind, (0, 0))))
    return found


def advance_of(current: CurrentState, stage: str, to: str) -> Decision | None:
    return next((each for each in current.standing(Decision.Kind.ADVANCE, stage) if each.to == to), None)


def vacancies_of(state: TournamentState, stage: StageProgress) -> int:
    """Return the number of vacant places of a stage.

    Places still to be filled from an earlier stage are not vacant, unless that stage is complete and has no player for
    them.
    """
    if stage.expected is None:
        return 0
    undecided = [path for path in state.paths_into(stage.stage.key) if path.decision is None]
    to_come = sum((path.place_count or 0) - (path.vacant if path.complete else 0) for path in undecided)
    return max(0, stage.expected - to_come - sum(place.approved for place in stage.places))


def planned_sessions(current: CurrentState, stage: str) -> set[tuple[int, str]]:
    return {(each.number, each.block) for each in current.sessions if each.stage == stage}


def unplanned_sessions(current: CurrentState, stage: Stage) -> list[tuple[int, str]]:
    taken = planned_sessions(current, stage.key)
    wanted = [(number, block) for number in range(1, stage.sessions + 1) for block in stage.block_keys]
    return [(number, block) for number, block in wanted if not {(number, block), (number, "")} & taken]


def _names(current: CurrentState, players: tuple[Participant, ...]) -> tuple[Entry, ...]:
    return tuple(current.entries[int(participant)] for participant in players)


def _overtaken(current: CurrentState) -> Iterator[InboxItem]:
    for path in current.state.overtaken:
        stage, decision = current.state.stage(path.stage).stage, advance_of(current, path.stage, path.to)
        yield InboxItem("overtaken", stage, to=path.to, names=_names(current, path.proposed), decision=decision)


def _disputed(current: CurrentState) -> Iterator[InboxItem]:
    stage_sessions = {each.session_id: each for each in current.sessions}
    disputed = Hanchan.objects.filter(session__in=stage_sessions, state=Hanchan.State.DISPUTED)
    for hanchan in disputed.select_related("session").in_order_of_play():
        yield InboxItem("disputed", hanchan=hanchan, stage_session=stage_sessions[hanchan.session_id])


def _short_tables(current: CurrentState) -> Iterator[InboxItem]:
    for short in decisions.short_tables(current):
        stage, progress, count = short.stage, current.state.stage(short.stage.key), len(short.tables)
        # The vacant spot, or drawing again for who took it, settles the tables too.
        if any(_vacant(current, progress)) or any(_redraw(current, progress)):
            continue
        first, names = short.tables[0].stage_session, (short.entry,)
        is_unplayed = stage.seating is not SeatingMethod.FIXED and not decisions.has_begun(current, stage.key)
        yield InboxItem("short_table", stage, names=names, count=count, stage_session=first, is_unplayed=is_unplayed)


def _redraw(current: CurrentState, progress: StageProgress) -> Iterator[InboxItem]:
    if not is_known(current, progress) or not progress.places or progress.undrawn:
        return
    unsettled = set(decisions.unsettled_in(current, progress.stage.key)) if progress.expected is None else set()
    if gone := tuple(each for each in decisions.seated_elsewhere(current, progress) if each not in unsettled):
        yield InboxItem("redraw", stage=progress.stage, names=gone, count=len(gone))


def _too_few(current: CurrentState, progress: StageProgress) -> Iterator[InboxItem]:
    if not decisions.can_be_closed(current, progress) or vacancies_of(current.state, progress):
        return
    size, settled = current.tournament.format.table_size, _settled_in(current, progress.stage)
    for ranking in progress.rankings:
        left = len(ranking.staying)
        # Rounds that are still to be drawn need players.
        filled = 0 if progress.stage.is_by_standing else sum(str(each.participant) in settled for each in ranking.lines)
        if not ranking.complete and left + filled < size:
            yield InboxItem("too_few", stage=progress.stage, block=ranking.block, count=left, most=size)


def _level(current: CurrentState, progress: StageProgress) -> Iterator[InboxItem]:
    if not all(ranking.complete for ranking in progress.rankings):
        return
    open_paths = [path for path in progress.paths if path.decision is None]
    for group in dict.fromkeys(group for path in open_paths for group in path.proposal.level):
        yield InboxItem("level", stage=progress.stage, names=_names(current, group))


def _vacant(current: CurrentState, progress: StageProgress) -> Iterator[InboxItem]:
    is_open = progress.state in {StageState.WAITING, StageState.UNDRAWN, StageState.READY}
    if not is_open or current.tournament.state == Tournament.State.PREPARING:
        return
    settled = _settled_in(current, progress.stage)
    if (vacant := vacancies_of(current.state, progress) - len(settled)) > 0:
        seated = {place.participant for place in progress.places}
        withdrawn = withdrawn_from(current, progress.stage)
        left = tuple(each for each in withdrawn if each.pk not in seated and str(each.pk) not in settled)
        into = current.state.paths_into(progress.stage.key)
        done = (path for path in into if path.complete)
        earlier = tuple((current.state.stage(path.stage).stage, path.decision is not None) for path in done)
        following = tuple(decisions.next_players(current, each.pk, progress.stage.key) for each in left)
        yield InboxItem("vacancy", progress.stage, names=left, count=vacant, feeders=earlier, successors=following)


def _settled_in(current: CurrentState, stage: Stage) -> list[str]:
    """Return who left with a house player, three players or none at their tables: the spot stays as it is."""
    made = current.standing(Decision.Kind.WITHDRAWN, stage.key)
    return [pk for each in made for pk in each.body.get("short", {}) if pk not in decisions.successors_of(each)]


def withdrawn_from(current: CurrentState, stage: Stage) -> list[Entry]:
    into = current.state.paths_into(stage.key)
    invited = {int(participant) for path in into for participant in path.proposal.players}
    invited |= {int(participant) for path in into if path.decision for participant in path.decision.players}
    if current.state.format.is_entered(stage):
        invited |= set(current.entries)
    found = []
    for decision in current.standing(Decision.Kind.WITHDRAWN):
        replaced = decisions.successors_of(decision)
        found += [pk for pk in decision.body["entries"] if pk in invited and str(pk) not in replaced]
    return [current.entries[pk] for pk in found if pk in current.entries]


def _results(current: CurrentState, sessions: list[SessionState], today: date) -> Iterator[InboxItem]:
    under_way = {StageState.READY, StageState.RUNNING}
    first: dict[tuple[str, str, date], int] = {}
    for each in sessions:
        progress = current.state.stage(each.stage_session.stage)
        planned, missing = each.planned, each.missing
        if progress.stage.seating is SeatingMethod.MANUAL and not planned and progress.state in under_way:
            # Manual seating has no plan, so expect as many tables as there are players for.
            planned = _playable(current, progress, each.stage_session.block)
            missing = max(0, planned - each.entered)
        found = each.stage_session
        if missing and found.session.date <= today and not progress.closed:
            # On one day a session follows another of the same players.
            if first.setdefault((found.stage, found.block, found.session.date), found.number) != found.number:
                continue
            number, left = each.behind
            yield InboxItem("results", stage_session=found, count=left or missing, most=planned, round=number)


def _playable(current: CurrentState, progress: StageProgress, block: str) -> int:
    size = current.tournament.format.table_size
    blocks = [ranking for ranking in progress.rankings if block in {"", ranking.block}]
    return sum(len(ranking.staying) // size for ranking in blocks) * progress.stage.hanchan


def _unconfirmed(sessions: list[SessionState], today: date) -> Iterator[InboxItem]:
    last = today - UNCONFIRMED_AFTER
    if old := [each for each in sessions if each.unconfirmed and each.stage_session.session.date <= last]:
        first = min(old, key=lambda each: each.stage_session.session.date)
        yield InboxItem("unconfirmed", stage_session=first.stage_session, count=sum(each.unconfirmed for each in old))


def _coming(sessions: list[SessionState], today: date) -> list[InboxItem]:
    ahead = [each for each in sessions if each.missing and each.stage_session.session.date > today]
    ahead.sort(key=lambda each: each.stage_session.session.date)
    return [InboxItem("coming", stage_session=each.stage_session, count=each.missing) for each in ahead[:1]]


def _closing(
    current: CurrentState, progress: StageProgress, sessions: list[SessionState], found: list[InboxItem]
) -> Iterator[InboxItem]:
    here = [each for each in sessions if each.stage_session.stage == progress.stage.key]
    if not decisions.can_be_closed(current, progress) or any(each.missing for each in here):
        return
    furthest = max((line.played for ranking in progress.rankings for line in ranking.lines), default=0)
    waits = any(
        item.stage == progress.stage
        or (item.stage_session is not None and item.stage_session.stage == progress.stage.key)
        for item in found
    )
    if furthest >= progress.stage.planned or not waits:
        short = tuple(decisions.short_of_hanchan(progress))
        yield InboxItem("close", stage=progress.stage, names=_names(current, short), count=len(short))


def _asked(current: CurrentState) -> Iterator[InboxItem]:
    if current.tournament.state == Tournament.State.PREPARING:
        count = current.tournament.registrations.filter(state=Registration.State.ASKED).count()
        if count:
            yield InboxItem("registrations", count=count)


def _entries(current: CurrentState) -> Iterator[InboxItem]:
    sizes = current.tournament.format.entrants
    entered = len(current.facts.entrants)
    if current.tournament.state == Tournament.State.PREPARING and entered not in sizes:
        yield InboxItem("entries", count=entered, most=sizes.most if entered > sizes.most else sizes.least)


def needs_draw(current: CurrentState, progress: StageProgress) -> bool:
    entered = len(current.facts.entrants)
    if current.state.format.is_entered(progress.stage) and current.tournament.state == Tournament.State.PREPARING:
        return entered in current.tournament.format.entrants and not current.state.paths_into(progress.stage.key)
    return bool(progress.undrawn) and is_known(current, progress)


def takes_late_entrants(current: CurrentState) -> bool:
    """Return whether people can be entered after the draw: until tables are planned, or if later ones are seated then."""
    entered = [each for each in current.state.stages if current.state.format.is_entered(each.stage)]
    stage, is_over = entered[0].stage, entered[0].state in {StageState.PLAYED, StageState.DECIDED}
    is_full = len(current.facts.entrants) >= current.state.format.entrants.most
    if current.tournament.state != Tournament.State.RUNNING or is_full or is_over or len(entered) > 1:
        return False
    sessions = [each for each in session_states(current) if each.stage_session.stage == stage.key]
    is_drawn_later = stage.is_by_standing and planned_rounds(sessions) < stage.planned
    return not sessions or (len(stage.blocks) == 1 and (is_drawn_later or stage.seating is SeatingMethod.MANUAL))


def stages_to_draw(current: CurrentState) -> list[Stage]:
    return [each.stage for each in current.state.stages if needs_draw(current, each)]


def is_known(current: CurrentState, progress: StageProgress) -> bool:
    into = current.state.paths_into(progress.stage.key)
    return all(path.decision for path in into) and not vacancies_of(current.state, progress)


def _preparation(current: CurrentState, progress: StageProgress, sessions: list[SessionState]) -> Iterator[InboxItem]:
    stage = progress.stage
    if needs_draw(current, progress):
        yield InboxItem("draw", stage=stage, count=len(stage.blocks))
        return
    if progress.state not in {StageState.READY, StageState.RUNNING}:
        return
    if not is_known(current, progress) or current.tournament.state == Tournament.State.PREPARING:
        return
    if missing := unplanned_sessions(current, stage):
        yield InboxItem("plan", stage=stage, count=len(missing))
    if stage.is_by_standing:
        yield from _next_rounds(stage, sessions)


def _next_rounds(stage: Stage, sessions: list[SessionState]) -> Iterator[InboxItem]:
    here = [each for each in sessions if each.stage_session.stage == stage.key]
    for block in stage.block_keys:
        seated = [each for each in here if each.planned and each.stage_session.block in {"", block}]
        if not seated or any(each.missing for each in seated):
            continue
        if (laid_out := planned_rounds(seated)) < stage.planned:
            yield InboxItem("next_round", stage=stage, block=block, count=laid_out + 1)


def planned_rounds(sessions: list[SessionState]) -> int:
    numbers = {each.stage_session.session_id: each.stage_session.number for each in sessions}
    rounds = PlannedSeat.objects.filter(session__in=numbers).exclude(round=EVERY_ROUND)
    return len({(numbers[row[0]], row[1]) for row in rounds.order_by().values_list("session", "round").distinct()})

"""Drawing the next hanchan of a stage that seats by standings: proposal, preview and planning."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from itertools import combinations, count

from django.conf import settings
from django.db import transaction

from league.messages import plain_name
from league.models import Hanchan, PlannedSeat, Session
from league.selectors.planning import Plan, plan_of
from league.services.history import Actor
from tournaments.core.format import SeatingMethod, Stage
from tournaments.core.seating.problem import SeatingError
from tournaments.core.seating.swiss import next_swiss_round, round_by_standing
from tournaments.core.state import StageProgress
from tournaments.models import StageSession, Tournament
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.drawing import seating_number
from tournaments.services.events import TournamentError, lock_tournament
from tournaments.services.planning import Tables, as_entries, byes_before, seat_tables, table_plans

NOBODY = 0
"""Placeholder for players without an entry; primary keys are never 0."""


class GapKind(StrEnum):
    MISSING = "missing"  # no result
    DOUBLED = "doubled"  # two results, or a result that was not planned
    OTHERS = "others"  # different players than planned


@dataclass(frozen=True, slots=True)
class RoundGap:
    """A table of an earlier round not played exactly once as planned.

    `names`: planned players who have no result in that round.
    """

    kind: GapKind
    session: int
    round: int
    table: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockRounds:
    """A block's rounds so far; `number` is that of the next hanchan."""

    stage: Stage
    block: str
    tables: tuple[Tables, ...]
    gaps: tuple[RoundGap, ...]

    @property
    def number(self) -> int:
        return len(self.tables) + 1

    @property
    def next_round(self) -> int:
        """The round of its session in which the next hanchan is played."""
        return len(self.tables) % self.stage.hanchan + 1

    @property
    def is_open(self) -> bool:
        return any(gap.kind is not GapKind.OTHERS for gap in self.gaps)

    @property
    def is_unclear(self) -> bool:
        """Whether results do not match the plan, other than that some are still to come."""
        return any(gap.kind is not GapKind.MISSING for gap in self.gaps)


@dataclass(frozen=True, slots=True)
class RoundProposal:
    """Tables of a block's next hanchan after `rounds`, by primary keys of entries, East first.

    `repeats`: pairs who have met before; `resting`: players with a bye. `first_table`: number of the first table.
    """

    rounds: BlockRounds
    stage_session: StageSession
    tables: Tables
    resting: tuple[int, ...]
    repeats: tuple[tuple[int, int], ...]
    first_table: int

    @property
    def mark(self) -> str:
        known = self.rounds
        return short_mark(known.stage.key, known.block, known.number, self.tables, self.first_table, known.gaps)


def short_mark(*facts: object) -> str:
    return sha256(repr(facts).encode()).hexdigest()[:20]


def rounds_so_far(current: CurrentState) -> list[BlockRounds]:
    drawn_later = [each for each in current.state.stages if each.stage.is_by_standing and not each.closed]
    blocks = [(each, block) for each in drawn_later for block in each.stage.block_keys]
    found = [_rounds(current, each, block) for each, block in blocks if _sessions(current, each.stage.key, block)]
    return [rounds for rounds in found if len(rounds.tables) < rounds.stage.planned]


def round_proposals(current: CurrentState, blocks: Iterable[BlockRounds], early: str = "") -> Iterator[RoundProposal]:
    """Yield a proposal for each block whose last round is over.

    For the stage `early`, ignore missing or extra results of earlier rounds.
    """
    for rounds in blocks:
        if rounds.is_open and rounds.stage.key != early:
            continue
        # There may be too few players left for a table, or no session planned for the round.
        with suppress(TournamentError, SeatingError):
            yield _proposal(current, rounds)


def round_proposal(current: CurrentState, stage: str, block: str, *, early: bool = False) -> RoundProposal:
    """Return the tables of a block's next hanchan.

    Raise TournamentError: "not_by_standing"; "not_planned" if the stage has no sessions yet; "round_unfinished" if
    results of earlier rounds are missing or do not match the plan, unless `early`; "all_planned". Raise SeatingError if
    the remaining players do not fill a table.
    """
    progress = current.state.stage(stage)
    if not progress.stage.is_by_standing:
        raise TournamentError("not_by_standing")
    rounds = _rounds(current, progress, block)
    if len(rounds.tables) >= progress.stage.planned:
        raise TournamentError("all_planned")
    if rounds.is_open and not early:
        raise TournamentError("round_unfinished")
    return _proposal(current, rounds)


def _proposal(current: CurrentState, rounds: BlockRounds) -> RoundProposal:
    stage, block, history = rounds.stage, rounds.block, rounds.tables
    progress = current.state.stage(stage.key)
    stage_session = _session_of_round(current, stage, block, len(history))
    tables = _next_tables(current, progress, block, history)
    playing = {pk for table in tables for pk in table}
    met = {pair for earlier in history for table in earlier for pair in combinations(sorted(table), 2)}
    return RoundProposal(
        rounds=rounds,
        stage_session=stage_session,
        tables=tables,
        resting=tuple(pk for pk in _playing(progress, block) if pk not in playing),
        repeats=tuple(pair for table in tables for pair in combinations(sorted(table), 2) if pair in met),
        first_table=_first_table(current, stage_session, rounds),
    )


def _first_table(current: CurrentState, stage_session: StageSession, rounds: BlockRounds) -> int:
    """Return the number of a block's first table in a round; blocks that share a session are numbered consecutively."""
    progress, block = current.state.stage(rounds.stage.key), rounds.block
    if stage_session.block or len(progress.stage.blocks) == 1:
        return 1
    size, keys = current.tournament.format.table_size, progress.stage.block_keys
    first = 1 + sum(len(_playing(progress, key)) // size for key in keys[: keys.index(block)])
    last = first + len(_playing(progress, block)) // size - 1
    here = PlannedSeat.objects.filter(session=stage_session.session_id, round=rounds.next_round)
    taken = here.values_list("table", flat=True)
    # Players may have left since another block was seated, so the reserved numbers may be taken.
    return max(taken) + 1 if any(first <= table <= last for table in taken) else first


@transaction.atomic
def plan_next_round(
    *,
    tournament: Tournament,
    stage: str,
    by: Actor,
    block: str | None = None,
    seen: str | None = None,
    reason: str = "",
) -> Session:
    """Plan the next hanchan of a block as a round of its session.

    `seen`: the mark of the proposal shown to the user. `reason`: why the round is drawn although earlier results are
    missing or do not match. Raise TournamentError "proposal_changed" if the proposal has changed since, and everything
    `round_proposal` raises.
    """
    lock_tournament(tournament)
    current = state_of(tournament)
    block = current.state.stage(stage).stage.block_keys[0] if block is None else block
    proposal = round_proposal(current, stage, block, early=bool(reason.strip()))
    if proposal.rounds.gaps and not reason.strip():
        raise TournamentError("round_unfinished")
    if seen is not None and seen != proposal.mark:
        raise TournamentError("proposal_changed")
    session = proposal.stage_session.session
    plans = table_plans(current, [[proposal.tables]], proposal.rounds.next_round, proposal.first_table)
    seat_tables(session, list(plans), by, reason.strip() if proposal.rounds.gaps else "")
    return session


def _playing(progress: StageProgress, block: str) -> list[int]:
    return [int(participant) for participant in progress.ranking(block).staying]


def _next_tables(current: CurrentState, progress: StageProgress, block: str, history: Sequence[Tables]) -> Tables:
    size = current.tournament.format.table_size
    order, waited = _playing(progress, block), byes_before(current, progress.stage.key)
    before = [waited[pk] for pk in order]
    known = _numbered(history, order, size)
    ranked = range(len(order))
    if progress.stage.seating is SeatingMethod.STANDING:
        return as_entries(round_by_standing(ranked, known, table_size=size, before=before), order)
    most, seed = settings.SEATING_PROPOSALS, seating_number(current, progress.stage.key)
    found = next_swiss_round(ranked, known, seed=seed, table_size=size, proposals=most, before=before)
    return as_entries(found, order)


def _numbered(history: Sequence[Tables], order: Sequence[int], size: int) -> list[Tables]:
    """Return the rounds with players as positions in `order`; former players and empty seats get higher numbers."""
    rounds = []
    for tables in history:
        numbers, strangers = {pk: number for number, pk in enumerate(order)}, count(len(order))
        # Each number is used once per round, even if two of its players were merged into one.
        full = [(*table, *[NOBODY] * (size - len(table))) for table in tables]
        rounds.append(
            tuple(tuple(numbers.pop(pk) if pk in numbers else next(strangers) for pk in table) for table in full)
        )
    return rounds


def _rounds(current: CurrentState, progress: StageProgress, block: str) -> BlockRounds:
    entry_of_player = {entry.player.pk: pk for pk, entry in current.entries.items()}
    rankings = [ranking for ranking in progress.rankings if ranking.block != block]
    others = {current.player(line.participant).pk for ranking in rankings for line in ranking.lines}
    rounds: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    gaps: list[tuple[tuple[int, int], RoundGap]] = []
    for stage_session in _sessions(current, progress.stage.key, block):
        plans = [plan for plan in plan_of(stage_session.session) if not {player.pk for player in plan[2]} & others]
        gaps += [((stage_session.number, gap.round), gap) for gap in _gaps(stage_session.session, plans, others)]
        for number, _, players in plans:
            # A postponed table is planned in a session of its own, under the same session number.
            tables = rounds.setdefault((stage_session.number, number), [])
            tables.append(tuple(entry_of_player.get(player.pk, NOBODY) for player in players))
    # Substituted players were already known when later rounds were drawn, so they matter only in the last round.
    last = max(rounds, default=None)
    found = tuple(gap for place, gap in gaps if gap.kind is not GapKind.OTHERS or place == last)
    return BlockRounds(progress.stage, block, tuple(tuple(rounds[key]) for key in sorted(rounds)), found)


def _gaps(session: Session, plans: Sequence[Plan], others: set[int]) -> Iterator[RoundGap]:
    """Yield the differences between a session's plan and its results, ignoring tables where `others` sit."""
    found = Hanchan.objects.valid().filter(session=session).prefetch_related("seats").order_by("round", "table", "pk")
    seated: dict[tuple[int, int], list[set[int]]] = {}
    for hanchan in found:
        players = {seat.player_id for seat in hanchan.seats.all()}
        if not players & others:
            seated.setdefault((hanchan.round, hanchan.table), []).append(players)
    planned = {(number, table): players for number, table, players in plans}
    for place in sorted({*planned, *seated}):
        here, people = seated.get(place, []), planned.get(place, ())
        if not here:
            yield RoundGap(GapKind.MISSING, session.pk, *place)
        elif len(here) > 1 or not people:
            yield RoundGap(GapKind.DOUBLED, session.pk, *place)
        elif here[0] != {player.pk for player in people}:
            left = tuple(plain_name(player) for player in people if player.pk not in here[0])
            yield RoundGap(GapKind.OTHERS, session.pk, *place, left)


def _sessions(current: CurrentState, stage: str, block: str) -> list[StageSession]:
    return [each for each in current.sessions if each.stage == stage and each.block in {"", block}]


def _session_of_round(current: CurrentState, stage: Stage, block: str, rounds: int) -> StageSession:
    wanted = rounds // stage.hanchan + 1
    for stage_session in _sessions(current, stage.key, block):
        if stage_session.number == wanted:
            return stage_session
    raise TournamentError("not_planned", number=wanted)

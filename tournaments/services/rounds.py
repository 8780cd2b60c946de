"""The next hanchan of a stage whose tables follow from its standings: proposed, looked at, then planned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

from django.conf import settings
from django.db import transaction

from league.models import Hanchan, Session
from league.selectors.planning import plan_of
from league.services.history import Actor
from league.services.planning import plan_tables
from tournaments.core.format import SeatingMethod, Stage
from tournaments.core.seating import next_swiss_round, round_by_standing
from tournaments.core.state import StageProgress
from tournaments.models import StageSession, Tournament
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.drawing import seating_number
from tournaments.services.events import TournamentError, lock_tournament
from tournaments.services.planning import Tables, as_entries, table_plans

BY_STANDING = frozenset({SeatingMethod.SWISS, SeatingMethod.STANDING})


@dataclass(frozen=True, slots=True)
class RoundProposal:
    """The tables of a block's next hanchan, by primary keys of entries, East first.

    `number` counts the hanchan of the stage. `repeats` are pairs who have met in the stage before; `resting` have no table.
    """

    stage: Stage
    block: str
    number: int
    stage_session: StageSession
    tables: Tables
    resting: tuple[int, ...]
    repeats: tuple[tuple[int, int], ...]

    @property
    def mark(self) -> str:
        """A short text that is another one as soon as anything of it is."""
        return short_mark(self.stage.key, self.block, self.number, self.tables)


def short_mark(*facts: object) -> str:
    """Return a short text that is another one for other facts."""
    return sha256(repr(facts).encode()).hexdigest()[:20]


def round_proposals(current: CurrentState) -> Iterator[RoundProposal]:
    """Yield the next hanchan of every block in which the last one is over and another is to come."""
    for progress in current.state.stages:
        if progress.stage.seating in BY_STANDING:
            for block in progress.stage.block_keys:
                if _sessions(current, progress.stage.key, block):
                    try:
                        yield round_proposal(current, progress.stage.key, block)
                    except TournamentError:
                        # A result is missing, or everything is planned: nothing is to be proposed yet, or any more.
                        continue


def round_proposal(current: CurrentState, stage: str, block: str, seed: int | None = None) -> RoundProposal:
    """Return the tables of a block's next hanchan by the standings of now.

    Raises TournamentError: "not_by_standing", "not_planned" before the sessions are, "round_unfinished" while a
    planned table has no result, "all_planned".
    """
    progress = current.state.stage(stage)
    if progress.stage.seating not in BY_STANDING:
        raise TournamentError("not_by_standing")
    history = _history(current, progress, block)
    if len(history) >= progress.stage.planned:
        raise TournamentError("all_planned")
    stage_session = _session_of_round(current, progress.stage, block, len(history))
    number = seating_number(current, stage) if seed is None else seed
    tables = _next_tables(current.tournament, progress, block, history, number)
    playing = {pk for table in tables for pk in table}
    return RoundProposal(
        stage=progress.stage,
        block=block,
        number=len(history) + 1,
        stage_session=stage_session,
        tables=tables,
        resting=tuple(pk for pk in _playing(progress, block) if pk not in playing),
        repeats=tuple(_repeats(tables, history)),
    )


@transaction.atomic
def plan_next_round(
    *, tournament: Tournament, stage: str, by: Actor, block: str | None = None, seen: str | None = None
) -> Session:
    """Plan the next hanchan of a block as proposed; return the session it is played in.

    `seen`: the mark of the proposal that the person had in front of them. Raises TournamentError "proposal_changed" when
    it is another one by now, and what `round_proposal` raises.
    """
    lock_tournament(tournament)
    current = state_of(tournament)
    block = current.state.stage(stage).stage.block_keys[0] if block is None else block
    proposal = round_proposal(current, stage, block)
    if seen is not None and seen != proposal.mark:
        raise TournamentError("proposal_changed")
    session = proposal.stage_session.session
    number = (proposal.number - 1) % proposal.stage.hanchan + 1
    plan_tables(session=session, plans=list(table_plans(current, [[proposal.tables]], number)), by=by)
    return session


def _playing(progress: StageProgress, block: str) -> list[int]:
    return [int(line.participant) for line in progress.ranking(block).lines if not line.withdrawn]


def _repeats(tables: Tables, history: Sequence[Tables]) -> Iterator[tuple[int, int]]:
    met = {pair for earlier in history for table in earlier for pair in combinations(sorted(table), 2)}
    for table in tables:
        yield from (pair for pair in combinations(sorted(table), 2) if pair in met)


def _next_tables(
    tournament: Tournament, progress: StageProgress, block: str, history: Sequence[Tables], seed: int
) -> Tables:
    size = tournament.format.table_size
    order = _playing(progress, block)
    numbers = {participant: number for number, participant in enumerate(order)}
    # Somebody who has left does not count among the meetings of the others.
    past = [
        tuple(tuple(numbers.get(participant, -1) for participant in table) for table in tables) for tables in history
    ]
    known = tuple(tuple(table for table in tables if -1 not in table) for tables in past)
    ranked = range(len(order))
    if progress.stage.seating is SeatingMethod.STANDING:
        return as_entries(round_by_standing(ranked, known, table_size=size), order)
    most = settings.SEATING_PROPOSALS
    return as_entries(next_swiss_round(ranked, known, seed=seed, table_size=size, proposals=most), order)


def _history(current: CurrentState, progress: StageProgress, block: str) -> list[Tables]:
    """Return the rounds planned so far, in order. Raises TournamentError "round_unfinished"."""
    entry_of_player = {entry.player.pk: pk for pk, entry in current.entries.items()}
    rounds: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for stage_session in _sessions(current, progress.stage.key, block):
        plans = plan_of(stage_session.session)
        if Hanchan.objects.valid().filter(session=stage_session.session).count() < len(plans):
            raise TournamentError("round_unfinished", session=str(stage_session.session))
        for number, _, players in plans:
            # A table that was postponed is planned in a session of its own, with the same numbers.
            tables = rounds.setdefault((stage_session.number, number), [])
            tables.append(tuple(entry_of_player.get(player.pk, -1) for player in players))
    return [tuple(rounds[key]) for key in sorted(rounds)]


def _sessions(current: CurrentState, stage: str, block: str) -> list[StageSession]:
    return [each for each in current.sessions if each.stage == stage and each.block in {"", block}]


def _session_of_round(current: CurrentState, stage: Stage, block: str, rounds: int) -> StageSession:
    wanted = rounds // stage.hanchan + 1
    for stage_session in _sessions(current, stage.key, block):
        if stage_session.number == wanted:
            return stage_session
    raise TournamentError("not_planned", number=wanted)

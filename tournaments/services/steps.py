"""The step after a stage: approve advancement, fill blocks, seat tables.

The preview is computed as if the step had been taken, so it equals the stored result.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.db import transaction

from league.models import Hanchan
from league.services.history import Actor
from tournaments.core.facts import Advance
from tournaments.core.format import Fill, Stage
from tournaments.core.seating.problem import SeatingError
from tournaments.core.state import StageProgress, StageState
from tournaments.models import Tournament
from tournaments.selectors.inbox import is_known, unplanned_sessions
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.decisions import approve_all, finish
from tournaments.services.drawing import BlockDraw, draw, draw_by_format, draw_by_lot, seating_number
from tournaments.services.drawing import chosen_number as lot_number
from tournaments.services.events import TournamentError, lock_tournament
from tournaments.services.planning import SessionPlan, Tables, block_seating, plan_stage
from tournaments.services.rounds import short_mark


@dataclass(frozen=True, slots=True)
class FollowingStage:
    """The next stage. `draw`: its blocks, None if it has only one.

    `tables`: the first hanchan's tables by block, if the stage has a single session that can be planned in this step;
    `seed`: the seed used.
    """

    stage: Stage
    draw: BlockDraw | None
    tables: tuple[tuple[str, Tables], ...]
    seed: int


@dataclass(frozen=True, slots=True)
class StageStep:
    """Everything one step does.

    `moves`: destinations with their players; `closes`: the tournament is over afterwards.
    """

    stage: Stage
    moves: tuple[tuple[str, tuple[int, ...]], ...]
    follows: tuple[FollowingStage, ...]
    closes: bool

    @property
    def needs_day(self) -> bool:
        return any(each.tables for each in self.follows)

    @property
    def mark(self) -> str:
        drawn = [(each.stage.key, each.draw and dict(each.draw.blocks), each.tables) for each in self.follows]
        return short_mark(self.stage.key, self.moves, drawn, self.closes)


def stage_steps(current: CurrentState) -> list[StageStep]:
    found = (stage_step(current, progress) for progress in current.state.stages)
    return [step for step in found if step is not None]


def stage_step(current: CurrentState, progress: StageProgress) -> StageStep | None:
    open_paths = [path for path in progress.paths if path.decision is None or path.overtaken]
    if not open_paths or not all(path.ready and not path.overtaken for path in open_paths):
        return None
    moves = tuple((path.to, tuple(int(participant) for participant in path.proposed)) for path in open_paths)
    advances = [Advance(progress.stage.key, to, players, players) for to, players in moves]
    after = current.supposing(advances=(*current.facts.advances, *advances))
    follows = tuple(_following(current, after, progress.stage.key))
    sessions = [each.session_id for each in current.sessions]
    disputed = Hanchan.objects.filter(session__in=sessions, state=Hanchan.State.DISPUTED)
    return StageStep(progress.stage, moves, follows, after.state.is_over and not disputed.exists())


def _following(current: CurrentState, after: CurrentState, stage: str) -> Iterator[FollowingStage]:
    for progress in after.state.stages:
        key = progress.stage.key
        into = current.state.paths_into(key)
        was_known = is_known(current, current.state.stage(key)) and not current.state.stage(key).undrawn
        # A stage whose players were decided ahead of the others is planned with theirs.
        if (
            (was_known and stage not in {path.stage for path in into})
            or not is_known(after, progress)
            or not unplanned_sessions(after, progress.stage)
        ):
            continue
        if progress.state in {StageState.READY, StageState.UNDRAWN}:
            try:
                yield _stage_after(after, progress)
            except (TournamentError, SeatingError):
                # The number of players does not fit; the stage's own pages explain it.
                continue


def _stage_after(after: CurrentState, progress: StageProgress) -> FollowingStage:
    key, drawn, then = progress.stage.key, None, after
    if progress.undrawn:
        by_lot = progress.stage.fill is Fill.DRAW
        drawn = draw_by_lot(after, key, lot_number(after, key)) if by_lot else draw_by_format(after, key)
        then = after.supposing(draws=(*after.facts.draws, drawn.of_stage(key)))
    seed = drawn.seed if drawn and drawn.seed is not None else seating_number(after, key)
    return FollowingStage(progress.stage, drawn, tuple(_tables(then, key, seed)), seed)


def _tables(current: CurrentState, stage: str, seed: int) -> Iterator[tuple[str, Tables]]:
    progress = current.state.stage(stage)
    if progress.stage.sessions > 1:
        return
    for block in progress.stage.block_keys:
        rounds = block_seating(current, stage, block, seed)[0]
        if rounds:
            yield block, rounds[0]


@transaction.atomic
def take_step(*, tournament: Tournament, stage: str, seen: str, plan: SessionPlan | None, by: Actor) -> StageStep:
    """Take the step; tables are planned if there is a `plan`.

    Raise TournamentError "proposal_changed" unless `seen` is the mark of the current step.
    """
    lock_tournament(tournament)
    current = state_of(tournament)
    step = stage_step(current, current.state.stage(stage))
    if step is None or step.mark != seen:
        raise TournamentError("proposal_changed")
    approve_all(tournament=tournament, stage=stage, seen=dict(step.moves), by=by)
    for each in step.follows:
        if each.draw is not None:
            draw(tournament=tournament, stage=each.stage.key, drawn=each.draw, by=by)
        if plan is not None and each.tables:
            plan_stage(tournament=tournament, stage=each.stage.key, plan=replace(plan, seed=each.seed), by=by)
    if step.closes:
        finish(tournament=tournament, by=by)
    return step

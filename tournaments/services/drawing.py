"""Assigning the players of a stage to its blocks: by lot, by the format's own method, or by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.db import transaction
from django.utils.crypto import salted_hmac

from league.services.history import Actor
from tournaments.core.facts import Draw
from tournaments.core.format import Fill
from tournaments.core.seating.draw import draw_blocks, lot_order
from tournaments.core.state import StageProgress
from tournaments.models import Decision, Tournament
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import TournamentError, lock_tournament, names_of, revoke_decision, store_decision
from tournaments.services.setup import close_entries

MAX_SEED = 2**31 - 1
LOT_NUMBERS = 1_000_000
"""Upper limit of seeds chosen for the director, short enough to read aloud."""

METHODS: Mapping[Fill, Literal["draw", "order", "snake"]] = {
    Fill.DRAW: "draw",
    Fill.ORDER: "order",
    Fill.SNAKE: "snake",
    Fill.BRACKET: "order",
}
"""How blocks are filled from a list of players; in a bracket, the players are already in order."""


@dataclass(frozen=True, slots=True)
class BlockDraw:
    """Blocks with the primary keys of entries, and how they were drawn."""

    blocks: Mapping[str, Sequence[int]]
    method: str = "hand"
    seed: int | None = None

    def of_stage(self, stage: str) -> Draw:
        return Draw(stage, {key: tuple(players) for key, players in self.blocks.items()})


def draw_by_lot(current: CurrentState, stage: str, seed: int) -> BlockDraw:
    """Return the blocks for a seed, without storing them.

    Seeded players get the places the format assigns to them; the others are drawn. The same seed and entries always
    give the same blocks. Raise TournamentError "wrong_number".
    """
    progress = current.state.stage(stage)
    seeds = _seeds(current, progress)
    players = lot_order(_players(progress), seed, seeds) if progress.stage.fill is not Fill.DRAW else _players(progress)
    return BlockDraw(_filled(progress, players, seeds, seed), "lot", seed)


def draw_by_format(current: CurrentState, stage: str) -> BlockDraw:
    """Return the blocks as the format fills them; not for stages drawn by lot.

    Raise TournamentError "wrong_number".
    """
    progress = current.state.stage(stage)
    seeds = _seeds(current, progress)
    # Strongest players first, for formats that fill blocks by strength.
    players = sorted(_players(progress), key=lambda pk: (pk not in seeds, seeds.get(pk, 0)))
    return BlockDraw(_filled(progress, players, seeds, 0), str(progress.stage.fill))


def chosen_number(current: CurrentState, stage: str) -> int:
    """Return the default seed of a stage's draw.

    It depends on the players and the number of earlier draws and cannot be predicted outside the site, so directors
    cannot redraw until they like the result.
    """
    progress = current.state.stage(stage)
    draws = sum(each.kind == Decision.Kind.DRAW and each.stage == stage for each in current.decisions)
    text = repr((current.tournament.pk, stage, sorted(_players(progress)), draws))
    return int(salted_hmac("tournaments.draw", text).hexdigest()[:12], 16) % LOT_NUMBERS


def seating_number(current: CurrentState, stage: str) -> int:
    seeds = [each.body.get("seed") for each in current.standing(Decision.Kind.DRAW, stage)]
    drawn = next((seed for seed in seeds if seed is not None), None)
    return chosen_number(current, stage) if drawn is None else drawn


def _players(progress: StageProgress) -> list[int]:
    return [int(place.participant) for place in progress.places]


def _seeds(current: CurrentState, progress: StageProgress) -> dict[int, int]:
    if not current.state.format.is_entered(progress.stage):
        return {}
    return {pk: seed for pk in _players(progress) if (seed := current.entries[pk].seed) is not None}


def _filled(
    progress: StageProgress, players: Sequence[int], seeds: Mapping[int, int], seed: int
) -> dict[str, tuple[int, ...]]:
    sizes = progress.stage.block_sizes(len(players))
    if not sizes:
        fixed = sum(block.size or 0 for block in progress.stage.blocks)
        raise TournamentError("wrong_number", number=len(players), least=fixed, most=fixed)
    blocks = draw_blocks(players, sizes, seed=seed, method=METHODS[progress.stage.fill], seeds=seeds)
    return dict(zip(progress.stage.block_keys, blocks, strict=True))


@transaction.atomic
def draw(*, tournament: Tournament, stage: str, drawn: BlockDraw, by: Actor, reason: str = "") -> Decision:
    """Store the blocks of a stage.

    Raise TournamentError: "wrong_number", "not_in_stage", "twice", "played" if the stage has results, "reason_missing"
    if this replaces an earlier draw.
    """
    lock_tournament(tournament)
    current = state_of(tournament)
    progress = current.state.stage(stage)
    _check_draw(current, stage, drawn)
    if current.state.format.is_entered(progress.stage):
        close_entries(tournament)
    blocks = {key: list(players) for key, players in drawn.blocks.items()}
    body = {"blocks": blocks, "method": drawn.method, "seed": drawn.seed}
    for earlier in tournament.decisions.valid().filter(kind=Decision.Kind.DRAW, stage=stage):
        if not reason and earlier.body == body:
            return earlier
        if not reason:
            raise TournamentError("reason_missing")
        revoke_decision(earlier, by, reason)
    after = {key: names_of(current.entries[pk] for pk in players) for key, players in drawn.blocks.items()}
    decision = Decision(kind=Decision.Kind.DRAW, stage=stage, body=body, reason=reason)
    return store_decision(tournament, decision, {"blocks": after, "seed": drawn.seed}, by)


def _check_draw(current: CurrentState, stage: str, drawn: BlockDraw) -> None:
    progress = current.state.stage(stage)
    if any(ranking.started for ranking in progress.rankings):
        raise TournamentError("played")
    placed = [pk for players in drawn.blocks.values() for pk in players]
    wanted = {int(place.participant) for place in progress.places}
    if len(set(placed)) != len(placed):
        twice = next(pk for pk in placed if placed.count(pk) > 1)
        raise TournamentError("twice", name=current.entries[twice].player.name)
    if set(placed) != wanted:
        odd = next(iter(set(placed) ^ wanted))
        name = current.entries[odd].player.name if odd in current.entries else str(odd)
        raise TournamentError("not_in_stage" if odd in placed else "missing_in_draw", name=name)
    for block in progress.stage.blocks:
        players = drawn.blocks.get(block.key, ())
        if block.size is not None and len(players) != block.size and not progress.vacancies:
            raise TournamentError("block_size", block=block.key, number=len(players), size=block.size)

"""What else is known of a stored hanchan, kept when the sheet changes its scores or seats."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from league.services.results import HanchanResult
from scoring.core import Bust, FinishedGame


def with_notes(
    known: HanchanResult,
    seated: Sequence[int | None],
    game: FinishedGame,
    chombo: Sequence[int | None],
    told: Collection[int] = (),
) -> HanchanResult | None:
    """Return `game` with what else is known of a stored result, as far as the row does not say it itself.

    `seated` are the players' primary keys, first dealer first; of the seats in `told` it says all there is. None where other people sit there and something was
    noted about those who sat there before that no cell shows.
    """
    before = [player.pk for player in known.players]
    if set(seated) != set(before):
        unseen = (known.yakuman, any(known.game.chips), any(known.game.deposits), _shared(known.game.busts))
        return None if any(unseen) else HanchanResult((), with_chombo(game, chombo), known.note, known.end_reason)
    order = [before.index(pk) for pk in seated if pk is not None]
    kept = known.game.reseated(order)
    # What was taken as it is stays so while its scores do; of points that somebody has scores for now nothing is left.
    stays = kept.as_is and (kept.raw, kept.sticks_left) == (game.raw, game.sticks_left)
    scores = replace(kept, raw=game.raw, sticks_left=game.sticks_left, points=(), placements=(), as_is=stays)
    moved = replace(scores, busts=tuple(_busts(kept, game, told)))
    yakuman = tuple((order.index(seat), text) for seat, text in known.yakuman)
    result = HanchanResult((), with_chombo(moved, chombo), known.note, known.end_reason, yakuman)
    # Worked out from points are just the scores of then.
    return replace(result, worked_out=known.worked_out and kept.raw == game.raw)


def with_chombo(game: FinishedGame, said: Sequence[int | None]) -> FinishedGame:
    """Return the game with the chombo that a row tells of; of whom it says nothing keeps those there are."""
    kept = game.chombo or (0,) * len(said)
    chombo = tuple(known if new is None else new for known, new in zip(kept, said, strict=False))
    return replace(game, chombo=chombo if any(chombo) else ())


def _busts(known: FinishedGame, game: FinishedGame, told: Collection[int]) -> Iterable[Bust]:
    """Yield the busts by seat: as the row says, with the shares that are known of just that bust, else as known."""
    stored = {bust.seat: bust for bust in known.busts}
    said = {bust.seat: bust for bust in game.busts}
    for seat in sorted(stored.keys() | said.keys()):
        before, now = stored.get(seat), said.get(seat)
        if now is not None:
            yield before if before is not None and replace(before, shares=()) == now else now
        elif before is not None and seat not in told and _is_still(before, known, game):
            yield before


def _shared(busts: Iterable[Bust]) -> bool:
    return any(bust.shares for bust in busts)


def _is_still(bust: Bust, known: FinishedGame, game: FinishedGame) -> bool:
    raw = game.raw[bust.seat]
    return raw <= 0 or raw == known.raw[bust.seat]

"""What else is known of a stored hanchan, kept when the sheet changes its scores or seats."""

from collections.abc import Sequence
from dataclasses import replace

from league.services.results import HanchanResult
from scoring.core import Bust, FinishedGame


def with_notes(known: HanchanResult, seated: Sequence[int | None], game: FinishedGame) -> HanchanResult | None:
    """Return `game` with what else is known of a stored result: busts, chombo and the like stay with their people.

    `seated` are the players' primary keys, first dealer first. None where other people sit there and something was
    noted about those who sat there before.
    """
    before = [player.pk for player in known.players]
    noted = (known.game.busts, known.yakuman, *map(any, (known.game.chombo, known.game.chips, known.game.deposits)))
    if set(seated) != set(before):
        return None if any(noted) else HanchanResult((), game, known.note, known.end_reason)
    order = [before.index(pk) for pk in seated if pk is not None]
    kept = known.game.reseated(order)
    busts = tuple(bust for bust in kept.busts if _is_still(bust, kept, game))
    moved = replace(kept, raw=game.raw, sticks_left=game.sticks_left, busts=busts)
    yakuman = tuple((order.index(seat), text) for seat, text in known.yakuman)
    return HanchanResult((), moved, known.note, known.end_reason, yakuman)


def _is_still(bust: Bust, known: FinishedGame, game: FinishedGame) -> bool:
    """Return whether somebody who was bust may be so with the score typed now."""
    raw = game.raw[bust.seat]
    return raw <= 0 or raw == known.raw[bust.seat]

"""Effect of a hanchan on the standings, calculated from current results, so not affected by stale boards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from league.core.board_lines import halves_of
from league.core.periods import Period
from league.messages import period_title
from league.models import Hanchan, League, Player, Seat
from league.selectors.games import seats_of
from league.selectors.what_if import CountedHanchan, CountedSeat, Ranks, ranks_around
from scoring.core import Ledger, PlayerResult, ScoredGame

NAMED_OTHERS = 6


@dataclass(frozen=True, slots=True)
class RankMove:
    """A player's rank in a period before and after; None is "not ranked". `points`: the totals, if asked for."""

    player: Player
    before: int | None
    after: int | None
    points: tuple[int, ...] = ()

    @property
    def moves(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class BoardEffect:
    """The effect on one board: the hanchan's players in seat order, and other players whose rank changes."""

    period: Period
    seated: tuple[RankMove, ...]
    others: tuple[RankMove, ...]

    @property
    def title(self) -> str:
        return period_title(self.period)

    @property
    def first_others(self) -> tuple[RankMove, ...]:
        return self.others[:NAMED_OTHERS]

    @property
    def more_others(self) -> int:
        return max(0, len(self.others) - NAMED_OTHERS)

    @property
    def moves(self) -> bool:
        """Whether any rank changes."""
        return any(move.moves for move in (*self.seated, *self.others))


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """A player's seat with their rank changes, one per board."""

    seat: Seat
    moves: tuple[RankMove, ...]


def receipt_lines(hanchan: Hanchan, effects: Sequence[BoardEffect]) -> list[ReceiptLine]:
    """Return the seats of a hanchan by placement."""
    seats = enumerate(seats_of(hanchan))
    lines = [ReceiptLine(seat, tuple(effect.seated[number] for effect in effects)) for number, seat in seats]
    return sorted(lines, key=lambda line: line.seat.placement)


def effect_of(hanchan: Hanchan) -> tuple[BoardEffect, ...]:
    """Return the effect of a hanchan on its month and year. About eight queries with prefetched seats.

    Return () if the hanchan does not count.
    """
    if not hanchan.counts:
        return ()
    seated = [seat.player for seat in seats_of(hanchan)]
    effects = []
    for period in hanchan.league.periods_of(hanchan.day)[:2]:
        after, before = ranks_around(hanchan.league, period, hanchan.pk)
        effects.append(_effect(hanchan.league, period, seated, (before, after)))
    return tuple(effects)


def correction_effect(hanchan: Hanchan, corrected: CountedHanchan, seated: Iterable[Player]) -> tuple[BoardEffect, ...]:
    """Return the effect of a correction on its month and year; on four periods if it moves to another year.

    `corrected`: the new state; `seated`: its players, without new guests.
    """
    people = {player.pk: player for player in (*seated, *(seat.player for seat in seats_of(hanchan)))}
    old, new = hanchan.league.periods_of(hanchan.day)[:2], hanchan.league.periods_of(corrected.day)[:2]
    return tuple(
        _effect(hanchan.league, period, people.values(), ranks_around(hanchan.league, period, hanchan.pk, corrected))
        for period in dict.fromkeys((*old, *new))
    )


def _effect(league: League, period: Period, seated: Iterable[Player], ranks: tuple[Ranks, Ranks]) -> BoardEffect:
    before, after = ranks
    people = {player.pk: player for player in seated}
    changed = [pk for pk in before.keys() | after.keys() if before.get(pk) != after.get(pk) and pk not in people]
    others = Player.objects.filter(league=league, pk__in=changed) if changed else ()
    moves = [RankMove(player, before.get(player.pk), after.get(player.pk)) for player in others]
    return BoardEffect(
        period=period,
        seated=tuple(RankMove(player, before.get(pk), after.get(pk)) for pk, player in people.items()),
        others=tuple(sorted(moves, key=lambda move: (move.after or move.before or 0, move.player.pk))),
    )


def as_corrected(
    hanchan: Hanchan, scored: ScoredGame, players: Iterable[Player | None], moment: datetime
) -> CountedHanchan:
    """Return the state after a correction. New guests have negative primary keys."""
    league, raw = hanchan.league, scored.scene.game.raw
    ledger = Ledger(league.ledger)
    lines = {
        player.pk if player is not None else -number - 1: CountedSeat(
            PlayerResult(seat.points[ledger], seat.placement, raw[number] if raw else None, hanchan.pk),
            seat.total_only,
            halves_of(seat.placement, seat.sharing),
        )
        for number, (player, seat) in enumerate(zip(players, scored.seats, strict=True))
    }
    return CountedHanchan(moment, league.day_of(moment), hanchan.pk, lines)

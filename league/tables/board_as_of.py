"""What a board says of a day: how it stood then, and what has become of everybody's line since."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from league.core.board_ranks import LineChange
from league.core.periods import Period, up_to
from league.models import League, Standing
from league.selectors.board_parts import KnownBoards, hanchan_in
from league.selectors.evenings import evenings_around


@dataclass(frozen=True, slots=True)
class BoardSince:
    """What a board has become since a day: by player, and those who have come since, in the order of the board."""

    changes: Mapping[int, LineChange]
    newcomers: Sequence[Standing]


NOTHING_SINCE = BoardSince({}, ())


def since(then: Sequence[Standing], now: Sequence[Standing]) -> BoardSince:
    """Return what became of the lines of a board. Somebody who is no more on it has lost all that they had."""
    known, later = {line.player_id for line in then}, {line.player_id: line for line in now}
    return BoardSince(
        changes={line.player_id: _change(line, later.get(line.player_id)) for line in then},
        newcomers=[line for line in now if line.player_id not in known],
    )


def _change(then: Standing, now: Standing | None) -> LineChange:
    if now is None:
        return LineChange(-then.total, then.rank, None)
    return LineChange(now.total - then.total, then.rank, now.rank)


@dataclass(frozen=True, slots=True)
class AsOf:
    """The day of a board that was asked for, how many hanchan had been played by then, and the evenings around it."""

    day: date
    hanchan: int
    before: date | None
    after: date | None


def as_of(league: League, period: Period, day: date, known: KnownBoards | None) -> AsOf:
    """Return what a page says above a board as of a day. Two queries at most, three where boards are not known."""
    around = evenings_around(league, period, day)
    return AsOf(day, hanchan_in(league, up_to(period, day), known), around.before, around.after)

"""What a board says of a day: how it stood then, and what has become of everybody's line since."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from league.core.board_ranks import LineChange
from league.models import Standing


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
    """The day of a board that was asked for, and how many hanchan had been played by then."""

    day: date
    hanchan: int

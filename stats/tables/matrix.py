"""Everybody against everybody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from league.models import Player
from stats.core.charts.heat import rate_level
from stats.core.statistics import RATE_FROM, HeadToHead
from stats.tables.period_switch import address_of

MAX_IN_MATRIX = 30


@dataclass(frozen=True, slots=True)
class VersusCell:
    """How somebody did against somebody; `shade`: None where the two met too rarely for a rate."""

    record: HeadToHead
    shade: int | None
    query: str


@dataclass(frozen=True, slots=True)
class VersusRow:
    """How somebody did against everybody, in the order of the columns; None for themselves and whom they never met."""

    player: Player
    cells: Sequence[VersusCell | None]


def versus_rows(people: Sequence[Player], met: Mapping[tuple[int, int], HeadToHead], period: str) -> list[VersusRow]:
    """Return the matrix of these people."""
    return [VersusRow(one, [_cell(met.get((one.pk, other.pk)), one, period) for other in people]) for one in people]


def _cell(record: HeadToHead | None, player: Player, period: str) -> VersusCell | None:
    if record is None:
        return None
    shade = rate_level(record.above, record.games) if record.games >= RATE_FROM else None
    return VersusCell(record, shade, address_of(period, (player.pk, record.opponent)))

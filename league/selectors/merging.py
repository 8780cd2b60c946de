"""Who a name has become by merging, and what a merge of two players would move."""

from dataclasses import dataclass

from league.core.periods import Period
from league.models import Adjustment, Hanchan, Player, Seat

SHOWN_MEETINGS = 5


def current_player(player: Player) -> Player:
    """Return who a player is after all merges; in a circle, which an old database may hold, the last one before it closes."""
    seen = {player.pk}
    while player.merged_into is not None and player.merged_into_id not in seen:
        player = player.merged_into
        seen.add(player.pk)
    return player


@dataclass(frozen=True, slots=True)
class MergePreview:
    hanchan: int
    sessions: int
    adjustments: int
    periods: tuple[Period, ...]
    meetings: tuple[Hanchan, ...]
    meeting_count: int


def merge_preview(source: Player, target: Player) -> MergePreview:
    """Return what giving everything of `source` to `target` would do. Five queries."""
    seats = Seat.objects.filter(player=source)
    adjustments = Adjustment.objects.filter(player=source)
    days = {*seats.order_by().values_list("day", flat=True), *adjustments.order_by().values_list("day", flat=True)}
    periods = {period.key: period for day in days for period in source.league.periods_of(day)}
    met = Hanchan.objects.filter(seats__player=source).filter(seats__player=target).select_related("session")
    return MergePreview(
        hanchan=seats.count(),
        sessions=seats.order_by().values("hanchan__session").distinct().count(),
        adjustments=adjustments.count(),
        periods=tuple(sorted(periods.values(), key=lambda period: (period.end, period.start), reverse=True)),
        meetings=tuple(met.order_by("-played_at")[:SHOWN_MEETINGS]),
        meeting_count=met.count(),
    )

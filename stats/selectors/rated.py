"""What pages tell of ratings, as they are kept: everybody of a league, and one player hanchan by hanchan."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from django.db.models import Exists, OuterRef, QuerySet

from league.models import League, Player
from stats.core.ratings.blocks import PER_BLOCK, SHAPE, RatedHanchan, length, unpacked
from stats.core.ratings.prediction import Judged
from stats.models import PlayerRating, RatingBlock, RatingMark, RatingProgress

LATEST = 5
"""So many of the latest changes stand on a player's page."""


@dataclass(frozen=True, slots=True)
class RatingState:
    """How far the ratings of a league are, and how they have predicted its hanchan."""

    is_behind: bool
    tenhou: Judged
    skill: Judged


def rating_state(league: League) -> RatingState:
    """Return how far the ratings of a league are. One query."""
    marks = RatingMark.objects.filter(league=OuterRef("league"))
    found = RatingProgress.objects.filter(league=league).annotate(is_marked=Exists(marks)).first()
    if found is None:
        return RatingState(is_behind=True, tenhou=Judged(), skill=Judged())
    return RatingState(
        found.is_marked or found.next_at is not None or found.shape != SHAPE,
        Judged(found.judged, found.tenhou_gain, found.tenhou_squares),
        Judged(found.judged, found.skill_gain, found.skill_squares),
    )


def ratings_of(league: League, order: str) -> QuerySet[PlayerRating]:
    """Return how everybody of a league is rated, the highest of `order` first; with their players."""
    return PlayerRating.objects.filter(league=league).select_related("player").order_by(f"-{order}", "player")


def rating_of(player: Player) -> PlayerRating | None:
    """Return how a player is rated. One query."""
    return PlayerRating.objects.filter(player=player).first()


def latest_changes(player: Player) -> list[RatedHanchan]:
    """Return a player's latest changes, the latest first. One query, of two blocks."""
    blocks = RatingBlock.objects.filter(player=player).order_by("-number").values_list("number", "content")[:2]
    rows = [row for number, content in blocks for row in reversed(list(unpacked(number, bytes(content))))]
    return rows[:LATEST]


class RatedHanchanOf(Sequence[RatedHanchan]):
    """All changes of a player, the latest first, as a paginator takes them: one query to count them, one for each page."""

    def __init__(self, player: Player) -> None:
        self._blocks = RatingBlock.objects.filter(player=player)
        last = self._blocks.order_by("-number").values_list("number", "content").first()
        self._count = 0 if last is None else last[0] * PER_BLOCK + length(bytes(last[1]))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, wanted: int) -> RatedHanchan: ...
    @overload
    def __getitem__(self, wanted: slice) -> list[RatedHanchan]: ...
    def __getitem__(self, wanted: int | slice) -> RatedHanchan | list[RatedHanchan]:
        if isinstance(wanted, int):
            (found,) = self[range(self._count)[wanted] :][:1]
            return found
        start, stop, _ = wanted.indices(self._count)
        # Counted from the first hanchan on.
        low, high = self._count - stop, self._count - start
        numbers = range(low // PER_BLOCK, (high - 1) // PER_BLOCK + 1)
        blocks = self._blocks.filter(number__in=numbers).order_by("-number").values_list("number", "content")
        rows = [row for number, content in blocks for row in reversed(list(unpacked(number, bytes(content))))]
        return [row for row in rows if low <= row.nth < high]

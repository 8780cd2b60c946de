"""What is kept of players follows the boards here, once they are refreshed: ratings, and what months and years came to.

A refresh takes `followed` from its boards, and it is given back here when everything followed. So nothing can be lost: what
a message loses, the sweep finds. Of months that go on nothing is kept: pages read their seats.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from league import background
from league.core.periods import Period, PeriodKind
from league.models import Board, League, StalePeriod
from league.services.refreshing import lock_boards
from stats.core.careers import as_json
from stats.core.league_records import LeagueRecords, evening_winners, records_of
from stats.core.league_records import as_json as records_as_json
from stats.models import Award, KeptSums
from stats.selectors.career_seats import careers_of, rows_in
from stats.selectors.kept import due_leagues, due_periods
from stats.selectors.records import joined_records, record_seats
from stats.selectors.titles import given_titles
from stats.services.ratings import replay_ratings

FOLLOW_TASK = "stats.follow"


def sweep() -> None:
    """Have everything follow that does not yet. One query."""
    for league_id in due_leagues(timezone.now()):
        background.send(FOLLOW_TASK, league_id)


def follow(league_id: int) -> int:
    """Have everything of a league follow its boards, ratings first; return how many months and years were kept."""
    league = League.objects.filter(pk=league_id).first()
    if league is None:
        return 0
    boards = Board.objects.filter(league=league, followed=False, computed_at__isnull=False)
    refreshed = list(boards.values_list("pk", "period", "computed_at"))
    replay_ratings(league_id)
    due = due_periods(league, timezone.now())
    kept = sum(_keep(league, period) for period in due)
    going_on = {key for _, key, _ in refreshed} - {period.key for period in due}
    with transaction.atomic():
        lock_boards(league.pk)
        for model in (KeptSums, Award):
            model.objects.filter(league=league, period__in=going_on).delete()
        for pk, key, computed_at in refreshed:
            if key in going_on:
                boards.filter(pk=pk, computed_at=computed_at).update(followed=True)
    return kept


def follow_anew(league: League) -> None:
    """Have everything of a league worked out once more, after the commit."""
    Board.objects.filter(league=league).update(followed=False)
    background.send(FOLLOW_TASK, league.pk)


@transaction.atomic
def _keep(league: League, period: Period) -> bool:
    """Keep a month or year that is over as the facts are by now; not while its board is stale. Boards wait meanwhile."""
    lock_boards(league.pk)
    if StalePeriod.objects.filter(league=league, period=period.key).exists():
        return False
    found = sums_of(league, period)
    KeptSums.objects.filter(league=league, period=period.key).delete()
    KeptSums.objects.bulk_create(
        KeptSums(league=league, period=period.key, player_id=player, sums=sums)
        for player, sums in {None: records_as_json(found.records), **found.careers}.items()
    )
    _write_awards(league, period, found.awards)
    Board.objects.filter(league=league, period=period.key).update(followed=True)
    return True


@dataclass(frozen=True, slots=True)
class PeriodSums:
    """What a month or year came to: careers by player as JSON, what stood out, and awards by key and player."""

    records: LeagueRecords
    careers: dict[int, Any] = field(default_factory=dict)
    awards: dict[tuple[str, int], int] = field(default_factory=dict)


def sums_of(league: League, period: Period) -> PeriodSums:
    """Return what a month comes to by its seats, or a year by its months."""
    awards = dict.fromkeys(holders_of(league, period), 1)
    if period.kind is not PeriodKind.MONTH:
        return PeriodSums(joined_records(league, period), awards=awards)
    rows = rows_in(league, period)
    seats = record_seats(rows)
    won = {(Award.EVENINGS, player): count for player, count in evening_winners(seats).items()}
    careers = {player: as_json(career) for player, career in careers_of(rows).items()}
    return PeriodSums(records_of(seats), careers, awards | won)


def holders_of(league: League, period: Period) -> set[tuple[str, int]]:
    """Return who holds which title of a period, by key and player. Two queries."""
    return {(title.rule.key, player) for title in given_titles(league, period) for player in title.standing.holders}


def _write_awards(league: League, period: Period, right: Mapping[tuple[str, int], int]) -> None:
    """Write the awards of a period where they are others now: who reads them is told only then."""
    stored: Iterable[tuple[int, str, int, int]] = Award.objects.filter(league=league, period=period.key).values_list(
        "pk", "key", "player_id", "count"
    )
    rows = {(key, player): (pk, count) for pk, key, player, count in stored}
    gone = [pk for key, (pk, count) in rows.items() if right.get(key) != count]
    if gone:
        Award.objects.filter(pk__in=gone).delete()
    Award.objects.bulk_create(
        Award(league=league, period=period.key, key=key, player_id=player, count=count)
        for (key, player), count in sorted(right.items())
        if rows.get((key, player), (0, None))[1] != count
    )

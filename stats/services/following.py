"""Updates ratings and stored months after boards were refreshed.

A refresh clears `followed` on its boards. It is set here at the end, so the sweep finds what a lost message left
undone. Current months are not stored, because pages read their seats.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from league import background
from league.core.periods import Period, PeriodKind
from league.models import Board, League, StalePeriod
from league.models.editions import DERIVED, raise_edition
from league.selectors.board_parts import on_days_of_play
from league.selectors.standings_sql import Days
from league.services.board_refreshing import lock_boards
from stats.core.careers import as_json
from stats.core.league_records import LeagueRecords, evening_winners, records_of
from stats.core.league_records import as_json as records_as_json
from stats.models import Award, KeptSums
from stats.selectors.career_seats import careers_of, seat_rows
from stats.selectors.careers import FollowedBoard, boards_to_follow, due_leagues, earliest_open_day
from stats.selectors.records import joined_records, record_seats
from stats.selectors.titles import given_titles
from stats.services.ratings import replay_ratings

FOLLOW_TASK = "stats.follow"


def sweep() -> None:
    for league_id in due_leagues(timezone.now()):
        background.send(FOLLOW_TASK, league_id)


def follow(league_id: int) -> int:
    """Update everything derived from a league's boards, ratings first; return the number of months and years stored."""
    league = League.objects.filter(pk=league_id).first()
    if league is None:
        return 0
    boards = boards_to_follow(league)
    if months := [board.period for board in boards if not board.followed and board.period.kind is PeriodKind.MONTH]:
        replay_ratings(league_id, min(month.start for month in months))
    open_from = earliest_open_day(timezone.now())
    going_on = [board for board in boards if board.period.end > open_from and not board.followed]
    kept = sum(_keep(league, board.period) for board in boards if board.period.end <= open_from)
    if going_on:
        _leave(league, going_on)
    return kept


@transaction.atomic
def _leave(league: League, boards: Sequence[FollowedBoard]) -> None:
    """Delete stored sums of current months and years, and mark their boards as followed."""
    lock_boards(league.pk)
    keys = [board.period.key for board in boards]
    if any(board.is_kept for board in boards):
        for model in (KeptSums, Award):
            model.objects.filter(league=league, period__in=keys).delete()
    # Until now, pages said that the ratings are behind.
    raise_edition(league.pk, DERIVED)
    moments = {each.computed_at for each in boards}
    as_seen = Board.objects.filter(league=league, period__in=keys, computed_at__in=moments)
    as_seen.update(followed=True)


def follow_anew(league: League) -> None:
    Board.objects.filter(league=league).update(followed=False)
    background.send(FOLLOW_TASK, league.pk)


@transaction.atomic
def _keep(league: League, period: Period) -> bool:
    """Store a completed month or year, unless its board is stale. Locks the boards meanwhile."""
    lock_boards(league.pk)
    if StalePeriod.objects.filter(league=league, period=period.key).exists():
        return False
    found = sums_of(league, period)
    sums: dict[int | None, Any] = {None: records_as_json(found.records), **found.careers}
    for model in (KeptSums, Award):
        model.objects.filter(league=league, period=period.key).delete()
    KeptSums.objects.bulk_create(
        KeptSums(league=league, period=period.key, player_id=player, sums=each) for player, each in sums.items()
    )
    Award.objects.bulk_create(
        Award(league=league, period=period.key, key=key, player_id=player, count=count)
        for (key, player), count in found.awards.items()
    )
    raise_edition(league.pk, DERIVED)
    Board.objects.filter(league=league, period=period.key).update(followed=True)
    return True


@dataclass(frozen=True, slots=True)
class PeriodSums:
    """Sums of a month or year: careers by player as JSON, records, awards by key and player."""

    records: LeagueRecords
    careers: dict[int | None, Any] = field(default_factory=dict)
    awards: dict[tuple[str, int], int] = field(default_factory=dict)


def sums_of(league: League, period: Period) -> PeriodSums:
    awards = dict.fromkeys(holders_of(league, period), 1)
    if period.kind is not PeriodKind.MONTH:
        return PeriodSums(joined_records(league, period), awards=awards)
    within = on_days_of_play([Days(0, period.start, period.end)])
    rows = seat_rows(league, Q(league=league) & within, within)
    seats = record_seats(rows)
    won = {(Award.EVENINGS, player): count for player, count in evening_winners(seats).items()}
    careers: dict[int | None, Any] = {player: as_json(career) for player, career in careers_of(rows).items()}
    return PeriodSums(records_of(seats), careers, awards | won)


def holders_of(league: League, period: Period) -> set[tuple[str, int]]:
    return {(title.rule.key, player) for title in given_titles(league, period) for player in title.standing.holders}

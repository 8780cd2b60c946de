"""Ratings follow the hanchan here: replayed from the first one that is another than it was rated.

It is looked for from the earliest month that changed since; so a hanchan more at the end is the only one to be rated.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, time
from itertools import islice, zip_longest
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Sum

from league.models import League
from stats.core.ratings.replay import Rated, State, replay
from stats.models import PlayerRating, RatedHanchan, RatingState
from stats.selectors.ratings import (
    APART,
    EARLIEST,
    first_change,
    rated_from,
    seats_from,
    states_before,
    tables_from,
)

ROWS_AT_ONCE = 1000

SUMS = ("judged", "tenhou_gain", "tenhou_squares", "skill_gain", "skill_squares")
"""What a RatingState adds up."""


@transaction.atomic
def replay_ratings(league_id: int) -> None:
    """Bring the ratings of a league up to date; of one league one after the other."""
    _, is_new = RatingState.objects.get_or_create(league_id=league_id)
    state = RatingState.objects.select_for_update().get(league=league_id)
    since = first_change(league_id)
    if is_new:
        _replay(state, EARLIEST)
    elif since is not None:
        start = _first_difference(league_id, datetime.combine(since - APART, time(), UTC))
        if start is not None:
            _replay(state, start)


@transaction.atomic
def replay_anew(league: League) -> None:
    """Replay all hanchan of a league, whatever is kept."""
    RatingState.objects.filter(league=league).delete()
    replay_ratings(league.pk)


def _first_difference(league_id: int, since: datetime) -> datetime | None:
    """Return the moment of the first hanchan that is not rated as it is, or is rated and is no more."""
    tables = (table for table in tables_from(league_id, since) if table.counts)
    for table, rated in zip_longest(tables, rated_from(league_id, since).iterator()):
        if table is None or rated is None or not _is_of(rated, table):
            return min(each.played_at for each in (table, rated) if each is not None)
    return None


def _is_of(rated: RatedHanchan, table: Any) -> bool:
    if (rated.pk, rated.played_at, rated.day) != table[:3]:
        return False
    return [(placement, sharing, player) for player, placement, sharing, *_ in rated.seats] == table.seats


def _replay(state: RatingState, start: datetime) -> None:
    """Rate everything from a moment on, and write how everybody concerned is rated now."""
    league_id = state.pk
    players = _take_away(state, start)
    players |= set(seats_from(league_id, start).values_list("player_id", flat=True).distinct())
    states = {player: State() for player in players}
    for some in _chunks(iter(sorted(players if start != EARLIEST else ()))):
        states |= states_before(some, start)
    for rated in _chunks(replay(tables_from(league_id, start), states)):
        count_gains(state, [each.gains for each in rated if each.gains])
        RatedHanchan.objects.bulk_create(_row(league_id, each) for each in rated)
    state.save()
    PlayerRating.objects.filter(player__in=[player for player in players if not states[player].hanchan]).delete()
    PlayerRating.objects.bulk_create(
        (
            PlayerRating(league_id=league_id, player_id=player, **figures_of(each))
            for player, each in sorted(states.items())
            if each.hanchan
        ),
        update_conflicts=True,
        unique_fields=["player"],
        update_fields=[field.name for field in PlayerRating._meta.concrete_fields if not field.primary_key],
    )


def _take_away(state: RatingState, start: datetime) -> set[int]:
    """Forget what was rated from a moment on; return whom that concerns, of everything nobody."""
    if start == EARLIEST:
        PlayerRating.objects.filter(league=state.pk).delete()
        RatedHanchan.objects.filter(league=state.pk).delete()
        return set()
    gone = rated_from(state.pk, start)
    tenhou, skill = F("tenhou_gain"), F("skill_gain")
    sums = gone.aggregate(
        a=Count(tenhou), b=Sum(tenhou), c=Sum(tenhou * tenhou), d=Sum(skill), e=Sum(skill * skill)
    ).values()
    for name, value in zip(SUMS, sums, strict=True):
        setattr(state, name, getattr(state, name) - (value or 0))
    players = {player for seats in gone.values_list("seats", flat=True).iterator() for player, *_ in seats}
    gone.delete()
    return players


def count_gains(state: RatingState, gains: list[tuple[int, int]]) -> None:
    """Add what hanchan gained that were predicted."""
    state.judged += len(gains)
    for tenhou, skill in gains:
        state.tenhou_gain += tenhou
        state.tenhou_squares += tenhou * tenhou
        state.skill_gain += skill
        state.skill_squares += skill * skill


def _row(league_id: int, rated: Rated) -> RatedHanchan:
    tenhou, skill = rated.gains or (None, None)
    hanchan, played_at, day, _ = rated.table
    return RatedHanchan(
        hanchan_id=hanchan,
        league_id=league_id,
        played_at=played_at,
        day=day,
        seats=rated.seats,
        tenhou_gain=tenhou,
        skill_gain=skill,
    )


def figures_of(state: State) -> dict[str, Any]:
    """Return what is told of somebody who stands so."""
    return {
        "hanchan": state.hanchan,
        "tenhou": state.tenhou,
        "skill": state.skill,
        "mu": state.mu,
        "sigma": state.sigma,
        "opponents": state.met_on_average,
        "day": state.day,
        "tenhou_change": state.tenhou - state.tenhou_before,
        "skill_change": state.skill - state.skill_before,
    }


def _chunks(left: Iterator[Any]) -> Iterator[list[Any]]:
    while some := list(islice(left, ROWS_AT_ONCE)):
        yield some

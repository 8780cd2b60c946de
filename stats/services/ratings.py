"""Updates ratings by replaying hanchan from the first one that differs from its rated version.

The search starts with the earliest month changed since the last replay, so a hanchan added at the end is the only one
to rate.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from itertools import islice
from typing import Any, NamedTuple

from django.db import transaction

from league.core.periods import FIRST_DAY
from league.models import League
from league.models.editions import DERIVED, raise_edition
from stats.core.ratings.replay import Rated, RatedTable, State, replay
from stats.models import PlayerRating, RatedHanchan, RatingState
from stats.selectors.ratings import APART, EARLIEST, latest_states, rated_from, tables_from

ROWS_AT_ONCE = 1000


@transaction.atomic
def replay_ratings(league_id: int, since: date) -> None:
    """Bring a league's ratings up to date.

    Hanchan before `since` have not changed. Replays of a league run one at a time.
    """
    state = RatingState.objects.select_for_update().filter(league=league_id).first()
    if state is None:
        RatingState.objects.bulk_create([RatingState(league_id=league_id)], ignore_conflicts=True)
        state, since = RatingState.objects.select_for_update().get(league=league_id), FIRST_DAY
    moment = EARLIEST if since == FIRST_DAY else datetime.combine(since - APART, time(), UTC)
    tables, gone = _differences(league_id, moment)
    if tables or gone:
        _replay(state, tables, gone)


@transaction.atomic
def replay_anew(league: League) -> None:
    for model in (RatingState, RatedHanchan, PlayerRating):
        model.objects.filter(league=league).delete()
    replay_ratings(league.pk, FIRST_DAY)
    raise_edition(league.pk, DERIVED)


class _Gone(NamedTuple):
    """A hanchan that is to be rated again: its players, and the gains of its predictions."""

    hanchan: int
    players: list[int]
    gains: tuple[int, int] | None


def _differences(league_id: int, since: datetime) -> tuple[list[RatedTable], list[_Gone]]:
    tables = list(tables_from(league_id, since))
    same, differ = 0, False
    gone: list[_Gone] = []
    rows = rated_from(league_id, since)
    for pk, played_at, day, seats, tenhou, skill in rows.values_list(
        "pk", "played_at", "day", "seats", "tenhou_gain", "skill_gain"
    ).iterator():
        places = [(placement, sharing, player) for player, placement, sharing, *_ in seats]
        differ = differ or same == len(tables) or (pk, played_at, day, places) != tables[same]
        if differ:
            gains = None if tenhou is None or skill is None else (tenhou, skill)
            gone.append(_Gone(pk, [player for player, *_ in seats], gains))
        else:
            same += 1
    return tables[same:], gone


def _replay(state: RatingState, tables: list[RatedTable], gone: list[_Gone]) -> None:
    for some in _chunks(iter(gone)):
        count_gains(state, [each.gains for each in some if each.gains], sign=-1)
        RatedHanchan.objects.filter(pk__in=[each.hanchan for each in some]).delete()
    players = {player for each in gone for player in each.players}
    players |= {player for table in tables for _, _, player in table.seats}
    states = {player: State() for player in players}
    for some in _chunks(iter(sorted(players))):
        if gone:
            states |= latest_states(some)
        else:
            states |= {pk: rating.state for pk, rating in PlayerRating.objects.in_bulk(some).items()}
    for some in _chunks(replay(tables, states)):
        count_gains(state, [each.gains for each in some if each.gains])
        RatedHanchan.objects.bulk_create(_row(state.pk, each) for each in some)
    state.save()
    if unrated := [player for player in players if not states[player].hanchan]:
        PlayerRating.objects.filter(player__in=unrated).delete()
    PlayerRating.objects.bulk_create(
        (
            PlayerRating(league_id=state.pk, player_id=player, **figures_of(each))
            for player, each in sorted(states.items())
            if each.hanchan
        ),
        update_conflicts=True,
        unique_fields=["player"],
        update_fields=[field.name for field in PlayerRating._meta.concrete_fields if not field.primary_key],
    )


def count_gains(state: RatingState, gains: list[tuple[int, int]], sign: int = 1) -> None:
    state.judged += sign * len(gains)
    for tenhou, skill in gains:
        state.tenhou_gain += sign * tenhou
        state.tenhou_squares += sign * tenhou * tenhou
        state.skill_gain += sign * skill
        state.skill_squares += sign * skill * skill


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
    return {
        "hanchan": state.hanchan,
        "tenhou": state.tenhou,
        "skill": state.skill,
        "mu": state.mu,
        "sigma": state.sigma,
        "opponents_sum": state.opponents,
        "met": state.met,
        "day": state.day,
        "tenhou_change": state.tenhou - state.tenhou_before,
        "skill_change": state.skill - state.skill_before,
    }


def _chunks(left: Iterator[Any]) -> Iterator[list[Any]]:
    while some := list(islice(left, ROWS_AT_ONCE)):
        yield some

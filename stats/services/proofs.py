"""Proofs: stored periods match their seats, and ratings match a full replay."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from league.core.periods import Period, PeriodKind
from league.engine import one_moment
from league.models import League
from league.services.boards import periods_with_play
from league.services.proofs.values import Difference, Proof, ProofTally
from stats.core.careers import PARTS
from stats.core.league_records import LeagueRecords, as_json, joined
from stats.core.ratings.replay import Rated, RatedSeat, State, replay
from stats.models import Award, KeptSums, PlayerRating, RatedHanchan, RatingState
from stats.selectors.careers import still_true
from stats.selectors.ratings import EARLIEST, predictions, rated_from, tables_from
from stats.services.following import PeriodSums, holders_of, sums_of
from stats.services.ratings import count_gains, figures_of, replay_anew


def check_careers(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield careers of stored months that differ from their seats.

    A month that is not stored yet is not a difference.
    """
    for period in periods_with_play(league):
        if period.kind is PeriodKind.MONTH:
            with one_moment():
                kept, right = _kept(league, period), _as_json(sums_of(league, period).careers)
            if right:
                tally.add(period.key, json.dumps(right, sort_keys=True))
            if kept is not None:
                yield from _of_careers(period, {key: sums for key, sums in kept.items() if key is not None}, right)


def check_feats(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield stored records and awards that differ from the seats and boards of their period."""
    months: list[tuple[Period, LeagueRecords]] = []
    for period in periods_with_play(league):
        with one_moment():
            kept = _kept(league, period)
            if period.kind is PeriodKind.MONTH:
                right = sums_of(league, period)
                months.append((period, right.records))
            else:
                of_months = joined([records for month, records in months if month.start in period])
                right = PeriodSums(of_months, awards=dict.fromkeys(holders_of(league, period), 1))
            rows = Award.objects.filter(league=league, period=period.key).values_list("key", "player_id", "count")
            awards = {(key, player): count for key, player, count in rows}
        tally.add(period.key, right.records)
        if kept is not None:
            yield from _different(f"period {period.key}", "records", kept.get(None), _as_json(as_json(right.records)))
            for key, player in sorted(awards.keys() | right.awards.keys()):
                both = (each.get((key, player)) for each in (awards, right.awards))
                yield from _different(f"period {period.key} player {player}", f"award {key}", *both)


def forget(league: League) -> None:
    """Delete wrong stored periods. Pages then read seats until the sweep stores the periods again."""
    wrong = {each.row.split()[1] for check in (check_careers, check_feats) for each in check(league, ProofTally())}
    KeptSums.objects.filter(league=league, period__in=wrong).delete()


def _kept(league: League, period: Period) -> dict[int | None, Any] | None:
    rows = still_true(KeptSums.objects.filter(league=league, period=period.key))
    return {row.player_id: row.sums for row in rows} or None


def _as_json(value: Any) -> Any:
    """Return a value as it is after a JSON round trip, except that the outermost mapping keeps integer keys."""
    if isinstance(value, dict):
        return {key: json.loads(json.dumps(each)) for key, each in value.items()}
    return json.loads(json.dumps(value))


def _of_careers(month: Period, kept: Mapping[int, Any], right: Mapping[int, Any]) -> Iterator[Difference]:
    for player in sorted(kept.keys() | right.keys()):
        row = f"month {month.key} player {player}"
        if player not in kept or player not in right:
            yield _missing(row, "career", is_kept=player in kept)
        elif not isinstance(kept[player], list) or len(kept[player]) != len(PARTS):
            yield Difference(row, "career", kept[player], right[player])
        else:
            for name, stored, wanted in zip(PARTS, kept[player], right[player], strict=True):
                yield from _different(row, name, stored, wanted)


def _missing(row: str, column: str, *, is_kept: bool) -> Difference:
    stored, wanted = ("there", "missing") if is_kept else ("missing", "there")
    return Difference(row, column, stored, wanted)


def _different(row: str, column: str, stored: object, wanted: object) -> Iterator[Difference]:
    if stored != wanted:
        yield Difference(row, column, stored, wanted)


NEAR = 1e-9
"""Allowed difference of floats between machines."""


def check_ratings(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield ratings that differ from a replay. Hanchan still to be rated are not a difference."""
    with one_moment():
        compares = not predictions(league).is_behind
        states: defaultdict[int, State] = defaultdict(State)
        sums = RatingState(league=league)
        left = {row.pk: row for row in rated_from(league.pk, EARLIEST)} if compares else {}
        for rated in replay(tables_from(league.pk, EARLIEST), states):
            count_gains(sums, [rated.gains] if rated.gains else [])
            if compares:
                yield from _of_hanchan(rated, left.pop(rated.table.hanchan, None))
        for pk in left:
            yield _missing(f"hanchan {pk}", "rating", is_kept=True)
        for player, state in sorted(states.items()):
            tally.add(player, state.hanchan, state.tenhou)
        if compares:
            yield from _of_players(league, states)
            found = RatingState.objects.get(league=league)
            for column in RatingState._meta.concrete_fields[1:]:
                yield from _different("ratings", column.name, *(getattr(each, column.name) for each in (found, sums)))


def _of_hanchan(rated: Rated, row: RatedHanchan | None) -> Iterator[Difference]:
    name = f"hanchan {rated.table.hanchan}"
    if row is None:
        yield _missing(name, "rating", is_kept=False)
        return
    gains = None if row.tenhou_gain is None else (row.tenhou_gain, row.skill_gain)
    yield from _different(name, "gains", gains, rated.gains)
    for stored, right in zip(row.seats, rated.seats, strict=True):
        for column, is_, should in zip(RatedSeat._fields, stored, right, strict=True):
            if is_ != should and not _is_near(is_, should):
                yield Difference(f"{name} player {right.player} of ratings", column, is_, should)


def _of_players(league: League, states: Mapping[int, State]) -> Iterator[Difference]:
    kept = {each.player_id: each for each in PlayerRating.objects.filter(league=league)}
    for player in sorted(kept.keys() | states.keys()):
        row = f"rating of player {player}"
        if player not in kept or player not in states:
            yield _missing(row, "rating", is_kept=player in kept)
            continue
        for name, value in figures_of(states[player]).items():
            stored = getattr(kept[player], name)
            if not _is_near(stored, value):
                yield from _different(row, name, stored, value)


def _is_near(one: object, other: object) -> bool:
    return isinstance(one, float) and isinstance(other, float) and abs(one - other) <= NEAR


CAREERS = Proof("careers", "months", check_careers, forget)
FEATS = Proof("feats", "periods", check_feats, forget)
RATINGS = Proof("ratings", "players", check_ratings, replay_anew)

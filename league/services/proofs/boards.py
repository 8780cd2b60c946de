"""Proof of boards: each is recalculated from scratch, compared, and rolled back."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction

from league.core.periods import Period, parse_period
from league.models import Board, League, Standing
from league.services.board_refreshing import refresh
from league.services.boards import periods_with_play, refresh_board, refresh_league
from league.services.proofs.values import Difference, Proof, ProofTally

LINE = [field.attname for field in Standing._meta.concrete_fields if field.attname not in {"id", "league_id", "period"}]
BOARD = ("hanchan", "lines", "last_day")

_Stored = dict[str, dict[str, Any]]
"""A stored board: values of its row ("itself") and of its lines ("player PK")."""


def check_boards(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield differences of stored boards. Stale boards are refreshed first.

    Months come first, so that years and all time are summed up from corrected months.
    """
    wrong: list[str] = []
    for period in all_periods(league):
        before, after = _both(league, period, wrong)
        tally.add(period.key, sorted((row, sorted(values.items())) for row, values in after.items()))
        if before != after:
            wrong.append(period.key)
            yield from _differences(f"board {period.key}", before, after)


def all_periods(league: League) -> list[Period]:
    """Return all periods with facts, a board or lines: months, then years, then all time."""
    *parts, all_time = periods_with_play(league)
    keys = {period.key for period in (*parts, all_time)}
    stray = set(Standing.objects.filter(league=league).order_by().values_list("period", flat=True).distinct()) - keys
    found = [*parts, *(parse_period(key, league.first_month) for key in stray)]
    return [*sorted(found, key=lambda period: ("-" not in period.key, period.key)), all_time]


def _both(league: League, period: Period, wrong: Sequence[str]) -> tuple[_Stored, _Stored]:
    """Return a board as stored and as recalculated from scratch; both refreshes are rolled back."""
    with transaction.atomic():
        refresh(league.pk, [period.key])
        before = _stored(league, period)
        for key in wrong:
            refresh(league.pk, [key], anew=True)
        refresh(league.pk, [period.key], anew=True)
        after = _stored(league, period)
        transaction.set_rollback(True)
    return before, after


def _stored(league: League, period: Period) -> _Stored:
    lines = Standing.objects.filter(league=league, period=period.key).values(*LINE)
    found = {
        f"player {line['player_id']}": line | {"decided_by": json.dumps(line["decided_by"], sort_keys=True)}
        for line in lines
    }
    for board in Board.objects.filter(league=league, period=period.key).values(*BOARD):
        found["itself"] = board | {"last_day": board["last_day"] and board["last_day"].isoformat()}
    return found


def _differences(board: str, before: _Stored, after: _Stored) -> Iterator[Difference]:
    for row in sorted(before.keys() | after.keys()):
        where = f"{board} {row}"
        if row not in before or row not in after:
            stored, wanted = ("there" if row in each else "missing" for each in (before, after))
            yield Difference(where, "line", stored, wanted)
            continue
        for name, stored in before[row].items():
            if stored != after[row][name]:
                yield Difference(where, name, stored, after[row][name])


def repair_boards(league: League) -> None:
    for period in all_periods(league):
        refresh_board(league, period)
    refresh_league(league.pk)


BOARDS = Proof("boards", "boards", check_boards, repair_boards)

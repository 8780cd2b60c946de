"""Previewing a rule change: affected hanchan are scored with the new version, without storing anything."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from operator import itemgetter
from typing import Any

from league.core.board_lines import NO_BASIS, RankingBasis
from league.core.periods import ALL_DAYS, DaySpan, Period
from league.core.results import COLUMNS, Derived
from league.models import Hanchan, League, RulesetVersion, Seat
from league.models.play import HanchanQuerySet
from league.selectors.played import StoredHanchan, in_chunks, played
from league.selectors.points_without_hanchan import bases_without_hanchan
from league.selectors.standings_sql import points_column
from league.selectors.ties import Results
from league.selectors.what_if import CountedSeat, period_totals, ranks_of_both, results_replaced
from league.services.boards import OnProgress, Progress
from league.services.rescoring import RescoredHanchan, left_as_given, rescored, scored_otherwise
from scoring.core import PlayerResult, ScoringError, ScoringRules

SHOWN_REFUSALS = 20
"""Hanchan that cannot be scored are listed up to this number."""

PLACEMENT, SHARING, TOTAL_ONLY = map(COLUMNS.index, ("placement", "sharing", "total_only"))

Differences = dict[int, list[int]]
"""Change per player: points, and twice the placement."""


def preview_impact(
    league: League, version_id: int, on_progress: OnProgress, days: DaySpan = ALL_DAYS
) -> dict[str, Any]:
    """Return the effect of a rescoring as JSON: hanchan, boards, players whose rank changes, and refused hanchan.

    Memory grows with the number of boards and players, and with the hanchan needed for tie-breaks.
    """
    version = RulesetVersion.objects.select_related("ruleset").get(pk=version_id, ruleset__league=league)
    preview = _Preview(league, scored_otherwise(league, version, days), version.read(), on_progress)
    preview.look()
    moved = preview.moves()
    return {
        "hanchan": preview.count,
        "changed": preview.changed,
        "boards": len(preview.boards()),
        "moved": moved,
        "players": len({move["player"] for moves in moved.values() for move in moves}),
        "refused": [{"hanchan": pk} | _reason(error) for _, pk, error in preview.refused],
        "refused_count": preview.refused_count,
    } | left_as_given(league, version, days)


def _reason(error: ScoringError) -> dict[str, Any]:
    values = {name: value if isinstance(value, int) else str(value) for name, value in error.values.items()}
    return {"code": error.code, "seat": error.seat, "values": values}


class _Preview:
    """Sums of old and new points of the affected hanchan, by month and player.

    The first half of its progress is scoring hanchan, the second is ranking boards.
    """

    def __init__(self, league: League, affected: HanchanQuerySet, rules: ScoringRules, on_progress: OnProgress) -> None:
        self.league, self.affected, self.rules, self.on_progress = league, affected, rules, on_progress
        self.count = affected.count()
        self.last = Progress(0, 2 * self.count, "")
        self.points = COLUMNS.index(points_column(league))
        self.changed = self.refused_count = 0
        self.refused: list[tuple[datetime, int, ScoringError]] = []
        self.months: dict[date, Differences] = {}

    def look(self) -> None:
        done = 0
        for count, chunk in in_chunks(self.affected):
            done += count
            day: date | None = None
            for outcome in rescored(played(chunk), self.rules):
                day = outcome.hanchan.row.day
                if outcome.error is not None:
                    self._refuse(outcome.hanchan, outcome.error)
                elif outcome.differs and self._counts(outcome.hanchan):
                    self._add(outcome)
            self._say(min(done, self.count), str(day or ""))

    def _say(self, done: int, item: str) -> None:
        self.last = replace(self.last, done=done, item=item)
        self.on_progress(self.last)

    def _counts(self, hanchan: StoredHanchan) -> bool:
        is_settled = self.league.disputed_count or hanchan.row.state != Hanchan.State.DISPUTED
        return is_settled and (self.league.unbalanced_count or not hanchan.row.as_is)

    def _refuse(self, hanchan: StoredHanchan, error: ScoringError) -> None:
        """Keep the first refusals in order of play."""
        self.refused_count += 1
        self.refused = sorted([*self.refused, (hanchan.row.played_at, hanchan.row.pk, error)], key=itemgetter(0, 1))[
            :SHOWN_REFUSALS
        ]

    def _add(self, outcome: RescoredHanchan) -> None:
        self.changed += 1
        month = outcome.hanchan.row.day.replace(day=1)
        for player, old, new in zip(outcome.hanchan.players, outcome.before, outcome.after, strict=True):
            points, halves = self._points(new) - self._points(old), _halves(new) - _halves(old)
            # The other ledger may change alone.
            if points or halves:
                more = self.months.setdefault(month, defaultdict(lambda: [0, 0]))[player]
                more[0] += points
                more[1] += halves

    def _points(self, derived: Derived) -> int:
        """Return the points that count on boards, including those on the total only."""
        return derived[self.points] + derived[TOTAL_ONLY]

    def boards(self) -> list[Period]:
        found = {period.key: period for first in self.months for period in self.league.periods_of(first)}
        return [found[key] for key in sorted(found)]

    def moves(self) -> dict[str, list[dict[str, Any]]]:
        moved, boards = {}, self.boards()
        for number, period in enumerate(boards, start=1):
            if moves := self._moves(period):
                moved[period.key] = moves
            self._say(self.count + self.count * number // len(boards), period.key)
        if not boards and self.count:
            self._say(2 * self.count, self.last.item)
        return moved

    def _moves(self, period: Period) -> list[dict[str, Any]]:
        now = period_totals(self.league, period)
        then = dict(now)
        for player, (points, halves) in self._differences(period):
            then[player] = then.get(player, NO_BASIS).plus(RankingBasis(0, points, halves))
        before, after = ranks_of_both(self.league, period, (now, then), partial(self._results, period))
        moved = ((player, rank) for player, rank in sorted(before.items()) if rank != after[player])
        besides = bases_without_hanchan(self.league, period)
        # Averages are not told.
        told = (now, then) if self.league.metric == League.Metric.POINTS else ()
        return [
            {
                **{"player": player, "from": rank, "to": after[player]},
                "points": [each[player].plus(besides.get(player, NO_BASIS)).total for each in told],
            }
            for player, rank in moved
        ]

    def _differences(self, period: Period) -> Iterator[tuple[int, list[int]]]:
        for first, differences in self.months.items():
            if first in period:
                yield from differences.items()

    def _results(self, period: Period, players: Iterable[int]) -> tuple[Results, Results]:
        wanted = set(players)
        theirs = Seat.objects.in_period(period).filter(league=self.league, player__in=wanted).values("hanchan")
        affected = self.affected.in_period(period).filter(pk__in=theirs)
        replaced = {}
        for _, chunk in in_chunks(affected):
            for outcome in rescored(played(chunk), self.rules):
                replaced.update({key: line for key, line in self._counted(outcome) if key[1] in wanted})
            self.on_progress(self.last)
        return results_replaced(self.league, period, wanted, replaced)

    def _counted(self, outcome: RescoredHanchan) -> Iterator[tuple[tuple[int, int], CountedSeat]]:
        for seat, new in zip(outcome.hanchan.seats, outcome.after, strict=False):
            pk, _, player, raw, *_ = seat
            result = PlayerResult(new[self.points], new[PLACEMENT], raw, pk)
            yield (pk, player), CountedSeat(result, new[TOTAL_ONLY], _halves(new))


def _halves(derived: Derived) -> int:
    """Return twice the average placement; a shared one counts as the middle of the places it covers."""
    return 2 * derived[PLACEMENT] + derived[SHARING] - 1

"""Stored boards, derived from facts for fast reading and never edited."""

from __future__ import annotations

import uuid

from django.db import models

from league.core.board_lines import RankingBasis
from league.models.leagues import League
from league.models.players import Player


class Board(models.Model):
    """The standings of a month, a year or all time; the row holds the version for caches.

    The all-time row is the lock for refreshing any board of the league. `last_day`: last day of play, null if there are
    only points without hanchan. `lines`: number of Standing rows. `followed`: whether data that other apps derive from
    the board is up to date.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="boards")
    period = models.CharField(max_length=7)
    version = models.PositiveBigIntegerField(default=0)
    computed_at = models.DateTimeField(null=True)
    hanchan = models.PositiveIntegerField(default=0)
    lines = models.PositiveIntegerField(default=0, db_default=0)
    last_day = models.DateField(null=True)
    followed = models.BooleanField(default=False)
    epoch = models.UUIDField(default=uuid.uuid4, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("league", "period"), name="board_period_once"),)

    def __str__(self) -> str:
        return f"{self.league} {self.period} v{self.version}"


class Standing(models.Model):
    """A player's line on a board; points in 1/1000 pt.

    `sums_…`: hanchan and points known only as totals, see core.board_lines.RankingBasis; other columns are about
    hanchan with details. `first` … `fourth`: in twelfths, because placements can be shared; they include published
    placements of totals. `placement_halves`: twice the sum of placements. `shared_rank`: rank before tie-breaks; both
    ranks are null below the minimum number of hanchan. `earlier_…`: values before the board's last day of play, for
    previous ranks and longer periods.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    period = models.CharField(max_length=7)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="standings")
    rank = models.PositiveIntegerField(null=True)
    shared_rank = models.PositiveIntegerField(null=True)
    previous_rank = models.PositiveIntegerField(null=True)
    decided_by = models.JSONField(null=True)
    score = models.BigIntegerField()
    hanchan = models.PositiveIntegerField()
    sessions = models.PositiveIntegerField()
    total = models.BigIntegerField()
    points = models.BigIntegerField()
    settlement = models.BigIntegerField()
    total_only = models.BigIntegerField()
    adjustment = models.BigIntegerField()
    first = models.PositiveIntegerField()
    second = models.PositiveIntegerField()
    third = models.PositiveIntegerField()
    fourth = models.PositiveIntegerField()
    placement_halves = models.PositiveIntegerField()
    recent = models.PositiveIntegerField()
    busts = models.PositiveIntegerField()
    plus = models.PositiveIntegerField()
    chombo = models.PositiveIntegerField()
    chips = models.IntegerField()
    raw_sum = models.BigIntegerField()
    raw_best = models.IntegerField(null=True)
    raw_worst = models.IntegerField(null=True)
    points_best = models.BigIntegerField(null=True)
    points_worst = models.BigIntegerField(null=True)
    earlier_hanchan = models.PositiveIntegerField(default=0, db_default=0)
    earlier_total = models.BigIntegerField(default=0, db_default=0)
    earlier_halves = models.PositiveIntegerField(default=0, db_default=0)
    sums_hanchan = models.PositiveIntegerField(default=0, db_default=0)
    sums_unknown = models.PositiveIntegerField(default=0, db_default=0)
    sums_placed = models.PositiveIntegerField(default=0, db_default=0)
    sums_halves = models.PositiveIntegerField(default=0, db_default=0)
    sums_left_out = models.BigIntegerField(default=0, db_default=0)
    earlier_sums_hanchan = models.PositiveIntegerField(default=0, db_default=0)
    earlier_sums_unknown = models.PositiveIntegerField(default=0, db_default=0)
    earlier_sums_placed = models.PositiveIntegerField(default=0, db_default=0)
    earlier_sums_halves = models.PositiveIntegerField(default=0, db_default=0)
    earlier_sums_left_out = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("league", "period", "player"), name="standing_player_once"),)

    def __str__(self) -> str:
        return f"{self.period} {self.rank} {self.player_id}"

    @property
    def all_hanchan(self) -> int:
        """Number of hanchan, including those known only as totals."""
        return self.hanchan + self.sums_hanchan

    @property
    def placed(self) -> int:
        """Number of hanchan whose placement is known."""
        return self.hanchan + self.sums_placed

    @property
    def all_halves(self) -> int:
        return self.placement_halves + self.sums_halves

    @property
    def averaged(self) -> int:
        """Points that count for averages (1/1000 pt): without totals for an unknown number of hanchan."""
        return self.total - self.sums_left_out

    @property
    def is_by_sums(self) -> bool:
        return bool(self.sums_hanchan or self.sums_unknown)

    @property
    def basis(self) -> RankingBasis:
        return RankingBasis(*(getattr(self, name) for name in RankingBasis._fields))


class StalePeriod(models.Model):
    """Outbox of stale boards: written with the facts, deleted by the refresh.

    `players`: primary keys of affected players, null for all.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    period = models.CharField(max_length=7)
    players = models.JSONField(null=True)
    marked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (models.Index(fields=("league", "period"), name="stale_period_board"),)

    def __str__(self) -> str:
        return f"{self.league_id} {self.period}"

"""What stands out in the periods of a league and what players did in its months: derived from the facts, never edited."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models import League, Player


class KeptFeats(models.Model):
    """A month, a year or all time of a league with what stands out in it, as the facts were when its board was computed.

    With any other `computed_at` or `version` of that board, or while it is stale, it says nothing. `records`: LeagueRecords of
    stats.core.league_records as JSON. `is_over`: whether no later day of play can come. `shape`: the form in which it is kept.
    `awards_due`: whether its titles are to be given anew.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    period = models.CharField(max_length=7)
    computed_at = models.DateTimeField()
    version = models.PositiveBigIntegerField()
    shape = models.PositiveSmallIntegerField()
    is_over = models.BooleanField()
    records = models.JSONField()
    awards_due = models.BooleanField(default=True)

    class Meta:
        verbose_name = _("kept records")
        verbose_name_plural = _("kept records")
        constraints = (models.UniqueConstraint(fields=("league", "period"), name="kept_feats_once"),)

    def __str__(self) -> str:
        return f"{self.league_id} {self.period}"


class PlayerFeats(models.Model):
    """What a player did in a month: MonthFeats of stats.core.feats as JSON."""

    month = models.ForeignKey(KeptFeats, on_delete=models.CASCADE, related_name="players", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    feats = models.JSONField()

    class Meta:
        verbose_name = _("player's feats of a month")
        verbose_name_plural = _("players' feats of months")
        constraints = (models.UniqueConstraint(fields=("month", "player"), name="player_feats_once"),)

    def __str__(self) -> str:
        return f"{self.month_id} {self.player_id}"

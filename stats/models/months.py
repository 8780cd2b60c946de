"""What months came to for each player, kept so that no page adds it up: derived from the facts, never edited."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models import League, Player


class KeptMonth(models.Model):
    """A month of a league whose players' careers are kept, as the facts were when its board was computed.

    With any other `computed_at` or `version` of that board, or while it is stale, they say nothing. `shape`: the form in
    which they are kept.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    period = models.CharField(max_length=7)
    computed_at = models.DateTimeField()
    version = models.PositiveBigIntegerField()
    shape = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name = _("kept month")
        verbose_name_plural = _("kept months")
        constraints = (models.UniqueConstraint(fields=("league", "period"), name="kept_month_once"),)

    def __str__(self) -> str:
        return f"{self.league_id} {self.period}"


class PlayerMonth(models.Model):
    """What the hanchan of a player in a month come to: a Career of stats.core.careers as JSON."""

    month = models.ForeignKey(KeptMonth, on_delete=models.CASCADE, related_name="players", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    career = models.JSONField()

    class Meta:
        verbose_name = _("player's month")
        verbose_name_plural = _("players' months")
        constraints = (models.UniqueConstraint(fields=("month", "player"), name="player_month_once"),)

    def __str__(self) -> str:
        return f"{self.month_id} {self.player_id}"

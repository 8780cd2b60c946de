"""What players have achieved: derived from what they did in each month, never edited."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models import Hanchan, League, Player


class Achievement(models.Model):
    """Something that a player has achieved once. `key`: a Feat of stats.core.feats. Without a hanchan it was the whole month.

    `day`: the league day of the hanchan, or the last of the month.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="achievements", db_index=False)
    key = models.CharField(max_length=20)
    hanchan = models.ForeignKey(Hanchan, on_delete=models.CASCADE, null=True, related_name="+")
    day = models.DateField()

    class Meta:
        verbose_name = _("achievement")
        verbose_name_plural = _("achievements")
        constraints = (models.UniqueConstraint(fields=("player", "key"), name="achievement_once"),)

    def __str__(self) -> str:
        return f"{self.player_id} {self.key}"


class Award(models.Model):
    """A title that a player holds in a month, a year or of all time; shared by those who are level. `key`: that of the title.

    Under the key EVENINGS: evenings of a month that they won, so many as `count` says; a title is held once.
    """

    EVENINGS = "evenings"

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", db_index=False)
    period = models.CharField(max_length=7)
    key = models.CharField(max_length=40)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="awards")
    count = models.PositiveIntegerField(default=1)

    class Meta:
        verbose_name = _("award")
        verbose_name_plural = _("awards")
        constraints = (models.UniqueConstraint(fields=("league", "period", "key", "player"), name="award_once"),)

    def __str__(self) -> str:
        return f"{self.period} {self.key} {self.player_id}"


class AchievementDue(models.Model):
    """The outbox: a player whose months have changed. Written with the months, removed when the achievements follow."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")

    class Meta:
        verbose_name = _("player whose achievements are due")
        verbose_name_plural = _("players whose achievements are due")

    def __str__(self) -> str:
        return f"{self.league_id} {self.player_id}"

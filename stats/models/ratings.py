"""How players are rated, kept as it was replayed: derived from the hanchan, never edited."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models import League, Player


class RatingMark(models.Model):
    """A hanchan of a league came, went or is another one: ratings are to be replayed from this moment of play on.

    Without a moment: from the beginning. Written by triggers of the database in the same transaction as the change
    (stats/models/rating_triggers.py), removed by the replay.
    """

    league = models.ForeignKey(League, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    played_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.league_id} {self.played_at}"


class RatingProgress(models.Model):
    """How far the ratings of a league are replayed; the lock of whoever replays them.

    `next_at`: the hanchan from this moment on (microseconds since 1970) are still to be replayed, None when all are. `shape`: of
    what is kept. `judged…`: hanchan that were predicted, what both ratings gained over chance, and the squares of that.
    """

    league = models.OneToOneField(League, on_delete=models.CASCADE, primary_key=True, related_name="+")
    shape = models.PositiveSmallIntegerField(default=0)
    next_at = models.BigIntegerField(null=True)
    judged = models.BigIntegerField(default=0)
    tenhou_gain = models.BigIntegerField(default=0)
    tenhou_squares = models.BigIntegerField(default=0)
    skill_gain = models.BigIntegerField(default=0)
    skill_squares = models.BigIntegerField(default=0)

    class Meta:
        verbose_name = _("progress of ratings")
        verbose_name_plural = _("progress of ratings")

    def __str__(self) -> str:
        return f"{self.league_id} {self.next_at}"


class PlayerRating(models.Model):
    """How a player is rated after so many hanchan, in 1/1000: R of Tenhou, the skill as it is shown.

    `opponents`: the mean R of everybody they met, as it was before. `day`: their last day of play, `…_change`: what that brought.
    """

    player = models.OneToOneField(Player, on_delete=models.CASCADE, primary_key=True, related_name="+")
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    hanchan = models.PositiveIntegerField()
    tenhou = models.IntegerField()
    skill = models.IntegerField()
    opponents = models.IntegerField()
    day = models.DateField()
    tenhou_change = models.IntegerField()
    skill_change = models.IntegerField()

    class Meta:
        verbose_name = _("rating of a player")
        verbose_name_plural = _("ratings of players")

    def __str__(self) -> str:
        return f"{self.player_id}: {self.tenhou}"


class RatingBlock(models.Model):
    """Some hanchan of a player and what each did to the ratings: a Block of stats.core.ratings.blocks."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+", db_index=False)
    number = models.PositiveIntegerField()
    first_at = models.BigIntegerField()
    last_at = models.BigIntegerField()
    judged = models.BigIntegerField()
    tenhou_gain = models.BigIntegerField()
    tenhou_squares = models.BigIntegerField()
    skill_gain = models.BigIntegerField()
    skill_squares = models.BigIntegerField()
    content = models.BinaryField()

    class Meta:
        verbose_name = _("block of rated hanchan")
        verbose_name_plural = _("blocks of rated hanchan")
        indexes = (models.Index(fields=("league", "last_at"), name="rating_block_league"),)
        constraints = (models.UniqueConstraint(fields=("player", "number"), name="rating_block_once"),)

    def __str__(self) -> str:
        return f"{self.player_id} {self.number}"

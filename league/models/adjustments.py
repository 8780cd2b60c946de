"""Points put on a player's total by hand."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_PUBLIC_REASON_LENGTH
from league.models.leagues import League
from league.models.play import Session
from league.models.players import Player


class Adjustment(models.Model):
    """Points put on a player's total by hand, with a reason. Withdrawn, never deleted."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="adjustments", verbose_name=_("league"))
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="adjustments", verbose_name=_("player"))
    day = models.DateField(_("date"))
    points = models.BigIntegerField(_("points"))
    reason = models.CharField(_("reason"), max_length=MAX_PUBLIC_REASON_LENGTH)
    session = models.ForeignKey(
        Session,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="adjustments",
        verbose_name=_("session"),
        help_text=_("With a session, the points also count in the stage of a tournament that the session belongs to."),
    )
    withdrawn = models.BooleanField(_("withdrawn"), default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ("-day", "-pk")
        verbose_name = _("adjustment")
        verbose_name_plural = _("adjustments")
        indexes = (models.Index(fields=("league", "day"), name="adjustment_league_day"),)
        constraints = (models.CheckConstraint(condition=~Q(reason=""), name="adjustment_reason_given"),)

    def __str__(self) -> str:
        return f"{self.player}: {self.reason}"

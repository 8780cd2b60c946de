"""Claims: somebody who logs in says that they are a player of a league."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.core.limits import MAX_CLAIM_LENGTH
from league.core.limits import MAX_REASON_LENGTH
from league.models import League, Player


class Claim(models.Model):
    """What somebody said of themselves, and what the organisers made of it. `answer` is their reason."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        ACCEPTED = "accepted", _("Accepted")
        REFUSED = "refused", _("Refused")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="claims", verbose_name=_("league"))
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="claims", verbose_name=_("player"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims", verbose_name=_("user")
    )
    note = models.CharField(_("what you want to tell the organisers"), max_length=MAX_CLAIM_LENGTH, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.WAITING)
    answer = models.CharField(_("reason"), max_length=MAX_REASON_LENGTH, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ("league", "-pk")
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        constraints = (
            models.UniqueConstraint(
                fields=("league", "user"), condition=Q(state="waiting"), name="claim_one_at_a_time"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} · {self.player}"

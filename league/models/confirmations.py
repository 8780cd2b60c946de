"""What people say of a result."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.models.play import Hanchan
from league.models.players import Player


class Confirmation(models.Model):
    """What one person says of one revision of a hanchan. Rows are only added; a person's latest one holds.

    A player speaks for themself through the table's link or a log-in; without a player it is an organiser who speaks.
    """

    class Verdict(models.TextChoices):
        AGREES = "agrees", _("The scores are correct")
        DISPUTES = "disputes", _("Disputed")

    hanchan = models.ForeignKey(
        Hanchan, on_delete=models.CASCADE, related_name="confirmations", verbose_name=_("hanchan")
    )
    version = models.PositiveIntegerField(_("revision"))
    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict)
    player = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.PROTECT, related_name="+", verbose_name=_("player")
    )
    # Nothing of the row may change, not even when the account goes; `by_name` stays readable.
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    by_name = models.CharField(_("who"), max_length=150, blank=True)
    device = models.CharField(_("device"), max_length=40, blank=True)
    source = models.CharField(_("from where"), max_length=60, blank=True)
    note = models.CharField(_("note"), max_length=MAX_REASON_LENGTH, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("confirmation")
        verbose_name_plural = _("confirmations")

    def __str__(self) -> str:
        return f"{self.player or self.by_name}: {self.get_verdict_display()}"

"""Results that could not be stored as they were sent, kept as typed."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.models.leagues import League
from league.models.play import Hanchan, Session


class HeldResult(models.Model):
    """A result that a phone sent and that could not be stored as it was: kept as typed until somebody completes it."""

    class Reason(models.TextChoices):
        SUM = "sum", _("The sum is off")
        INCOMPLETE = "incomplete", _("Something is missing")
        SAME = "same", _("An equal result is there already")
        OTHERS = "others", _("Other people are planned")
        CLOSED = "closed", _("The session is closed")
        RULES = "rules", _("The rules cannot score it")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="held_results")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="held_results")
    table = models.PositiveSmallIntegerField(_("table"))
    client_key = models.UUIDField(unique=True, editable=False)
    typed = models.JSONField(_("as typed"))
    reason = models.CharField(_("reason"), max_length=10, choices=Reason)
    sentence = models.CharField(max_length=500, blank=True)
    device = models.CharField(_("device"), max_length=40, blank=True)
    source = models.CharField(_("from where"), max_length=60, blank=True)
    entered_at = models.DateTimeField(_("entered at"), null=True, blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.CharField(max_length=150, blank=True)
    settled_reason = models.CharField(_("reason"), max_length=MAX_REASON_LENGTH, blank=True)
    hanchan = models.ForeignKey(
        Hanchan, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("hanchan")
    )

    class Meta:
        ordering = ("pk",)
        verbose_name = _("held result")
        verbose_name_plural = _("held results")

    def __str__(self) -> str:
        return f"{self.session} / {self.table}: {self.get_reason_display()}"


class HeldPhoto(models.Model):
    """The photo that came with a held result; the hanchan that the result becomes takes it over."""

    held = models.OneToOneField(
        HeldResult, on_delete=models.CASCADE, related_name="photo", verbose_name=_("held result")
    )
    data = models.BinaryField()
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name = _("photo of a held result")
        verbose_name_plural = _("photos of held results")

    def __str__(self) -> str:
        return f"{self.held} ({self.width} × {self.height})"

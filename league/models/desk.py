"""What happens at a table beside the result itself: links to enter it, what the players say of it, photos, what was held."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.models.leagues import League
from league.models.play import Hanchan, Session
from league.models.players import Player


class TableLink(models.Model):
    """A link that lets whoever holds it enter the results of one table of one session, without an account.

    The address carries a code that is derived from the row's number and `nonce` by the site's key, so that a copy of
    the database opens no table.
    """

    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, related_name="table_links", verbose_name=_("session")
    )
    table = models.PositiveSmallIntegerField(_("table"))
    nonce = models.UUIDField(default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    expires_at = models.DateTimeField(_("expires at"))
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)
    used_at = models.DateTimeField(_("last used at"), null=True, blank=True)

    class Meta:
        ordering = ("session", "table", "-pk")
        verbose_name = _("table link")
        verbose_name_plural = _("table links")
        constraints = (
            models.UniqueConstraint(
                fields=("session", "table"), condition=Q(revoked_at=None), name="table_link_one_at_a_time"
            ),
            models.CheckConstraint(condition=Q(table__gte=1), name="table_link_table_positive"),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.table}"


class Confirmation(models.Model):
    """What one person says of one revision of a hanchan. Rows are only added; a person's latest one holds.

    A player speaks for themself through the table's link or a log-in; without a player it is an organiser who speaks.
    """

    class Verdict(models.TextChoices):
        """What is said."""

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
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by_name = models.CharField(_("who"), max_length=150, blank=True)
    device = models.CharField(_("device"), max_length=40, blank=True)
    source = models.CharField(_("from where"), max_length=60, blank=True)
    note = models.CharField(_("note"), max_length=300, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("confirmation")
        verbose_name_plural = _("confirmations")

    def __str__(self) -> str:
        return f"{self.player or self.by_name}: {self.get_verdict_display()}"


class Photo(models.Model):
    """A picture of the paper sheet or the table, as evidence: made small and freed of everything but the picture."""

    hanchan = models.ForeignKey(Hanchan, on_delete=models.CASCADE, related_name="photos", verbose_name=_("hanchan"))
    data = models.BinaryField()
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    added_at = models.DateTimeField(auto_now_add=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    source = models.CharField(_("from where"), max_length=60, blank=True)
    withdrawn = models.BooleanField(_("withdrawn"), default=False)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("photo")
        verbose_name_plural = _("photos")
        constraints = (models.UniqueConstraint(fields=("hanchan", "digest"), name="photo_once"),)

    def __str__(self) -> str:
        return f"{self.hanchan} ({self.width} × {self.height})"


class PendingSubmission(models.Model):
    """A result that a phone sent and that could not be stored as it was: kept as typed until somebody completes it."""

    class Reason(models.TextChoices):
        """Why it was held."""

        SUM = "sum", _("The sum is off")
        INCOMPLETE = "incomplete", _("Something is missing")
        SAME = "same", _("An equal result is there already")
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
    settled_reason = models.CharField(_("reason"), max_length=300, blank=True)
    hanchan = models.ForeignKey(
        Hanchan, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("hanchan")
    )

    class Meta:
        ordering = ("pk",)
        verbose_name = _("held result")
        verbose_name_plural = _("held results")

    def __str__(self) -> str:
        return f"{self.session} / {self.table}: {self.get_reason_display()}"


class PendingPhoto(models.Model):
    """The photo that came with a held result; the hanchan that the result becomes takes it over."""

    held = models.OneToOneField(
        PendingSubmission, on_delete=models.CASCADE, related_name="photo", verbose_name=_("held result")
    )
    data = models.BinaryField()
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name = _("photo of a held result")
        verbose_name_plural = _("photos of held results")

    def __str__(self) -> str:
        return f"{self.held} ({self.width} × {self.height})"

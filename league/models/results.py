"""Data that accompanies results: confirmations, photos, and results that could not be stored when they arrived."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.models.leagues import League, by_user
from league.models.play import Hanchan, Session
from league.models.players import Player


class HeldResult(models.Model):
    """A result that a phone sent and that could not be stored; kept until it is completed or dismissed."""

    class Reason(models.TextChoices):
        SUM = "sum", _("Wrong total")
        INCOMPLETE = "incomplete", _("Incomplete")
        SAME = "same", _("Same result already saved")
        OTHERS = "others", _("Not the planned players")
        CLOSED = "closed", _("The session is closed")
        RULES = "rules", _("Cannot be scored with these rules")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="held_results")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="held_results")
    table = models.PositiveSmallIntegerField(_("table"))
    client_key = models.UUIDField(unique=True, editable=False)
    typed = models.JSONField(_("as entered"))
    reason = models.CharField(_("reason"), max_length=10, choices=Reason)
    sentence = models.CharField(max_length=500, blank=True)
    device = models.CharField(_("device"), max_length=40, blank=True)
    source = models.CharField(_("source"), max_length=60, blank=True)
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
    """The photo sent with a held result; it moves to the hanchan when the result is completed."""

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


class Confirmation(models.Model):
    """A statement about a version of a hanchan. Rows are only added; the latest one of each person counts.

    Without a player it is an organiser's.
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
    # The row stays unchanged when the user is deleted; `by_name` keeps the name.
    by = by_user(lasting=True)
    by_name = models.CharField(_("who"), max_length=150, blank=True)
    device = models.CharField(_("device"), max_length=40, blank=True)
    source = models.CharField(_("source"), max_length=60, blank=True)
    note = models.CharField(_("note"), max_length=MAX_REASON_LENGTH, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("confirmation")
        verbose_name_plural = _("confirmations")

    def __str__(self) -> str:
        return f"{self.player or self.by_name}: {self.get_verdict_display()}"


class Photo(models.Model):
    """A photo of the score sheet or the table as evidence, shrunk and without metadata.

    The image is in `data`, or in the photo store under `key` (docs/adr/0017); `size` is in bytes, `digest` its SHA-256.
    """

    hanchan = models.ForeignKey(Hanchan, on_delete=models.CASCADE, related_name="photos", verbose_name=_("hanchan"))
    data = models.BinaryField()
    key = models.CharField(_("name in storage"), max_length=100, blank=True, default="", db_default="")
    size = models.PositiveIntegerField(_("bytes"), default=0, db_default=0)
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    added_at = models.DateTimeField(auto_now_add=True)
    added_by = by_user()
    source = models.CharField(_("source"), max_length=60, blank=True)
    withdrawn = models.BooleanField(_("withdrawn"), default=False)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("photo")
        verbose_name_plural = _("photos")
        constraints = (models.UniqueConstraint(fields=("hanchan", "digest"), name="photo_once"),)
        indexes = (
            models.Index(fields=["digest"], name="photo_by_digest"),
            models.Index(fields=["id"], condition=models.Q(key=""), name="photo_in_database"),
        )

    def __str__(self) -> str:
        return f"{self.hanchan} ({self.width} × {self.height})"

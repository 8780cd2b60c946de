"""Pictures of the paper sheet or the table."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models.play import Hanchan


class Photo(models.Model):
    """A picture of the paper sheet or the table, as evidence: made small and freed of everything but the picture.

    The picture itself is in `data`, or under `key` in a store (docs/adr/0017); `size` is in bytes, `digest` its SHA-256.
    """

    hanchan = models.ForeignKey(Hanchan, on_delete=models.CASCADE, related_name="photos", verbose_name=_("hanchan"))
    data = models.BinaryField()
    key = models.CharField(_("in the store as"), max_length=100, blank=True, default="", db_default="")
    size = models.PositiveIntegerField(_("bytes"), default=0, db_default=0)
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
        indexes = (
            models.Index(fields=["digest"], name="photo_by_digest"),
            models.Index(fields=["id"], condition=models.Q(key=""), name="photo_in_database"),
        )

    def __str__(self) -> str:
        return f"{self.hanchan} ({self.width} × {self.height})"

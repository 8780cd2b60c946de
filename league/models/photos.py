"""Pictures of the paper sheet or the table."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models.play import Hanchan


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

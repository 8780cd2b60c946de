"""Who did something that the history tells of: columns that stay when the account goes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH


class Signed(models.Model):
    """When something was done, by whom, and why. Nothing of the row may change, not even when the account goes."""

    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    by_name = models.CharField(_("who"), max_length=150, blank=True)
    reason = models.CharField(_("reason"), max_length=MAX_REASON_LENGTH, blank=True)

    class Meta:
        abstract = True

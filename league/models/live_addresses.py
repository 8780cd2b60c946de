"""Secret addresses under which spreadsheets read a private league."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.models.leagues import League


class LiveAddress(models.Model):
    """A secret that lets whoever holds it read the boards and score tables of one league as CSV, and nothing else.

    What opens is told by `secret_hash` alone. The secret itself is worked out from `nonce` by the site's key, so that
    organisers can be shown the address again while the site still has that key, and a copy of the database opens
    nothing.
    """

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="live_addresses", verbose_name=_("league")
    )
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    nonce = models.UUIDField(default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)
    used_at = models.DateTimeField(_("last used at"), null=True, blank=True)

    class Meta:
        ordering = ("league", "-pk")
        verbose_name = _("live address")
        verbose_name_plural = _("live addresses")
        constraints = (
            models.UniqueConstraint(
                fields=("league",), condition=Q(revoked_at=None), name="live_address_one_at_a_time"
            ),
        )

    def __str__(self) -> str:
        return f"{self.league} #{self.pk}"

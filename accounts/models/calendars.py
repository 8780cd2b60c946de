"""Secret addresses under which calendars read the evenings of a person."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class CalendarAddress(models.Model):
    """A secret that lets whoever holds it read the evenings of one person's leagues, and nothing else.

    What opens is told by `secret_hash` alone; the secret is worked out from `nonce` by the site's key (docs/adr/0019).
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="calendar_address", verbose_name=_("user")
    )
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    nonce = models.UUIDField(default=uuid.uuid4, editable=False)
    made_at = models.DateTimeField(_("made"), auto_now=True)

    class Meta:
        ordering = ("user",)
        verbose_name = _("calendar address")
        verbose_name_plural = _("calendar addresses")

    def __str__(self) -> str:
        return str(self.user)

"""Links that let whoever holds one enter the results of a table."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.core import limits
from league.models.play import Session


class TableLink(models.Model):
    """A link that lets whoever holds it enter the results of one table of one session, without an account.

    The address carries a code that is derived from the row's number and `nonce` by the site's key, so that a copy of
    the database opens no table. `key_mark` tells which of the site's keys, without telling the key; it is empty for a
    link of before, whose code is worked out by the key of today. `guests` came into the list through the link.
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
    key_mark = models.CharField(max_length=16, blank=True, editable=False)
    guests = models.PositiveIntegerField(_("guests so far"), default=0, editable=False)
    most_guests = models.PositiveIntegerField(_("guests at most"), default=limits.MAX_GUESTS_OF_LINK, editable=False)
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
            models.CheckConstraint(condition=Q(guests__lte=models.F("most_guests")), name="table_link_guests_capped"),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.table}"

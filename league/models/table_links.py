"""Links that let whoever holds one enter the results of a table."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.models.play import Session


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

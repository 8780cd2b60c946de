from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.core import limits
from league.models.leagues import League, by_user
from league.models.play import Session


class Link(models.Model):
    """Abstract: a revocable link. Its secret is derived from `nonce` with the site's secret key (docs/adr/0019)."""

    nonce = models.UUIDField(default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = by_user()
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)
    used_at = models.DateTimeField(_("last used at"), null=True, blank=True)

    class Meta:
        abstract = True

    def snapshot(self) -> dict[str, object]:
        """Return the values to store in the history."""
        return {**self.told(), "revoked_at": self.revoked_at.isoformat() if self.revoked_at else None}

    def told(self) -> dict[str, object]:
        return {}


class SecretLink(Link):
    """Abstract: a link looked up by the hash of its secret, so that a copy of the database does not reveal it.

    Organisers can see the secret again while the site still has the key it was derived with. `PURPOSE`: salt of the
    derivation.
    """

    PURPOSE: ClassVar[str]

    secret_hash = models.CharField(max_length=64, unique=True, editable=False)

    class Meta:
        abstract = True


class TableLink(Link):
    """A link for entering the results of one table in one session.

    Its code is derived from primary key and `nonce`. `key_mark` identifies the secret key used; "" for old links, which
    use the current one. `guests`: guests added through the link.
    """

    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, related_name="table_links", verbose_name=_("session")
    )
    table = models.PositiveSmallIntegerField(_("table"))
    expires_at = models.DateTimeField(_("expires at"))
    key_mark = models.CharField(max_length=16, blank=True, editable=False)
    guests = models.PositiveIntegerField(_("guests so far"), default=0, editable=False)
    most_guests = models.PositiveIntegerField(_("maximum guests"), default=limits.MAX_GUESTS_OF_LINK, editable=False)

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

    def told(self) -> dict[str, object]:
        return {"table": self.table, "session": str(self.session), "expires_at": self.expires_at.isoformat()}


class LiveAddress(SecretLink):
    """A secret URL for reading a private league's standings and score tables as CSV."""

    PURPOSE = "tenbo.live-address"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="live_addresses", verbose_name=_("league")
    )

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

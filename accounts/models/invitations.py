"""Invitations: links that give whoever follows one a role in a league."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.core.limits import MAX_LABEL_LENGTH
from league.models import League, Membership, Player


class Invitation(models.Model):
    """A link by which people come into a league with a role, and as a player of it if one is named.

    What opens is told by `secret_hash` alone. The secret itself is worked out from `nonce` by the site's key, so that
    organisers can be shown the link again while the site still has that key, and a copy of the database opens nothing.
    `used_by`: who came by it, by primary key; everybody comes by it once.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="invitations", verbose_name=_("league"))
    role = models.CharField(_("role"), max_length=10)
    player = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.CASCADE, related_name="+", verbose_name=_("player")
    )
    label = models.CharField(_("for whom"), max_length=MAX_LABEL_LENGTH, blank=True)
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    nonce = models.UUIDField(default=uuid.uuid4, editable=False)
    most_uses = models.PositiveSmallIntegerField(_("how many people"), default=1)
    used_by = models.JSONField(default=list, editable=False)
    uses = models.PositiveSmallIntegerField(_("used so often"), default=0, editable=False)
    expires_at = models.DateTimeField(_("expires at"))
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("invited by"),
    )

    class Meta:
        ordering = ("league", "-pk")
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = (
            models.CheckConstraint(condition=Q(uses__lte=F("most_uses")), name="invitation_uses_capped"),
            models.CheckConstraint(condition=Q(most_uses__gte=1), name="invitation_used_by_somebody"),
            models.CheckConstraint(condition=Q(player=None) | Q(most_uses=1), name="invitation_of_a_player_is_for_one"),
        )

    def __str__(self) -> str:
        return f"{self.league} #{self.pk}"

    @property
    def role_name(self) -> str:
        return str(Membership.Role(self.role).label)

    def has_ended(self, now: datetime) -> bool:
        return self.revoked_at is not None or self.expires_at <= now or self.uses >= self.most_uses

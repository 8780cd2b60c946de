"""Invitations: links that give whoever follows one a role in a league."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.core.limits import MAX_LABEL_LENGTH
from league.models import League, Membership, Player
from league.models.secret_links import SecretLink


class Invitation(SecretLink):
    """A link by which people come into a league with a role, and as a player of it if one is named.

    `used_by`: who came by it, by primary key; everybody comes by it once.
    """

    PURPOSE = "tenbo.invitation"

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="invitations", verbose_name=_("league"))
    role = models.CharField(_("role"), max_length=10)
    player = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.CASCADE, related_name="+", verbose_name=_("player")
    )
    label = models.CharField(_("for whom"), max_length=MAX_LABEL_LENGTH, blank=True)
    most_uses = models.PositiveSmallIntegerField(_("how many people"), default=1)
    used_by = models.JSONField(default=list, editable=False)
    uses = models.PositiveSmallIntegerField(_("used so often"), default=0, editable=False)
    expires_at = models.DateTimeField(_("expires at"))

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

    def told(self) -> dict[str, object]:
        return {
            "name": self.label,
            "role": self.role,
            "player": self.player_id,
            "most_uses": self.most_uses,
            "uses": self.uses,
            "expires_at": self.expires_at.isoformat(),
        }

    @property
    def role_name(self) -> str:
        return str(Membership.Role(self.role).label)

    def has_ended(self, now: datetime) -> bool:
        return self.revoked_at is not None or self.expires_at <= now or self.uses >= self.most_uses

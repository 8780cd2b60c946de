from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.core.limits import MAX_REASON_LENGTH
from league.models import Player
from tournaments.models.tournaments import Tournament

MAX_TERMS_NOTE_LENGTH = 1000


class RegistrationTerms(models.Model):
    """Terms of registration: places, period, audience, and check-in.

    Without `opens_at`, registration is open at once; without `closes_at`, until the draw. Check-in begins at
    `check_in_from`; players absent at `check_in_until` are no-shows. Public URLs are derived from `nonce` and
    `door_nonce` with the site's secret key.
    """

    class Audience(models.TextChoices):
        MEMBERS = "members", _("members of the league")
        ANYONE = "anyone", _("everyone, including people without an account")

    tournament = models.OneToOneField(
        Tournament, on_delete=models.CASCADE, primary_key=True, related_name="terms", verbose_name=_("tournament")
    )
    places = models.PositiveIntegerField(pgettext_lazy("registration", "spots"))
    audience = models.CharField(_("who can register"), max_length=10, choices=Audience, default=Audience.MEMBERS)
    needs_approval = models.BooleanField(_("an organiser approves each"), default=False)
    opens_at = models.DateTimeField(pgettext_lazy("registration", "from"), null=True, blank=True)
    closes_at = models.DateTimeField(pgettext_lazy("registration", "until"), null=True, blank=True)
    note = models.TextField(_("note"), blank=True, max_length=MAX_TERMS_NOTE_LENGTH)
    check_in_from = models.DateTimeField(_("check-in from"), null=True, blank=True)
    check_in_until = models.DateTimeField(_("check-in until"), null=True, blank=True)
    nonce = models.UUIDField(default=uuid.uuid4, editable=False)
    door_nonce = models.UUIDField(default=uuid.uuid4, editable=False)

    class Meta:
        verbose_name = _("registration terms")
        verbose_name_plural = _("registration terms")
        constraints = (models.CheckConstraint(condition=Q(places__gte=1), name="registrationterms_places_positive"),)

    def __str__(self) -> str:
        return str(self.tournament)


class Registration(models.Model):
    """A request to play. Entries alone decide who plays; a player without one is on the waiting list.

    `number`: place in the queue. `brought_player`: whether it added the player to the league. The personal URL is
    derived from `nonce` with the site's secret key.
    """

    class State(models.TextChoices):
        ASKED = "asked", _("waiting for approval")
        STANDING = "standing", pgettext_lazy("registration", "registered")
        WITHDRAWN = "withdrawn", pgettext_lazy("registration", "withdrawn")
        REFUSED = "refused", _("refused")

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="registrations", verbose_name=_("tournament")
    )
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="registrations", verbose_name=_("player"))
    number = models.PositiveIntegerField(_("number"))
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.STANDING)
    reason = models.CharField(_("reason"), max_length=MAX_REASON_LENGTH, blank=True)
    registered_at = models.DateTimeField(_("registered at"))
    checked_in_at = models.DateTimeField(_("checked in"), null=True, blank=True)
    brought_player = models.BooleanField(_("added to the list by registering"), default=False)
    nonce = models.UUIDField(default=uuid.uuid4, editable=False)

    class Meta:
        ordering = ("tournament", "number")
        verbose_name = _("registration")
        verbose_name_plural = _("registrations")
        constraints = (
            models.UniqueConstraint(fields=("tournament", "player"), name="registration_player_once"),
            models.UniqueConstraint(fields=("nonce",), name="registration_nonce_once"),
            models.CheckConstraint(
                condition=Q(state__in=("asked", "standing", "withdrawn", "refused")), name="registration_state_known"
            ),
        )

    def __str__(self) -> str:
        return str(self.player)

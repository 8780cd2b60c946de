from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.core import limits
from league.core.name_order import MAX_ORDER_LENGTH, GuessedReading, guessed_reading, listed_reading, name_order
from league.models.leagues import League


class PlayerQuerySet(models.QuerySet["Player"]):
    def active(self) -> PlayerQuerySet:
        return self.filter(merged_into=None)

    def by_reading(self) -> PlayerQuerySet:
        """Order by reading; a missing one is guessed."""
        return self.order_by("sort_key", "pk")


class NameOrderField(models.CharField):  # type: ignore[type-arg]
    """Sort key of a name, recalculated on each save."""

    def pre_save(self, model_instance: Any, add: bool) -> str:  # noqa: FBT001 - Django's signature
        place = name_order(model_instance.name, model_instance.kana, model_instance.romanised)
        setattr(model_instance, self.attname, place)
        return place


class Player(models.Model):
    class Visibility(models.TextChoices):
        PUBLIC = "public", _("Everyone")
        MEMBERS = "members", _("Members of the league")
        NOBODY = "nobody", _("No one (shown as a number everywhere)")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="players", verbose_name=_("league"))
    key = models.CharField(_("key"), max_length=limits.MAX_KEY_LENGTH)
    name = models.CharField(_("name"), max_length=limits.MAX_NAME_LENGTH)
    kana = models.CharField(_("reading in kana"), max_length=limits.MAX_READING_LENGTH, blank=True)
    romanised = models.CharField(_("romanised name"), max_length=limits.MAX_READING_LENGTH, blank=True)
    number = models.CharField(_("member number"), max_length=limits.MAX_MEMBER_NUMBER_LENGTH, blank=True)
    club = models.CharField(_("club"), max_length=limits.MAX_CLUB_LENGTH, blank=True)
    is_guest = models.BooleanField(_("guest"), default=False)
    visibility = models.CharField(_("name visible to"), max_length=10, choices=Visibility, default=Visibility.PUBLIC)
    is_active = models.BooleanField(_("plays"), default=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="players",
        verbose_name=_("user"),
    )
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="merged", verbose_name=_("merged into")
    )
    created_at = models.DateTimeField(auto_now_add=True)
    erased_at = models.DateTimeField(null=True, editable=False)
    sort_key = NameOrderField(max_length=MAX_ORDER_LENGTH, blank=True, editable=False)

    objects = PlayerQuerySet.as_manager()

    class Meta:
        ordering = ("league", "sort_key", "pk")
        verbose_name = _("player")
        verbose_name_plural = _("players")
        constraints = (
            models.UniqueConstraint(fields=("league", "key"), name="player_key_once"),
            models.UniqueConstraint(fields=("league", "number"), condition=~Q(number=""), name="player_number_once"),
            models.UniqueConstraint(
                fields=("league", "user"), condition=Q(user__isnull=False), name="player_user_once"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="player_name_given"),
            models.CheckConstraint(
                condition=Q(merged_into=None) | ~Q(merged_into=models.F("id")), name="player_not_merged_into_itself"
            ),
            models.CheckConstraint(
                condition=Q(visibility__in=("public", "members", "nobody")), name="player_visibility_known"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def listed_by(self) -> str:
        """The reading to sort and group by, guessed if it was not entered."""
        return listed_reading(self.name, self.kana, self.romanised)

    @property
    def guess(self) -> GuessedReading | None:
        """The guessed reading if none was entered; to be shown only as a guess."""
        return None if self.kana else guessed_reading(self.name)


class PlayerAlias(models.Model):
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="aliases", verbose_name=_("player"))
    name = models.CharField(_("other name"), max_length=limits.MAX_NAME_LENGTH)

    class Meta:
        ordering = ("player", "name")
        verbose_name = _("other name")
        verbose_name_plural = _("other names")
        constraints = (models.UniqueConstraint(fields=("player", "name"), name="player_alias_once"),)

    def __str__(self) -> str:
        return self.name

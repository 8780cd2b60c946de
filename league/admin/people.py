"""Admin of leagues, players and memberships. Changes go through the services and are kept in the history."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from league.admin.reading import ReadOnlyAdmin, ReadOnlyInline, by
from league.forms.names import NameField
from league.messages.people import people_sentence
from league.models import (
    Job,
    League,
    Membership,
    Player,
    PlayerAlias,
)
from league.services.calendar import DAY_SETTINGS, DAYS_ARE_MOVING, change_settings
from league.services.job_requests import job_under_way
from league.services.people import (
    PLAYER_FIELDS,
    PeopleError,
    PlayerFacts,
    change_player,
    remove_member,
    set_role,
)


class LeagueAdminForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        field_classes: ClassVar = {"name": NameField, "name_en": NameField}

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError if playing days are being recalculated."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if DAY_SETTINGS.intersection(self.changed_data) and job_under_way(self.instance, Job.Kind.DAYS) is not None:
            raise ValidationError(DAYS_ARE_MOVING)
        return cleaned


@admin.register(League)
class LeagueAdmin(ReadOnlyAdmin):
    form = LeagueAdminForm
    list_display = ("name", "slug", "state", "is_public", "current_version", "created_at")
    search_fields = ("name", "name_en", "slug")
    fields = (
        "slug",
        "state",
        "name",
        "name_en",
        "description",
        "is_public",
        "time_zone",
        "day_boundary",
        "first_month",
        "ledger",
        "metric",
        "minimum_month",
        "minimum_year",
        "minimum_all",
        "tiebreak",
        "entry_mode",
        "current_version",
        "created_at",
    )
    readonly_fields = ("slug", "state", "current_version", "created_at")

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def save_model(self, request: HttpRequest, obj: League, form: Any, change: bool) -> None:  # noqa: FBT001
        stored = League.objects.get(pk=obj.pk)
        settings = {name: form.cleaned_data[name] for name in form.changed_data}
        change_settings(league=stored, settings=settings, by=by(request))


class PlayerAdminForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        field_classes: ClassVar = dict.fromkeys(("name", "kana", "romanised", "number", "club"), NameField)

    def clean_number(self) -> str:
        """Raise ValidationError if another player of the league has this number."""
        number: str = self.cleaned_data["number"]
        others = Player.objects.filter(league=self.instance.league_id).exclude(pk=self.instance.pk)
        if number and others.filter(number=number).exists():
            raise ValidationError(_("Another player in this league already has this number."))
        return number


class AliasInline(ReadOnlyInline):
    model = PlayerAlias


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    form = PlayerAdminForm
    list_display = ("name", "kana", "number", "club", "league", "is_guest", "merged_into")
    fields = ("league", "key", *PLAYER_FIELDS, "user", "merged_into", "created_at")
    readonly_fields = ("league", "key", "user", "merged_into", "created_at")
    inlines = (AliasInline,)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:  # noqa: FBT001
        stored = Player.objects.select_related("league").get(pk=obj.pk)
        facts = {name: form.cleaned_data[name] for name in PLAYER_FIELDS}
        aliases = tuple(stored.aliases.values_list("name", flat=True))
        change_player(player=stored, facts=PlayerFacts(**facts, aliases=aliases), by=by(request))


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    fields = ("league", "user", "role")
    autocomplete_fields = ("user", "league")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False for the only owner's membership."""
        if isinstance(obj, Membership) and obj.role == Membership.Role.OWNER:
            owners = Membership.objects.filter(league=obj.league, role=Membership.Role.OWNER)
            if owners.count() == 1:
                return False
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        """Return the fields that cannot be changed after creation: all except the role."""
        return ("league", "user") if obj else ()

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:  # noqa: FBT001
        try:
            stored = set_role(league=obj.league, user=obj.user, role=Membership.Role(obj.role), by=by(request))
        except PeopleError as error:
            obj.refresh_from_db()
            self.message_user(request, people_sentence(error.code, error.values), messages.ERROR)
        else:
            obj.pk = stored.pk

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        try:
            remove_member(membership=obj, by=by(request))
        except PeopleError as error:
            self.message_user(request, people_sentence(error.code, error.values), messages.ERROR)

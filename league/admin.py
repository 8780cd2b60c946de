"""Django admin for support: everything can be read, and the host may end a membership.

Everything else is changed on the league's own pages. Models without an admin of their own are shown by their fields.
"""

from typing import Any

from django.apps import apps
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest

from league.messages.people import people_sentence
from league.models import (
    Hanchan,
    Incident,
    Membership,
    Player,
    PlayerAlias,
    Revision,
    Ruleset,
    RulesetVersion,
    Seat,
    Session,
)
from league.services.history import Actor
from league.services.people import PeopleError, remove_member

COLUMNS = 9
"""Maximum number of columns in a list."""

NOT_IN_LISTS = (models.AutoField, models.BinaryField, models.JSONField, models.TextField, models.UUIDField)

NAMES = ("name", "slug", "title", "username")
"""Fields of related models that are searched too."""


class ReadOnly:
    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Read-only pages of a model. Columns, filters and search follow from its fields."""

    list_per_page = 50
    actions = None

    def get_list_display(self, request: HttpRequest) -> Any:
        return [field.name for field in _listed(self.model)[:COLUMNS]]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return [
            field.name
            for field in _listed(self.model)
            if field.choices or isinstance(field, models.BooleanField) or field.name in {"league", "tournament"}
        ]

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        return [
            *_related(self.model),
            *(f"{name}__{own.name}" for name, own in _fields_beyond(self.model) if own.is_relation),
        ]

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        own = [field.name for field in _listed(self.model) if isinstance(field, models.CharField) and not field.choices]
        return [*own, *(f"{name}__{field.name}" for name, field in _fields_beyond(self.model) if field.name in NAMES)]

    def get_exclude(self, request: HttpRequest, obj: models.Model | None = None) -> list[str]:
        return [field.name for field in self.model._meta.concrete_fields if isinstance(field, models.BinaryField)]


def _listed(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    return [field for field in model._meta.concrete_fields if not isinstance(field, NOT_IN_LISTS)]


def _related(model: type[models.Model]) -> dict[str, Any]:
    return {field.name: field.related_model for field in _listed(model) if field.is_relation}


def _fields_beyond(model: type[models.Model]) -> list[tuple[str, models.Field[Any, Any]]]:
    """Return the fields of related models, with the name of the relation."""
    return [(name, field) for name, to in _related(model).items() for field in to._meta.concrete_fields]


def register_rest(app: str) -> None:
    """Register the models of an app that have no admin of their own, read-only."""
    for model in apps.get_app_config(app).get_models():
        if not admin.site.is_registered(model):
            admin.site.register(model, ReadOnlyAdmin)


class ReadOnlyInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    extra = 0
    show_change_link = True


class AliasInline(ReadOnlyInline):
    model = PlayerAlias


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    inlines = (AliasInline,)


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False for the only owner's membership."""
        if isinstance(obj, Membership) and obj.role == Membership.Role.OWNER:
            owners = Membership.objects.filter(league=obj.league, role=Membership.Role.OWNER)
            if owners.count() == 1:
                return False
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        try:
            remove_member(membership=obj, by=Actor(request.user if isinstance(request.user, User) else None, "admin"))
        except PeopleError as error:
            self.message_user(request, people_sentence(error.code, error.values), messages.ERROR)


class VersionInline(ReadOnlyInline):
    model = RulesetVersion
    readonly_fields = ("created_at",)
    fields = ("number", "note", "created_at", "created_by")


@admin.register(Ruleset)
class RulesetAdmin(ReadOnlyAdmin):
    inlines = (VersionInline,)


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    date_hierarchy = "at"


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    date_hierarchy = "date"


class SeatInline(ReadOnlyInline):
    model = Seat
    fields = ("seat", "player", "raw_score", "placement", "points", "settlement", "total_only", "chombo", "chips")


class IncidentInline(ReadOnlyInline):
    model = Incident
    fields = ("seat", "kind", "detail", "note")


@admin.register(Hanchan)
class HanchanAdmin(ReadOnlyAdmin):
    date_hierarchy = "day"
    inlines = (SeatInline, IncidentInline)


register_rest("league")

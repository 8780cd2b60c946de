from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest

from league.services.history import Actor


def by(request: HttpRequest) -> Actor:
    """Return the admin user as the actor of a change."""
    return Actor(request.user if isinstance(request.user, User) else None, "admin")


COLUMNS = 9
"""Maximum number of columns in a list."""

NOT_IN_LISTS = (models.AutoField, models.BinaryField, models.JSONField, models.TextField, models.UUIDField)

NAMES = ("name", "slug", "title", "username")
"""Fields of related models that are searched too."""


class ReadOnly:
    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


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

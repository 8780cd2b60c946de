"""What the admin's pages share: they show, and change nothing; who acts through them."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest

from league.models import League
from league.models.edition_triggers import parent_of
from league.selectors.left_behind import without_left_behind
from league.services.history import Actor


def by(request: HttpRequest) -> Actor:
    """Return who acts through the admin."""
    return Actor(request.user if isinstance(request.user, User) else None, "admin")


def living_here(rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Return those of the rows that no league has left behind here; all where leagues live in one database."""
    way = _way_to_league(rows.model) if settings.LEAGUE_DATABASES else ""
    return without_left_behind(rows, way) if way else rows


def _way_to_league(model: Any) -> str:
    """Return by which fields a row leads to its league; empty for a row of none."""
    if model is League:
        return "pk"
    parent = parent_of(model)
    if parent is None:
        return ""
    above = _way_to_league(parent.related_model)
    return parent.attname if above == "pk" else f"{parent.name}__{above}"


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """An admin that shows its rows and offers no way to make, change or delete them."""

    list_per_page = 50
    actions = None

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Return the rows of leagues that live here, and those of none."""
        return living_here(super().get_queryset(request))

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **more: Any) -> Any:
        """Return a field that takes rows of leagues that live here, and those of none."""
        if settings.LEAGUE_DATABASES:
            more.setdefault("queryset", living_here(db_field.remote_field.model._default_manager.all()))
        return super().formfield_for_foreignkey(db_field, request, **more)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return no: facts are made on the league's pages."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return no: facts change through the services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return no: nothing is physically deleted."""
        return False


class ReadOnlyInline(admin.TabularInline):  # type: ignore[type-arg]
    """Rows under another, readable only."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return no: these rows change with what they belong to."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return no: these rows change with what they belong to."""
        return False

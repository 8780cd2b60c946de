from django.contrib import admin
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest

from league.services.history import Actor


def by(request: HttpRequest) -> Actor:
    """Return who acts through the admin."""
    return Actor(request.user if isinstance(request.user, User) else None, "admin")


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """An admin that shows its rows and offers no way to make, change or delete them."""

    list_per_page = 50
    actions = None

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
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

from django.contrib import admin
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest

from league.services.history import Actor


def by(request: HttpRequest) -> Actor:
    """Return the admin user as the actor of a change."""
    return Actor(request.user if isinstance(request.user, User) else None, "admin")


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_per_page = 50
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class ReadOnlyInline(admin.TabularInline):  # type: ignore[type-arg]
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

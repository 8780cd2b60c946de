"""Tournaments in the admin, read-only; changes are made on the tournament's own pages."""

from typing import Any

from django.contrib import admin
from django.db.models import Model

from league.admin.reading import ReadOnlyAdmin, ReadOnlyInline
from tournaments.models import (
    Decision,
    Director,
    Entry,
    HallDisplay,
    Registration,
    RegistrationTerms,
    StageSession,
    TableCall,
    Tick,
    Tournament,
)


class EntryInline(ReadOnlyInline):
    model = Entry


class StageSessionInline(ReadOnlyInline):
    model = StageSession


def _register(model: type[Model], *list_display: str, **options: Any) -> None:
    related = options.pop("list_select_related", ("tournament",))
    fields = {"list_display": list_display, "list_select_related": related, **options}
    admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyAdmin,), fields))


OF_TOURNAMENT = ("tournament",)
OF_PLAYER = {"search_fields": ("player__name", "player__kana"), "list_select_related": ("tournament", "player")}
OF_SESSION = ("tournament", "session")

_register(
    Tournament,
    *("name", "league", "key", "format_key", "state", "created_at"),
    list_filter=("state", "format_key", "league"),
    search_fields=("name", "name_en", "key"),
    list_select_related=("league",),
    inlines=(EntryInline, StageSessionInline),
)
_register(
    Decision,
    *("tournament", "kind", "stage", "to", "by_name", "at", "revoked_at"),
    list_filter=("kind", "tournament"),
    search_fields=("stage", "to", "reason", "by_name"),
)
_register(Entry, "tournament", "number", "player", "seed", "is_substitute", list_filter=OF_TOURNAMENT, **OF_PLAYER)
_register(
    Director,
    *("tournament", "membership", "since"),
    list_filter=OF_TOURNAMENT,
    search_fields=("membership__user__username",),
    list_select_related=("tournament", "membership__user", "membership__league"),
)
_register(
    StageSession,
    *("tournament", "stage", "number", "block", "session"),
    list_filter=OF_TOURNAMENT,
    search_fields=("stage", "block"),
    list_select_related=OF_SESSION,
)
_register(
    RegistrationTerms,
    *("tournament", "places", "audience", "needs_approval", "opens_at", "closes_at"),
    list_filter=("audience",),
    search_fields=("tournament__name", "tournament__key"),
)
_register(
    Registration,
    *("tournament", "number", "player", "state", "registered_at", "checked_in_at"),
    list_filter=("state", "tournament"),
    **OF_PLAYER,
)
_register(
    Tick,
    *("session", "table", "round", "number", "hand", "honba", "sticks", "at"),
    list_filter=("league",),
    search_fields=("session__title",),
    list_select_related=("session",),
)
_register(HallDisplay, "tournament", "scene", "message", "language", "length", "started_at", list_filter=("scene",))
_register(
    TableCall,
    *("tournament", "session", "table", "called_at", "coming_name", "done_at", "done_name"),
    list_filter=OF_TOURNAMENT,
    list_select_related=OF_SESSION,
)

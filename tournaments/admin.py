"""Tournaments in the admin: everything can be read; what may be changed is changed on the tournament's own pages."""

from django.contrib import admin

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


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin):
    list_display = ("name", "league", "key", "format_key", "state", "created_at")
    list_filter = ("state", "format_key", "league")
    search_fields = ("name", "name_en", "key")
    list_select_related = ("league",)
    inlines = (EntryInline, StageSessionInline)


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ("tournament", "kind", "stage", "to", "by_name", "at", "revoked_at")
    list_filter = ("kind", "tournament")
    search_fields = ("stage", "to", "reason", "by_name")
    list_select_related = ("tournament",)


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Who plays where, and in whose place; changed on the tournament's own pages only."""

    list_display = ("tournament", "number", "player", "seed", "is_substitute")
    list_filter = ("tournament",)
    search_fields = ("player__name", "player__kana")
    list_select_related = ("tournament", "player")


@admin.register(Director)
class DirectorAdmin(ReadOnlyAdmin):
    list_display = ("tournament", "membership", "since")
    list_filter = ("tournament",)
    search_fields = ("membership__user__username",)
    list_select_related = ("tournament", "membership__user", "membership__league")


@admin.register(StageSession)
class StageSessionAdmin(ReadOnlyAdmin):
    list_display = ("tournament", "stage", "number", "block", "session")
    list_filter = ("tournament",)
    search_fields = ("stage", "block")
    list_select_related = ("tournament", "session")


@admin.register(RegistrationTerms)
class RegistrationTermsAdmin(ReadOnlyAdmin):
    """On what terms people register by themselves; the codes of the addresses are not here."""

    list_display = ("tournament", "places", "audience", "needs_approval", "opens_at", "closes_at")
    list_filter = ("audience",)
    search_fields = ("tournament__name", "tournament__key")
    list_select_related = ("tournament",)


@admin.register(Registration)
class RegistrationAdmin(ReadOnlyAdmin):
    """Who wants to play; who does is told by the entries."""

    list_display = ("tournament", "number", "player", "state", "registered_at", "checked_in_at")
    list_filter = ("state", "tournament")
    search_fields = ("player__name", "player__kana")
    list_select_related = ("tournament", "player")


@admin.register(Tick)
class TickAdmin(ReadOnlyAdmin):
    """What was typed at tables after each hand; nothing of it counts for a result."""

    list_display = ("session", "table", "round", "number", "hand", "honba", "sticks", "at")
    list_filter = ("league",)
    search_fields = ("session__title",)
    list_select_related = ("session",)


@admin.register(HallDisplay)
class HallDisplayAdmin(ReadOnlyAdmin):
    """What walls show, and how long rounds take; chosen on the remote."""

    list_display = ("tournament", "scene", "message", "language", "length", "started_at")
    list_filter = ("scene",)
    list_select_related = ("tournament",)


@admin.register(TableCall)
class TableCallAdmin(ReadOnlyAdmin):
    list_display = ("tournament", "session", "table", "called_at", "coming_name", "done_at", "done_name")
    list_filter = ("tournament",)
    list_select_related = ("tournament", "session")

"""Rules, history, sessions and hanchan, with what belongs to them; everything else by its fields."""

from django.contrib import admin

from league.admin.reading import ReadOnlyAdmin, ReadOnlyInline, register_rest
from league.models import Hanchan, Incident, Revision, Ruleset, RulesetVersion, Seat, Session


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

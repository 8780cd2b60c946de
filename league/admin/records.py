from django.contrib import admin

from league.admin.reading import ReadOnlyAdmin, ReadOnlyInline
from league.models import (
    Attempts,
    Board,
    Edition,
    ImportBatch,
    Job,
    Revision,
    Ruleset,
    RulesetVersion,
    SentForm,
    SignOfLife,
    StalePeriod,
    Standing,
)


@admin.register(ImportBatch)
class ImportBatchAdmin(ReadOnlyAdmin):
    list_display = ("file_name", "league", "state", "created_at", "created_by")
    list_filter = ("state", "league")
    list_select_related = ("league", "created_by")
    search_fields = ("file_name",)
    exclude = ("data",)


class VersionInline(ReadOnlyInline):
    model = RulesetVersion
    readonly_fields = ("created_at",)
    fields = ("number", "note", "created_at", "created_by")


@admin.register(Ruleset)
class RulesetAdmin(ReadOnlyAdmin):
    list_display = ("name", "league", "key", "card")
    list_filter = ("league",)
    list_select_related = ("league",)
    search_fields = ("name", "key")
    inlines = (VersionInline,)


@admin.register(RulesetVersion)
class RulesetVersionAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "number", "note", "created_at")
    list_select_related = ("ruleset",)
    search_fields = ("ruleset__name", "note")


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    list_display = ("at", "league", "subject", "subject_id", "action", "by_name", "source", "reason")
    list_filter = ("action", "subject", "league")
    list_select_related = ("league",)
    search_fields = ("by_name", "reason")
    date_hierarchy = "at"


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("kind", "league", "state", "done", "total", "created_at", "finished_at")
    list_filter = ("state", "kind", "league")
    list_select_related = ("league",)


@admin.register(Board)
class BoardAdmin(ReadOnlyAdmin):
    list_display = ("league", "period", "version", "hanchan", "computed_at")
    list_filter = ("league",)
    list_select_related = ("league",)


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    list_display = ("league_id", "period", "rank", "player", "score", "hanchan")
    list_select_related = ("player",)
    list_filter = ("league",)
    search_fields = ("player__name", "period")


@admin.register(StalePeriod)
class StalePeriodAdmin(ReadOnlyAdmin):
    list_display = ("league", "period", "marked_at")
    list_select_related = ("league",)


@admin.register(Edition)
class EditionAdmin(ReadOnlyAdmin):
    list_display = ("league", "scope", "mark")
    list_select_related = ("league",)


@admin.register(SentForm)
class SentFormAdmin(ReadOnlyAdmin):
    list_display = ("answer", "sent_at")
    search_fields = ("answer",)


@admin.register(Attempts)
class AttemptsAdmin(ReadOnlyAdmin):
    list_display = ("key", "count", "ends_at")


@admin.register(SignOfLife)
class SignOfLifeAdmin(ReadOnlyAdmin):
    list_display = ("name", "seen_at")

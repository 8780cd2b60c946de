from django.contrib import admin

from league.admin import ReadOnlyAdmin, ReadOnlyInline, register_rest
from tournaments.models import Entry, StageSession, Tournament


class EntryInline(ReadOnlyInline):
    model = Entry


class StageSessionInline(ReadOnlyInline):
    model = StageSession


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin):
    inlines = (EntryInline, StageSessionInline)


register_rest("tournaments")

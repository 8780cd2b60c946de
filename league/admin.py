"""The admin for support: everything can be read; what may be changed goes through the services and leaves a trail.

Results, boards, rules and the history are read here and changed on the league's own pages only.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from league.messages.people import people_sentence
from league.models import (
    Adjustment,
    Board,
    Confirmation,
    Hanchan,
    HeldPhoto,
    HeldResult,
    ImportBatch,
    Incident,
    Job,
    League,
    Membership,
    Photo,
    PlannedSeat,
    Player,
    PlayerAlias,
    Revision,
    Ruleset,
    RulesetVersion,
    Seat,
    Session,
    SessionPoints,
    StalePeriod,
    Standing,
    TableLink,
)
from league.services.calendar import change_settings
from league.services.history import Actor
from league.services.people import (
    PLAYER_FIELDS,
    PeopleError,
    PlayerFacts,
    change_player,
    remove_member,
    set_role,
)


def by(request: HttpRequest) -> Actor:
    """Return who acts through the admin."""
    return Actor(request.user if isinstance(request.user, User) else None, "admin")


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Readable, nothing else."""

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
        """Return no."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return no."""
        return False


@admin.register(League)
class LeagueAdmin(ReadOnlyAdmin):
    """Leagues: their settings may be mended, with a line in the history."""

    list_display = ("name", "slug", "is_public", "current_version", "created_at")
    search_fields = ("name", "name_en", "slug")
    fields = (
        "slug",
        "name",
        "name_en",
        "description",
        "is_public",
        "time_zone",
        "day_boundary",
        "first_month",
        "ledger",
        "metric",
        "minimum_month",
        "minimum_year",
        "minimum_all",
        "tiebreak",
        "entry_mode",
        "current_version",
        "created_at",
    )
    readonly_fields = ("slug", "current_version", "created_at")

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return whether the user may mend leagues."""
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def save_model(self, request: HttpRequest, obj: League, form: Any, change: bool) -> None:  # noqa: FBT001
        """Change the settings through the service."""
        stored = League.objects.get(pk=obj.pk)
        settings = {name: form.cleaned_data[name] for name in form.changed_data}
        change_settings(league=stored, settings=settings, by=by(request))


class PlayerAdminForm(forms.ModelForm):  # type: ignore[type-arg]
    """What is written about a player; the league cannot change."""

    def clean_number(self) -> str:
        """Return the member number. Raises ValidationError when somebody else of the league has it."""
        number: str = self.cleaned_data["number"]
        others = Player.objects.filter(league=self.instance.league_id).exclude(pk=self.instance.pk)
        if number and others.filter(number=number).exists():
            raise ValidationError(_("Another player of the league has this number."))
        return number


class AliasInline(ReadOnlyInline):
    """A player's other names."""

    model = PlayerAlias


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    """Players: names may be mended, with a line in the history. Merging happens on the league's pages."""

    form = PlayerAdminForm
    list_display = ("name", "kana", "number", "league", "is_guest", "merged_into")
    list_filter = ("league", "is_guest", "visibility")
    list_select_related = ("league", "merged_into")
    search_fields = ("name", "kana", "romanised", "number", "aliases__name")
    fields = ("league", "key", *PLAYER_FIELDS, "user", "merged_into", "created_at")
    readonly_fields = ("league", "key", "user", "merged_into", "created_at")
    inlines = (AliasInline,)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return whether the user may mend players."""
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:  # noqa: FBT001
        """Change the player through the service."""
        stored = Player.objects.select_related("league").get(pk=obj.pk)
        facts = {name: form.cleaned_data[name] for name in PLAYER_FIELDS}
        aliases = tuple(stored.aliases.values_list("name", flat=True))
        change_player(player=stored, facts=PlayerFacts(**facts, aliases=aliases), by=by(request))


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Who may do what: given, changed and taken through the services; the last owner stays."""

    list_display = ("user", "league", "role", "since")
    list_filter = ("role", "league")
    list_select_related = ("user", "league")
    search_fields = ("user__username", "league__name", "league__slug")
    fields = ("league", "user", "role")
    autocomplete_fields = ("user", "league")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may give roles."""
        return admin.ModelAdmin.has_add_permission(self, request)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return whether the user may change roles."""
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return whether the user may take this role; nobody takes that of the only owner."""
        if isinstance(obj, Membership) and obj.role == Membership.Role.OWNER:
            owners = Membership.objects.filter(league=obj.league, role=Membership.Role.OWNER)
            if owners.count() == 1:
                return False
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        """Return what cannot change once it is there: only the role does."""
        return ("league", "user") if obj else ()

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:  # noqa: FBT001
        """Give the role through the service."""
        try:
            stored = set_role(league=obj.league, user=obj.user, role=Membership.Role(obj.role), by=by(request))
        except PeopleError as error:
            obj.refresh_from_db()
            self.message_user(request, people_sentence(error.code, error.values), messages.ERROR)
        else:
            obj.pk = stored.pk

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        """Take the role through the service."""
        try:
            remove_member(membership=obj, by=by(request))
        except PeopleError as error:
            self.message_user(request, people_sentence(error.code, error.values), messages.ERROR)


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    """Sessions."""

    list_display = ("__str__", "league", "date", "venue", "state")
    list_filter = ("state", "league")
    list_select_related = ("league",)
    search_fields = ("title", "venue", "league__name")
    date_hierarchy = "date"


class SeatInline(ReadOnlyInline):
    """The seats of a hanchan."""

    model = Seat
    fields = ("seat", "player", "raw_score", "placement", "points", "settlement", "total_only", "chombo", "chips")


class IncidentInline(ReadOnlyInline):
    """What the raw scores do not tell."""

    model = Incident
    fields = ("seat", "kind", "detail", "note")


@admin.register(Hanchan)
class HanchanAdmin(ReadOnlyAdmin):
    """Results."""

    list_display = ("pk", "league", "session", "table", "round", "played_at", "state", "version")
    list_filter = ("state", "league")
    list_select_related = ("league", "session")
    search_fields = ("key", "note", "session__title", "seats__player__name")
    date_hierarchy = "day"
    inlines = (SeatInline, IncidentInline)


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    """Single seats."""

    list_display = ("hanchan_id", "seat", "player", "raw_score", "placement", "points", "settlement")
    list_select_related = ("player",)
    search_fields = ("player__name",)


@admin.register(Incident)
class IncidentAdmin(ReadOnlyAdmin):
    """Busts, chombo, yakuman."""

    list_display = ("hanchan_id", "seat", "kind", "note")
    list_filter = ("kind",)


@admin.register(SessionPoints)
class SessionPointsAdmin(ReadOnlyAdmin):
    """Points of sessions of which only the sums are known."""

    list_display = ("player", "session", "day", "points", "hanchan", "withdrawn")
    list_filter = ("withdrawn", "league")
    list_select_related = ("player", "session")
    search_fields = ("player__name", "note")


@admin.register(PlannedSeat)
class PlannedSeatAdmin(ReadOnlyAdmin):
    """Who is to sit where."""

    list_display = ("session", "round", "table", "seat", "player")
    list_select_related = ("session", "player")
    search_fields = ("player__name",)


@admin.register(TableLink)
class TableLinkAdmin(ReadOnlyAdmin):
    """Links of tables. Their codes are worked out where they are needed and stand nowhere here."""

    list_display = ("session", "table", "expires_at", "revoked_at", "used_at")
    list_select_related = ("session",)
    search_fields = ("session__title",)


@admin.register(Confirmation)
class ConfirmationAdmin(ReadOnlyAdmin):
    """What was said of results."""

    list_display = ("hanchan", "version", "verdict", "player", "by_name", "at")
    list_filter = ("verdict",)
    list_select_related = ("hanchan__session", "player")
    search_fields = ("player__name", "by_name", "note")


@admin.register(Photo)
class PhotoAdmin(ReadOnlyAdmin):
    """Photos of paper sheets; the pictures themselves are seen on the hanchan's page."""

    list_display = ("hanchan", "width", "height", "added_at", "withdrawn")
    list_select_related = ("hanchan__session",)
    search_fields = ("hanchan__key",)
    exclude = ("data",)


@admin.register(HeldResult)
class HeldResultAdmin(ReadOnlyAdmin):
    """Results that could not be stored as they were sent."""

    list_display = ("session", "table", "reason", "received_at", "settled_at")
    list_filter = ("reason", "league")
    list_select_related = ("session",)
    search_fields = ("sentence",)


@admin.register(HeldPhoto)
class HeldPhotoAdmin(ReadOnlyAdmin):
    """Photos that came with results that could not be stored."""

    list_display = ("held", "width", "height")
    list_select_related = ("held__session",)
    exclude = ("data",)


@admin.register(ImportBatch)
class ImportBatchAdmin(ReadOnlyAdmin):
    """Files that brought results in."""

    list_display = ("file_name", "league", "state", "created_at", "created_by")
    list_filter = ("state", "league")
    list_select_related = ("league", "created_by")
    search_fields = ("file_name",)
    exclude = ("data",)


@admin.register(Adjustment)
class AdjustmentAdmin(ReadOnlyAdmin):
    """Points put on totals by hand."""

    list_display = ("player", "league", "day", "points", "reason", "withdrawn")
    list_filter = ("withdrawn", "league")
    list_select_related = ("player", "league")
    search_fields = ("player__name", "reason")


class VersionInline(ReadOnlyInline):
    """The versions of a rule set."""

    model = RulesetVersion
    readonly_fields = ("created_at",)
    fields = ("number", "note", "created_at", "created_by")


@admin.register(Ruleset)
class RulesetAdmin(ReadOnlyAdmin):
    """Rule sets."""

    list_display = ("name", "league", "key", "card")
    list_filter = ("league",)
    list_select_related = ("league",)
    search_fields = ("name", "key")
    inlines = (VersionInline,)


@admin.register(RulesetVersion)
class RulesetVersionAdmin(ReadOnlyAdmin):
    """Versions of rule sets with all their parameters."""

    list_display = ("__str__", "number", "note", "created_at")
    list_select_related = ("ruleset",)
    search_fields = ("ruleset__name", "note")


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    """The history."""

    list_display = ("at", "league", "subject", "subject_id", "action", "by_name", "source", "reason")
    list_filter = ("action", "subject", "league")
    list_select_related = ("league",)
    search_fields = ("by_name", "reason")
    date_hierarchy = "at"


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    """Long work."""

    list_display = ("kind", "league", "state", "done", "total", "created_at", "finished_at")
    list_filter = ("state", "kind", "league")
    list_select_related = ("league",)


@admin.register(Board)
class BoardAdmin(ReadOnlyAdmin):
    """How fresh each leaderboard is."""

    list_display = ("league", "period", "version", "hanchan", "computed_at")
    list_filter = ("league",)
    list_select_related = ("league",)


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    """Lines of leaderboards."""

    list_display = ("league_id", "period", "rank", "player", "score", "hanchan")
    list_select_related = ("player",)
    list_filter = ("league",)
    search_fields = ("player__name", "period")


@admin.register(StalePeriod)
class StalePeriodAdmin(ReadOnlyAdmin):
    """Leaderboards that wait for a refresh."""

    list_display = ("league", "period", "marked_at")
    list_select_related = ("league",)


@admin.register(PlayerAlias)
class PlayerAliasAdmin(ReadOnlyAdmin):
    """Other names."""

    list_display = ("name", "player")
    list_select_related = ("player",)
    search_fields = ("name", "player__name")

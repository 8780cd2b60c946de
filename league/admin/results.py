from django.contrib import admin

from league.admin.reading import ReadOnlyAdmin, ReadOnlyInline
from league.core.board_lines import PLACES
from league.models import (
    Adjustment,
    Attendance,
    AttendanceLink,
    Confirmation,
    Hanchan,
    HeldPhoto,
    HeldResult,
    Incident,
    LiveAddress,
    Photo,
    PlannedSeat,
    Seat,
    Session,
    SessionPoints,
    TableLink,
)


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "league", "date", "start_time", "venue", "state", "postponed_from")
    list_filter = ("state", "league")
    list_select_related = ("league", "postponed_from")
    search_fields = ("title", "venue", "league__name")
    date_hierarchy = "date"


class SeatInline(ReadOnlyInline):
    model = Seat
    fields = ("seat", "player", "raw_score", "placement", "points", "settlement", "total_only", "chombo", "chips")


class IncidentInline(ReadOnlyInline):
    model = Incident
    fields = ("seat", "kind", "detail", "note")


@admin.register(Hanchan)
class HanchanAdmin(ReadOnlyAdmin):
    list_display = ("pk", "league", "session", "table", "round", "played_at", "state", "given", "as_is", "version")
    list_filter = ("state", "given", "as_is", "league")
    list_select_related = ("league", "session")
    search_fields = ("key", "note", "session__title", "seats__player__name")
    date_hierarchy = "day"
    inlines = (SeatInline, IncidentInline)


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    list_display = ("hanchan_id", "seat", "player", "raw_score", "placement", "points", "settlement")
    list_select_related = ("player",)
    search_fields = ("player__name",)


@admin.register(Incident)
class IncidentAdmin(ReadOnlyAdmin):
    list_display = ("hanchan_id", "seat", "kind", "note")
    list_filter = ("kind",)


@admin.register(SessionPoints)
class SessionPointsAdmin(ReadOnlyAdmin):
    list_display = ("player", "session", "day", "points", "hanchan", *PLACES, "withdrawn")
    list_filter = ("withdrawn", "league")
    list_select_related = ("player", "session")
    search_fields = ("player__name", "note")


@admin.register(PlannedSeat)
class PlannedSeatAdmin(ReadOnlyAdmin):
    list_display = ("session", "round", "table", "seat", "player")
    list_select_related = ("session", "player")
    search_fields = ("player__name",)


@admin.register(Attendance)
class AttendanceAdmin(ReadOnlyAdmin):
    list_display = ("session", "player", "answer", "arrives_at", "given", "by", "at")
    list_filter = ("answer", "given")
    list_select_related = ("session", "player", "by")
    search_fields = ("player__name", "session__title")


@admin.register(AttendanceLink)
class AttendanceLinkAdmin(ReadOnlyAdmin):
    list_display = ("session", "player", "created_at", "revoked_at", "used_at")
    list_select_related = ("session", "player")
    search_fields = ("session__title", "player__name")


@admin.register(TableLink)
class TableLinkAdmin(ReadOnlyAdmin):
    list_display = ("session", "table", "expires_at", "revoked_at", "used_at")
    list_select_related = ("session",)
    search_fields = ("session__title",)


@admin.register(LiveAddress)
class LiveAddressAdmin(ReadOnlyAdmin):
    list_display = ("league", "created_at", "created_by", "revoked_at", "used_at")
    list_filter = ("league",)
    list_select_related = ("league", "created_by")
    search_fields = ("league__slug", "league__name")


@admin.register(Confirmation)
class ConfirmationAdmin(ReadOnlyAdmin):
    list_display = ("hanchan", "version", "verdict", "player", "by_name", "at")
    list_filter = ("verdict",)
    list_select_related = ("hanchan__session", "player")
    search_fields = ("player__name", "by_name", "note")


@admin.register(Photo)
class PhotoAdmin(ReadOnlyAdmin):
    list_display = ("hanchan", "width", "height", "added_at", "withdrawn")
    list_select_related = ("hanchan__session",)
    search_fields = ("hanchan__key",)
    exclude = ("data",)


@admin.register(HeldResult)
class HeldResultAdmin(ReadOnlyAdmin):
    list_display = ("session", "table", "reason", "received_at", "settled_at")
    list_filter = ("reason", "league")
    list_select_related = ("session",)
    search_fields = ("sentence",)


@admin.register(HeldPhoto)
class HeldPhotoAdmin(ReadOnlyAdmin):
    list_display = ("held", "width", "height")
    list_select_related = ("held__session",)
    exclude = ("data",)


@admin.register(Adjustment)
class AdjustmentAdmin(ReadOnlyAdmin):
    list_display = ("player", "league", "day", "points", "reason", "withdrawn")
    list_filter = ("withdrawn", "league")
    list_select_related = ("player", "league")
    search_fields = ("player__name", "reason")

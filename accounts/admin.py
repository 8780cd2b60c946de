"""Read-only admin for invitations, claims, preferences and notices. Changes are made on the site's own pages."""

from django.contrib import admin

from accounts.models import Claim, Invitation, NoticeMail, Preferences
from league.admin.reading import ReadOnlyAdmin


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ("league", "role", "label", "uses", "most_uses", "expires_at", "revoked_at", "created_by")
    list_filter = ("league", "role")
    list_select_related = ("league", "created_by")
    search_fields = ("label",)


@admin.register(Claim)
class ClaimAdmin(ReadOnlyAdmin):
    list_display = ("user", "player", "league", "state", "created_at", "answered_at")
    list_filter = ("state", "league")
    list_select_related = ("user", "player", "league")
    search_fields = ("user__username", "player__name")


@admin.register(Preferences)
class PreferencesAdmin(ReadOnlyAdmin):
    list_display = ("user", "called", "language", "sign", "theme")
    list_select_related = ("user",)


@admin.register(NoticeMail)
class NoticeMailAdmin(ReadOnlyAdmin):
    list_display = ("user", "made_at", "is_digest", "state", "tries", "error")
    list_filter = ("state", "is_digest")
    search_fields = ("user__username", "error")
    list_select_related = ("user",)

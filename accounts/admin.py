"""Notices in the admin: readable only; secrets, and what somebody was told, stay with them."""

from django.contrib import admin

from accounts.models import NoticeMail
from league.admin.reading import ReadOnlyAdmin


@admin.register(NoticeMail)
class NoticeMailAdmin(ReadOnlyAdmin):
    """Mails and how far they are, for whoever looks why one did not come."""

    list_display = ("user", "made_at", "is_digest", "state", "tries", "error")
    list_filter = ("state", "is_digest")
    search_fields = ("user__username", "error")
    list_select_related = ("user",)

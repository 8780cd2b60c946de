"""What people chose for themselves, to be read."""

from django.contrib import admin

from accounts.models import Preferences
from league.admin.reading import ReadOnlyAdmin


@admin.register(Preferences)
class PreferencesAdmin(ReadOnlyAdmin):
    """Language, signs and colours of people's pages."""

    list_display = ("user", "called", "language", "sign", "theme")
    list_select_related = ("user",)

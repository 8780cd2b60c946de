"""What is kept of players' months, to be read."""

from django.contrib import admin

from league.admin.reading import ReadOnlyAdmin
from stats.models import KeptMonth, PlayerMonth


@admin.register(KeptMonth)
class KeptMonthAdmin(ReadOnlyAdmin):
    """Months of leagues that are kept."""

    list_display = ("league", "period", "computed_at")
    list_select_related = ("league",)


@admin.register(PlayerMonth)
class PlayerMonthAdmin(ReadOnlyAdmin):
    """What they came to for each player."""

    list_display = ("month", "player")
    list_select_related = ("month__league", "player")

"""What is kept of players' months, to be read."""

from django.contrib import admin

from league.admin.reading import ReadOnlyAdmin
from stats.models import KeptMonth, PlayerMonth, PlayerRating, RatingProgress


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


@admin.register(PlayerRating)
class PlayerRatingAdmin(ReadOnlyAdmin):
    """How players are rated."""

    list_display = ("player", "league", "hanchan", "day")
    list_select_related = ("player", "league")


@admin.register(RatingProgress)
class RatingProgressAdmin(ReadOnlyAdmin):
    """How far ratings are replayed."""

    list_display = ("league", "judged")
    list_select_related = ("league",)

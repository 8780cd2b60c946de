"""What is kept of periods and players, and leagues' own titles, to be read."""

from django.contrib import admin

from league.admin.reading import ReadOnlyAdmin
from stats.models import (
    Achievement,
    Award,
    KeptFeats,
    KeptMonth,
    OwnTitle,
    PlayerFeats,
    PlayerMonth,
    PlayerRating,
    RatingProgress,
)


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


@admin.register(KeptFeats)
class KeptFeatsAdmin(ReadOnlyAdmin):
    """Periods of leagues whose records are kept."""

    list_display = ("league", "period", "computed_at")
    list_select_related = ("league",)


@admin.register(PlayerFeats)
class PlayerFeatsAdmin(ReadOnlyAdmin):
    """What players did in months."""

    list_display = ("month", "player")
    list_select_related = ("month__league", "player")


@admin.register(Achievement)
class AchievementAdmin(ReadOnlyAdmin):
    """What players have achieved."""

    list_display = ("player", "key", "day")
    list_select_related = ("player",)


@admin.register(Award)
class AwardAdmin(ReadOnlyAdmin):
    """Who holds titles, and who won evenings."""

    list_display = ("league", "period", "key", "player", "count")
    list_select_related = ("league", "player")


@admin.register(OwnTitle)
class OwnTitleAdmin(ReadOnlyAdmin):
    """Titles that leagues have made."""

    list_display = ("league", "name", "metric", "withdrawn")
    list_select_related = ("league",)

from django.contrib import admin

from league.admin.reading import ReadOnlyAdmin
from stats.models import Award, KeptSums, OwnTitle, PlayerRating, RatingState


@admin.register(KeptSums)
class KeptSumsAdmin(ReadOnlyAdmin):
    list_display = ("league", "period", "player")
    list_select_related = ("league", "player")


@admin.register(PlayerRating)
class PlayerRatingAdmin(ReadOnlyAdmin):
    list_display = ("player", "league", "hanchan", "day")
    list_select_related = ("player", "league")


@admin.register(RatingState)
class RatingStateAdmin(ReadOnlyAdmin):
    list_display = ("league", "judged")


@admin.register(Award)
class AwardAdmin(ReadOnlyAdmin):
    list_display = ("league", "period", "key", "player", "count")
    list_select_related = ("league", "player")


@admin.register(OwnTitle)
class OwnTitleAdmin(ReadOnlyAdmin):
    list_display = ("league", "name", "metric", "withdrawn")
    list_select_related = ("league",)

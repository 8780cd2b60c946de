"""Plain Django views of the same data: one queryset, one template loop.

Also an empty response with the same middleware.
"""

import uuid
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import Avg, Count, F, Max, Min, Q, Sum
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import engines
from django.urls import path
from django.views.decorators.http import require_POST

from config.urls import urlpatterns as product
from league.models import Hanchan, Seat, Standing

PAGE = """{% load i18n static %}<!doctype html><html lang="{{ request.LANGUAGE_CODE }}"><head><title>{{ title }}</title>
<link rel="stylesheet" href="{% static 'css/base.css' %}"></head><body><nav><a href="/">Tenbo</a></nav><h1>{{ title }}</h1>
<table><thead><tr>{% for name in columns %}<th>{{ name }}</th>{% endfor %}</tr></thead><tbody>
{% for row in rows %}<tr>{% for cell in row %}<td>{{ cell|default:"" }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table></body></html>"""

BOARD = (
    *("rank", "previous_rank", "player__name", "score", "total", "points", "settlement", "hanchan", "sessions"),
    *("first", "second", "third", "fourth", "placement_halves", "busts", "plus", "raw_best", "points_best"),
)
HANCHAN = (
    *("hanchan__played_at", "hanchan__table", "hanchan__round", "hanchan__state", "player__name", "raw_score"),
    *("placement", "points", "base", "uma", "oka", "settlement"),
)
SUMS: dict[str, Any] = {
    "games": Count("pk"),
    "sum": Sum("points"),
    "mean": Avg("placement"),
    "best": Max("raw_score"),
    "worst": Min("raw_score"),
    "last": Max("hanchan__played_at"),
    **{f"of_{place}": Count("pk", filter=Q(placement=place)) for place in (1, 2, 3, 4)},
}


def _page(request: HttpRequest, rows: Any, columns: tuple[str, ...]) -> HttpResponse:
    context = {"title": request.user.pk, "rows": rows.values_list(*columns), "columns": columns}
    return HttpResponse(engines["django"].from_string(PAGE).render(context, request))


def empty(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"reader": request.user.pk})


def board(request: HttpRequest, league: int, period: str) -> HttpResponse:
    lines = Standing.objects.filter(league=league, period=period).order_by(F("rank").asc(nulls_last=True), "-score")
    return _page(request, lines[:50], BOARD)


def seats(request: HttpRequest, kind: str, number: int) -> HttpResponse:
    found = Seat.objects.valid().filter(**{"player" if kind == "player" else "hanchan__session": number})
    return _page(request, found.order_by("-played_at", "seat")[: 80 if kind == "player" else None], HANCHAN)


def totals(request: HttpRequest, tournament: int) -> HttpResponse:
    of_tournament = Seat.objects.counted().filter(hanchan__session__stage__tournament=tournament)
    lines = of_tournament.order_by().values("player").annotate(**SUMS).order_by(F("sum").desc())
    return _page(request, lines, ("player__name", *SUMS))


@require_POST
@transaction.atomic
def create(request: HttpRequest) -> JsonResponse:
    post, now = request.POST, datetime.now(UTC)
    hanchan = Hanchan.objects.create(
        league_id=post["league"],
        session_id=post["session"],
        key=f"f-{uuid.uuid4().hex}",
        client_key=uuid.uuid4(),
        table=99,
        round=post["round"],
        played_at=now,
        day=now.date(),
        ruleset_version_id=post["version"],
    )
    Seat.objects.bulk_create(
        Seat(
            hanchan=hanchan,
            league_id=post["league"],
            player_id=post[f"player_{seat}"],
            seat=seat,
            raw_score=post[f"raw_{seat}"],
            day=now.date(),
            played_at=now,
            placement=seat + 1,
            points=0,
            settlement=0,
        )
        for seat in range(4)
    )
    return JsonResponse({"state": "saved", "hanchan": hanchan.pk, "reader": request.user.pk})


urlpatterns = [
    path("bench/empty", empty),
    path("bench/create", create),
    path("bench/board/<int:league>/<str:period>", board),
    path("bench/totals/<int:tournament>", totals),
    path("bench/<str:kind>/<int:number>", seats),
    *product,
]

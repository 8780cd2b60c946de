from collections.abc import Sequence

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from league.core.limits import MAX_REASON_LENGTH
from league.forms.people_table import PlayerRow, changed_rows, check_together, sent_numbers, with_guesses
from league.http.access import actor, in_league, to_be_changed
from league.models import League, Player, Seat
from league.models.players import PlayerQuerySet
from league.permissions import MANAGE
from league.services.people import change_players

ROWS = 100
"""Players per page."""

UNREAD = "unread"


@in_league(MANAGE)
def table(request: HttpRequest, league: League) -> HttpResponse:
    """Show players as an editable table; save all changes or none."""
    rows: list[PlayerRow] = []
    if request.method == "POST":
        rows = _sent_rows(request, league)
        if not any(row.errors for row in rows):
            _store(request, league, rows)
            return HttpResponseRedirect(request.get_full_path())
    page = Paginator(_listed(request, league), ROWS).get_page(request.GET.get("page"))
    shown = _with_sent(list(page.object_list), rows)
    return render(
        request,
        "league/people/table.html",
        {
            "league": league,
            "page": page,
            "rows": shown,
            "problems": [(row.player, row.problems) for row in rows if row.errors],
            "has_parts": any(row.guess.endswith("…") for row in shown),
            "reads": _reads(request, league, shown),
            "guesses": sum(1 for row in shown if row.player.guess is not None and not row.player.guess.rest),
            "only_unread": UNREAD in request.GET,
            "reason": request.POST.get("reason", ""),
        },
    )


def _reads(request: HttpRequest, league: League, rows: Sequence[PlayerRow]) -> bool:
    """Return whether readings matter: not to readers of English whose league has none and whose names suggest none."""
    if get_language() != "en" or not {UNREAD, "readings"}.isdisjoint(request.GET) or any(row.guess for row in rows):
        return True
    return league.players.active().exclude(kana="", romanised="").exists()


def _listed(request: HttpRequest, league: League) -> PlayerQuerySet:
    # Players of an undone import are found by the search.
    played = Seat.objects.valid().filter(player=OuterRef("pk"))
    players: PlayerQuerySet = league.players.active().filter(Q(is_active=True) | Exists(played)).by_reading()
    return players.filter(kana="") if UNREAD in request.GET else players


def _sent_rows(request: HttpRequest, league: League) -> list[PlayerRow]:
    """Return the validated rows with changes; their players are locked."""
    asked = league.players.active().filter(pk__in=sent_numbers(request.POST)[: 2 * ROWS]).order_by("pk")
    players = list(to_be_changed(request, asked).prefetch_related("aliases"))
    data: QueryDict = request.POST
    if request.POST.get("do") == "guesses":
        data = with_guesses(data, players)
    rows = changed_rows(data, players)
    check_together(league, rows)
    return rows


def _with_sent(players: Sequence[Player], sent: Sequence[PlayerRow]) -> list[PlayerRow]:
    """Return the rows of a page with submitted values; submitted rows of players on other pages come first."""
    by_player = {row.player.pk: row for row in sent}
    here = {player.pk for player in players}
    elsewhere = [row for pk, row in by_player.items() if pk not in here]
    return [*elsewhere, *(by_player.get(player.pk) or PlayerRow(None, player) for player in players)]


def _store(request: HttpRequest, league: League, rows: Sequence[PlayerRow]) -> None:
    changes = {row.player: row.facts() for row in rows}
    reason = request.POST.get("reason", "")[:MAX_REASON_LENGTH]
    changed = change_players(league=league, changes=changes, by=actor(request), reason=reason)
    if not changed:
        messages.info(request, _("No changes."))
        return
    text = ngettext("%(count)s player was changed.", "%(count)s players were changed.", len(changed))
    messages.success(request, text % {"count": len(changed)})

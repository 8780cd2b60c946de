"""The pages behind a table link, and what has happened at a table, for the scripts of both ways in."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from league.http.access import in_league
from league.http.entry_context import EntryContext, at_table, context_of_scorer
from league.models import Hanchan, League
from league.permissions import RECORD
from league.selectors.confirming import agreed_of, raised_of
from league.selectors.planning import next_round
from league.services.live_typing import typed_elsewhere
from league.views.entry import entry_at, preview_at
from league.views.hanchan import hanchan_of
from league.views.receipts import receipt_at, undo_at

SHOWN = 5


@at_table(even_late=True)
def table(request: HttpRequest, desk: EntryContext) -> HttpResponse:
    """Show the entry page of a table, or save what was typed on it."""
    return entry_at(request, desk)


@require_POST
@at_table()
def preview(request: HttpRequest, desk: EntryContext) -> HttpResponse:
    """Return the parts of the entry page that follow from what is typed so far."""
    return preview_at(request, desk)


@require_safe
@at_table()
def receipt(request: HttpRequest, desk: EntryContext, pk: int) -> HttpResponse:
    """Return what was saved at this table and what it did."""
    return receipt_at(request, desk, hanchan_at(desk, pk))


@require_POST
@at_table()
def undo(request: HttpRequest, desk: EntryContext, pk: int) -> HttpResponse:
    """Take back what was saved at this table a moment ago."""
    return undo_at(request, desk, hanchan_at(desk, pk))


def hanchan_at(desk: EntryContext, pk: int) -> Hanchan:
    """Return a hanchan of this desk with everything at hand. Raises Http404 for those of other tables."""
    hanchan = hanchan_of(desk.league, pk)
    if not desk.holds(hanchan):
        raise Http404
    hanchan.session = desk.session
    return hanchan


@require_safe
@at_table()
def state(request: HttpRequest, desk: EntryContext) -> HttpResponse:
    """Return what has happened at this table."""
    del request
    return state_at(desk)


@require_safe
@in_league(RECORD)
def enter_state(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return what has happened at a scorer's table."""
    return state_at(context_of_scorer(request, league, pk))


def state_at(desk: EntryContext) -> HttpResponse:
    """Return the last hanchan of a table and what another phone is typing, as JSON."""
    played = desk.session.hanchan.filter(table=desk.table).order_by("-played_at", "-pk")
    hanchan = list(played.prefetch_related("seats__player")[:SHOWN])
    for each in hanchan:
        each.league = desk.league
    agreed = agreed_of(hanchan, raised_of(hanchan))
    typing = typed_elsewhere(desk.session, desk.table, desk.by.device)
    said = {
        "now": timezone.now().isoformat(),
        "round": next_round(desk.session, desk.table),
        "session_open": desk.is_open,
        "hanchan": [_told(desk, each, agreed[each.pk]) for each in hanchan],
        "typing": typing and {"age": typing.age, "scores": typing.scores, "names": typing.names},
    }
    answer = JsonResponse(said)
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _told(desk: EntryContext, hanchan: Hanchan, agreed: int) -> dict[str, object]:
    return {
        "id": hanchan.pk,
        "client_key": str(hanchan.client_key),
        "round": hanchan.round,
        "standing": hanchan.state,
        "receipt": desk.of_hanchan("receipt", hanchan),
        "asked": desk.league.asks_for(hanchan.played_at),
        "confirmed": agreed,
        "of": len(hanchan.seats.all()),
    }

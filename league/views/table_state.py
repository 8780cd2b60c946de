"""What has happened at a table, as JSON for the scripts of its entry page."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.http.access import in_league
from league.http.entry_context import EntryContext, by_table_link, context_of_scorer
from league.models import Hanchan, League
from league.permissions import RECORD
from league.selectors.confirming import agreed_of, raised_of
from league.selectors.planning import next_round
from league.services.live_typing import typed_elsewhere

SHOWN = 5


@require_safe
@in_league(RECORD)
def state(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return what has happened at a scorer's table."""
    return _state(context_of_scorer(request, league, pk))


@require_safe
@by_table_link()
def state_by_link(request: HttpRequest, context: EntryContext) -> HttpResponse:
    """Return what has happened at the table of a link."""
    del request
    return _state(context)


def _state(context: EntryContext) -> HttpResponse:
    """Return the last hanchan of a table and what another phone is typing, as JSON."""
    played = context.session.hanchan.filter(table=context.table).order_by("-played_at", "-pk")
    hanchan = list(played.prefetch_related("seats__player")[:SHOWN])
    for each in hanchan:
        each.league = context.league
    agreed = agreed_of(hanchan, raised_of(hanchan))
    typing = typed_elsewhere(context.session, context.table, context.by.device)
    state = {
        "now": timezone.now().isoformat(),
        "round": next_round(context.session, context.table),
        "session_open": context.is_open,
        "hanchan": [_hanchan_json(context, each, agreed[each.pk]) for each in hanchan],
        "typing": typing and {"age": typing.age, "scores": typing.scores, "names": typing.names},
    }
    answer = JsonResponse(state)
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _hanchan_json(context: EntryContext, hanchan: Hanchan, agreed: int) -> dict[str, object]:
    return {
        "id": hanchan.pk,
        "client_key": str(hanchan.client_key),
        "round": hanchan.round,
        "standing": hanchan.state,
        "receipt": context.receipt_url(hanchan),
        "asked": context.league.asks_for(hanchan.played_at),
        "confirmed": agreed,
        "of": len(hanchan.seats.all()),
    }

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.core.limits import MAX_ROUND
from league.core.numbers import small_number
from league.http.access import in_league, session_led
from league.http.entry_context import EntryContext, by_table_link, context_of_scorer, seats_by_round
from league.models import Hanchan, League
from league.permissions import RECORD
from league.selectors.confirming import agreed_of, raised_of
from league.selectors.planning import next_round, only_rounds, table_plans
from league.services.entry import TypingPlace, typed_elsewhere

SHOWN = 5


@require_safe
@in_league(RECORD, instead=session_led)
def state(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _state(request, context_of_scorer(request, league, pk))


def _state(request: HttpRequest, context: EntryContext) -> HttpResponse:
    """Return a table's last hanchan and another phone's input for the round, as JSON."""
    played = context.session.hanchan.filter(table=context.table).order_by("-played_at", "-pk")
    hanchan = list(played.prefetch_related("seats__player")[:SHOWN])
    for each in hanchan:
        each.league = context.league
    agreed = agreed_of(hanchan, raised_of(hanchan))
    plans = table_plans(context.session, context.table)
    upcoming = next_round(context.session, context.table, plans)
    by_round = only_rounds(plans)
    context.hide_names(player for seated in by_round.values() for player in seated)
    number = small_number(request.GET.get("round", ""), upcoming, digits=len(str(MAX_ROUND)))
    typing = typed_elsewhere(TypingPlace(context.session, context.table, number), context.by.device)
    state = {
        "now": timezone.now().isoformat(),
        "round": upcoming,
        "seats": seats_by_round(by_round),
        "session_open": context.is_open,
        "hanchan": [_hanchan_json(context, each, agreed[each.pk]) for each in hanchan],
        "typing": typing and {"age": typing.age, "scores": typing.scores, "names": typing.names},
    }
    answer = JsonResponse(state)
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


state_by_link = require_safe(by_table_link()(_state))


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

"""The end of a tournament, and opening it again."""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from league.forms.reason import ReasonForm
from league.http.access import actor
from league.permissions import MANAGE
from tournaments.core.state import StageState, TournamentState
from tournaments.http.access import in_tournament
from tournaments.http.pages import page
from tournaments.messages.errors import tournament_error_sentence
from tournaments.messages.places import destination_label
from tournaments.models import Entry, Tournament
from tournaments.selectors.state import state_of
from tournaments.services.decisions import finish as close
from tournaments.services.decisions import resume
from tournaments.services.events import TournamentError


@in_tournament(MANAGE)
def finish(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    is_finished = tournament.state == Tournament.State.FINISHED
    form = ReasonForm(request.POST if is_finished and request.method == "POST" else None)
    if request.method == "POST":
        answer = _resume(request, tournament, form) if is_finished else _finish(request, tournament)
        if answer:
            return answer
    current = state_of(tournament)
    facts = {
        "form": form,
        "is_finished": is_finished,
        "is_over": current.state.is_over,
        "arrivals": _arrivals(current.state, current.entries),
        "final_ranks": [
            {"final_rank": each, "entry": current.entries[int(each.participant)]}
            for each in current.state.final_ranks[:8]
        ],
        "open_stages": [each for each in current.state.stages if each.state is not StageState.DECIDED],
        "overtaken": len(current.state.overtaken),
    }
    return page(request, tournament, "finish", facts)


def _arrivals(state: TournamentState, entries: Mapping[int, Entry]) -> list[dict[str, object]]:
    return [
        {"name": destination_label(key, state.format), "entries": [entries[int(place.participant)] for place in places]}
        for key, places in state.arrivals.items()
    ]


def _finish(request: HttpRequest, tournament: Tournament) -> HttpResponse | None:
    try:
        close(tournament=tournament, by=actor(request))
    except TournamentError as error:
        messages.error(request, tournament_error_sentence(error))
        return None
    messages.success(request, _("%(name)s is finished. Its page is the archive now.") % {"name": tournament.name})
    return redirect("tournaments:tournament", tournament.league.slug, tournament.key)


def _resume(request: HttpRequest, tournament: Tournament, form: ReasonForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    resume(tournament=tournament, reason=form.cleaned_data["reason"], by=actor(request))
    messages.success(request, _("%(name)s is under way again.") % {"name": tournament.name})
    return redirect("tournaments:inbox", tournament.league.slug, tournament.key)

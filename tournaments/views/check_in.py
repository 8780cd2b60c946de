"""Check-in at the door: one code for the whole event, and everybody chooses their name."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from league.core.numbers import small_number
from league.http.access import actor
from league.selectors.names import hide_names
from tournaments.http.registering import BY_LINK, by_door_code
from tournaments.messages.errors import tournament_error_sentence
from tournaments.models import Registration, RegistrationTerms
from tournaments.selectors.names import reader_name
from tournaments.selectors.registrations import registration_lines, registration_offer
from tournaments.services.check_in import check_in
from tournaments.services.events import TournamentError
from tournaments.services.registration_terms import door_code


@by_door_code
def door(request: HttpRequest, terms: RegistrationTerms) -> HttpResponse:
    """List who has not checked in yet; a tap on a name says that this person is there."""
    tournament = terms.tournament
    problem = ""
    if request.method == "POST":
        number = small_number(request.POST.get("who", ""), 0, digits=18)
        chosen = Registration.objects.select_related("player", "tournament__league")
        registration = chosen.filter(tournament=tournament, pk=number).first()
        problem = _("Choose a name from the list.") if registration is None else _checked_in(request, registration)
        if not problem:
            return redirect("tournaments:check_in", door_code(terms))
    lines = [each for each in registration_lines(tournament) if each.entry is not None or each.is_waiting]
    hide_names(request.user, tournament.league, [each.registration.player for each in lines])
    expected = [each for each in lines if each.registration.checked_in_at is None]
    context = {
        "league": tournament.league,
        "tournament": tournament,
        "expected": expected,
        "there": len(lines) - len(expected),
        "offer": registration_offer(tournament),
        "problem": problem,
    }
    return render(request, "tournaments/registration/door.html", context)


def _checked_in(request: HttpRequest, registration: Registration) -> str:
    by = actor(request) if request.user.is_authenticated else BY_LINK
    try:
        check_in(registration=registration, by=by)
    except TournamentError as error:
        return tournament_error_sentence(error)
    hide_names(request.user, registration.tournament.league, [registration.player])
    messages.success(request, _("%(name)s is checked in.") % {"name": reader_name(registration.player)})
    return ""

"""Managing registrations: terms, approval, refusal, queue order, check-in, no-shows."""

from collections.abc import Callable, Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from league.core.limits import MAX_REASON_LENGTH
from league.core.numbers import small_number
from league.http.access import actor, to_be_changed
from league.http.for_others import address_for_others
from league.permissions import MANAGE
from league.selectors.people import written_alike
from league.services.history import Actor
from tournaments.forms.registering import TermsForm
from tournaments.http.pages import RefusalsOn, in_tournament, page
from tournaments.messages.errors import fit_sentence
from tournaments.models import Registration, RegistrationTerms, Tournament
from tournaments.selectors.inbox import stages_to_draw
from tournaments.selectors.registrations import registration_lines, registration_offer, terms_of
from tournaments.selectors.state import state_of
from tournaments.services import registering, registration_terms

MOMENTS = {
    "open": ("opens_at", gettext_lazy("Registration is open.")),
    "close": ("closes_at", gettext_lazy("Registration is closed.")),
    "open_check_in": ("check_in_from", gettext_lazy("Check-in is open.")),
    "close_check_in": ("check_in_until", gettext_lazy("Check-in is closed.")),
}


@in_tournament(MANAGE)
def registrations(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        with RefusalsOn(request):
            _do(request, tournament, request.POST.get("do", ""))
        return redirect("tournaments:registrations", tournament.league.slug, tournament.key)
    terms, lines = terms_of(tournament), registration_lines(tournament)
    alike = dict(written_alike(tournament.league, [line.registration.player for line in lines]))
    by_place: dict[str, list[dict[str, object]]] = {}
    for line in lines:
        row: dict[str, object] = {"line": line, "other": alike.get(line.registration.player)}
        by_place.setdefault(line.place, []).append(row)
    entered = [line for line in lines if line.entry is not None]
    is_open = tournament.state == Tournament.State.PREPARING
    number = tournament.entries.filter(is_substitute=False).count()
    facts = {
        "heading": _("Registration"),
        "lead": fit_sentence(number, tournament.format) if is_open else "",
        "offer": registration_offer(tournament),
        "by_place": by_place,
        "absent": [line for line in entered if line.registration.checked_in_at is None],
        "is_open": is_open,
        "draws": stages_to_draw(state_of(tournament)),
        **_addresses(request, terms),
    }
    return page(request, tournament, "director/registrations", facts)


def _addresses(request: HttpRequest, terms: RegistrationTerms | None) -> dict[str, str]:
    if terms is None:
        return {}
    ways = {
        "public_address": ("register_by_link", registration_terms.public_code),
        "door_address": ("check_in", registration_terms.door_code),
    }
    paths = {name: reverse(f"tournaments:{route}", args=[code(terms)]) for name, (route, code) in ways.items()}
    return {name: address_for_others(request, path) for name, path in paths.items()}


def _do(request: HttpRequest, tournament: Tournament, wanted: str) -> None:
    by = actor(request)
    if wanted in MOMENTS:
        name, said = MOMENTS[wanted]
        registration_terms.change_moment(tournament=tournament, name=name, at=timezone.now(), by=by)
        messages.success(request, str(said))
    elif wanted == "renew":
        registration_terms.renew_addresses(tournament=tournament, by=by)
        messages.success(request, _("The addresses have new codes. The previous ones no longer work."))
    elif wanted == "drop":
        seen = {small_number(each, 0, digits=18) for each in request.POST.getlist("seen")}
        dropped = registering.drop_no_shows(tournament=tournament, seen=seen, reason=_("did not check in"), by=by)
        text = ngettext("%(count)s spot was given away.", "%(count)s spots were given away.", len(dropped))
        messages.success(request, text % {"count": len(dropped)})


ROW_ACTIONS: Mapping[str, Callable[[Registration, str, Actor], object]] = {
    "accept": lambda row, _reason, by: registering.accept_registration(registration=row, by=by),
    "refuse": lambda row, reason, by: registering.refuse_registration(registration=row, reason=reason, by=by),
    "up": lambda row, _reason, by: registering.move_registration(registration=row, up=True, by=by),
    "down": lambda row, _reason, by: registering.move_registration(registration=row, up=False, by=by),
    "check_in": lambda row, _reason, by: registering.check_in(registration=row, by=by, director=True),
    "undo_check_in": lambda row, _reason, by: registering.undo_check_in(registration=row, by=by),
}


@require_POST
@in_tournament(MANAGE)
def change_registration(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    rows = Registration.objects.select_related("player", "tournament__league")
    registration = get_object_or_404(rows, tournament=tournament, pk=pk)
    action = ROW_ACTIONS.get(request.POST.get("do", ""))
    reason = request.POST.get("reason", "").replace("\x00", "")[:MAX_REASON_LENGTH]
    if action is not None:
        with RefusalsOn(request):
            action(registration, reason, actor(request))
    way = reverse("tournaments:registrations", args=[tournament.league.slug, tournament.key])
    return redirect(f"{way}#registration-{registration.pk}")


@in_tournament(MANAGE)
def terms(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    to_be_changed(request, Tournament.objects.all(), tournament.pk)
    known, sizes = terms_of(tournament), tournament.format.entrants
    written = {name: getattr(known, name) for name in registration_terms.NAMES} if known else {}
    if known is None and sizes.least == sizes.most:
        written["places"] = sizes.most
    form = TermsForm(request.POST or None, sizes=sizes, is_new=known is None, initial=written)
    if form.is_valid():
        with RefusalsOn(form):
            registration_terms.offer_registration(tournament=tournament, offered=form.offered(), by=actor(request))
            messages.success(request, _("The registration terms were saved."))
            return redirect("tournaments:registrations", tournament.league.slug, tournament.key)
    facts = {"heading": _("Registration terms"), "form": form, "is_new": known is None}
    return page(request, tournament, "director/registration_terms", facts)

"""Registration pages: for league members, by public link, and a player's own registration."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.core.numbers import small_number
from league.http.access import actor, in_league, league_over
from league.http.codes import GUESSES, Opened, View, by_code
from league.http.ended_links import busy
from league.http.for_others import address_for_others
from league.http.pdf import printed
from league.http.rate_limits import Limit, address_of
from league.models import League, Player
from league.permissions import MANAGE, VIEW, hide_names, is_member, is_shown
from league.selectors.people import current_player
from league.services.attempts import TryLimit
from league.services.history import Actor
from league.services.people import link_user
from tournaments.forms.registering import NewcomerForm
from tournaments.http.pages import in_tournament, page, tournament_or_404
from tournaments.messages.errors import tournament_error_sentence
from tournaments.models import Registration, RegistrationTerms, Tournament
from tournaments.selectors.registrations import (
    line_of,
    place_told,
    player_of,
    registration_lines,
    registration_of,
    registration_offer,
    terms_of,
)
from tournaments.selectors.state import reader_name
from tournaments.services import registering as service
from tournaments.services.events import TournamentError
from tournaments.services.registration_terms import door_code, own_code, public_code, registration_for, terms_for

NEWCOMERS = TryLimit("registrations", tries=60, seconds=3600)
"""Limit for new players per IP address, high enough for a club behind one access point."""

POSTS = Limit("registration-posts", tries=120, seconds=60)
"""Limit for requests per secret URL; a queue at the door shares one."""

BY_LINK = Actor(None, "registration")

CODE = "tournaments.code"
"""Permission granted by a code."""


def opened_by(find: Callable[[str], Any]) -> Callable[[View], View]:
    """Return a decorator for views that need only a code.

    The response is the same for a wrong code, a replaced one, and one whose league was taken down.
    """
    return by_code(CODE, partial(_opened, find))


def _opened(find: Callable[[str], Any], request: HttpRequest, token: str) -> Opened:
    thing = find(token)
    league = thing.tournament.league if thing is not None else None
    if league is None or not is_shown(request.user, league):
        return _ended(request) if GUESSES.use(address_of(request)) else busy(request)
    if request.method == "POST" and not league.is_active:
        return league_over(request, league)
    return busy(request) if request.method == "POST" and not POSTS.use(token) else (league, thing)


def _ended(request: HttpRequest) -> HttpResponse:
    text = _("There is no registration at this address. Use the latest one, or ask the organiser.")
    page = {"title": _("Registration not found"), "text": text}
    return render(request, "tournaments/registration/ended.html", page, status=404)


REFUSED = Registration.State.REFUSED
STANDS = {Registration.State.STANDING, Registration.State.ASKED}


@in_league(VIEW, has_own_key=True)
def register(request: HttpRequest, league: League, key: str) -> HttpResponse:
    tournament = tournament_or_404(league, key)
    player = player_of(request.user, league)
    mine = registration_of(tournament, player) if player is not None else None
    if mine is not None and (mine.state in STANDS or (mine.state == REFUSED and request.method != "POST")):
        return redirect("tournaments:own_registration", own_code(mine))
    if request.method == "POST" and not league.is_active:
        return league_over(request, league)
    terms = terms_of(tournament)
    is_for_all = terms is not None and terms.audience == RegistrationTerms.Audience.ANYONE
    may = terms is not None and (is_for_all or player is not None or bool(is_member(request.user, league)))
    return _registering(request, tournament, player, may=may, is_link=False)


def _registered(
    request: HttpRequest, tournament: Tournament, player: Player | None, form: NewcomerForm
) -> tuple[HttpResponse | None, str]:
    try:
        if player is not None:
            registration = service.register_player(tournament=tournament, player=player, by=actor(request))
        elif not form.is_valid():
            return None, ""
        elif not request.user.is_authenticated and not NEWCOMERS.use(address_of(request)):
            return busy(request), ""
        else:
            registration = _newcomer(request, tournament, form)
    except TournamentError as error:
        return None, tournament_error_sentence(error)
    text = _("You are registered. Keep the address of this page to change or withdraw your registration.")
    messages.success(request, text)
    return redirect("tournaments:own_registration", own_code(registration)), ""


@transaction.atomic
def _newcomer(request: HttpRequest, tournament: Tournament, form: NewcomerForm) -> Registration:
    is_guest = not is_member(request.user, tournament.league)
    by = _by(request)
    registration = service.register_newcomer(
        tournament=tournament, facts=form.facts(is_guest=is_guest), nonce=form.nonce(), by=by
    )
    user = by.user
    if user is not None and registration.player.user_id is None and player_of(user, tournament.league) is None:
        link_user(player=registration.player, user=user, by=by)
    return registration


def _by(request: HttpRequest) -> Actor:
    return actor(request) if request.user.is_authenticated else BY_LINK


def _registering(
    request: HttpRequest, tournament: Tournament, player: Player | None, *, may: bool, is_link: bool
) -> HttpResponse:
    is_sent, league = request.method == "POST" and may, tournament.league
    form = NewcomerForm(request.POST if is_sent and not player else None, league=league, reader=request.user)
    answer, problem = _registered(request, tournament, player, form) if is_sent else (None, "")
    facts: dict[str, Any] = {"form": form, "player": player, "may": may, "problem": problem, "is_link": is_link}
    facts["offer"] = registration_offer(tournament)
    return answer or page(request, tournament, "registration/register", facts)


@opened_by(partial(terms_for, door=False))
def register_by_link(request: HttpRequest, terms: RegistrationTerms) -> HttpResponse:
    tournament = terms.tournament
    league = tournament.league
    if request.user.is_authenticated and request.user.has_perm(VIEW, league):
        return redirect("tournaments:register", league.slug, tournament.key)
    request.user = AnonymousUser()
    may = terms.audience == RegistrationTerms.Audience.ANYONE
    return _registering(request, tournament, None, may=may, is_link=True)


@opened_by(registration_for)
def own_registration(request: HttpRequest, registration: Registration) -> HttpResponse:
    tournament, player = registration.tournament, registration.player
    is_renaming = request.POST.get("do") == "rename"
    form = NewcomerForm(
        request.POST if is_renaming else None, league=tournament.league, reader=AnonymousUser(), known=player
    )
    problem = ""
    if request.method == "POST" and (not is_renaming or form.is_valid()):
        try:
            _do(request, registration, form)
        except TournamentError as error:
            problem = tournament_error_sentence(error)
        else:
            return redirect("tournaments:own_registration", own_code(registration))
    line = line_of(registration_lines(tournament), registration)
    title, text = place_told(line)
    facts = {
        "line": line,
        "kind": {"entered": "success", REFUSED: "warning"}.get(line.place, "info"),
        "state_title": title,
        "state_text": text,
        "player": Player.objects.get(pk=player.pk),
        "form": form,
        "problem": problem,
        "offer": registration_offer(tournament),
        "address": address_for_others(request, request.path),
        "may_read": request.user.has_perm(VIEW, tournament.league),
        "may_rename": service.may_be_renamed(registration),
    }
    return page(request, tournament, "registration/own", facts)


def _do(request: HttpRequest, registration: Registration, form: NewcomerForm) -> None:
    by, wanted = _by(request), request.POST.get("do")
    if wanted == "withdraw":
        service.withdraw_registration(registration=registration, by=by)
        messages.success(request, _("You have withdrawn. Thank you for telling us."))
    elif wanted == "check_in":
        service.check_in(registration=registration, by=by)
        messages.success(request, _("You are checked in."))
    elif wanted == "again":
        service.register_player(tournament=registration.tournament, player=current_player(registration.player), by=by)
    elif wanted == "rename":
        service.rename_newcomer(registration=registration, facts=form.facts(), by=by)
        messages.success(request, _("Your name was changed."))


@opened_by(partial(terms_for, door=True))
def door(request: HttpRequest, terms: RegistrationTerms) -> HttpResponse:
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
    there, offer = len(lines) - len(expected), registration_offer(tournament)
    facts = {"expected": expected, "there": there, "offer": offer, "problem": problem}
    return page(request, tournament, "registration/door", facts)


def _checked_in(request: HttpRequest, registration: Registration) -> str:
    try:
        service.check_in(registration=registration, by=_by(request))
    except TournamentError as error:
        return tournament_error_sentence(error)
    hide_names(request.user, registration.tournament.league, [registration.player])
    messages.success(request, _("%(name)s was checked in.") % {"name": reader_name(registration.player)})
    return ""


@require_safe
@in_tournament(MANAGE)
def registration_posters(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    terms = terms_of(tournament)
    league = tournament.league
    if terms is None:
        return redirect("tournaments:registrations", league.slug, tournament.key)
    facts = {
        "sheets": "tournaments/print/posters.html",
        "title": _("Posters"),
        "league": league,
        "tournament": tournament,
        "subject": tournament,
        "terms": terms,
        "public_address": address_for_others(request, _where_to_register(tournament, terms)),
        "door_address": address_for_others(request, reverse("tournaments:check_in", args=[door_code(terms)])),
        "pdf_url": "?format=pdf",
    }
    return printed(request, facts, "tournaments/print/page.html", f"{league.slug}-{tournament.key}-posters.pdf")


def _where_to_register(tournament: Tournament, terms: RegistrationTerms) -> str:
    if terms.audience == RegistrationTerms.Audience.ANYONE:
        return reverse("tournaments:register_by_link", args=[public_code(terms)])
    return reverse("tournaments:register", args=[tournament.league.slug, tournament.key])

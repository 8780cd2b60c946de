"""Leaving a league, and handing it over to another member."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from league.forms.ownership import OfferForm
from league.http.access import actor, in_league
from league.http.reauthentication import freshly_logged_in, when_sent
from league.messages.people import people_sentence
from league.models import League, LeagueOffer, Membership
from league.permissions import BELONG, OWN
from league.selectors.people import is_only_owner, membership_of, offer_of, offer_to
from league.services.members import accept_offer, leave_league, offer_league, withdraw_offer
from league.services.people import PeopleError


@never_cache
@in_league(BELONG)
def leave(request: HttpRequest, league: League) -> HttpResponse:
    member = membership_of(request.user, league)
    if member is None:
        messages.info(request, _("You have no role in this league."))
        return redirect("league:league_home", league.slug)
    if request.method == "POST":
        try:
            leave_league(membership=member, by=actor(request))
        except PeopleError as error:
            messages.error(request, people_sentence(error.code, error.values))
        else:
            messages.success(request, _("You have left %(league)s.") % {"league": league})
            return redirect("league:home")
    page = {
        "league": league,
        "member": member,
        "only_owner": is_only_owner(member),
        "players": league.players.filter(user=member.user_id),
    }
    return render(request, "league/members/leave.html", page)


@never_cache
@in_league(OWN)
@freshly_logged_in()
def offer(request: HttpRequest, league: League) -> HttpResponse:
    standing = offer_of(league)
    if request.method == "POST" and "withdraw" in request.POST:
        if standing is not None:
            withdraw_offer(offer=standing, by=actor(request))
        messages.success(request, _("The offer was withdrawn. The owner is unchanged."))
        return redirect("league:offer", league.slug)
    form = OfferForm(request.POST or None, league=league, giver=request.user.pk)
    if form.is_valid() and _offered(request, league, form):
        return redirect("league:offer", league.slug)
    page = {
        "league": league,
        "heading": _("Hand over the league"),
        "form": form,
        "offer": standing,
        "alone": form.is_alone,
    }
    return render(request, "league/members/offer.html", page)


def _offered(request: HttpRequest, league: League, form: OfferForm) -> bool:
    to: Membership = form.cleaned_data["to"]
    afterwards = LeagueOffer.Afterwards(form.cleaned_data["afterwards"])
    try:
        offer_league(league=league, to=to, afterwards=afterwards, by=actor(request))
    except PeopleError as error:
        form.add_error(None, people_sentence(error.code, error.values))
        return False
    text = _("The league was offered to %(name)s. Nothing changes until they accept it.")
    messages.success(request, text % {"name": to.user.get_username()})
    return True


@never_cache
@in_league(BELONG)
@freshly_logged_in(when_sent)
def offered(request: HttpRequest, league: League) -> HttpResponse:
    standing = offer_to(request.user, league)
    if standing is None:
        messages.info(request, people_sentence("no_offer", {}))
        return redirect("league:league_home", league.slug)
    if request.method == "POST" and "accept" in request.POST:
        return _accepted(request, league)
    if request.method == "POST":
        withdraw_offer(offer=standing, by=actor(request))
        messages.success(request, _("You declined to take over the league. Its owner is unchanged."))
        return redirect("league:league_home", league.slug)
    return render(request, "league/members/offered.html", {"league": league, "offer": standing})


def _accepted(request: HttpRequest, league: League) -> HttpResponse:
    assert isinstance(request.user, User)
    try:
        accept_offer(league=league, by=actor(request))
    except PeopleError as error:
        messages.error(request, people_sentence(error.code, error.values))
        return redirect("league:league_home", league.slug)
    messages.success(request, _("You are now an owner of %(league)s.") % {"league": league})
    return redirect("league:manage", league.slug)

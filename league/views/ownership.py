from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from league.forms.ownership import AddressForm, CopyForm, EndForm, StateForm
from league.http.access import actor, in_league
from league.http.downloads import has_taken
from league.http.for_others import address_for_others
from league.http.reauthentication import freshly_logged_in
from league.models import League
from league.permissions import OWN
from league.services.ending import TooLateError, ask_to_end, keep_league
from league.services.leagues import AddressTakenError
from league.services.ownership import change_address, copy_league, set_league_state

SAID = {
    League.State.ACTIVE: gettext_lazy("%(league)s was reopened."),
    League.State.ARCHIVED: gettext_lazy("%(league)s was archived."),
    League.State.TAKEN_DOWN: gettext_lazy("%(league)s was taken down. Only its owners can still see it."),
}
"""Messages by the new state."""


@in_league(OWN)
def address(request: HttpRequest, league: League) -> HttpResponse:
    form = AddressForm(request.POST or None, league=league)
    if form.is_valid():
        try:
            change_address(league=league, slug=form.cleaned_data["slug"], by=actor(request))
        except AddressTakenError:
            form.add_error("slug", _("This address is taken. Choose another one."))
        else:
            messages.success(request, _("The league has a new address. Links to the old one still work."))
            return redirect("league:address", league.slug)
    former = league.former_addresses.all()
    root = address_for_others(request, "/l/")
    page = {"league": league, "heading": _("Address"), "form": form, "former": former, "root": root}
    return render(request, "league/ownership/address.html", page)


@in_league(OWN)
def copy(request: HttpRequest, league: League) -> HttpResponse:
    owner = request.user
    assert isinstance(owner, User)
    form = CopyForm(request.POST or None, league=league)
    if form.is_valid():
        try:
            made = copy_league(league=league, facts=form.facts(), owner=owner, by=actor(request))
        except AddressTakenError:
            form.add_error("slug", _("This address is taken. Choose another one."))
        else:
            messages.success(request, _("%(name)s is ready. You are its owner.") % {"name": made.name})
            return redirect("league:league_home", made.slug)
    page = {"league": league, "heading": _("Copy the league"), "form": form}
    return render(request, "league/ownership/copy.html", page)


@in_league(OWN)
def state(request: HttpRequest, league: League) -> HttpResponse:
    form = StateForm(request.POST or None)
    if form.is_valid():
        wanted = League.State(form.cleaned_data["state"])
        set_league_state(league=league, state=wanted, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, str(SAID[wanted]) % {"league": league})
        return redirect("league:league_home", league.slug)
    page = {"league": league, "heading": _("Archive or take down"), "form": form}
    return render(request, "league/ownership/state.html", page)


@never_cache
@in_league(OWN)
@freshly_logged_in()
def end(request: HttpRequest, league: League) -> HttpResponse:
    if request.method == "POST" and "keep" in request.POST:
        return _kept(request, league)
    taken = has_taken(request, league)
    form = EndForm(request.POST or None, league=league, has_file=taken)
    if form.is_valid():
        ask_to_end(league=league, by=actor(request))
        text = _("%(league)s will be deleted. Until then, any owner can cancel this.")
        messages.warning(request, text % {"league": league})
        return redirect("league:end", league.slug)
    page = {"league": league, "heading": _("Delete the league"), "form": form, "has_file": taken}
    return render(request, "league/ownership/end.html", page)


def _kept(request: HttpRequest, league: League) -> HttpResponse:
    try:
        keep_league(league=league, by=actor(request))
    except TooLateError:
        messages.error(request, _("Too late: the league is already being deleted."))
        return redirect("league:home")
    messages.success(request, _("%(league)s will not be deleted.") % {"league": league})
    return redirect("league:league_home", league.slug)

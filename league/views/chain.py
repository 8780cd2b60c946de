"""What the chain of a league's history is for, and whether it still holds a fingerprint that somebody noted."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from league.forms.chain import FingerprintForm
from league.http.access import in_league
from league.http.published import Parameters, published
from league.models import League
from league.selectors.chain import heads_by_day, link_with

DAYS = 31
"""So many days with a fingerprint are listed."""


@in_league()
@published(reads=Parameters(typed=("noted",)))
def fingerprints(request: HttpRequest, league: League) -> HttpResponse:
    """Show the fingerprints of the last days, and look for the one that was noted."""
    form = FingerprintForm(request.GET if "noted" in request.GET else None)
    noted = form.cleaned_data["noted"] if form.is_bound and form.is_valid() else ""
    context = {
        "league": league,
        "form": form,
        "noted": noted,
        "link": link_with(league, noted) if noted else None,
        "days": heads_by_day(league, DAYS),
    }
    return render(request, "league/chain/fingerprints.html", context)

"""Posters for the wall: where people register for a tournament, and where they say at the door that they are there."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.http.for_others import address_for_others
from league.http.pdf import NoPdfError, pdf_response
from league.permissions import MANAGE
from tournaments.http.access import in_tournament
from tournaments.models import RegistrationTerms, Tournament
from tournaments.selectors.registrations import terms_of
from tournaments.services.registration_terms import door_code, public_code


@require_safe
@in_tournament(MANAGE)
def registration_posters(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return a poster to register by and one to check in by, as a page or, if that is asked for, as a PDF."""
    terms = terms_of(tournament)
    league = tournament.league
    if terms is None:
        return redirect("tournaments:registrations", league.slug, tournament.key)
    page = {
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
    if request.GET.get("format") == "pdf":
        try:
            return pdf_response(request, page, f"{league.slug}-{tournament.key}-posters.pdf")
        except NoPdfError:
            page["no_pdf"] = _("This machine cannot make PDF files. Print this page from the browser instead.")
    response = render(request, "tournaments/print/page.html", page)
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _where_to_register(tournament: Tournament, terms: RegistrationTerms) -> str:
    """Return the address without an account, where everybody may register; else that of members."""
    if terms.audience == RegistrationTerms.Audience.ANYONE:
        return reverse("tournaments:register_by_link", args=[public_code(terms)])
    return reverse("tournaments:register", args=[tournament.league.slug, tournament.key])

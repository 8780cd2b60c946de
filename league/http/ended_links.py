"""Error responses for table links that are unknown, expired or over the rate limit, as HTML or JSON."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from league.http.access import wants_json
from league.http.codes import GUESSES
from league.http.rate_limits import Limit, address_of
from league.models import TableLink
from league.permissions import RECORD
from league.services.links import takes_late_results

POSTS = Limit("table-link-posts", tries=240, seconds=60)
"""Submissions per table link; several times what four phones at a table send in a minute."""


def unknown(request: HttpRequest) -> HttpResponse:
    if not GUESSES.use(address_of(request)):
        return busy(request)
    text = _("There is no table at this address. Scan the table's code again, or ask the organiser.")
    return _answer(request, "unknown", text, 404)


def ended(request: HttpRequest, link: TableLink) -> HttpResponse:
    """Respond to an expired or revoked link; expired ones still accept results kept on phones.

    Scripts also get the URL where a logged-in scorer can send the result.
    """
    still_takes = takes_late_results(link, timezone.now())
    text = _("This table link has expired. Ask the organiser.")
    if wants_json(request):
        return JsonResponse({"state": "ended", "message": text, "desk": _url_of_scorer(request, link)}, status=410)
    return _answer(request, "ended", text, 410, still_takes=still_takes)


def _url_of_scorer(request: HttpRequest, link: TableLink) -> str:
    """Return the URL of the scorers' entry page, or "" if the user may not enter results."""
    league = link.session.league
    if not request.user.has_perm(RECORD, league):
        return ""
    return f"{reverse('league:enter_session', args=[league.slug, link.session_id])}?table={link.table}"


def busy(request: HttpRequest) -> HttpResponse:
    answer = _answer(request, "busy", _("Too many requests. Try again in a few minutes."), 429)
    answer.headers["Retry-After"] = "60"
    return answer


def _answer(request: HttpRequest, state: str, text: str, status: int, *, still_takes: bool = False) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"state": state, "message": text}, status=status)
    page = {"text": text, "state": state, "still_takes": still_takes}
    return render(request, "league/entry/ended.html", page, status=status)

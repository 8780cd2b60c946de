"""Export of a league, tournaments included, as one file."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from league.http.access import in_league
from league.http.downloads import as_download
from league.interchange.writing import as_text
from league.models import League
from league.permissions import READ_BOOKS
from tournaments.interchange.writing import write_file


@require_safe
@in_league(READ_BOOKS)
@transaction.atomic
def export_league(request: HttpRequest, league: League) -> HttpResponse:
    """Send every fact of the league as the command export_league writes it."""
    del request
    answer = HttpResponse(as_text(write_file(league)), content_type="application/json; charset=utf-8")
    return as_download(answer, f"{league.slug}.json")

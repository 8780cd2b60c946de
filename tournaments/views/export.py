"""Export of a league, tournaments included, as one file."""

from tempfile import TemporaryFile

from django.http import FileResponse, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from league.http.access import in_league
from league.http.downloads import as_download
from league.http.ending import note_taken
from league.http.fresh import freshly_logged_in
from league.interchange.text import text_of
from league.models import League
from league.permissions import READ_BOOKS
from league.selectors.moment import one_moment
from tournaments.interchange.writing import write_file


@require_safe
@in_league(READ_BOOKS)
@freshly_logged_in()
def export_league(request: HttpRequest, league: League) -> HttpResponse:
    note_taken(request, league)
    file = TemporaryFile()  # noqa: SIM115 - the answer closes it
    with one_moment():
        for piece in text_of(write_file(league)):
            file.write(piece.encode())
    file.seek(0)
    return as_download(FileResponse(file, content_type="application/json; charset=utf-8"), f"{league.slug}.json")

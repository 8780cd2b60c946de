from datetime import datetime, timedelta
from typing import cast

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header

from league.exports.table import ExportTable, FileFormat, text_chunks
from league.exports.workbook import workbook
from league.models import League


def table_download(table: ExportTable, format_: FileFormat, name: str, *, by_month: bool = False) -> HttpResponse:
    answer: HttpResponseBase
    if format_.is_workbook:
        answer = FileResponse(workbook(table, by_month=by_month), content_type=format_.media_type)
    else:
        answer = StreamingHttpResponse(text_chunks(table, format_), content_type=format_.media_type)
    return as_download(answer, f"{name}.{format_.extension}")


def as_download(answer: HttpResponseBase, name: str) -> HttpResponse:
    """Set the file name and headers of a download. Files may contain private data, so they are not cached."""
    safe = "".join("-" if letter in '/\\:*?"<>|' else letter for letter in name if letter.isprintable())
    answer.headers["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=safe) or ""
    answer.headers["X-Content-Type-Options"] = "nosniff"
    patch_cache_control(answer, private=True, no_store=True)
    # Views are annotated with HttpResponse; callers use no attribute that streaming responses lack.
    return cast("HttpResponse", answer)


TAKEN = "leagues-taken"
FRESH = timedelta(days=1)


def note_taken(request: HttpRequest, league: League) -> None:
    taken: dict[str, str] = request.session.get(TAKEN, {})
    request.session[TAKEN] = {**taken, str(league.pk): timezone.now().isoformat()}


def has_taken(request: HttpRequest, league: League) -> bool:
    """Return whether the user has downloaded the league as a file within a day."""
    at = request.session.get(TAKEN, {}).get(str(league.pk))
    return at is not None and timezone.now() - datetime.fromisoformat(at) < FRESH

"""Tables and other files as downloads: their name, and who may keep a copy on the way."""

from typing import cast

from django.http import FileResponse, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header

from league.exports.table import ExportTable, FileFormat, text_chunks
from league.exports.workbook import workbook


def table_download(table: ExportTable, format_: FileFormat, name: str, *, by_month: bool = False) -> HttpResponse:
    answer: HttpResponseBase
    if format_.is_workbook:
        answer = FileResponse(workbook(table, by_month=by_month), content_type=format_.media_type)
    else:
        answer = StreamingHttpResponse(text_chunks(table, format_), content_type=format_.media_type)
    return as_download(answer, f"{name}.{format_.extension}")


def as_download(answer: HttpResponseBase, name: str) -> HttpResponse:
    """Give a download its name, whatever letters are in it; files hold what only this reader may read."""
    safe = "".join(letter for letter in name if letter.isprintable())
    answer.headers["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=safe) or ""
    answer.headers["X-Content-Type-Options"] = "nosniff"
    patch_cache_control(answer, private=True, no_store=True)
    # Views say HttpResponse; nothing between here and the browser asks a stream for more than it has.
    return cast("HttpResponse", answer)

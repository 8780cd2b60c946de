"""My data as a file."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from accounts.exports.own_data import own_data_chunks
from accounts.http.personal import personal
from league.http.downloads import as_download


@require_safe
@personal
def own_data(_request: HttpRequest, user: User) -> HttpResponse:
    """Send everything that is stored of the person, and of nobody else."""
    answer = StreamingHttpResponse(own_data_chunks(user), content_type="application/json; charset=utf-8")
    return as_download(answer, "tenbo-my-data.json")

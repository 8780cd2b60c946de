"""What a form without a valid token gets: often one from before the log-in."""

from django.http import HttpRequest, HttpResponse
from django.views.csrf import csrf_failure

from league.http.access import log_in_again, wants_json


def failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the page that says so; to the script of a page the same in JSON, so that it keeps what was typed."""
    return log_in_again() if wants_json(request) else csrf_failure(request, reason)

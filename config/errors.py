import logging
import sys
from types import MappingProxyType

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.defaults import server_error

from league.database_errors import is_away
from league.http.access import wants_json

logger = logging.getLogger(__name__)

ASK_AGAIN = 5
"""Value of Retry-After in seconds."""

ANSWERED = MappingProxyType({"57014": "a statement took too long", "55P03": "another connection holds a lock"})
"""SQLSTATEs of a responding PostgreSQL when a statement took too long."""


def failed(request: HttpRequest) -> HttpResponse:
    """Return the error page: 503 if the database failed, else 500."""
    error = sys.exc_info()[1]
    if error is None or not is_away(error):
        return server_error(request)
    _tell(request, error)
    answer = _away(request)
    answer.headers["Retry-After"] = str(ASK_AGAIN)
    answer.headers["Cache-Control"] = "no-store"
    # Otherwise Django would log a traceback per request for as long as the database is down.
    answer._has_been_logged = True  # type: ignore[attr-defined]
    return answer


def _tell(request: HttpRequest, error: BaseException) -> None:
    """Log database errors while the database responds. Connection failures are logged elsewhere, once."""
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
    if state:
        reason = ANSWERED.get(state, " ".join(str(error).split()))
        logger.warning("%s %s was answered 503: %s (%s)", request.method, request.path, reason, state)


def _away(request: HttpRequest) -> HttpResponse:
    # The failure may have occurred before the language was activated.
    language = translation.get_language_from_path(request.path_info) or settings.LANGUAGE_CODE
    with translation.override(language):
        if wants_json(request):
            text = _("The site is not responding. What you entered is saved on this phone.")
            return JsonResponse({"state": "away", "message": text}, status=503)
        is_sent = request.method not in {"GET", "HEAD"}
        text = render_to_string("503.html", {"is_sent": is_sent, "address": request.get_full_path()})
        return HttpResponse(text, status=503, headers={"Content-Language": language})

"""How the site is: a page for whoever runs it, and figures for a program that watches it."""

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from league.exports.metrics import CONTENT_TYPE, metrics_text
from league.http.access import login_first
from league.selectors.host import host_parts, host_state


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """Show how the site is to a superuser; nobody else is told that there is such a page."""
    if not request.user.is_authenticated:
        return login_first(request)
    if not request.user.is_superuser:
        raise Http404
    page = {
        "state": host_state(),
        "parts": host_parts(),
        "proxies_passed": _proxies_passed(request),
        "proxies_believed": settings.PROXIES,
        "has_metrics": bool(settings.METRICS_TOKENS),
    }
    return render(request, "league/host/status.html", page)


def _proxies_passed(request: HttpRequest) -> int:
    """Return how many addresses the proxies on the way added, each that of whoever asked it."""
    return len([said for said in request.headers.get("X-Forwarded-For", "").split(",") if said.strip()])


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the same figures to a program that brings the token; without a token in the settings there are none."""
    if not settings.METRICS_TOKENS:
        raise Http404
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    brought = given.strip().encode()
    # Each is compared: how long it takes tells neither which nor how much of it was right.
    known = [hmac.compare_digest(token.encode(), brought) for token in settings.METRICS_TOKENS]
    if scheme.lower() != "bearer" or not any(known):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer", "Cache-Control": "no-store"})
    return HttpResponse(metrics_text(host_state()), content_type=CONTENT_TYPE, headers={"Cache-Control": "no-store"})

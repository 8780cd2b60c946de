"""Offline support: service worker, manifest, and pages that are the same for every user.

These pages contain nothing about the user, so the phone can show its stored copy to anyone.
"""

import json

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.http.caching import appearance

STYLES = ("frame", "hanchan", "projector", "board", "share", "hall", "ticker")
SCRIPTS = (
    *("theme", "app", "table", "outbox", "unsent-banner", "outbox-page", "handover-send", "handover-receive"),
    *("photo", "undo", "confirm", "projector", "live", "share", "hall", "ticker"),
)
SHELL = (
    *(f"css/{name}.css" for name in STYLES),
    *(f"js/{name}.js" for name in SCRIPTS),
    *("vendor/lean-qr/qr.js", "vendor/lean-qr/svg.js"),
    *("icons/sprite.svg", "icons/favicon.svg"),
)
"""Static files of the entry, standings and projector pages, stored by the service worker."""

PAGES = ("offline", "outbox", "hand")
"""Pages that work offline after the first visit."""

ICONS = ((192, "any"), (512, "any"), (512, "maskable"))

FELT, PAPER = "#17443a", "#f5f1e6"
"""The colours --felt and --paper of tokens.css, which the manifest cannot refer to."""


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker; not cached, so that updates are noticed immediately."""
    del request
    pages, kept = [], {}
    for language in ("ja", "en"):
        with override(language):
            pages += [reverse(f"league:{name}") for name in PAGES]
            kept[language] = _("This page was saved on this phone at {time}. Later changes are not shown yet.")
    facts = {
        "version": appearance().strip('"'),
        "shell": [static(name) for name in SHELL],
        "pages": pages,
        "kept": kept,
    }
    text = render_to_string("league/offline/sw.js", {"said": json.dumps(facts), "static": settings.STATIC_URL})
    return HttpResponse(text, content_type="text/javascript", headers={"Cache-Control": "no-cache"})


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    del request
    icons = [
        {
            "src": static(f"icons/app/{'maskable' if purpose == 'maskable' else 'icon'}-{size}.png"),
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": purpose,
        }
        for size, purpose in ICONS
    ]
    facts = {
        "id": "/",
        "name": "Tenbo",
        "short_name": "Tenbo",
        "description": _("Riichi mahjong leagues: enter results at the table and see the standings at once."),
        "lang": get_language(),
        "start_url": reverse("league:home"),
        "scope": "/",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": FELT,
        "icons": icons,
        "shortcuts": [{"name": _("Results on this phone"), "url": reverse("league:outbox")}],
    }
    answer = JsonResponse(facts, content_type="application/manifest+json", json_dumps_params={"ensure_ascii": False})
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@require_safe
def shown_to_anybody(request: HttpRequest, template: str) -> HttpResponse:
    """Render a page as for an anonymous user, without a query, so that it works while the database is unavailable."""
    anybody = request.__class__.__new__(request.__class__)
    anybody.__dict__ |= request.__dict__ | {"user": AnonymousUser(), "_messages": []}
    return render(anybody, template)

"""The host's status page, and metrics in the Prometheus text format."""

import hmac
from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from league.http.access import login_first
from league.selectors.host import HostState, further_parts, host_state


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """Show the server's state to superusers; raise Http404 for others."""
    if not request.user.is_authenticated:
        return login_first(request)
    if not request.user.is_superuser:
        raise Http404
    proxies = request.headers.get("X-Forwarded-For", "").split(",")
    page = {
        "state": host_state(),
        "parts": [(template, state()) for template, state in further_parts.items()],
        "proxies_passed": len([each for each in proxies if each.strip()]),
        "proxies_believed": settings.PROXIES,
        "has_metrics": bool(settings.METRICS_TOKENS),
    }
    return render(request, "league/host/status.html", page)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the server's state as Prometheus metrics, for requests with a configured token.

    Raise Http404 if no token is configured.
    """
    if not settings.METRICS_TOKENS:
        raise Http404
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    brought = given.strip().encode()
    # Compare with all tokens, so that timing reveals nothing.
    known = [hmac.compare_digest(token.encode(), brought) for token in settings.METRICS_TOKENS]
    if scheme.lower() != "bearer" or not any(known):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer", "Cache-Control": "no-store"})
    text = "".join(_written(name, meaning, samples) for name, meaning, samples in _gauges(host_state()))
    return HttpResponse(text, content_type=CONTENT_TYPE, headers={"Cache-Control": "no-store"})


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[dict[str, str], float]


def _gauges(state: HostState) -> Iterator[tuple[str, str, list[Sample]]]:
    """Yield all metrics with help texts. Those without a value have no samples."""

    def age(moment: datetime | None, **labels: str) -> list[Sample]:
        return [] if moment is None else [(labels, round((state.now - moment).total_seconds(), 3))]

    yield "stale_boards", "Leaderboards that wait to be refreshed.", [({}, state.stale_boards)]
    yield "oldest_stale_board_seconds", "Age of the oldest of them.", age(state.oldest_stale)
    yield "jobs_waiting", "Pieces of long work that nobody has begun.", [({}, state.waiting)]
    yield "oldest_waiting_job_seconds", "Age of the oldest of them.", age(state.oldest_waiting)
    yield "jobs_running", "Pieces of long work under way.", [({}, state.running)]
    yield "jobs_stuck", "Those of them that have not moved for ten minutes.", [({}, state.stuck)]
    seen = [sample for name, at in state.workers.items() for sample in age(at, worker=name)]
    yield "worker_silent_seconds", "Since when a kind of worker was not heard of.", seen
    yield "backup_age_seconds", "Age of the last whole backup.", age(state.last_backup)
    yield "disk_free_bytes", "Room left where the site writes.", [({}, state.disk.free)]
    yield "disk_total_bytes", "Size of that disk.", [({}, state.disk.total)]
    yield "database_bytes", "Size of the database.", [({}, state.database_bytes)]
    yield "migrations_pending", "Steps of the database that are still to be done.", [({}, state.pending_migrations)]
    labels = {name.lower(): text for name, text in state.versions.items()}
    yield "build_info", "What runs here; always 1.", [(labels, 1)]


def _written(name: str, meaning: str, samples: list[Sample]) -> str:
    head = f"# HELP tenbo_{name} {meaning}\n# TYPE tenbo_{name} gauge\n"
    return head + "".join(f"tenbo_{name}{_labels(labels)} {value:.15g}\n" for labels, value in samples)


def _labels(labels: dict[str, str]) -> str:
    escapes = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    texts = (f'{name}="{text.translate(escapes)}"' for name, text in labels.items())
    return f"{{{','.join(texts)}}}" if labels else ""

"""How the site is, in the text format that Prometheus reads: one gauge a line, seconds and bytes."""

from collections.abc import Iterator
from datetime import datetime

from league.selectors.host import HostState

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[dict[str, str], float]


def metrics_text(state: HostState) -> str:
    """Return every figure with what it means. What never was has no line: a watcher asks for its absence."""
    return "".join(_written(name, meaning, samples) for name, meaning, samples in _gauges(state))


def _gauges(state: HostState) -> Iterator[tuple[str, str, list[Sample]]]:
    def age(moment: datetime | None) -> list[Sample]:
        return [] if moment is None else [({}, round((state.now - moment).total_seconds(), 3))]

    yield "stale_boards", "Leaderboards that wait to be refreshed.", [({}, state.stale_boards)]
    yield "oldest_stale_board_seconds", "Age of the oldest of them.", age(state.oldest_stale)
    yield "jobs_waiting", "Pieces of long work that nobody has begun.", [({}, state.waiting)]
    yield "oldest_waiting_job_seconds", "Age of the oldest of them.", age(state.oldest_waiting)
    yield "jobs_running", "Pieces of long work under way.", [({}, state.running)]
    yield "jobs_stuck", "Those of them that have not moved for ten minutes.", [({}, state.stuck)]
    seen = [({"worker": name}, _age(state, at)) for name, at in state.workers.items() if at is not None]
    yield "worker_silent_seconds", "Since when a kind of worker was not heard of.", seen
    yield "backup_age_seconds", "Age of the last whole backup.", age(state.last_backup)
    yield "disk_free_bytes", "Room left where the site writes.", [({}, state.disk.free)]
    yield "disk_total_bytes", "Size of that disk.", [({}, state.disk.total)]
    yield "database_bytes", "Size of the database.", [({}, state.database_bytes)]
    yield "migrations_pending", "Steps of the database that are still to be done.", [({}, state.pending_migrations)]
    labels = {name.lower(): text for name, text in state.versions.items()}
    yield "build_info", "What runs here; always 1.", [(labels, 1)]


def _age(state: HostState, moment: datetime) -> float:
    return round((state.now - moment).total_seconds(), 3)


def _written(name: str, meaning: str, samples: list[Sample]) -> str:
    head = f"# HELP tenbo_{name} {meaning}\n# TYPE tenbo_{name} gauge\n"
    return head + "".join(f"tenbo_{name}{_labels(labels)} {value:.15g}\n" for labels, value in samples)


def _labels(labels: dict[str, str]) -> str:
    if not labels:
        return ""
    texts = (f'{name}="{_escaped(text)}"' for name, text in labels.items())
    return f"{{{','.join(texts)}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

"""The import that an address names, and what the pages of its steps ask of it."""

import hashlib
import json

from django.shortcuts import get_object_or_404

from league.models import ImportBatch, League

State = ImportBatch.State


def batch_of(league: League, pk: int) -> ImportBatch:
    batch = get_object_or_404(league.imports.select_related("job", "created_by"), pk=pk)
    batch.league = league
    return batch


def is_running(batch: ImportBatch) -> bool:
    """Return whether somebody has to wait for the import; a job that has ended without it is no reason to."""
    return batch.state == State.RUNNING and batch.job is not None and not batch.job.is_over


def is_settled(batch: ImportBatch) -> bool:
    return batch.state in {State.DONE, State.UNDONE} or is_running(batch)


def seen(batch: ImportBatch) -> str:
    """Return what changes with anything that decides what a run does: the choices, and what the last check found."""
    decided = json.dumps(
        [batch.reading, batch.names, batch.mended, batch.options, batch.report], sort_keys=True, default=str
    )
    return hashlib.sha256(decided.encode()).hexdigest()

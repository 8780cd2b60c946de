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
    """Return whether the import's job is running; dead jobs do not count."""
    return batch.state == State.RUNNING and batch.job is not None and not batch.job.is_over


def is_settled(batch: ImportBatch) -> bool:
    return batch.state in {State.DONE, State.UNDONE} or is_running(batch)


def seen(batch: ImportBatch) -> str:
    """Return a digest of what determines a run: the choices and the last check."""
    decided = json.dumps([batch.reading, batch.names, batch.report], sort_keys=True, default=str)
    return hashlib.sha256(decided.encode()).hexdigest()

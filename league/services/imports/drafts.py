"""Uploads that come to nothing."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from league.models import ImportBatch, Job

KEPT = timedelta(days=30)
"""An upload that nobody has run by then is deleted with the names in it."""


def discard_draft(batch: ImportBatch) -> bool:
    """Delete an upload that has changed nothing, and return whether that was so; one that was run stays."""
    deleted, _ = _unrun().filter(pk=batch.pk).delete()
    return bool(deleted)


def discard_old_drafts(now: datetime) -> int:
    """Delete uploads that have changed nothing for so long, in every league, and return how many."""
    deleted, _ = _unrun().filter(created_at__lt=now - KEPT).delete()
    return deleted


def _unrun() -> QuerySet[ImportBatch]:
    unrun = (ImportBatch.State.DRAFT, ImportBatch.State.FAILED)
    found = ImportBatch.objects.filter(state__in=unrun, run_at=None)
    return found.exclude(job__state__in=(Job.State.WAITING, Job.State.RUNNING))

"""Uploads that come to nothing."""

from league.models import ImportBatch, Job


def discard_draft(batch: ImportBatch) -> bool:
    """Delete an upload that has changed nothing, and return whether that was so; one that was run stays."""
    unrun = (ImportBatch.State.DRAFT, ImportBatch.State.FAILED)
    deleted, _ = (
        ImportBatch.objects.filter(pk=batch.pk, state__in=unrun, run_at=None)
        .exclude(job__state__in=(Job.State.WAITING, Job.State.RUNNING))
        .delete()
    )
    return bool(deleted)

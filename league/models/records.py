from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.models.leagues import League, by_user


class Signed(models.Model):
    """Abstract: when something was done, by whom and why. Rows stay unchanged even when the user is deleted."""

    at = models.DateTimeField(auto_now_add=True)
    by = by_user(lasting=True, db_index=False)
    by_name = models.CharField(_("who"), max_length=150, blank=True)
    reason = models.CharField(_("reason"), max_length=MAX_REASON_LENGTH, blank=True)

    class Meta:
        abstract = True


class Revision(Signed):
    """A change in the history: who, what, when, from where and why. A trigger rejects updates and deletions.

    `redacted_at`: when texts were last removed, because of an erased name.
    """

    class Action(models.TextChoices):
        RECORDED = "recorded", _("Recorded")
        CORRECTED = "corrected", _("Corrected")
        VOIDED = "voided", _("Voided")
        RESTORED = "restored", _("Restored")
        RESCORED = "rescored", _("Rescored with other rules")
        CREATED = "created", _("Created")
        CHANGED = "changed", _("Changed")
        MERGED = "merged", _("Merged")
        SEPARATED = "separated", _("Merge undone")
        WITHDRAWN = "withdrawn", _("Withdrawn")
        CONFIRMED = "confirmed", _("Confirmed")
        DISPUTED = "disputed", _("Disputed")
        SETTLED = "settled", _("Dispute settled")
        ERASED = "erased", _("Name erased")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="revisions", db_index=False)
    subject = models.CharField(_("subject"), max_length=20)
    subject_id = models.BigIntegerField(_("subject id"))
    action = models.CharField(_("action"), max_length=12, choices=Action)
    source = models.CharField(_("source"), max_length=60, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    redacted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        indexes = (
            models.Index(fields=("league", "subject", "subject_id"), name="revision_subject"),
            models.Index(fields=("league", "-id"), name="revision_newest"),
        )

    def __str__(self) -> str:
        return f"{self.get_action_display()} {self.subject} {self.subject_id}"


class Job(models.Model):
    """A background job with its state and progress.

    `sent_at`: when it was last queued; `moved_at`: last progress.
    """

    class Kind(models.TextChoices):
        REBUILD = "rebuild", _("Standings rebuild")
        IMPACT = "impact", _("Rule change preview")
        RESCORE = "rescore", _("Rescoring with other rules")
        IMPORT = "import", _("File import")
        DAYS = "days", _("Recalculation of playing days")

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")
        INTERRUPTED = "interrupted", _("Interrupted")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=10, choices=Kind)
    state = models.CharField(max_length=12, choices=State, default=State.WAITING)
    parameters = models.JSONField(default=dict)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    last_item = models.CharField(max_length=100, blank=True)
    result = models.JSONField(null=True)
    error = models.CharField(max_length=500, blank=True)
    cancel_requested = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    moved_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    created_by = by_user()

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("league", "kind"), condition=Q(state__in=("waiting", "running")), name="job_one_of_a_kind"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.done}/{self.total}"

    @property
    def is_over(self) -> bool:
        return self.state not in {Job.State.WAITING, Job.State.RUNNING}


class ImportBatch(models.Model):
    """An uploaded file and the state of its import. Nothing in the league changes until it is run.

    `reading`: how the file is read, with answers to questions (FileReading); `names`: decided players by name;
    `report`: last check; `made`: objects created and changed, for the undo, and what the undo took back.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Being prepared")
        RUNNING = "running", _("Running")
        DONE = "done", _("Imported")
        FAILED = "failed", _("Failed")
        UNDONE = "undone", _("Undone")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="imports")
    file_name = models.CharField(_("file"), max_length=200, blank=True)
    data = models.BinaryField()
    reading = models.JSONField(default=dict)
    names = models.JSONField(default=dict)
    report = models.JSONField(null=True)
    made = models.JSONField(null=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.DRAFT)
    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = by_user()
    run_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("import")
        verbose_name_plural = _("imports")

    def __str__(self) -> str:
        return self.file_name or str(_("pasted rows"))

    @property
    def is_over(self) -> bool:
        return self.state in {self.State.DONE, self.State.UNDONE}

    @property
    def is_running(self) -> bool:
        return self.state == self.State.RUNNING and self.job is not None and not self.job.is_over

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models.leagues import League
from league.models.records import Job


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
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
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

"""Operational data: processed forms, rate limit counters, and heartbeats of workers."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class SentForm(models.Model):
    """A processed form: digest of the submission, and the URL its response redirected to. Kept for some days."""

    digest = models.CharField(max_length=64)
    answer = models.TextField(blank=True)
    sent_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("sent form")
        verbose_name_plural = _("sent forms")
        constraints = (models.UniqueConstraint(fields=("digest",), name="sent_form_once"),)

    def __str__(self) -> str:
        return self.answer


class Attempts(models.Model):
    """Counter of a rate limit. `key`: digest of limit and caller; `ends_at`: end of the window, in seconds since 1970."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    ends_at = models.BigIntegerField(db_index=True)

    class Meta:
        verbose_name = _("attempts")
        verbose_name_plural = _("attempts")

    def __str__(self) -> str:
        return str(self.count)


class SignOfLife(models.Model):
    """Heartbeat of a kind of worker or task, such as "boards" or "jobs"."""

    name = models.CharField(max_length=40, primary_key=True)
    seen_at = models.DateTimeField()

    class Meta:
        verbose_name = _("heartbeat")
        verbose_name_plural = _("heartbeats")

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def note(name: str) -> None:
        sign = SignOfLife(name=name, seen_at=timezone.now())
        SignOfLife.objects.bulk_create([sign], update_conflicts=True, unique_fields=["name"], update_fields=["seen_at"])

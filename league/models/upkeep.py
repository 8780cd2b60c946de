"""What the site keeps to serve: forms that have done their work, tries that are counted, and when workers were heard of."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class SentForm(models.Model):
    """A form as one person sent it from one page: its digest, and where its answer led. Kept for some days."""

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
    """Attempts of one caller. `key`: digest; `ends_at`: seconds since 1970."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    ends_at = models.BigIntegerField(db_index=True)

    class Meta:
        verbose_name = _("attempts")
        verbose_name_plural = _("attempts")

    def __str__(self) -> str:
        return str(self.count)


class SignOfLife(models.Model):
    """The last moment at which a kind of worker did something: "boards" or "jobs", as their queues are called."""

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

"""Forms that have done their work, so that the same one sent again does nothing."""

from django.db import models
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

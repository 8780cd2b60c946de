"""Which backups were made of the site: for whoever looks after it, never part of a backup."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Backup(models.Model):
    """One attempt to write a backup into a file; without `finished_at` it was never finished."""

    begun_at = models.DateTimeField(_("begun"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    file = models.CharField(_("file"), max_length=500)
    size = models.BigIntegerField(_("bytes"), default=0)
    digest = models.CharField(_("checksum"), max_length=64, blank=True)
    error = models.CharField(_("what went wrong"), max_length=500, blank=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("backup")
        verbose_name_plural = _("backups")

    def __str__(self) -> str:
        return self.file

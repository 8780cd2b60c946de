"""Which backups were made of the site: for whoever looks after it, never part of a backup."""

from django.db import models


class Backup(models.Model):
    """One attempt to write a backup into a file; without `finished_at` it was never finished."""

    begun_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    file = models.CharField(max_length=500)
    size = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.file

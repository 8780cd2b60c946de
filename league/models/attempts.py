"""How often something was tried lately: log-ins, mails, codes. Counted in the database, which every process shares."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Attempts(models.Model):
    """The tries of one caller at one thing. `key` is a digest that tells neither; `ends_at` is in seconds since 1970."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    ends_at = models.BigIntegerField(db_index=True)

    class Meta:
        verbose_name = _("attempts")
        verbose_name_plural = _("attempts")

    def __str__(self) -> str:
        return str(self.count)

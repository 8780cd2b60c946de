"""When each kind of worker was last heard of."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class SignOfLife(models.Model):
    """The last moment at which a kind of worker did something: "boards" or "jobs", as their queues are called."""

    name = models.CharField(max_length=40, primary_key=True)
    seen_at = models.DateTimeField()

    class Meta:
        verbose_name = _("sign of life")
        verbose_name_plural = _("signs of life")

    def __str__(self) -> str:
        return self.name

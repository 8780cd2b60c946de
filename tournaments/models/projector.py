"""What the director lets a hall see on the wall."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.models.tournaments import Tournament

MAX_MESSAGE_LENGTH = 80


class ProjectorDirection(models.Model):
    """What the wall of a tournament shows: one row, which the history follows. Without a row everything takes turns."""

    is_only_of_hall = True

    class Scene(models.TextChoices):
        TURNS = "turns", pgettext_lazy("wall", "In turn")
        STANDINGS = "standings", pgettext_lazy("wall", "Standings")
        TABLES = "tables", pgettext_lazy("wall", "Table by table")
        CONDITIONS = "conditions", pgettext_lazy("wall", "What is needed")
        SEATING = "seating", pgettext_lazy("wall", "Who sits where")
        BRACKET = "bracket", pgettext_lazy("wall", "Bracket")
        TIMER = "timer", pgettext_lazy("wall", "Timer")
        CHAMPION = "champion", pgettext_lazy("wall", "Champion")

    class Language(models.TextChoices):
        """In which language; `AS_OPENED`: that of the address."""

        AS_OPENED = "", pgettext_lazy("wall", "as it was opened")
        JA = "ja", "日本語"
        EN = "en", "English"

    tournament = models.OneToOneField(
        Tournament, on_delete=models.CASCADE, primary_key=True, related_name="wall", verbose_name=_("tournament")
    )
    scene = models.CharField(pgettext_lazy("wall", "scene"), max_length=12, choices=Scene, default=Scene.TURNS)
    message = models.CharField(pgettext_lazy("wall", "message"), max_length=MAX_MESSAGE_LENGTH, blank=True)
    language = models.CharField(
        pgettext_lazy("wall", "language"), max_length=2, choices=Language, blank=True, default=Language.AS_OPENED
    )

    class Meta:
        verbose_name = _("what the wall shows")
        verbose_name_plural = _("what walls show")

    def __str__(self) -> str:
        return f"{self.tournament}: {self.get_scene_display()}"

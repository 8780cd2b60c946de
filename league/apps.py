"""The league app as Django knows it."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LeagueConfig(AppConfig):
    """Leagues, people, sessions, hanchan and leaderboards."""

    name = "league"
    verbose_name = _("League")

"""The stats app as Django knows it."""

from django.apps import AppConfig


class StatsConfig(AppConfig):
    """Players' pages, statistics, curves and records; of its own only what it keeps of them."""

    name = "stats"

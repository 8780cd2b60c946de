"""The stats app as Django knows it."""

from django.apps import AppConfig


class StatsConfig(AppConfig):
    """Players' pages, statistics, curves and records; no tables of its own."""

    name = "stats"

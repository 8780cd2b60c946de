"""The scoring app as Django knows it."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    """Rule systems, points and rankings; it stores nothing."""

    name = "scoring"

"""The scoring app as Django knows it."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

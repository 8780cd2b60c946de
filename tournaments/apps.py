"""The tournaments app as Django knows it."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """Stages, blocks, seating and advancement."""

    name = "tournaments"

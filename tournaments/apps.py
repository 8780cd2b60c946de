"""The tournaments app as Django knows it."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """Stages, blocks, seating and advancement."""

    name = "tournaments"

    def ready(self) -> None:
        """Let the league's history tell of tournaments."""
        # Models can be imported no earlier.
        from tournaments.messages import history  # noqa: PLC0415

        history.register()

"""The tournaments app as Django knows it."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """Stages, blocks, seating and advancement."""

    name = "tournaments"

    def ready(self) -> None:
        """Let the league's history tell of tournaments, and have their changes counted and what they come to proven."""
        # Models can be imported no earlier.
        from league.models.edition_scopes import watched  # noqa: PLC0415
        from tournaments.management import proofs  # noqa: PLC0415
        from tournaments.messages import history  # noqa: PLC0415
        from tournaments.models import TOURNAMENTS  # noqa: PLC0415

        history.register()
        proofs.register()
        if TOURNAMENTS not in watched:
            watched.append(TOURNAMENTS)

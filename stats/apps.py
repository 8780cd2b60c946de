"""The stats app as Django knows it."""

from django.apps import AppConfig


class StatsConfig(AppConfig):
    """Players' pages, statistics, curves and records; of its own only what it keeps of them."""

    name = "stats"

    def ready(self) -> None:
        """Have what is kept proven with the rest of a league, and changes of hanchan marked for the ratings."""
        # Models can be imported no earlier.
        from league.models.edition_scopes import watched  # noqa: PLC0415
        from stats.models import RATINGS_MARK  # noqa: PLC0415
        from stats.services import proofs, rating_proofs  # noqa: PLC0415

        proofs.register()
        rating_proofs.register()
        if RATINGS_MARK not in watched:
            watched.append(RATINGS_MARK)

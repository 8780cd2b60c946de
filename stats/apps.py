"""The stats app as Django knows it."""

from django.apps import AppConfig


class StatsConfig(AppConfig):
    """Players' pages, statistics, curves and records; of its own only what it keeps of them."""

    name = "stats"

    def ready(self) -> None:
        """Have what is kept proven with the rest of a league."""
        # Models can be imported no earlier.
        from stats.services import proofs  # noqa: PLC0415

        proofs.register()

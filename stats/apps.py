"""The stats app as Django knows it."""

from django.apps import AppConfig


class StatsConfig(AppConfig):
    """Players' pages, statistics, curves and records; of its own only what it keeps of them, and titles."""

    name = "stats"

    def ready(self) -> None:
        """Have what is kept proven, and titles told in the history and handed on to copies."""
        # Models can be imported no earlier.
        from league.services.ownership import handed_on  # noqa: PLC0415
        from stats import messages  # noqa: PLC0415
        from stats.services import proofs  # noqa: PLC0415
        from stats.services.titles import hand_on  # noqa: PLC0415

        proofs.register()
        messages.register()
        if hand_on not in handed_on:
            handed_on.append(hand_on)

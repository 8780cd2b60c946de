import gc
from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _

from league.engine import many_write


class LeagueConfig(AppConfig):
    name = "league"
    verbose_name = _("League")

    def ready(self) -> None:
        """Connect signal handlers, and re-enable garbage collection, which config/__init__.py disables during start-up.

        The triggers are dropped before each migration and created after it.
        """
        # Models cannot be imported earlier.
        from league.http.reauthentication import note_log_in  # noqa: PLC0415
        from league.management import checks  # noqa: F401, PLC0415

        user_logged_in.connect(note_log_in, dispatch_uid="league.fresh")
        pre_migrate.connect(_drop_triggers, sender=self, dispatch_uid="league.editions")
        post_migrate.connect(_make_triggers, sender=self, dispatch_uid="league.editions")
        # Exclude the imported modules from garbage collection.
        gc.freeze()
        gc.enable()


def _drop_triggers(plan: Any = None, **_signal: Any) -> None:
    """Drop the triggers on SQLite, which refuses to rebuild a table while a trigger of another one reads it."""
    # Models cannot be imported earlier.
    from league.models.triggers import drop_triggers  # noqa: PLC0415

    if plan and not many_write():
        drop_triggers()


def _make_triggers(plan: Any = None, **_signal: Any) -> None:
    # Models cannot be imported earlier.
    from league.models.triggers import make_triggers  # noqa: PLC0415

    if plan:
        make_triggers()

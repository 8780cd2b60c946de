"""The league app as Django knows it."""

import gc
from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _

from league.engine import many_write


class LeagueConfig(AppConfig):
    """Leagues, people, sessions, hanchan and standings."""

    name = "league"
    verbose_name = _("League")

    def ready(self) -> None:
        """Have the triggers that count changes and guard merged names kept as the models say, with every migration.

        Also switch garbage collection on again, which config/__init__.py has switched off.
        """
        # Models can be imported no earlier.
        from league.http.reauthentication import note_log_in  # noqa: PLC0415
        from league.management import checks  # noqa: F401, PLC0415

        user_logged_in.connect(note_log_in, dispatch_uid="league.fresh")
        pre_migrate.connect(_drop_triggers, sender=self, dispatch_uid="league.editions")
        post_migrate.connect(_make_triggers, sender=self, dispatch_uid="league.editions")
        # Imported objects stay, so the collector may skip them.
        gc.freeze()
        gc.enable()


def _drop_triggers(plan: Any = None, **_signal: Any) -> None:
    """Take the triggers away where a migration may rebuild a table: SQLite refuses while another's trigger reads it."""
    # Models can be imported no earlier.
    from league.models.triggers import drop_triggers  # noqa: PLC0415

    if plan and not many_write():
        drop_triggers()


def _make_triggers(plan: Any = None, **_signal: Any) -> None:
    """Create the triggers and demo marks after a migration; skipped for `flush`."""
    # Models can be imported no earlier.
    from league.models.triggers import make_triggers  # noqa: PLC0415
    from league.services.demo_accounts import mark_demo_accounts  # noqa: PLC0415

    if plan:
        make_triggers()
    if plan is not None:
        mark_demo_accounts()

"""How Tenbo is put together: settings, addresses, the Celery application."""

import gc

# League's AppConfig switches it on again. Modules stay, and looking through them for garbage took a fifth of each start.
gc.disable()

from config.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]

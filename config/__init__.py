import gc

# LeagueConfig enables it again. Loaded modules stay in memory, and collecting garbage took a fifth of each start-up.
gc.disable()

from config.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]

"""Tenbo's settings with shorter delays, and an app that can disable safeguards."""

from config.settings import *  # noqa: F403
from config.settings import CELERY_BEAT_SCHEDULE, CELERY_BROKER_TRANSPORT_OPTIONS, INSTALLED_APPS, STORAGES

INSTALLED_APPS = [*INSTALLED_APPS, "tests.torture.altered.Altered"]

CELERY_BEAT_SCHEDULE = {name: sweep | {"schedule": 2.0} for name, sweep in CELERY_BEAT_SCHEDULE.items()}
# Unacknowledged messages are redelivered while the task may still run.
CELERY_BROKER_TRANSPORT_OPTIONS = CELERY_BROKER_TRANSPORT_OPTIONS | {"visibility_timeout": 5}

# Hashed file names need collectstatic, which no trial needs.
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}

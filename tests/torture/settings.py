"""Tenbo's settings as they are, with clocks that go faster and an app that can switch something off from outside."""

from config.settings import *  # noqa: F403
from config.settings import CELERY_BEAT_SCHEDULE, CELERY_BROKER_TRANSPORT_OPTIONS, INSTALLED_APPS, STORAGES

INSTALLED_APPS = [*INSTALLED_APPS, "tests.torture.altered.Altered"]

CELERY_BEAT_SCHEDULE = {name: sweep | {"schedule": 2.0} for name, sweep in CELERY_BEAT_SCHEDULE.items()}
# A message that nobody has acknowledged comes again while its task may still be running.
CELERY_BROKER_TRANSPORT_OPTIONS = CELERY_BROKER_TRANSPORT_OPTIONS | {"visibility_timeout": 5}

# Files under names that tell their content have to be collected first; nobody looks at files here.
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}

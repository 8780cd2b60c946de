"""The Celery application; workers start with `celery -A config worker`."""

import os
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun
from django.conf import settings
from kombu.exceptions import OperationalError
from kombu.pools import producers

from config import acknowledging
from config.patience import have, of_work
from config.redis import AWAY, breaker_of, brief

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

acknowledging.install()


class BriefCelery(Celery):  # type: ignore[misc]
    """Celery whose messages wait for the broker no longer than a page can."""

    def send_task(self, name: str, *args: Any, **options: Any) -> Any:
        """Send a message. Raises OperationalError at once while the broker is known to be away."""
        if not settings.REDIS_URL or options.get("producer") or options.get("connection"):
            return super().send_task(name, *args, **options)
        breaker = breaker_of(settings.REDIS_URL)
        if breaker.is_open:
            message = "Redis does not answer and is left alone for a moment."
            raise OperationalError(message)
        try:
            with producers[self.connection_for_write(transport_options=brief())].acquire(block=True) as producer:
                return super().send_task(name, *args, producer=producer, **options)
        except (OperationalError, *AWAY) as error:
            breaker.note(error, keeps_waiting=True)
            raise


app = BriefCelery("tenbo")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@task_prerun.connect(dispatch_uid="tenbo.patience", weak=False)
def _has_more_time(**_told: object) -> None:
    have(of_work())


@task_postrun.connect(dispatch_uid="tenbo.patience", weak=False)
def _has_all_time(**_told: object) -> None:
    have(None)

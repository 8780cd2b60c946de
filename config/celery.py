"""The Celery application; workers start with `celery -A config worker`."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from celery import Celery, Task
from celery.signals import task_postrun, task_prerun
from django.conf import settings
from kombu.exceptions import OperationalError
from kombu.pools import producers

from config import acknowledging
from config.patience import have, of_work
from config.redis import AWAY, breaker_of, brief
from config.waiting import begins, is_new

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

acknowledging.install()


class BriefCelery(Celery):  # type: ignore[misc]
    """Celery whose messages wait for the broker no longer than a page can."""

    def send_task(self, name: str, *args: Any, **options: Any) -> Any:
        """Send a message, `unless_waiting` only if none like it waits. Raises OperationalError at once while the broker is away."""
        unless_waiting = options.pop("unless_waiting", False)
        if not settings.REDIS_URL or options.get("producer") or options.get("connection"):
            return super().send_task(name, *args, **options)
        breaker = breaker_of(settings.REDIS_URL)
        if breaker.is_open:
            message = "Redis does not answer and is left alone for a moment."
            raise OperationalError(message)
        try:
            if unless_waiting and not is_new(name, options.get("args") or (), options.get("kwargs")):
                return None
            with producers[self.connection_for_write(transport_options=brief())].acquire(block=True) as producer:
                return super().send_task(name, *args, producer=producer, **options)
        except (OperationalError, *AWAY) as error:
            breaker.note(error, keeps_waiting=True)
            raise OperationalError(str(error)) from error


app = BriefCelery("tenbo")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@task_prerun.connect(dispatch_uid="tenbo.waiting", weak=False)
def _waits_no_more(
    task: Task[..., object], args: Sequence[object], kwargs: Mapping[str, object], **_told: object
) -> None:
    if settings.REDIS_URL:
        begins(task.name, args, kwargs)


@task_prerun.connect(dispatch_uid="tenbo.patience", weak=False)
def _has_more_time(**_told: object) -> None:
    have(of_work())


@task_postrun.connect(dispatch_uid="tenbo.patience", weak=False)
def _has_all_time(**_told: object) -> None:
    have(None)

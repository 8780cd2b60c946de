"""A task that does nothing but say so: what a message to the worker and back costs at least."""

import uuid

from django.conf import settings
from redis import Redis

from config.celery import app

PATIENCE = 60
"""Seconds for an answer: a worker takes a while to begin."""

__all__ = ["app", "echo"]


@app.task(name="bench.echo")  # type: ignore[untyped-decorator]
def reply(key: str) -> None:
    """Answer under this key."""
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.lpush(key, "1")


def echo() -> None:
    """Send a message to the worker and wait for its answer."""
    key = f"bench:{uuid.uuid4().hex}"
    app.send_task("bench.echo", args=(key,))
    with Redis.from_url(settings.REDIS_URL, socket_timeout=2 * PATIENCE) as redis:
        if redis.blpop([key], timeout=PATIENCE) is None:
            message = "the worker does not answer"
            raise RuntimeError(message)

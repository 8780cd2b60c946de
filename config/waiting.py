"""Knows which messages wait for a worker: while one waits, another like it says nothing new.

A task reads what is to be done when it begins, and whoever sends a message has committed before. So a note that its message
waits is struck out before the task reads anything. Notes lie beside the queue. A message may be lost with the worker that
held it, and its note with nobody to strike it out: such a note holds back others for some seconds, those of the sweep too.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError, ResponseError

from config.cache import PREFIX
from config.redis import brief, once

KEPT = 15
"""Seconds for which a note is believed. So much, and a minute, passes at most until the sweep sends a lost message again."""


def is_new(task: str, args: Sequence[object], named: Mapping[str, object] | None = None) -> bool:
    """Return whether no such message waits, and note that one does now. Raises what Redis raises when it does not answer."""
    try:
        return bool(_redis(settings.REDIS_URL).set(_key(task, args, named), 1, ex=KEPT, nx=True))
    except ResponseError:  # one that is full keeps no notes, and takes messages all the same
        return True


def begins(task: str, args: Sequence[object], named: Mapping[str, object] | None = None) -> None:
    """Note that a message is being worked on: what is sent from now on needs another one."""
    with suppress(RedisError, OSError):
        _redis(settings.REDIS_URL).delete(_key(task, args, named))


def _key(task: str, args: Sequence[object], named: Mapping[str, object] | None) -> str:
    return f"{PREFIX}:waits:{task}:{json.dumps([*args, named] if named else list(args))}"


@cache
def _redis(address: str) -> Redis:
    return Redis.from_url(address, **brief(), retry=once())

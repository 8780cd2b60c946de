"""A cache that is down is a miss, never an error."""

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """Redis as Django's cache; when Redis does not answer, nothing is found and nothing is kept."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = params.setdefault("OPTIONS", {})
        options.setdefault("socket_connect_timeout", 0.3)
        options.setdefault("socket_timeout", 1)
        super().__init__(server, params)

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """Return the kept value, or `default`."""
        return _forgiving(lambda: super(ForgivingRedisCache, self).get(key, default, version), default)

    def set(self, key: str, value: Any, timeout: Any = 300, version: int | None = None) -> None:
        """Keep a value for `timeout` seconds."""
        _forgiving(lambda: super(ForgivingRedisCache, self).set(key, value, timeout, version), None)


def _forgiving(work: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return work()
    except (RedisError, OSError) as error:
        logger.warning("The cache did not answer: %s", error)
        return otherwise

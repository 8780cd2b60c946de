"""A cache that is down is a miss, never an error."""

import logging
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

PREFIX = "tenbo"
"""What the name of every key begins with."""

logger = logging.getLogger(__name__)


def _forgiving(work: Callable[..., Any], *, otherwise: Any) -> Callable[..., Any]:
    """Return `work`, which answers `otherwise` while Redis does not answer."""

    @wraps(work)
    def tried(*args: Any, **kwargs: Any) -> Any:
        try:
            return work(*args, **kwargs)
        except (RedisError, OSError) as error:
            logger.warning("The cache did not answer: %s", error)
            return otherwise

    return tried


class ForgivingClient(RedisCacheClient):
    """Redis for Django's cache: while it does not answer, nothing is found and nothing is kept."""

    add = _forgiving(RedisCacheClient.add, otherwise=False)
    set = _forgiving(RedisCacheClient.set, otherwise=None)
    touch = _forgiving(RedisCacheClient.touch, otherwise=False)
    delete = _forgiving(RedisCacheClient.delete, otherwise=False)
    has_key = _forgiving(RedisCacheClient.has_key, otherwise=False)
    set_many = _forgiving(RedisCacheClient.set_many, otherwise=None)
    delete_many = _forgiving(RedisCacheClient.delete_many, otherwise=None)

    def get(self, key: Any, default: Any) -> Any:
        """Return the kept value, or `default`."""
        return _forgiving(super().get, otherwise=default)(key, default)

    def get_many(self, keys: Any) -> dict[Any, Any]:
        """Return the kept values by key."""
        return dict(_forgiving(super().get_many, otherwise={})(keys))

    def incr(self, key: Any, delta: int) -> Any:
        """Return the raised number. Raises ValueError for a key that is not there, as all of Django's caches do."""
        raised = _forgiving(super().incr, otherwise=None)(key, delta)
        if raised is None:
            raise ValueError(f"Key {key!r} not found.")
        return raised

    def clear(self) -> bool:
        """Forget Tenbo's own keys and nothing else: the queue of the broker may lie in the same database."""
        return bool(_forgiving(self._forget, otherwise=False)())

    def _forget(self) -> bool:
        redis = self.get_client(write=True)
        for key in redis.scan_iter(match=f"{PREFIX}:*", count=1000):
            redis.delete(key)
        return True

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """Return the client of the only server, the same each time: making one costs more than what it is asked."""
        return self._redis

    @cached_property
    def _redis(self) -> Any:
        return super().get_client(write=True)


class ForgivingRedisCache(RedisCache):
    """Django's cache on Redis, which a page never notices missing."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = {"socket_connect_timeout": 0.3, "socket_timeout": 1} | params.get("OPTIONS", {})
        super().__init__(server, params | {"KEY_PREFIX": PREFIX, "OPTIONS": options})
        self._class = ForgivingClient

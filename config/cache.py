"""A cache that is down is a miss, never an error."""

import logging
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

from config.redis import AWAY, breaker_of, brief, once

PREFIX = "tenbo"
"""What the name of every key begins with."""

logger = logging.getLogger(__name__)


def _forgiving(work: Callable[..., Any], *, otherwise: Any) -> Callable[..., Any]:
    """Return `work`, which answers `otherwise` while Redis does not answer."""

    @wraps(work)
    def tried(self: "ForgivingClient", *args: Any, **kwargs: Any) -> Any:
        if self.breaker.is_open:
            return otherwise
        try:
            return work(self, *args, **kwargs)
        except AWAY as error:
            self.breaker.note(error, keeps_waiting=True)
        except RedisError as error:
            logger.warning("The cache refused something: %s", error)
        return otherwise

    return tried


class ForgivingClient(RedisCacheClient):
    """Redis for Django's cache: while it does not answer, nothing is found and nothing is kept."""

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, **options)
        self.breaker = breaker_of(servers[0])

    add = _forgiving(RedisCacheClient.add, otherwise=False)
    set = _forgiving(RedisCacheClient.set, otherwise=None)
    touch = _forgiving(RedisCacheClient.touch, otherwise=False)
    delete = _forgiving(RedisCacheClient.delete, otherwise=False)
    has_key = _forgiving(RedisCacheClient.has_key, otherwise=False)
    set_many = _forgiving(RedisCacheClient.set_many, otherwise=None)
    delete_many = _forgiving(RedisCacheClient.delete_many, otherwise=None)

    def get(self, key: Any, default: Any) -> Any:
        """Return the kept value, or `default`."""
        return _forgiving(RedisCacheClient.get, otherwise=default)(self, key, default)

    def get_many(self, keys: Any) -> dict[Any, Any]:
        """Return the kept values by key."""
        return dict(_forgiving(RedisCacheClient.get_many, otherwise={})(self, keys))

    def incr(self, key: Any, delta: int) -> Any:
        """Return the raised number. Raises ValueError for a key that is not there, as all of Django's caches do."""
        raised = _forgiving(RedisCacheClient.incr, otherwise=None)(self, key, delta)
        if raised is None:
            raise ValueError(f"Key {key!r} not found.")
        return raised

    def clear(self) -> bool:
        """Forget Tenbo's own keys and nothing else: the queue of the broker may lie in the same database."""
        return bool(_forgiving(ForgivingClient._forget, otherwise=False)(self))

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
        options = brief() | {"retry": once()} | params.get("OPTIONS", {})
        super().__init__(server, params | {"KEY_PREFIX": PREFIX, "OPTIONS": options})
        self._class = ForgivingClient

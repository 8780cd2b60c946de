"""A Redis cache whose outage is a cache miss, never an error."""

import logging
import time
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, ClassVar

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

PREFIX = "tenbo"

WAITS = 0.4
"""Seconds a page waits for the cache before giving up."""

LEFT_ALONE = 5.0
"""Seconds without requests to a cache that did not respond."""

logger = logging.getLogger(__name__)


def _forgiving(work: Callable[..., Any], *, otherwise: Any) -> Callable[..., Any]:
    """Wrap `work` so that it returns `otherwise` while Redis does not respond."""

    @wraps(work)
    def tried(self: "ForgivingClient", *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() < ForgivingClient.left_alone_until.get(self.server, 0.0):
            return otherwise
        try:
            return work(self, *args, **kwargs)
        except (RedisError, OSError) as error:
            if not isinstance(error, ResponseError):
                ForgivingClient.left_alone_until[self.server] = time.monotonic() + LEFT_ALONE
            logger.warning("The cache did not answer: %s", error)
        return otherwise

    return tried


class ForgivingClient(RedisCacheClient):
    """Redis client of Django's cache. While Redis does not respond, reads miss and writes are dropped."""

    left_alone_until: ClassVar[dict[str, float]] = {}

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, **options)
        self.server = servers[0]

    add = _forgiving(RedisCacheClient.add, otherwise=False)
    set = _forgiving(RedisCacheClient.set, otherwise=None)
    touch = _forgiving(RedisCacheClient.touch, otherwise=False)
    delete = _forgiving(RedisCacheClient.delete, otherwise=False)
    has_key = _forgiving(RedisCacheClient.has_key, otherwise=False)
    set_many = _forgiving(RedisCacheClient.set_many, otherwise=None)
    delete_many = _forgiving(RedisCacheClient.delete_many, otherwise=None)

    def get(self, key: Any, default: Any) -> Any:
        return _forgiving(RedisCacheClient.get, otherwise=default)(self, key, default)

    def get_many(self, keys: Any) -> dict[Any, Any]:
        return dict(_forgiving(RedisCacheClient.get_many, otherwise={})(self, keys))

    def incr(self, key: Any, delta: int) -> Any:
        """Return the incremented value. Raise ValueError if the key does not exist, as all Django caches do."""
        raised = _forgiving(RedisCacheClient.incr, otherwise=None)(self, key, delta)
        if raised is None:
            raise ValueError(f"Key {key!r} not found.")
        return raised

    def clear(self) -> bool:
        """Delete Tenbo's own keys only, because the broker's queue may be in the same database."""
        return bool(_forgiving(ForgivingClient._forget, otherwise=False)(self))

    def _forget(self) -> bool:
        redis = self.get_client(write=True)
        for key in redis.scan_iter(match=f"{PREFIX}:*", count=1000):
            redis.delete(key)
        return True

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """Return the client of the only server, cached because creating one costs more than a request."""
        return self._redis

    @cached_property
    def _redis(self) -> Any:
        return super().get_client(write=True)


class ForgivingRedisCache(RedisCache):
    """Django's Redis cache with ForgivingClient."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        brief = {"socket_connect_timeout": WAITS, "socket_timeout": WAITS, "retry": Retry(NoBackoff(), 0)}
        super().__init__(server, params | {"KEY_PREFIX": PREFIX, "OPTIONS": brief | params.get("OPTIONS", {})})
        self._class = ForgivingClient

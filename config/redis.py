"""Redis as pages ask it: briefly, once, and not at all while it is known to be away.

The cache and the queue may be two servers; each has a breaker of its own, and where they are one, they share it.
"""

from functools import cache, partial

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotConnectedError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as TooLongError
from redis.retry import Retry

from config.breaker import Breaker

AWAY = (NotConnectedError, TooLongError, OSError)
"""What says that nobody answered; other errors are answers."""


def brief() -> dict[str, float]:
    """Return the time limits of a connection that a page waits for."""
    return {"socket_connect_timeout": settings.REDIS_TIMEOUT, "socket_timeout": settings.REDIS_TIMEOUT}


def once() -> Retry:
    """Return how often something is tried: redis-py would try three times more and wait in between."""
    return Retry(NoBackoff(), 0)


@cache
def breaker_of(address: str) -> Breaker:
    """Return the breaker of the server at this address."""
    return Breaker("Redis", partial(_answers, address))


def _answers(address: str) -> bool:
    try:
        with Redis.from_url(address, **brief(), retry=once()) as redis:
            return bool(redis.ping())
    except (RedisError, OSError):
        return False

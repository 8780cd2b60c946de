from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from redis import Redis
from redis.exceptions import RedisError

BROKER_WAITS = 0.5


@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Return 200 while the database responds, else 503. A missing broker is reported but not a failure."""
    del request
    database = _database_answers()
    answer = JsonResponse({"database": database, "broker": _broker_answers()}, status=200 if database else 503)
    # The response reports the failure; one log line is enough.
    answer._has_been_logged = True  # type: ignore[attr-defined]
    return answer


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def _broker_answers() -> bool | None:
    if not settings.REDIS_URL:
        return None
    try:
        with Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=BROKER_WAITS, socket_timeout=BROKER_WAITS, retry=None
        ) as broker:
            return bool(broker.ping())
    except (RedisError, OSError):
        return False

import os
from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis

from config.cache import ForgivingRedisCache
from tests.processes import free_port


@pytest.fixture
def gone() -> ForgivingRedisCache:
    return ForgivingRedisCache(f"redis://127.0.0.1:{free_port()}/0", {})


@pytest.mark.parametrize(
    ("work", "answer"),
    [
        pytest.param(lambda cache: cache.get("board", "nothing"), "nothing", id="get"),
        pytest.param(lambda cache: cache.set("board", 1), None, id="set"),
        pytest.param(lambda cache: cache.add("board", 1), False, id="add"),
        pytest.param(lambda cache: cache.touch("board"), False, id="touch"),
        pytest.param(lambda cache: cache.delete("board"), False, id="delete"),
        pytest.param(lambda cache: "board" in cache, False, id="in"),
        pytest.param(lambda cache: cache.get_many(["board"]), {}, id="get many"),
        pytest.param(lambda cache: cache.set_many({"board": 1}), [], id="set many"),
        pytest.param(lambda cache: cache.delete_many(["board"]), None, id="delete many"),
        pytest.param(lambda cache: cache.get_or_set("board", 3), 3, id="get or set"),
        pytest.param(lambda cache: cache.clear(), False, id="clear"),
    ],
)
def test_unreachable_cache_is_a_miss(
    gone: ForgivingRedisCache, work: Callable[[ForgivingRedisCache], Any], answer: object
) -> None:
    assert work(gone) == answer


def test_incrementing_in_an_unreachable_cache_raises_an_error(gone: ForgivingRedisCache) -> None:
    with pytest.raises(ValueError, match="not found"):
        gone.incr("visits")


@pytest.mark.usefixtures("servers")
def test_clearing_the_cache_keeps_the_queue() -> None:
    present = ForgivingRedisCache(os.environ["REDIS_URL"], {})
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        broker.rpush("a queue of the tests", "message")
        present.set("board", 1)
        present.clear()
        assert present.get("board") is None
        assert broker.llen("a queue of the tests") == 1
        broker.delete("a queue of the tests")

"""Messages that are delivered twice."""

from functools import partial
from typing import Any

from kombu.messaging import Producer

from league import background
from tests.torture.altered import flags


def install() -> None:
    """Publish each message twice, and have an embedded worker do twice what it is handed, while the flag is set."""
    publish, run_here = Producer.publish, background.run_here

    def publish_twice(producer: Any, *args: Any, **named: Any) -> Any:
        _twice(partial(publish, producer, *args, **named))

    def run_twice(message: background.Message) -> None:
        _twice(partial(run_here, message))

    setattr(Producer, "publish", publish_twice)  # noqa: B010 - a method of a class with types
    background.run_here = run_twice


def _twice(do: partial[Any]) -> None:
    do()
    if flags.is_set(flags.TWICE):
        do()

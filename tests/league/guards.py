from collections.abc import Iterator
from contextlib import contextmanager

from league.models.triggers import drop_triggers, make_triggers


@contextmanager
def unguarded() -> Iterator[None]:
    """Disable the database triggers that protect history, within the block."""
    drop_triggers()
    yield
    make_triggers()

"""The sign before a negative number: as the language of the page has it, or as its reader chose.

Who reads is known to the app above that keeps what people chose; it says so for the time of a request. Whatever is kept
for many is kept once more for those whose sign is another than that of the language.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.utils.translation import pgettext

TRIANGLE, MINUS = "▲", "−"


def _as_the_language() -> str:
    return ""


_chosen: ContextVar[Callable[[], str]] = ContextVar("chosen negative sign", default=_as_the_language)


@contextmanager
def written_with(chosen: Callable[[], str]) -> Iterator[None]:
    """Write negative numbers with the sign that `chosen` returns, asked for by the first of them; "" is the language's."""
    token = _chosen.set(chosen)
    try:
        yield
    finally:
        _chosen.reset(token)


def chosen_sign() -> str:
    """Return the sign that the reader chose, empty where the language decides."""
    return _chosen.get()()


def negative_sign() -> str:
    """Return the sign before a negative number: ▲ or −."""
    return chosen_sign() or pgettext("negative sign", "−")


def other_sign() -> tuple[str, ...]:
    """Return the reader's sign where it is not that of the language, else nothing: what keeps such a page apart."""
    chosen = chosen_sign()
    return (chosen,) if chosen and chosen != pgettext("negative sign", "−") else ()

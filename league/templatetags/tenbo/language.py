"""Filters that say something else in each language."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def told_in(told: Callable[..., Any]) -> Callable[[F], F]:
    """Return a decorator that names the same filter with the language as its first argument.

    A page is rendered in one language: what renders it (config.drawing) asks for that once, not for every number.
    """

    def named(filter_: F) -> F:
        vars(filter_)["told_in"] = told
        return filter_

    return named

"""Settings read from the environment: each is understood or refused in one sentence."""

import os
from collections.abc import Collection

from django.core.exceptions import ImproperlyConfigured

ON = frozenset({"on", "true", "yes", "1"})
OFF = frozenset({"off", "false", "no", "0"})


def text(name: str, default: str = "") -> str:
    """Return the variable as it stands, without the space around it."""
    return os.environ.get(name, default).strip()


def switch(name: str, *, default: bool) -> bool:
    """Return whether the variable says on or off. Raises ImproperlyConfigured for anything else."""
    value = text(name).lower()
    if not value:
        return default
    if value not in ON | OFF:
        raise ImproperlyConfigured(f"{name} is {value!r}; write on or off.")
    return value in ON


def one_of(name: str, choices: Collection[str], default: str) -> str:
    """Return the variable if it is one of the choices. Raises ImproperlyConfigured otherwise."""
    value = text(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}; write one of {', '.join(choices)}.")
    return value


def number(name: str, default: int, *, low: int, high: int) -> int:
    """Return the variable as a whole number within bounds. Raises ImproperlyConfigured otherwise."""
    value = text(name, str(default))
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        raise ImproperlyConfigured(f"{name} is {value!r}; write a whole number from {low} to {high}.")
    return int(value)


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated entries of the variable."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def address(name: str, schemes: Collection[str]) -> str:
    """Return the variable if it is empty or a URL of one of the schemes. Raises ImproperlyConfigured otherwise."""
    value = text(name)
    if value and value.partition("://")[0] not in schemes:
        raise ImproperlyConfigured(f"{name} must begin with one of {', '.join(f'{scheme}://' for scheme in schemes)}.")
    return value

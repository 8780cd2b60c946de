"""Values of JSON documents. Each error is one sentence that begins with the path of the value."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.core.points import parse_points, shown


def translatable(text: str) -> str:
    """Mark a text for translation at display time, because the core does not import Django."""
    return text


class InputError(ValueError):
    """Invalid input. The message names the problem."""


def as_table(value: object, path: str, *known: str) -> Mapping[str, Any]:
    """Return the value if it is a table, with `known` keys only if any are given. Raise InputError."""
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: a table is expected")
    if unknown := [str(key) for key in value if known and key not in known]:
        raise InputError(f"{path}.{unknown[0][:40]}: there is no such key; there are {', '.join(known)}")
    return value


def as_list(value: object, path: str) -> Sequence[Any]:
    """Return the value if it is a list. Raise InputError."""
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{path}: a list is expected")
    return value


def read_names(value: object, path: str) -> tuple[str, ...]:
    """Return the names in a list. Raise InputError."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) and name for name in value):
        raise InputError(f"{path}: a list of names is expected")
    return tuple(value)


def read_whole(value: object, path: str, low: float = -float("inf"), high: float = float("inf")) -> int:
    """Return the value if it is an integer within bounds. Raise InputError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{path}: {shown(value)} is not a whole number")
    if not low <= value <= high:
        raise InputError(f"{path}: a whole number from {low} to {high} is expected")
    return value


def read_wholes(value: object, path: str) -> tuple[int, ...]:
    """Return the integers in a list; none for None. Raise InputError."""
    numbers = () if value is None else as_list(value, path)
    return tuple(read_whole(number, f"{path}[{place}]") for place, number in enumerate(numbers))


def read_points(value: object, path: str) -> int:
    """Return an amount in 1/1000 pt. Raise InputError."""
    try:
        return parse_points(value)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error

"""Dataclasses in JSON columns.

Missing fields get their default; unknown ones are ignored.
"""

from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

Value = TypeVar("Value")


def as_stored(value: object) -> dict[str, Any]:
    """Return the dataclass as a dict for a JSON column."""
    kind: Any = type(value)
    plain: dict[str, Any] = _adapter(kind).dump_python(value, mode="json")
    return plain


def from_stored(kind: type[Value], stored: object) -> Value:
    """Return the dataclass stored in a JSON column."""
    wanted: Any = kind
    value: Value = _adapter(wanted).validate_python(stored)
    return value


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver


@dataclass(frozen=True)
class Route:
    """A URL pattern: full name, parameters, and whether it belongs to a league with its permissions."""

    name: str
    takes: tuple[str, ...]
    is_guarded: bool = False


def all_routes() -> list[Route]:
    return list(_below(get_resolver().url_patterns, "", ()))


def _below(patterns: list[URLPattern | URLResolver], space: str, takes: tuple[str, ...]) -> Iterator[Route]:
    for each in patterns:
        taken = (*takes, *each.pattern.regex.groupindex)
        if isinstance(each, URLResolver):
            yield from _below(each.url_patterns, f"{space}{each.namespace}:" if each.namespace else space, taken)
        else:
            yield Route(f"{space}{each.name}" if each.name else "", taken, hasattr(each.callback, "permission"))

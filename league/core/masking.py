import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from league.core.spelling import cleaned

Mask = Callable[[str], str]
"""Returns the text with the names replaced."""

_SPACE = r"[\s\u3000]*"
_LATIN = "A-Za-z0-9\u00c0-\u024f"


def spellings(names: Iterable[str]) -> tuple[str, ...]:
    """Return the spellings of names with and without spaces, longest first."""
    found = set()
    for name in filter(None, map(cleaned, names)):
        parts = name.split()
        found |= {name, "".join(parts), " ".join(parts), "\u3000".join(parts)}
    return tuple(sorted(found, key=lambda each: (-len(each), each)))


def mask_of(names: Iterable[str], others: Iterable[str], instead: str) -> Mask:
    """Return a function that replaces the names, except where they are part of a longer name in `others`."""
    taken = {bare(name) for name in names if cleaned(name)}
    kept = {bare(other): other for other in others if bare(other) not in taken}
    near = [other for plain, other in kept.items() if any(name in plain for name in taken)]
    every = sorted({*filter(None, map(cleaned, names)), *near}, key=lambda each: (-len(bare(each)), each))
    if not taken:
        return str
    wanted = re.compile("|".join(map(_pattern, every)), re.IGNORECASE)
    return lambda text: wanted.sub(lambda found: instead if bare(found[0]) in taken else found[0], text)


def masked(value: Any, mask: Mask) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {mask(key): masked(each, mask) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [masked(each, mask) for each in value]
    return value


def without_player(value: Any, players: Mapping[int, str], mask: Mask) -> Any:
    """Return a history value with erased players replaced and their names masked in free text.

    `players`: replacement by player number. Other players keep their names, even if they are identical.
    """
    if isinstance(value, Mapping):
        number = value.get("player")
        rest = {key: without_player(each, players, mask) for key, each in value.items()}
        name = value.get("name")
        if isinstance(number, int) and isinstance(name, str):
            rest["name"] = players.get(number, name)
        return rest
    if isinstance(value, list | tuple):
        return [without_player(each, players, mask) for each in value]
    return mask(value) if isinstance(value, str) else value


def bare(name: str) -> str:
    return "".join(cleaned(name).split()).casefold()


def _pattern(name: str) -> str:
    parts = cleaned(name).split()
    pattern = _SPACE.join(map(re.escape, parts))
    if len("".join(parts)) == 1:
        # A single letter occurs in most words, so match it only as a word.
        return rf"(?<!\w){pattern}(?!\w)"
    before = rf"(?<![{_LATIN}])" if re.match(f"[{_LATIN}]", parts[0]) else ""
    after = rf"(?![{_LATIN}])" if re.match(f"[{_LATIN}]", parts[-1][-1]) else ""
    return f"{before}{pattern}{after}"

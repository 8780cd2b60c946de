"""Readers of single values and tables from TOML and JSON. Each error is one sentence naming the parameter."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints
from unicodedata import category

from scoring.core.plain import translatable as _
from scoring.core.points import MAX_POINTS, format_points, parse_points, shown

Word = TypeVar("Word", bound=str)
Table = Mapping[str, Any]
Reader = Callable[[Any, str], Any]
"""Converts a value, given its parameter's path. Raises RulesetError."""

Writer = Callable[[Any], Any]
"""Converts a value to JSON values, None if undefined."""

HUNDRED = 100
"""Raw scores are multiples of 100."""

TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Invisible characters that change the text direction."""


class RulesetError(ValueError):
    """Invalid or contradictory parameters; `path` is the parameter to correct."""

    def __init__(self, code: str, path: str, **values: object) -> None:
        self.code = code
        self.path = path
        self.values = {"path": path, **values}
        super().__init__(f"{path}: {MESSAGES[code] % values}")


MESSAGES = {
    "unknown_key": _("This parameter does not exist."),
    "not_a_table": _("Enter a table of parameters here."),
    "not_a_list": _("Enter a list here."),
    "not_whole": _("%(value)s is not a whole number."),
    "not_points": _("%(value)s is not a number of points with at most three decimals."),
    "not_hundreds": _("%(value)s is not a multiple of 100."),
    "not_a_switch": _("%(value)s is neither true nor false."),
    "not_a_choice": _("%(value)s is not one of %(choices)s."),
    "out_of_range": _("%(value)s is not between %(low)s and %(high)s."),
    "wrong_length": _("Enter %(players)s values for %(players)s players, not %(count)s."),
    "two_umas": _("Use either fixed or floating uma, not both."),
    "return_below_start": _("The return points %(value)s are below the start points %(start)s."),
    "shares": _("The shares add up to %(total)s, but the prize is %(prize)s."),
    "share_count": _("There are %(count)s shares for %(tenpai)s tenpai players."),
    "incomplete": _("This is missing."),
    "not_text": _("Enter text without control characters."),
    "too_long": _("The text has %(count)s characters. Use at most %(longest)s."),
    "twice": _("%(value)s is listed twice."),
}
"""Sentences by code, translated on pages."""


def shipped_texts(package: str, folder: str) -> dict[str, str]:
    """Return the texts of the TOML files in a folder of a package, by their sorted names without suffix."""
    files = (file for file in (resources.files(package) / folder).iterdir() if file.name.endswith(".toml"))
    return dict(sorted((file.name.removesuffix(".toml"), file.read_text("utf-8")) for file in files))


def shipped_table(package: str, file: str) -> dict[str, Any]:
    """Return the table in a TOML file of a package."""
    return tomllib.loads((resources.files(package) / file).read_text("utf-8"))


def table_of(value: object, path: str) -> Table:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise RulesetError("not_a_table", path)
    return value


def list_of(value: object, path: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise RulesetError("not_a_list", path)
    return value


def refuse_unknown(table: Table, known: object, path: str) -> None:
    for key in table:
        if key not in known:  # type: ignore[operator]
            raise RulesetError("unknown_key", f"{path}.{key}" if path else key)


_WHOLE = re.compile(r"[+-]?[0-9]{1,11}")


def whole(value: object, path: str) -> int:
    """Return an integer, which may be given as text."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RulesetError("not_whole", path, value=shown(value))
    return value


def between(low: int, high: int) -> Callable[[object, str], int]:
    def read(value: object, path: str) -> int:
        number = whole(value, path)
        if not low <= number <= high:
            raise RulesetError(
                "out_of_range", path, value=number if abs(number) < MAX_POINTS else shown(number), low=low, high=high
            )
        return number

    return read


def sticks(low: int, high: int) -> Callable[[object, str], int]:
    inside = between(low, high)

    def read(value: object, path: str) -> int:
        number = inside(value, path)
        if number % HUNDRED:
            raise RulesetError("not_hundreds", path, value=number)
        return number

    return read


def points_of(value: object, path: str) -> int:
    """Return points in 1/1000 pt."""
    try:
        return parse_points(value)
    except ValueError as error:
        raise RulesetError("not_points", path, value=shown(value)) from error


def positive_points(value: object, path: str) -> int:
    points = points_of(value, path)
    if points < 0:
        raise RulesetError("out_of_range", path, value=format_points(points), low=0, high="∞")
    return points


def points_row(value: object, path: str) -> tuple[int, ...]:
    return tuple(points_of(entry, f"{path}[{place}]") for place, entry in enumerate(list_of(value, path)))


def switch(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise RulesetError("not_a_switch", path, value=shown(value))
    return value


def one_of(*allowed: Word) -> Callable[[object, str], Word]:
    """Return a reader of words or members of an enumeration."""

    def read(value: object, path: str) -> Word:
        for each in allowed:
            if value == each:
                return each
        raise RulesetError("not_a_choice", path, value=shown(value), choices=", ".join(allowed))

    return read


def words(*allowed: str) -> Callable[[object, str], tuple[str, ...]]:
    """Return a reader of lists of distinct allowed words; the result is in the order of `allowed`."""
    one = one_of(*allowed)

    def read(value: object, path: str) -> tuple[str, ...]:
        named: set[str] = set()
        for place, entry in enumerate(list_of(value, path)):
            found = one(entry, f"{path}[{place}]")
            if found in named:
                raise RulesetError("twice", f"{path}[{place}]", value=found)
            named.add(found)
        return tuple(name for name in allowed if name in named)

    return read


def text(longest: int, *, of_lines: bool = False) -> Callable[[object, str], str | None]:
    """Return a reader of plain text: stripped, with Unix line endings, None if empty."""

    def read(value: object, path: str) -> str | None:
        if not isinstance(value, str):
            raise RulesetError("not_text", path)
        written = value.replace("\r\n", "\n").strip() if of_lines else value.strip()
        if any(is_unreadable(sign) and not (of_lines and sign == "\n") for sign in written):
            raise RulesetError("not_text", path)
        if len(written) > longest:
            raise RulesetError("too_long", path, count=len(written), longest=longest)
        return written or None

    return read


def is_unreadable(sign: str) -> bool:
    """Return whether a character is a control or bidirectional formatting character."""
    return category(sign) in {"Cc", "Cs", "Zl", "Zp"} or sign in TURNING


def fields_of(value: object, path: str, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """Return the defined values of a table. `path` is empty for the whole rule set."""
    table = table_of(value, path or "ruleset")
    refuse_unknown(table, readers, path)
    return {
        name: reader(table[name], f"{path}.{name}" if path else name)
        for name, reader in readers.items()
        if table.get(name) is not None
    }


def complete(fields: dict[str, Any], path: str, *needed: str) -> dict[str, Any]:
    for name in needed:
        if fields.get(name) is None:
            raise RulesetError("incomplete", f"{path}.{name}")
    return fields


@cache
def ways_of(kind: type) -> Mapping[str, tuple[Reader, Writer]]:
    """Return the reader and writer that each field of a dataclass is annotated with.

    Without a writer, the value is written as it is. A field that names only a dataclass is a nested table.
    """
    return {
        name: (*hint.__metadata__, _plain)[:2]
        if get_origin(hint) is Annotated
        else (table_reader(get_args(hint)[0]), _plain)
        for name, hint in get_type_hints(kind, include_extras=True).items()
    }


def readers_of(kind: type) -> dict[str, Reader]:
    return {name: reader for name, (reader, _) in ways_of(kind).items()}


def table_reader(kind: Any) -> Reader:
    """Return a reader of tables as a dataclass; None for a table in which nothing is defined."""
    needed = [field.name for field in fields(kind) if field.default is MISSING]

    def read(value: object, path: str) -> Any:
        found = kind(**complete(fields_of(value, path, readers_of(kind)), path, *needed))
        return found if any(each is not None for each in vars(found).values()) else None

    return read


def write_table(value: Any) -> dict[str, Any]:
    """Return a dataclass as JSON values, without undefined fields."""
    kind: type = type(value)
    written = {name: write(getattr(value, name)) for name, (_, write) in ways_of(kind).items()}
    return {name: each for name, each in written.items() if each is not None}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return write_table(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.value if isinstance(value, StrEnum) else value

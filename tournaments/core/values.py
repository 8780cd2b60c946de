"""Single values of a format file: names, keys, numbers, ranks, points. Each reader raises WrongValueError."""

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

from scoring.core import TIEBREAKS, load_cards, parse_points
from scoring.core.points import shown
from tournaments.core.format import Names, Sizes
from tournaments.core.problems import WrongValueError, as_list

Choice = TypeVar("Choice", bound=str)

LANGUAGES = ("ja", "en")
MAX_NAME_LENGTH = 100
MAX_REMARK_LENGTH = 500
MAX_PLAYERS = 10_000
MAX_BLOCKS = 100
ORDERS = (*TIEBREAKS, "seed")
"""Tie-breaks a stage can use."""

_KEY = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_BLOCK = re.compile(r"[^\W_](?:[\w-]{0,18}[^\W_])?")
_RANKS = re.compile(r"([1-9][0-9]{0,4})(?:(-)([1-9][0-9]{0,4})?)?")
_FACTOR = re.compile(r"([0-9]{1,4})(?:/([1-9][0-9]{0,3}))?")


def text(most: int) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or not value.strip() or len(value) > most:
            raise WrongValueError("not_text", value=shown(value), most=most)
        return value.strip()

    return read


def names(most: int = MAX_NAME_LENGTH) -> Callable[[object], Names]:
    one = text(most)

    def read(value: object) -> Names:
        if isinstance(value, str):
            return dict.fromkeys(LANGUAGES, one(value))
        if not isinstance(value, dict) or not value or set(value) - set(LANGUAGES):
            raise WrongValueError("not_names")
        given = {language: one(name) for language, name in value.items()}
        return {language: given.get(language) or next(iter(given.values())) for language in LANGUAGES}

    return read


def key(value: object) -> str:
    if not isinstance(value, str) or not _KEY.fullmatch(value):
        raise WrongValueError("not_a_key", value=shown(value))
    return value


def keys(value: object) -> tuple[str, ...]:
    return tuple(key(each) for each in as_list(value))


def anything(value: object) -> object:
    return value


def block_key(value: object) -> str:
    if not isinstance(value, str) or not _BLOCK.fullmatch(value):
        raise WrongValueError("not_a_key", value=shown(value))
    return value


def whole_number(low: int, high: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise WrongValueError("not_whole", value=shown(value))
        if not low <= value <= high:
            raise WrongValueError("out_of_range", value=shown(value), low=low, high=high)
        return value

    return read


def points(low: int, high: int) -> Callable[[object], int]:
    """Return a reader of points between two bounds, in 1/1000 pt."""

    def read(value: object) -> int:
        try:
            found = parse_points(value)
        except ValueError as error:
            raise WrongValueError("not_points", value=shown(value)) from error
        if not low <= found <= high:
            raise WrongValueError("out_of_range", value=shown(value), low=low // 1000, high=high // 1000)
        return found

    return read


def factor(value: object) -> Fraction:
    """Read a fraction such as "1/2", above 0 and at most 1."""
    match = _FACTOR.fullmatch(str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    found = Fraction(int(match[1]), int(match[2] or 1)) if match else Fraction(0)
    if not 0 < found <= 1:
        raise WrongValueError("not_a_factor", value=shown(value))
    return found


def ranks(value: object) -> tuple[int, int | None]:
    """Return first and last rank of "3", "4-5" or "5-" (None: no upper limit)."""
    match = _RANKS.fullmatch(str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    if match is None:
        raise WrongValueError("not_ranks", value=shown(value))
    first = int(match[1])
    last = int(match[3]) if match[3] else None if match[2] else first
    if last is not None and last < first:
        raise WrongValueError("not_ranks", value=shown(value))
    return first, last


def one_of(choices: Iterable[Choice]) -> Callable[[object], Choice]:
    def read(value: object) -> Choice:
        for choice in choices:
            if value == choice:
                return choice
        raise WrongValueError("not_a_choice", value=shown(value), choices=", ".join(choices))

    return read


def tiebreak(value: object) -> tuple[str, ...]:
    return tuple(map(one_of(ORDERS), as_list(value)))


def ruleset(value: object) -> str:
    return one_of([card.key for card in load_cards()])(value)


def entrants(value: object) -> Sizes | tuple[int, ...]:
    number = whole_number(2, MAX_PLAYERS)
    if isinstance(value, dict) and set(value) == {"min", "max"}:
        low, high = number(value["min"]), number(value["max"])
        if low > high:
            raise WrongValueError("entrants_reversed", low=low, high=high)
        return Sizes(low, high)
    if isinstance(value, list) and value:
        return tuple(number(each) for each in value)
    if isinstance(value, (dict, list)):
        raise WrongValueError("not_entrants")
    return Sizes(number(value), number(value))


def blocks(value: object) -> dict[str, int | str | None]:
    if isinstance(value, dict) and 0 < len(value) <= MAX_BLOCKS:
        size = whole_number(2, MAX_PLAYERS)
        return {block_key(name): "rest" if room == "rest" else size(room) for name, room in value.items()}
    if isinstance(value, list) and 0 < len(value) <= MAX_BLOCKS:
        found: dict[str, int | str | None] = {}
        for name in value:
            if block_key(name) in found:
                raise WrongValueError("twice", key=name)
            found[name] = None
        return found
    if isinstance(value, int) and not isinstance(value, bool):
        return {str(number): None for number in range(1, whole_number(1, MAX_BLOCKS)(value) + 1)}
    raise WrongValueError("not_blocks")


def plain(value: Any) -> Any:
    """Return a TOML or JSON value as JSON values, with decimals as strings."""
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, (str, int)) else str(value)

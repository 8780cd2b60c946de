"""Rounding conventions of Japanese score sheets. The same name may be applied to different values."""

from collections.abc import Callable
from enum import StrEnum


class Mode(StrEnum):
    """How a remainder is rounded."""

    NONE = "none"
    FLOOR = "floor"
    CEIL = "ceil"  # rules of the Kyoto Jakuyukai, "精算"
    TRUNC = "trunc"  # Official rules of the Camarade League, "ウマのつけかた"
    AWAY = "away"
    HALF_UP = "half_up"  # 四捨五入
    HALF_DOWN = "half_down"  # 五捨六入, common in parlours
    HALF_AWAY = "half_away"  # logs of Tenhou before autumn 2023: 22,500 counts 23, −1,500 counts −2


class Basis(StrEnum):
    RAW = "raw"
    DIFF = "diff"


def round_to(value: int, unit: int, mode: Mode, basis: Basis) -> int:
    """Return `value` rounded to a multiple of `unit`, both in the same unit of measure.

    `floor` and `ceil` round down and up. `trunc` and `away` round toward and away from zero, and `half_away` rounds
    halves away from it. For `half_up` and `half_down`, up means the greater number if a raw score is rounded, and the
    greater magnitude if a difference is.
    """
    rounder = _BY_DIRECTION.get(mode)
    if rounder is None or (basis is Basis.DIFF and mode in _HALVES):
        magnitude = _BY_MAGNITUDE[mode](abs(value), unit)
        return magnitude if value >= 0 else -magnitude
    return rounder(value, unit)


def _floor(value: int, unit: int) -> int:
    return value // unit * unit


def _ceil(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _half_up(value: int, unit: int) -> int:
    return (2 * value + unit) // (2 * unit) * unit


def _half_down(value: int, unit: int) -> int:
    return -((unit - 2 * value) // (2 * unit)) * unit


def _same(value: int, _unit: int) -> int:
    return value


_HALVES = frozenset({Mode.HALF_UP, Mode.HALF_DOWN})

_BY_DIRECTION: dict[Mode, Callable[[int, int], int]] = {
    Mode.NONE: _same,
    Mode.FLOOR: _floor,
    Mode.CEIL: _ceil,
    Mode.HALF_UP: _half_up,
    Mode.HALF_DOWN: _half_down,
}

_BY_MAGNITUDE: dict[Mode, Callable[[int, int], int]] = {
    Mode.TRUNC: _floor,
    Mode.AWAY: _ceil,
    Mode.HALF_AWAY: _half_up,
    Mode.HALF_UP: _half_up,
    Mode.HALF_DOWN: _half_down,
}

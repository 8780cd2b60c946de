"""Points as text: integers of 1/1000 pt inside, exact decimals outside."""

from decimal import Context, Decimal, Inexact, InvalidOperation
from reprlib import Repr

POINT = 1000
"""One point (1 pt) in 1/1000 pt; also the points of sticks per point."""

MAX_POINTS = 10**12
"""Above any amount in rule sets and results; larger ones are mistakes."""

THOUSANDTH = Decimal("0.001")

EXACTLY = Context(prec=28, traps=[Inexact, InvalidOperation])
"""A decimal context that raises an error rather than round."""

_BRIEF = Repr()
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 60


def shown(value: object) -> str:
    """Return a value for an error message, shortened if it is long or nested."""
    return _BRIEF.repr(value)


def parse_points(value: object) -> int:
    """Return an amount such as `"21.7"`, `5` or `Decimal("-0.5")` in 1/1000 pt.

    Raise ValueError if it is not a multiple of 1/1000 pt.
    """
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        message = f"not a number of points: {shown(value)}"
        raise ValueError(message)
    try:
        number = Decimal(value)
    except InvalidOperation as error:
        message = f"not a number of points: {shown(value)}"
        raise ValueError(message) from error
    if not number.is_finite() or number.copy_abs() > MAX_POINTS:
        message = f"not a number of points: {shown(value)}"
        raise ValueError(message)
    try:
        exact = number.quantize(THOUSANDTH, context=EXACTLY)
    except Inexact as error:
        message = f"finer than 0.001 pt: {shown(value)}"
        raise ValueError(message) from error
    return int(exact.scaleb(3))


def format_points(points: int, *, decimals: int = 0) -> str:
    """Return an amount in 1/1000 pt as its shortest exact decimal, with at least `decimals` decimals."""
    sign = "-" if points < 0 else ""
    whole, thousandths = divmod(abs(points), POINT)
    fraction = f"{thousandths:03d}".rstrip("0").ljust(decimals, "0")
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"

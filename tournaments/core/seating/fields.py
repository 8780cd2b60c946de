"""Finite groups and fields for the constructions: sums and products of the elements 0..n-1."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

Operation = Callable[[int, int], int]

_POLYNOMIALS = {
    4: (2, 0b111),
    8: (2, 0b1011),
    9: (3, 10),
    16: (2, 0b10011),
    25: (5, 27),
    27: (3, 34),
    32: (2, 0b100101),
    49: (7, 50),
}
"""Prime and irreducible polynomial of each field that is no prime; digits to the base of the prime, constant last."""


@dataclass(frozen=True, slots=True)
class Group:
    """An Abelian group on 0..order-1; `times` is there when it is a field."""

    order: int
    plus: Operation
    times: Operation | None = None


def integers_modulo(order: int) -> Group:
    def plus(one: int, other: int) -> int:
        return (one + other) % order

    def times(one: int, other: int) -> int:
        return one * other % order

    return Group(order, plus, times if is_prime(order) else None)


def two_by_six() -> Group:
    """Return the group Z2 x Z6 with the element (a, b) written a + 2b."""

    def plus(one: int, other: int) -> int:
        return (one + other) % 2 + (one // 2 + other // 2) % 6 * 2

    return Group(12, plus)


@cache
def group_of(order: int) -> Group:
    """Return a field of this order where there is one, else the group on which difference matrices are known."""
    if order in _POLYNOMIALS:
        return _field(order, *_POLYNOMIALS[order])
    return two_by_six() if order == 12 else integers_modulo(order)


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _field(order: int, prime: int, polynomial: int) -> Group:
    """Return the field of a prime power; elements are polynomials, their coefficients the digits to the base of the prime."""

    def plus(one: int, other: int) -> int:
        total, weight = 0, 1
        while one or other:
            total += (one + other) % prime * weight
            one, other, weight = one // prime, other // prime, weight * prime
        return total

    def multiple(element: int, times: int) -> int:
        return 0 if times == 0 else plus(element, multiple(element, times - 1))

    # The top power equals minus the rest of the polynomial.
    reduced = multiple(polynomial - order, prime - 1)

    def product(one: int, other: int) -> int:
        if other == 0:
            return 0
        top, rest = divmod(product(one, other // prime) * prime, order)
        return plus(plus(rest, multiple(reduced, top)), multiple(one, other % prime))

    sums = [[plus(one, other) for other in range(order)] for one in range(order)]
    products = [[product(one, other) for other in range(order)] for one in range(order)]
    return Group(order, lambda one, other: sums[one][other], lambda one, other: products[one][other])

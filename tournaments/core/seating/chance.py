"""Chance that can be repeated: every draw and every search follows a published seed."""

from random import Random


def chance(seed: int, *purpose: int | str) -> Random:
    return Random(":".join(map(str, (seed, *purpose))))  # noqa: S311 - a draw to be repeated, not a secret

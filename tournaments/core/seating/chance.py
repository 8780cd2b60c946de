"""Chance that can be repeated: every draw and every search follows a published seed."""

from random import Random


def chance(seed: int, *purpose: int | str) -> Random:
    """Return a source of chance that is the same on every machine for the same seed and purpose."""
    return Random(":".join(map(str, (seed, *purpose))))  # noqa: S311 - a draw to be repeated, not a secret

import sys
import time
from collections.abc import Sequence
from io import TextIOBase
from pathlib import Path
from typing import TextIO

from django.contrib.auth.models import User
from django.core.management.base import CommandError, OutputWrapper

from league.models import League
from league.selectors.addresses import league_at
from league.services.boards import OnProgress, Progress

LINE_EVERY = 2.0
"""Seconds between progress lines."""


def is_text(word: str) -> bool:
    """Return whether a command-line argument can be a name; undecodable bytes and control characters cannot."""
    return word.isprintable()


def find_league(slug: str) -> League:
    """Return the league with this slug, current or former. Raise CommandError that lists the existing ones."""
    league = league_at(slug) if is_text(slug) else None
    if league is None:
        known = ", ".join(League.objects.order_by("slug").values_list("slug", flat=True)) or "none"
        raise CommandError(f"There is no league {slug!r}. Known leagues: {known}.")
    return league


def find_leagues(slugs: Sequence[str]) -> list[League]:
    if slugs:
        return [find_league(slug) for slug in slugs]
    return list(League.objects.order_by("slug"))


def find_user(name: str | None) -> User | None:
    """Return the user with this name; None for None. Raise CommandError if there is none."""
    if name is None:
        return None
    user = User.objects.filter(username=name).first() if is_text(name) else None
    if user is None:
        raise CommandError(f"There is no user {name!r}. Create one with: manage.py createsuperuser")
    return user


def progress_line(label: str, stream: TextIO | TextIOBase | OutputWrapper) -> OnProgress:
    """Return a progress callback that writes a line every two seconds, and at the end."""
    drawn = time.monotonic()

    def write(progress: Progress) -> None:
        nonlocal drawn
        now = time.monotonic()
        if progress.done == progress.total or now - drawn >= LINE_EVERY:
            drawn = now
            stream.write(f"{label} {progress.done}/{progress.total} {progress.item}\n")

    return write


def content_of(name: str, most: int) -> bytes:
    """Return a file's content, or stdin for "-"; at most `most` + 1 bytes, so that a larger file can be detected."""
    if name == "-":
        return sys.stdin.buffer.read(most + 1)
    with Path(name).open("rb") as file:
        return file.read(most + 1)

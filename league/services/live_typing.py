"""What is being typed at a table right now, for the second phone there. It is a courtesy: a cache that is down shows nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import time
from typing import Any

from django.core.cache import cache

from league.models import Session

FORGOTTEN_AFTER = 90
"""Seconds after the last digit."""


@dataclass(frozen=True, slots=True)
class LiveTyping:
    """The scores as typed so far, first dealer first, with the names; `age` in seconds."""

    scores: tuple[str, ...]
    names: tuple[str, ...]
    age: int

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each name with the score that is typed behind it."""
        return list(zip(self.names, self.scores, strict=True))


def note_typing(session: Session, table: int, device: str, scores: Mapping[str, str]) -> None:
    """Remember what a phone has typed: the scores by the name of whoever holds them."""
    said = {"device": device, "scores": list(scores.values()), "names": list(scores), "at": time()}
    cache.set(_key(session, table), said, FORGOTTEN_AFTER)


def forget_typing(session: Session, table: int) -> None:
    """Forget what was typed at a table: it was saved."""
    cache.delete(_key(session, table))


def typed_elsewhere(session: Session, table: int, device: str) -> LiveTyping | None:
    """Return what another phone than `device` is typing, if any score is there already."""
    said: dict[str, Any] | None = cache.get(_key(session, table))
    if said is None or said["device"] == device or not any(said["scores"]):
        return None
    return LiveTyping(tuple(said["scores"]), tuple(said["names"]), max(0, int(time() - said["at"])))


def _key(session: Session, table: int) -> str:
    return f"typing:{session.pk}:{table}"

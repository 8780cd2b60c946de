"""What is being typed at a table right now, for the second phone there. It is a courtesy: a cache that is down shows nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import time
from typing import Any

from django.core.cache import caches

from league.models import Session

FORGOTTEN_AFTER = 90
"""Seconds after the last digit."""


@dataclass(frozen=True, slots=True)
class LiveTyping:
    """The scores as typed so far, first dealer first, with the names; `age` in seconds."""

    scores: tuple[str, ...]
    names: tuple[str, ...]
    age: int


@dataclass(frozen=True, slots=True)
class TypingPlace:
    """The round of a table that somebody types."""

    session: Session
    table: int
    round: int

    @property
    def key(self) -> str:
        return f"typing:{self.session.pk}:{self.table}:{self.round}"


def note_typing(place: TypingPlace, device: str, names: Sequence[str], scores: Sequence[str]) -> None:
    """Remember what a phone has typed: the scores, and under which names the other phones show them."""
    said = {"device": device, "scores": list(scores), "names": list(names), "at": time()}
    caches["notes"].set(place.key, said, FORGOTTEN_AFTER)


def forget_typing(place: TypingPlace) -> None:
    """Forget what was typed: it was saved."""
    caches["notes"].delete(place.key)


def typed_elsewhere(place: TypingPlace, device: str) -> LiveTyping | None:
    """Return what another phone than `device` is typing, if any score is there already."""
    said: dict[str, Any] | None = caches["notes"].get(place.key)
    if said is None or said["device"] == device or not any(said["scores"]):
        return None
    return LiveTyping(tuple(said["scores"]), tuple(said["names"]), max(0, int(time() - said["at"])))

"""What there is to tell of an evening, in names as everybody reads them. Points are in 1/1000 pt."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outstanding:
    """The hanchan in which somebody took the most points; `raw` where it is known."""

    name: str
    round: int
    points: int
    raw: int | None


@dataclass(frozen=True, slots=True)
class RankShift:
    """Somebody whose rank on a board is another than before the evening."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class EveningFacts:
    """An evening that is over: who came `first`, with how many points, after how many hanchan, and what else to tell."""

    first: tuple[str, ...]
    points: int
    hanchan: int
    best: Outstanding | None = None
    changes: tuple[RankShift, ...] = ()

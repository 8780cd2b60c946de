from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from league.models import League

DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class Difference:
    """A stored value that does not follow from the facts, or a fact that differs from the history.

    `row`: such as "hanchan 12 seat 3"; `why`: the problem, if no expected value is known.
    """

    row: str
    column: str
    stored: object
    expected: object
    is_fact: bool = False
    why: str = ""

    def __str__(self) -> str:
        if self.why and self.stored == "":
            return f"{self.row}: {self.why}"
        source = "the history has" if self.is_fact else "the facts give"
        return f"{self.row}: {self.column} is {self.stored!r}, {self.why or f'{source} {self.expected!r}'}"


@dataclass(slots=True)
class ProofTally:
    """Count and digest of everything checked. Equal digests mean equal expected values."""

    on_count: Callable[[int], None] = lambda count: None
    count: int = 0
    _digest: "blake2b" = field(default_factory=lambda: blake2b(digest_size=DIGEST_BYTES))

    def add(self, *values: object) -> None:
        self.count += 1
        self._digest.update(repr(values).encode())
        self.on_count(self.count)

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Proof:
    """A check of derived data; `check` yields differences and reads in chunks.

    `counted`: plural noun for the output. `repair` recalculates derived values, never facts; None if there is no
    repair.
    """

    name: str
    counted: str
    check: Callable[[League, ProofTally], Iterator[Difference]]
    repair: Callable[[League], object] | None = None

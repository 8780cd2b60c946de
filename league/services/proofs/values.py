"""What a proof is, what it counts, and what it finds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from league.models import League

DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is stored and does not follow from the facts, or a fact that is not the one that was entered.

    `row` names where it stands, such as "hanchan 12 seat 3"; `why` says it where no other value is known to be right.
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
    """What a proof has looked at: how many, and a digest of what the facts give. Equal digests: equal values."""

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
    """One kind of thing that is proven of a league: `check` yields what differs and reads slice by slice.

    `counted` is what it counts, in a word. `repair` works the derived values out again where that is needed; it never
    touches a fact. Without it there is nothing that can be repaired.
    """

    name: str
    counted: str
    check: Callable[[League, ProofTally], Iterator[Difference]]
    repair: Callable[[League], object] | None = None

"""What else can be done at a table beside entering its result: told by apps that the league knows nothing of."""

from collections.abc import Callable
from dataclasses import dataclass

from league.http.entry_context import EntryContext


@dataclass(frozen=True, slots=True)
class BesideEntry:
    """A link on the entry page of a table."""

    label: str
    url: str


Teller = Callable[[EntryContext], BesideEntry | None]

tellers: list[Teller] = []
"""Who is asked, once for each entry page of a planned table; None says that there is nothing at it."""


def register_beside_entry(teller: Teller) -> None:
    """Let the entry page of every planned table ask."""
    if teller not in tellers:
        tellers.append(teller)


def beside_entry(context: EntryContext) -> list[BesideEntry]:
    """Return the links for a table."""
    return [found for teller in tellers if (found := teller(context)) is not None]

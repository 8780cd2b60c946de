"""What is asked about a result before it is stored: what is saved or planned beside what is typed, and the ways out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from urllib.parse import urlencode

from django.urls import reverse

from league.core.repeats import Likeness
from league.forms.entry.page import EntryPage
from league.http.entry_context import EntryContext
from league.messages import plain_name
from league.models import Hanchan
from league.selectors.games import seats_of
from league.services.results import OtherPeopleError, SameResultError


@dataclass(frozen=True, slots=True)
class ComparedSeat:
    """A player of the saved hanchan or of the one that is typed, with both raw scores; None where they sit in one only."""

    name: str
    saved: int | None
    typed: int | None

    @property
    def differs(self) -> bool:
        return self.saved != self.typed


@dataclass(frozen=True, slots=True)
class SameResult:
    """What may be the same hanchan. `url`: its receipt, `correct_url`: its correction as typed; empty where not for the reader."""

    hanchan: Hanchan
    likeness: Likeness
    seats: tuple[ComparedSeat, ...]
    url: str
    correct_url: str


def same_result(context: EntryContext, error: SameResultError, page: EntryPage) -> SameResult:
    """Return the question as a page shows it. One query."""
    existing = error.existing
    context.hide_names(seat.player for seat in seats_of(existing))
    return SameResult(
        hanchan=existing,
        likeness=error.likeness,
        seats=tuple(_compared(existing, page)),
        url=context.receipt_url(existing) if context.holds(existing) else "",
        correct_url="" if context.is_link else _correction(existing, page),
    )


@dataclass(frozen=True, slots=True)
class OtherPeople:
    """Who is planned for a round of a table beside who is typed, as names of seats; no names where nothing is planned."""

    table: int
    round: int
    seats: tuple[tuple[str, str], ...]

    @classmethod
    def asked(cls, error: OtherPeopleError, typed: Iterable[str]) -> OtherPeople:
        seats = zip_longest(map(plain_name, error.planned), typed, fillvalue="")
        return cls(error.table, error.round, tuple(seats))


def other_people(context: EntryContext, error: OtherPeopleError, page: EntryPage) -> OtherPeople:
    """Return the question as whoever enters the result may read it."""
    context.hide_names(error.planned)
    return OtherPeople.asked(error, page.form.names)


def _compared(existing: Hanchan, page: EntryPage) -> Iterator[ComparedSeat]:
    """Yield everybody who is typed in order of the seats, then who sits in the saved one instead."""
    saved = {seat.player_id: seat for seat in seats_of(existing)}
    for seat, person in enumerate(page.form.people):
        known = saved.pop(getattr(person, "pk", 0), None)
        yield ComparedSeat(page.form.names[seat], known.raw_score if known else None, page.form.reading.raw[seat])
    for each in saved.values():
        yield ComparedSeat(plain_name(each.player), each.raw_score, None)


def _correction(existing: Hanchan, page: EntryPage) -> str:
    """Return the address of the correction with the people and scores of this page filled in."""
    names = [f"{kind}_{seat}" for seat in page.table.seats for kind in ("player", "raw")]
    typed = {name: str(page.form[name].value() or "") for name in (*names, "sticks_left")}
    url = reverse("league:correct", args=[existing.league.slug, existing.pk])
    return f"{url}?{urlencode(typed)}"

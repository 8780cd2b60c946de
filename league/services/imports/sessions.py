"""Sessions for a file's games: matching the league's, creating new ones, and numbering tables and rounds."""

import re
import secrets
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from operator import attrgetter, itemgetter

from django.db.models import BigIntegerField
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from league.core import limits
from league.core.imports.games import ImportNote, SessionRef
from league.core.readings import folded
from league.models import Hanchan, League, Revision, RulesetVersion, Seat, Session
from league.services.calendar import session_snapshot
from league.services.history import WRITTEN_TOGETHER, Actor, Change, write_revisions
from league.services.session_numbers import called_by_number, keep_numbers, move_numbers, right_numbers

_NUMBERED = re.compile(r"(?:第\s*)?(\d{1,6})\s*(?:節|回|回戦)?|session\s*(\d{1,6})", re.IGNORECASE | re.ASCII)


def number_in(label: str) -> int | None:
    """Return the number in a label such as 第3節, Session 3 or 3; None if the label is a title."""
    found = _NUMBERED.fullmatch(unicodedata.normalize("NFKC", label).strip())
    number = int(found[1] or found[2]) if found else 0
    return number or None


StoredResults = dict[frozenset[tuple[int, int]], set[int]]


def results_in(sessions: Iterable[int | None], by: str = "raw_score") -> StoredResults:
    """Return the sessions of valid hanchan, by their sets of (player, score), points where none is stored. One query."""
    rows = Seat.objects.filter(hanchan__session__in=sessions).valid().order_by("hanchan")
    tables: dict[tuple[int, int], list[tuple[int, int]]] = {}
    has = rows.annotate(has=Coalesce(by, "points", output_field=BigIntegerField()))
    for hanchan, session, player, score in has.values_list("hanchan", "hanchan__session", "player", "has"):
        tables.setdefault((hanchan, session), []).append((player, score))
    results: StoredResults = {}
    for (_hanchan, session), scores in tables.items():
        results.setdefault(frozenset(scores), set()).add(session)
    return results


@dataclass(slots=True)
class SessionTarget:
    """The session of some games: an existing one, or an unsaved one to create from `ref`."""

    ref: SessionRef
    session: Session
    problem: ImportNote | None = None


@dataclass(slots=True)
class SessionTargets:
    """The sessions in a file, matched with those of the league. One query.

    `is_apart`: sessions under other rules than the chosen ones are not used.
    """

    league: League
    chosen: RulesetVersion | None
    is_apart: bool = False
    found: dict[Hashable, SessionTarget] = field(default_factory=dict)
    by_day: dict[date, list[Session]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for session in self.league.sessions.kept().select_related("ruleset_version__ruleset").order_by("number"):
            session.league = self.league
            self.by_day.setdefault(session.date, []).append(session)

    def place_of(self, ref: SessionRef) -> SessionTarget:
        # 第1節, Session 1 and 1 mean the same session.
        name = (ref.day, number_in(ref.label) or folded(ref.label))
        if name not in self.found:
            self.found[name] = self._looked_up(ref)
        return self.found[name]

    def _looked_up(self, ref: SessionRef) -> SessionTarget:
        on_that_day = self.by_day.get(ref.day, [])
        if ref.label:
            on_that_day = [session for session in on_that_day if _is_called(session, ref.label)]
        if self.chosen is not None and (self.is_apart or len(on_that_day) > 1):
            alike = [session for session in on_that_day if session.ruleset_version_id == self.chosen.pk]
            on_that_day = alike if alike or self.is_apart else on_that_day
        if len(on_that_day) == 1:
            return SessionTarget(ref, on_that_day[0])
        unclear = ImportNote("session_unclear", {"date": ref.day.isoformat(), "count": len(on_that_day)})
        version = self.chosen or self._rules_on(ref.day)
        new = Session(league=self.league, ruleset_version=version, date=ref.day, tables=1)
        return SessionTarget(ref, new, unclear if on_that_day else None)

    def _rules_on(self, day: date) -> RulesetVersion | None:
        """Return the rules of the league's session before a day, the next one's if none is before, or those in use after all."""
        days = sorted(each for each, found in self.by_day.items() if any(not session.title for session in found))
        if not days or day > days[-1]:
            return self.league.current_version
        near = max((each for each in days if each <= day), default=days[0])
        return next(session.ruleset_version for session in self.by_day[near] if not session.title)


def _is_called(session: Session, label: str) -> bool:
    if session.title:
        number = number_in(session.title)
        return folded(session.title) == folded(label) or (number is not None and number == number_in(label))
    return session.number == number_in(label) or folded(str(session)) == folded(label)


def make_sessions(
    league: League, places: list[SessionTarget], today: date, by: Actor, *, by_date: bool = False
) -> tuple[list[Session], list[tuple[int, int]]]:
    """Create the missing sessions, oldest first; return them, and the sessions whose typed numbers were given up, with these.

    If numbering by date would renumber existing sessions with results, all keep their numbers, unless `by_date` is set.
    """
    made, right = _by_date(league, places, today)
    moved, freed = _moved(right), list[tuple[int, int]]()
    if not by_date and _are_played(moved):
        keep_numbers(league)
        made = _planned(league, places, today, by_date=False)
    else:
        by_day = [each.pk for each, _ in right if each.pk is not None and not each.number_typed]
        given_up = league.sessions.filter(pk__in=by_day, number_typed=True)
        freed += given_up.values_list("pk", "number")
        move_numbers({each.pk: number for each, number in moved}, {each.number for each, _ in right})
        for session, number in right:
            session.number = number
        given_up.update(number_typed=False)
    Session.objects.bulk_create(made, WRITTEN_TOGETHER)
    changes = [(session, Change(Revision.Action.CREATED, after=session_snapshot(session))) for session in made]
    write_revisions(league, changes, by)
    return made, freed


def renumbered(league: League, places: Iterable[SessionTarget], today: date) -> list[tuple[Session, int]]:
    """Return the existing sessions that would get another number; none if none of them has results."""
    moved = _moved(_by_date(league, places, today)[1])
    return moved if _are_played(moved) else []


def _moved(right: Iterable[tuple[Session, int]]) -> list[tuple[Session, int]]:
    """Return the existing sessions that get another number."""
    return [(each, number) for each, number in right if each.pk is not None and each.number != number]


def _are_played(moved: Iterable[tuple[Session, int]]) -> bool:
    return Hanchan.objects.valid().filter(session__in=[session for session, _number in moved]).exists()


def _by_date(
    league: League, places: Iterable[SessionTarget], today: date
) -> tuple[list[Session], list[tuple[Session, int]]]:
    """Return the sessions to create, and all numbered sessions with the numbers they have by date.

    A number in the file counts as typed only if it differs from the order of dates; those of the league only if the
    file has no earlier sessions or they leave the numbers in order.
    """
    planned = _planned(league, places, today, by_date=True)
    new, old = [session for session in planned if not session.title], called_by_number(league)
    said, typed = ([each for each in some if each.number_typed] for some in (new, old))
    right = _without_typed(league, [*old, *new], said)
    if any(each.number != number for each, number in right if each in said):
        for session in said:
            session.number_typed = True
        right = right_numbers(league, [*old, *new])
    is_amid = bool(new and old) and min(each.date for each in new) < max(each.date for each in old)
    if is_amid and typed and not _is_in_order(right):
        # A league that counts from 10 goes on doing so.
        begins = min(typed, key=attrgetter("date", "number"))
        free = [each for each in typed if each is not begins or begins.number > min(each.number or 0 for each in typed)]
        freed = _without_typed(league, [*old, *new], free)
        if _is_in_order(freed) and _are_played(_moved(freed)):
            return planned, freed
        for session in typed:
            session.number_typed = True
    return planned, right


def _without_typed(league: League, sessions: Iterable[Session], free: Iterable[Session]) -> list[tuple[Session, int]]:
    for session in free:
        session.number_typed = False
    return right_numbers(league, sessions)


def _is_in_order(right: Sequence[tuple[Session, int]]) -> bool:
    return [*right] == sorted(right, key=itemgetter(1))


def _planned(league: League, places: Iterable[SessionTarget], today: date, *, by_date: bool) -> list[Session]:
    """Return the sessions to create, oldest first, with the number in the file or a free one."""
    taken = {each.number for each in called_by_number(league) if each.number_typed or not by_date}
    in_order = sorted(places, key=lambda each: (each.ref.day, number_in(each.ref.label) or 0))
    wanted = {number_in(place.ref.label) or 0 for place in in_order}
    for place in in_order:
        said, session = number_in(place.ref.label), place.session
        number = said or max(taken | wanted, default=0) + 1
        title = _title(place.ref, number, is_taken=said in taken)
        if not title:
            taken.add(number)
        session.number, session.title = number, title
        session.number_typed = not title and (bool(said) or not by_date)
        session.key = f"s-{secrets.token_hex(6)}"
        session.state = Session.State.CLOSED if session.date < today else Session.State.OPEN
    return [place.session for place in in_order]


def _title(ref: SessionRef, number: int, *, is_taken: bool) -> str:
    if number_in(ref.label) is None:
        return ref.label
    # The number is all it is called by; if that is taken, it becomes part of a title.
    return gettext("Session %(number)s") % {"number": number} if is_taken else ""


@dataclass(slots=True)
class Numbering:
    """Tables and rounds in use per session, to number the games that have none."""

    taken: set[tuple[Hashable, int, int]] = field(default_factory=set)
    highest: dict[tuple[Hashable, int], int] = field(default_factory=dict)

    def place(self, session: Hashable, table: int | None, number: int | None) -> tuple[int, int]:
        """Return a game's table and round, and mark them as taken.

        Without a round, the next one at the table; without a table, the first one free in the round.
        """
        if number is None:
            table = table or 1
            number = min(self.highest.get((session, table), 0) + 1, limits.MAX_ROUND)
        elif table is None:
            table = next(free for free in range(1, limits.MAX_TABLE + 1) if (session, free, number) not in self.taken)
        self.take(session, table, number)
        return table, number

    def take(self, session: Hashable, table: int, number: int) -> None:
        self.taken.add((session, table, number))
        self.highest[session, table] = max(number, self.highest.get((session, table), 0))


def numbering_of(places: list[SessionTarget]) -> Numbering:
    """Return the tables and rounds that are used in the sessions. One query."""
    numbering = Numbering()
    rows = Hanchan.objects.valid().filter(session__in=[place.session.pk for place in places])
    for session, table, number in rows.order_by().values_list("session", "table", "round"):
        numbering.take(session, table, number)
    return numbering

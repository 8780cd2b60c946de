"""Open tasks of organisers after a session: missing, held and unconfirmed results, and similar names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from league.core.numbers import small_number
from league.core.readings import alike
from league.models import Hanchan, HeldResult, League, PlannedSeat, Player, Seat, Session
from league.models.plans import EVERY_ROUND
from league.selectors.planning import unplayed_plans

LOOKED_AT = 20
"""Open planned sessions to search for missing results."""

LATE = timedelta(hours=24)
"""A result that a phone sends later than this was probably left unsent over night."""


@dataclass(frozen=True, slots=True)
class MissingResults:
    session: Session
    tables: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        return len(self.tables)

    @property
    def first_table(self) -> int:
        return self.tables[0][1]


def missing_results(league: League, today: date, most: int = LOOKED_AT) -> tuple[MissingResults, ...]:
    """Return the latest open sessions with planned tables without a result. One query, and two per session.

    Today's session is only searched for rounds before the current one. `most`: number of sessions to search.
    """
    sessions = planned_sessions(league, today).order_by("-date", "-number")[:most]
    found = [MissingResults(session, tuple(_missing(session, today))) for session in sessions]
    return tuple(each for each in found if each.tables)


def planned_sessions(league: League, today: date) -> QuerySet[Session]:
    open_ones = league.sessions.filter(state=Session.State.OPEN, date__lte=today)
    return open_ones.filter(Exists(PlannedSeat.objects.filter(session=OuterRef("pk"))))


def _missing(session: Session, today: date) -> Iterator[tuple[int, int]]:
    under_way: int | None = None
    if session.date == today:
        under_way = session.hanchan.valid().aggregate(latest=Max("round"))["latest"] or 0
    for number, plans in unplayed_plans(session):
        if under_way is not None and (number == EVERY_ROUND or number >= under_way):
            continue
        for _, table, _ in plans:
            yield number, table


@dataclass(frozen=True, slots=True)
class HeldResultSummary:
    """A held result with the names and scores that can be read from it, as text."""

    held: HeldResult
    lines: tuple[tuple[str, str], ...]
    note: str

    @property
    def is_late(self) -> bool:
        """Whether it was sent more than a day after it was entered."""
        return self.held.entered_at is not None and self.held.received_at - self.held.entered_at > LATE


def held_results(league: League) -> list[HeldResultSummary]:
    """Return the held results that are still open, oldest first. Two queries."""
    pending = league.held_results.filter(settled_at=None).select_related("session").order_by("pk")
    return held_results_as_typed(league, pending)


def held_results_as_typed(league: League, held: Iterable[HeldResult]) -> list[HeldResultSummary]:
    held = list(held)
    keys = {small_number(_field(each, f"player_{seat}"), 0) for each in held for seat in range(4)}
    known = league.players.in_bulk(keys)
    return [HeldResultSummary(each, tuple(_lines(each, known)), _field(each, "note")) for each in held]


def _lines(held: HeldResult, known: dict[int, Player]) -> Iterator[tuple[str, str]]:
    for seat in range(4):
        player = known.get(small_number(_field(held, f"player_{seat}"), 0))
        name = player.name if player is not None else _field(held, f"guest_{seat}")
        score = _field(held, f"raw_{seat}")
        if name or score:
            yield name, score


def _field(held: HeldResult, name: str) -> str:
    texts = held.typed.get(name) if isinstance(held.typed, dict) else None
    return str(texts[0]).strip() if isinstance(texts, list) and texts else ""


@dataclass(frozen=True, slots=True)
class UnconfirmedResults:
    session: Session
    count: int


def unconfirmed(league: League) -> tuple[UnconfirmedResults, ...]:
    """Return sessions with unconfirmed results, latest first. Two queries, one if there are none."""
    pending = Hanchan.objects.filter(league=league).awaiting().order_by().values("session")
    counts = dict(pending.annotate(count=Count("pk")).values_list("session", "count"))
    sessions = league.sessions.filter(pk__in=counts).order_by("-date", "-number") if counts else ()
    return tuple(UnconfirmedResults(session, counts[session.pk]) for session in sessions)


@dataclass(frozen=True, slots=True)
class SimilarName:
    """A guest who may be an existing player."""

    guest: Player
    other: Player


def similar_names(league: League) -> tuple[SimilarName, ...]:
    """Return guests whose name or reading resembles a player they never met. Three queries, one if there are none."""
    players = league.players.active().filter(is_active=True).prefetch_related("aliases").order_by("is_guest", "pk")
    by_name: dict[str, list[Player]] = defaultdict(list)
    found: dict[int, SimilarName] = {}
    for player in players:
        names = {alike(text) for text in (player.name, player.kana, *(a.name for a in player.aliases.all())) if text}
        if player.is_guest:
            others = (other for name in sorted(names) for other in by_name[name])
            if (other := next(others, None)) is not None:
                found[player.pk] = SimilarName(player, other)
        for name in names:
            by_name[name].append(player)
    met = _met(found.values())
    return tuple(each for each in found.values() if (each.guest.pk, each.other.pk) not in met)


def _met(pairs: Collection[SimilarName]) -> set[tuple[int, int]]:
    """Return the pairs that have sat at the same table, and so are different people. One query."""
    people = {each.guest.pk for each in pairs} | {each.other.pk for each in pairs}
    tables: dict[int, set[int]] = defaultdict(set)
    shared = Seat.objects.filter(Q(player__in=people)).order_by().values_list("hanchan", "player")
    for hanchan, player in shared:
        tables[hanchan].add(player)
    wanted = {(each.guest.pk, each.other.pk) for each in pairs}
    return {pair for pair in wanted if any(set(pair) <= seated for seated in tables.values())}

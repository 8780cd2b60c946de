from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse

from accounts.models import Notice, NoticeKind
from accounts.selectors.notices import News, NoticeSource
from league.core.kept_states import readable_state
from league.core.periods import written_time
from league.models import Confirmation, Hanchan, League, PlannedSeat, Revision, Seat, Session
from league.permissions import JUDGE, MAY
from league.selectors.history import UNDONE
from league.selectors.sessions import entrants

PLAYED_WITHIN = timedelta(days=7)
"""Older results are assumed to be imported, and cause no notices."""

CORRECTIONS = (Revision.Action.CORRECTED, Revision.Action.VOIDED, Revision.Action.RESTORED)
JUDGES = tuple(role for role, may in MAY.items() if JUDGE in may)
"""Roles that decide disputes."""


def evening_facts(session: Session) -> dict[str, Any]:
    return {
        "title": session.title,
        **({"title_en": session.title_en} if session.title_en else {}),
        "number": session.number,
        "date": session.date.isoformat(),
        "time": written_time(session.start_time),
        "venue": session.venue,
    }


def _coming(league: League, numbers: Collection[int], now: datetime) -> Iterator[Session]:
    yield from league.sessions.filter(pk__in=numbers, date__gte=league.day_of(now)).exclude(state=Session.State.CLOSED)


def _announced(league: League, numbers: Collection[int], now: datetime) -> Iterator[News]:
    members, plays = list(league.members.values_list("user", flat=True)), entrants(numbers)
    users = dict(league.players.filter(user__in=members).values_list("pk", "user")) if plays else {}
    for session in _coming(league, numbers, now):
        here = [users[pk] for pk, there in plays.get(session.pk, {}).items() if there and pk in users]
        facts = evening_facts(session) | {"off": session.state == Session.State.WITHDRAWN}
        path = reverse("league:session", args=[league.slug, session.pk])
        yield from (
            News(user, session.pk, facts, path, session.pk) for user in (here if session.pk in plays else members)
        )


def _seats(league: League, numbers: Collection[int], now: datetime) -> Iterator[News]:
    coming = {each.pk: each for each in _coming(league, numbers, now)}
    open_ones = [each for each in coming.values() if each.state == Session.State.OPEN]
    drawn = PlannedSeat.objects.filter(session__in=open_ones).exclude(player__user=None)
    places: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
    for session, user, *place in drawn.values_list("session", "player__user", "round", "table", "seat"):
        places[session, user].append(place)
    for number, user in [*places, *sorted(_told_of_a_seat(league, coming) - set(places))]:
        held = sorted(places[number, user])
        facts = evening_facts(coming[number]) | {"places": held} | ({} if held else {"off": True})
        yield News(user, number, facts, reverse("league:session", args=[league.slug, number]), number)


def _told_of_a_seat(league: League, coming: Mapping[int, Session]) -> set[tuple[int, int]]:
    """Return (session, user) pairs that were notified of a seat, and so must be notified if it is cancelled."""
    before = Notice.objects.filter(league=league, kind=NoticeKind.SEAT, subject__in=coming, waits=False)
    told = set(before.values_list("subject", "user"))
    off = {number for number, each in coming.items() if each.state != Session.State.OPEN}
    members = set(league.members.values_list("user", flat=True)) if off else set()
    return {(number, user) for number, user in told if number not in off or user not in members}


def _played(league: League, numbers: Collection[int], now: datetime) -> list[Hanchan]:
    recent = Hanchan.objects.filter(league=league, pk__in=numbers, played_at__gte=now - PLAYED_WITHIN)
    return list(recent.select_related("session").order_by("pk"))


def _found(league: League, hanchan: Hanchan, users: Collection[int], **more: object) -> Iterator[News]:
    facts = evening_facts(hanchan.session) | {"round": hanchan.round, "table": hanchan.table} | more
    path = reverse("league:hanchan", args=[league.slug, hanchan.pk])
    yield from (News(user, hanchan.pk, facts, path, hanchan.session_id) for user in sorted(users))


def _at_table(hanchan: Collection[Hanchan]) -> Mapping[int, dict[int, int]]:
    """Return the users at the table of each hanchan, by player."""
    sat: dict[int, dict[int, int]] = defaultdict(dict)
    seats = Seat.objects.filter(hanchan__in=[each.pk for each in hanchan]).exclude(player__user=None)
    for number, player, user in seats.values_list("hanchan", "player", "player__user"):
        sat[number][player] = user
    return sat


def _last_words(hanchan: Collection[Hanchan]) -> Mapping[int, dict[int, str]]:
    """Return the players' latest verdicts on the current version of each hanchan, by player."""
    versions = {each.pk: each.version for each in hanchan}
    said: dict[int, dict[int, str]] = defaultdict(dict)
    words = Confirmation.objects.filter(hanchan__in=versions).exclude(player=None).order_by("pk")
    for number, player, verdict, version in words.values_list("hanchan", "player", "verdict", "version"):
        if version >= versions[number]:
            said[number][player] = verdict
    return said


def _to_confirm(league: League, numbers: Collection[int], now: datetime) -> Iterator[News]:
    asks_players = league.confirmed_by in {League.ConfirmedBy.ONE, League.ConfirmedBy.ALL}
    played = [each for each in _played(league, numbers, now) if asks_players and league.asks_for(each.played_at)]
    waiting = [each for each in played if each.state == Hanchan.State.RECORDED]
    sat, said = _at_table(waiting), _last_words(waiting)
    for each in waiting:
        silent = {user for player, user in sat[each.pk].items() if player not in said[each.pk]}
        yield from _found(league, each, silent - {each.recorded_by_id or 0})


def _disputed(league: League, numbers: Collection[int], now: datetime) -> Iterator[News]:
    disputed = [each for each in _played(league, numbers, now) if each.is_disputed]
    sat, said = _at_table(disputed), _last_words(disputed)
    judges = set(league.members.filter(role__in=JUDGES).values_list("user", flat=True)) if disputed else set()
    for each in disputed:
        disputes = Confirmation.Verdict.DISPUTES
        by = {sat[each.pk].get(player) for player, word in said[each.pk].items() if word == disputes}
        yield from _found(league, each, {*sat[each.pk].values(), *judges} - by)


def _corrected(league: League, numbers: Collection[int], now: datetime) -> Iterator[News]:
    games = _played(league, numbers, now)
    told = Revision.objects.filter(league=league, subject="hanchan", subject_id__in=[each.pk for each in games])
    last = {each.subject_id: each for each in told.filter(action__in=CORRECTIONS).order_by("pk")}
    sat, users = _at_table(games), _users_before(league, last.values())
    for each in games:
        if (revision := last.get(each.pk)) is not None and revision.reason != UNDONE:
            concerned = {*sat[each.pk].values(), *users[each.pk]} - {revision.by_id or 0}
            yield from _found(league, each, concerned, version=each.version, voided=each.is_voided)


def _users_before(league: League, revisions: Collection[Revision]) -> Mapping[int, set[int]]:
    seats = {each.subject_id: (readable_state(each.before) or {}).get("seats", ()) for each in revisions}
    players = {seat.get("player") for held in seats.values() for seat in held}
    known = dict(league.players.filter(pk__in=players).exclude(user=None).values_list("pk", "user"))
    found: dict[int, set[int]] = defaultdict(set)
    for number, held in seats.items():
        found[number] = {known[seat["player"]] for seat in held if seat.get("player") in known}
    return found


def _is_of_evening(revision: Revision) -> bool:
    return not (isinstance(revision.after, dict) and "plan" in revision.after)


SOURCES = (
    NoticeSource(NoticeKind.ANNOUNCED, "session", _is_of_evening, _announced),
    NoticeSource(NoticeKind.SEAT, "session", lambda _each: True, _seats),
    NoticeSource(NoticeKind.CONFIRM, "hanchan", lambda _each: True, _to_confirm),
    NoticeSource(NoticeKind.DISPUTED, "hanchan", lambda each: each.action == Revision.Action.DISPUTED, _disputed),
    NoticeSource(NoticeKind.CORRECTED, "hanchan", lambda each: each.action in CORRECTIONS, _corrected),
)

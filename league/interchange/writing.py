"""Writing of a league as a JSON document: all facts, no derived values, no users."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Prefetch

from league.core.board_lines import PLACES
from league.core.kept_states import MOVED, readable_merge
from league.core.periods import written_time
from league.interchange.schema import PLAYER_COLUMNS, SCHEMA
from league.models import (
    Adjustment,
    Attendance,
    Hanchan,
    Incident,
    League,
    PlannedSeat,
    Player,
    Revision,
    Ruleset,
    RulesetVersion,
    Seat,
    Session,
    SessionPoints,
)
from league.selectors.people import current_player
from league.selectors.plain_rows import walk
from league.services.ownership import COPIED
from scoring.core import format_points, read_game, write_game, write_ruleset

Document = dict[str, Any]

# The file has the day boundary as a time of day, so it is not copied.
LEAGUE_KEYS = ("slug", "name", "name_en", *(name for name in COPIED if name != "day_boundary"))


ROWS_AT_ONCE = 500
"""Rows fetched per query."""

SESSIONS_AT_ONCE = 20
"""Number of sessions whose plans and points without hanchan are loaded at once."""

_Origins = Mapping[str, Mapping[int, Player]]
"""Player before a merge, by kind of row and primary key."""


def write_league(league: League) -> Document:
    """Return the league as a tenbo/1 document, without its tournaments.

    Players, sessions, hanchan and adjustments are iterators to be consumed once and in order, so that memory use does
    not grow with the league. Ten queries per SESSIONS_AT_ONCE sessions, about a dozen in all for the rest.
    """
    origins = _origins(league)
    adjustments = league.adjustments.select_related("player", "session").order_by("pk").iterator(ROWS_AT_ONCE)
    return {
        "schema": SCHEMA,
        "league": _league(league),
        "rulesets": [_ruleset(ruleset) for ruleset in league.rulesets.prefetch_related("versions").order_by("pk")],
        "players": (_player(player) for player in _players(league)),
        "sessions": _sessions(league, origins),
        "adjustments": (_adjustment(adjustment, origins) for adjustment in adjustments),
    }


def _league(league: League) -> Document:
    current = league.current_version
    since = league.confirmed_since
    asked_since = {"confirmed_since": since.astimezone(ZoneInfo(league.time_zone)).isoformat()} if since else {}
    state = {} if league.is_active else {"state": league.state}
    return (
        {name: getattr(league, name) for name in LEAGUE_KEYS}
        | asked_since
        | state
        | {
            "day_boundary": written_time(league.day_boundary),
            "ruleset": current and current.ruleset.key,
            "ruleset_version": current and current.number,
        }
    )


def _ruleset(ruleset: Ruleset) -> Document:
    return {
        "key": ruleset.key,
        "name": ruleset.name,
        **filled({"name_en": ruleset.name_en}),
        "card": ruleset.card,
        "versions": [
            {"number": version.number, "parameters": write_ruleset(version.read()), "note": version.note}
            for version in sorted(ruleset.versions.all(), key=lambda version: version.number)
        ],
    }


def _players(league: League) -> Iterable[Player]:
    players = league.players.select_related("merged_into").prefetch_related("aliases")
    return players.order_by("pk").iterator(ROWS_AT_ONCE)


def _player(player: Player) -> Document:
    document: Document = {name: getattr(player, name) for name in PLAYER_COLUMNS}
    document["active"] = player.is_active
    document["aliases"] = sorted(alias.name for alias in player.aliases.all())
    if player.merged_into is not None:
        document["merged_into"] = player.merged_into.key
    return document


def _sessions(league: League, origins: _Origins) -> Iterator[Document]:
    rows = league.sessions.select_related("ruleset_version__ruleset", "postponed_from").order_by("number", "pk")
    plans = Prefetch("planned_seats", PlannedSeat.objects.order_by("round", "table", "seat").select_related("player"))
    answers = Prefetch("attendance", Attendance.objects.order_by("pk").select_related("player"))
    points = Prefetch("points_without_hanchan", SessionPoints.objects.order_by("pk").select_related("player"))
    sessions = rows.prefetch_related(plans, answers, points).iterator(SESSIONS_AT_ONCE)
    while some := list(islice(sessions, SESSIONS_AT_ONCE)):
        yield from _whole_sessions(some, ZoneInfo(league.time_zone), origins)


def _whole_sessions(sessions: Sequence[Session], zone: ZoneInfo, origins: _Origins) -> Iterator[Document]:
    """Yield sessions with their contents. Consume a session's hanchan before the next session."""
    played = Hanchan.objects.filter(session__in=sessions).order_by("session__number", "session_id", "played_at", "pk")
    groups = groupby(walk(played, "seats__player", "ruleset_version__ruleset"), key=lambda hanchan: hanchan.session_id)
    number, hanchan = next(groups, _NO_MORE)
    for session in sessions:
        tables = groupby(session.planned_seats.all(), key=lambda seat: (seat.round, seat.table))
        plan = [_table(number, table, list(group)) for (number, table), group in tables]
        answers = [_answer(each) for each in session.attendance.all()]
        points = [_points(each, origins) for each in session.points_without_hanchan.all()]
        own = hanchan if number == session.pk else iter(())
        yield {
            **_session(session, zone),
            **filled({"plan": plan, "answers": answers}),
            "hanchan": (_hanchan(each, session, zone, origins) for each in own),
            **filled({"points": points}),
        }
        if number == session.pk:
            number, hanchan = next(groups, _NO_MORE)


_NO_MORE: tuple[int, Iterator[Hanchan]] = (0, iter(()))


def _table(number: int, table: int, seats: Sequence[PlannedSeat]) -> Document:
    waiting = [seat.player.key for seat in seats if seat.waits]
    playing = [seat.player.key for seat in seats if not seat.waits]
    return {"table": table, "round": number, "players": playing, **filled({"waiting": waiting})}


def _points(points: SessionPoints, origins: _Origins) -> Document:
    origin = _origin_key(points, origins["session_points"].get(points.pk))
    places = [] if points.first is None else [getattr(points, place) for place in PLACES]
    sparse = {"places": places, "note": points.note, "withdrawn": points.withdrawn, "as": origin}
    written = {"player": points.player.key, "points": format_points(points.points), "hanchan": points.hanchan}
    return {**written, **filled(sparse)}


def _answer(attendance: Attendance) -> Document:
    sparse = {"arrives_at": written_time(attendance.arrives_at), "word": attendance.word}
    return {"player": attendance.player.key, "answer": attendance.answer, **filled(sparse)}


def _session(session: Session, zone: ZoneInfo) -> Document:
    until = session.answers_until
    return {
        "key": session.key,
        "number": session.number,
        **({} if session.number_typed else {"numbered_by_date": True}),
        "date": session.date.isoformat(),
        **filled({"start_time": written_time(session.start_time)}),
        "title": session.title,
        **filled({"title_en": session.title_en}),
        "venue": session.venue,
        "tables": session.tables,
        "state": session.state,
        **({} if session.strict_entry is None else {"strict_entry": session.strict_entry}),
        **filled({"answers_until": until.astimezone(zone).isoformat() if until else ""}),
        **_rules(session.ruleset_version),
        **filled({"postponed_from": session.postponed_from.key if session.postponed_from else ""}),
    }


def _rules(version: RulesetVersion) -> Document:
    return {"ruleset": version.ruleset.key, "ruleset_version": version.number}


def _hanchan(hanchan: Hanchan, session: Session, zone: ZoneInfo, origins: _Origins) -> Document:
    seats = hanchan.seats.all()
    yakuman = [each for each in hanchan.incidents.all() if each.kind == Incident.Kind.YAKUMAN]
    chombo = [seat.chombo for seat in seats]
    sparse = {
        "yakuman": [{"seat": each.seat, "note": each.note} for each in yakuman],
        "end_reason": hanchan.end_reason,
        "state": "" if hanchan.state == Hanchan.State.RECORDED else hanchan.state,
        "worked_out": hanchan.given == Hanchan.Given.WORKED_OUT,
        "as_is": hanchan.as_is,
    }
    own_rules = hanchan.ruleset_version_id != session.ruleset_version_id
    return {
        "key": hanchan.key,
        "table": hanchan.table,
        "round": hanchan.round,
        "played_at": hanchan.played_at.astimezone(zone).isoformat(),
        "sticks_left": hanchan.sticks_left,
        "seats": [_seat(seat, origins["seats"].get(seat.pk)) for seat in seats],
        "busts": _busts(hanchan),
        "chombo": chombo if any(chombo) else [],
        "note": hanchan.note,
        **filled(sparse),
        **(_rules(hanchan.ruleset_version) if own_rules else {}),
    }


def _busts(hanchan: Hanchan) -> list[Document]:
    busts = [{"seat": each.seat, **each.detail} for each in hanchan.incidents.all() if each.kind == Incident.Kind.BUST]
    if not busts:
        return []
    written: list[Document] = write_game(
        read_game({"raw": [seat.raw_score for seat in hanchan.seats.all()], "busts": busts})
    )["busts"]
    return written


def _seat(seat: Seat, origin: Player | None) -> Document:
    written: Document = {"player": seat.player.key, "raw": seat.raw_score}
    if seat.raw_score is None:
        written = {"player": seat.player.key, "points": format_points(seat.points), "placement": seat.placement}
    if seat.chips:
        written["chips"] = seat.chips
    if seat.deposits:
        written["deposits"] = seat.deposits
    if origin is not None and (key := _origin_key(seat, origin)):
        written["as"] = key
    return written


def filled(document: Document) -> Document:
    return {key: value for key, value in document.items() if value}


def _adjustment(adjustment: Adjustment, origins: _Origins) -> Document:
    return {
        "player": adjustment.player.key,
        "date": adjustment.day.isoformat(),
        "points": format_points(adjustment.points),
        "reason": adjustment.reason,
        **({"session": adjustment.session.key} if adjustment.session else {}),
        "withdrawn": adjustment.withdrawn,
        **filled({"as": _origin_key(adjustment, origins["adjustments"].get(adjustment.pk))}),
    }


def _origin_key(row: Seat | Adjustment | SessionPoints, origin: Player | None) -> str:
    """Return the key of the merged player a row came from, if it still belongs to the player it was moved to."""
    if origin is None:
        return ""
    final = current_player(origin)
    return origin.key if final.merged_into is None and final.pk == row.player_id else ""


def _origins(league: League) -> _Origins:
    """Return the original player of each moved row; if it was moved several times, the first one."""
    by_id = {player.pk: player for player in league.players.all()}
    merged = [player for player in by_id.values() if player.merged_into_id is not None]
    for player in merged:
        player.merged_into = by_id[player.merged_into_id or 0]
    moves = Revision.objects.filter(league=league, subject="player", action=Revision.Action.MERGED).order_by("pk")
    latest = {move.subject_id: move for move in moves.filter(subject_id__in=[player.pk for player in merged])}
    origins: dict[str, dict[int, Player]] = {name: {} for name in MOVED}
    for move in sorted(latest.values(), key=lambda move: -move.pk):
        moved = readable_merge(move.after) or {}
        for name in MOVED:
            origins[name].update(dict.fromkeys(moved.get(name, ()), by_id[move.subject_id]))
    return origins

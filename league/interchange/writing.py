"""A league becomes one JSON document: every fact of it, nothing that can be derived again, no user."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from league.interchange.schema import SCHEMA
from league.models import (
    Adjustment,
    Hanchan,
    Incident,
    League,
    Player,
    Revision,
    Ruleset,
    RulesetVersion,
    Seat,
    Session,
)
from league.selectors.games import game_of, seats_of
from scoring.core import format_points, write_game, write_ruleset

Document = dict[str, Any]

LEAGUE_KEYS = (
    "slug",
    "name",
    "name_en",
    "description",
    "time_zone",
    "first_month",
    "is_public",
    "minimum_month",
    "minimum_year",
    "minimum_all",
    "tiebreak",
    "ledger",
    "metric",
    "entry_mode",
)
PLAYER_KEYS = ("key", "name", "kana", "romanised", "number", "is_guest", "visibility")


@dataclass(frozen=True, slots=True)
class _Origins:
    """Which name seats and adjustments had before a merge, by their numbers."""

    seats: Mapping[int, Player]
    adjustments: Mapping[int, Player]


def write_league(league: League) -> Document:
    """Return the league as a tenbo/1 document without its tournaments. About a dozen queries, whatever its size."""
    origins = _origins(league)
    return {
        "schema": SCHEMA,
        "league": _league(league),
        "rulesets": [_ruleset(ruleset) for ruleset in league.rulesets.prefetch_related("versions").order_by("pk")],
        "players": [_player(player) for player in _players(league)],
        "sessions": list(_sessions(league, origins)),
        "adjustments": [_adjustment(adjustment, origins) for adjustment in _adjustments(league)],
    }


def as_text(document: Document) -> str:
    """Return the document as it stands in a file."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _league(league: League) -> Document:
    current = league.current_version
    # A clock with seconds would be unusual, and must still survive.
    boundary = league.day_boundary.isoformat()
    return {name: getattr(league, name) for name in LEAGUE_KEYS} | {
        "day_boundary": boundary.removesuffix(":00") if boundary.count(":") > 1 else boundary,
        "ruleset": current and current.ruleset.key,
        "ruleset_version": current and current.number,
    }


def _ruleset(ruleset: Ruleset) -> Document:
    versions = sorted(ruleset.versions.all(), key=lambda version: version.number)
    return {
        "key": ruleset.key,
        "name": ruleset.name,
        "card": ruleset.card,
        "versions": [
            {"number": version.number, "parameters": write_ruleset(version.read()), "note": version.note}
            for version in versions
        ],
    }


def _players(league: League) -> Iterable[Player]:
    return league.players.select_related("merged_into").prefetch_related("aliases").order_by("pk")


def _player(player: Player) -> Document:
    document: Document = {name: getattr(player, name) for name in PLAYER_KEYS}
    document["aliases"] = sorted(alias.name for alias in player.aliases.all())
    if player.merged_into is not None:
        document["merged_into"] = player.merged_into.key
    return document


def _sessions(league: League, origins: _Origins) -> Iterator[Document]:
    hanchan = (
        Hanchan.objects.in_order_of_play()
        .select_related("ruleset_version__ruleset")
        .prefetch_related("seats__player", "incidents")
    )
    played: dict[int, list[Hanchan]] = {}
    for each in hanchan.filter(league=league):
        played.setdefault(each.session_id, []).append(each)
    zone = ZoneInfo(league.time_zone)
    for session in league.sessions.select_related("ruleset_version__ruleset").order_by("number"):
        yield {
            **_session(session),
            "hanchan": [_hanchan(each, session, zone, origins) for each in played.get(session.pk, ())],
        }


def _session(session: Session) -> Document:
    return {
        "key": session.key,
        "number": session.number,
        "date": session.date.isoformat(),
        "title": session.title,
        "venue": session.venue,
        "tables": session.tables,
        "state": session.state,
        **_rules(session.ruleset_version),
    }


def _rules(version: RulesetVersion) -> Document:
    return {"ruleset": version.ruleset.key, "ruleset_version": version.number}


def _hanchan(hanchan: Hanchan, session: Session, zone: ZoneInfo, origins: _Origins) -> Document:
    game = write_game(game_of(hanchan))
    yakuman = [incident for incident in hanchan.incidents.all() if incident.kind == Incident.Kind.YAKUMAN]
    sparse = {
        "yakuman": [{"seat": each.seat, "note": each.note} for each in sorted(yakuman, key=lambda each: each.pk)],
        "end_reason": hanchan.end_reason,
        "state": "" if hanchan.state == Hanchan.State.RECORDED else hanchan.state,
    }
    own_rules = hanchan.ruleset_version_id != session.ruleset_version_id
    return {
        "key": hanchan.key,
        "table": hanchan.table,
        "round": hanchan.round,
        "played_at": hanchan.played_at.astimezone(zone).isoformat(),
        "sticks_left": hanchan.sticks_left,
        "seats": [_seat(seat, origins.seats.get(seat.pk)) for seat in seats_of(hanchan)],
        "busts": game.get("busts", []),
        "chombo": game.get("chombo", []),
        "note": hanchan.note,
        **_filled(sparse),
        **(_rules(hanchan.ruleset_version) if own_rules else {}),
    }


def _seat(seat: Seat, origin: Player | None) -> Document:
    sparse = {"chips": seat.chips, "deposits": seat.deposits, "as": _origin_key(seat, origin)}
    return {"player": seat.player.key, "raw": seat.raw_score, **_filled(sparse)}


def _filled(document: Document) -> Document:
    """Return the keys whose value says something."""
    return {key: value for key, value in document.items() if value}


def _adjustments(league: League) -> Iterable[Adjustment]:
    return league.adjustments.select_related("player").order_by("pk")


def _adjustment(adjustment: Adjustment, origins: _Origins) -> Document:
    origin = origins.adjustments.get(adjustment.pk)
    return {
        "player": adjustment.player.key,
        "date": adjustment.day.isoformat(),
        "points": format_points(adjustment.points),
        "reason": adjustment.reason,
        "withdrawn": adjustment.withdrawn,
        **_filled({"as": _origin_key(adjustment, origin)}),
    }


def _origin_key(row: Seat | Adjustment, origin: Player | None) -> str:
    """Return the key of the name that the row came from, if its player is still the one it went to."""
    target = origin
    while target is not None and target.merged_into is not None:
        target = target.merged_into
    return origin.key if origin is not None and target is not None and target.pk == row.player_id else ""


def _origins(league: League) -> _Origins:
    """Return where rows came from; of several merges in a row the first one counts."""
    by_id = {player.pk: player for player in league.players.all()}
    merged = [player for player in by_id.values() if player.merged_into_id is not None]
    for player in merged:
        player.merged_into = by_id[player.merged_into_id or 0]
    moves = Revision.objects.filter(league=league, subject="player", action=Revision.Action.MERGED).order_by("pk")
    latest = {move.subject_id: move for move in moves.filter(subject_id__in=[player.pk for player in merged])}
    seats: dict[int, Player] = {}
    adjustments: dict[int, Player] = {}
    for move in sorted(latest.values(), key=lambda move: -move.pk):
        moved: dict[str, list[int]] = move.after or {"seats": [], "adjustments": []}
        seats |= dict.fromkeys(moved["seats"], by_id[move.subject_id])
        adjustments |= dict.fromkeys(moved["adjustments"], by_id[move.subject_id])
    return _Origins(seats, adjustments)

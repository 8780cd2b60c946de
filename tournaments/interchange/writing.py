"""Export a league and its tournaments as one JSON document: facts and decisions, no derived data."""

from collections.abc import Iterable
from typing import Any
from zoneinfo import ZoneInfo

from league.interchange.writing import filled, write_league
from league.models import League, Player, Session
from stats.interchange import titles_document
from tournaments.core.problems import UnknownFormatError
from tournaments.interchange.bodies import NAMES, Path, renamed
from tournaments.interchange.parts import moment_text, registration_document, shipped_document, ticks_by_session
from tournaments.models import Decision, Entry, StageSession, Tournament

Document = dict[str, Any]


def write_file(league: League) -> Document:
    tournaments = league.tournaments.select_related("ruleset_version__ruleset").order_by("pk")
    titles = filled({"titles": titles_document(league)})
    return write_league(league) | titles | {"tournaments": (_tournament(each, league) for each in tournaments)}


def _tournament(tournament: Tournament, league: League) -> Document:
    entries = list(tournament.entries.select_related("player").order_by("number"))
    sessions = tournament.sessions.select_related("session").order_by("pk")
    version = tournament.ruleset_version
    names = _Names(entries, league)
    ticks = ticks_by_session(tournament, ZoneInfo(league.time_zone))
    return {
        "key": tournament.key,
        "name": tournament.name,
        "name_en": tournament.name_en,
        "format": tournament.format_key,
        **_document(tournament, sum(not entry.is_substitute for entry in entries)),
        "ruleset": version.ruleset.key,
        "ruleset_version": version.number,
        **filled(
            {
                "stage_rules": [
                    {"stage": stage, "ruleset": version.ruleset.key, "ruleset_version": version.number}
                    for stage, version in tournament.rules_by_stage().items()
                ]
            }
        ),
        "state": tournament.state,
        "note": tournament.note,
        "strict_entry": tournament.strict_entry,
        "shows_chances": tournament.shows_chances,
        "entries": [_entry(entry) for entry in entries],
        **filled({"registration": registration_document(tournament, ZoneInfo(league.time_zone))}),
        "sessions": [_session(each) | ticks.get(each.session_id, {}) for each in sessions],
        "decisions": [_decision(each, names) for each in tournament.decisions.order_by("pk")],
    }


def _document(tournament: Tournament, entered: int) -> Document:
    try:
        is_shipped = shipped_document(tournament.format_key, entered) == tournament.document
    except UnknownFormatError:
        is_shipped = False
    return {} if is_shipped else {"document": tournament.document}


def _entry(entry: Entry) -> Document:
    return {"player": entry.player.key, **filled({"seed": entry.seed, "substitute": entry.is_substitute})}


def _session(each: StageSession) -> Document:
    return {"stage": each.stage, **filled({"block": each.block}), "session": each.session.key, "number": each.number}


class _Names:
    def __init__(self, entries: Iterable[Entry], league: League) -> None:
        self.entries = {entry.pk: entry.player.key for entry in entries}
        self.league = league
        self.zone = ZoneInfo(league.time_zone)

    def named(self, name: str, part: Any) -> Any:
        return renamed(name, part, (), self._player, self._session)

    def _player(self, pk: int | str, _path: Path) -> str:
        number = int(pk)
        if number in self.entries:
            return self.entries[number]
        return Player.objects.get(league=self.league, pk=-number).key

    def _session(self, pk: int, _path: Path) -> str:
        return Session.objects.get(league=self.league, pk=pk).key


def _decision(decision: Decision, names: _Names) -> Document:
    document = {"stage": decision.stage, **_body(decision, names), **filled({"reason": decision.reason})}
    document |= {"at": moment_text(decision.at, names.zone), **filled({"by": decision.by_name})}
    if decision.revoked_at is not None:
        sparse = {"by": decision.revoked_by_name, "reason": decision.revoked_reason}
        document["revoked"] = {"at": moment_text(decision.revoked_at, names.zone), **filled(sparse)}
    return document


def _body(decision: Decision, names: _Names) -> Document:
    kind = Decision.Kind(decision.kind)
    first, *_ = NAMES[kind].values()
    parts = {NAMES[kind][name]: names.named(name, each) for name, each in decision.body.items() if name in NAMES[kind]}
    if kind is Decision.Kind.ADVANCE:
        return {"to": decision.to, **parts, "proposal": names.named("players", decision.proposal)}
    order = [name for name in NAMES[kind].values() if name in parts]
    # The seed 0 is a seed.
    empty = [name for name in order if parts[name] is False or parts[name] in ([], {}, None)]
    return {name: parts[name] for name in order if name == first or name not in empty}

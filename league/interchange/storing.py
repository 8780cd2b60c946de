"""A checked file becomes a league: one transaction, the same derivation as entry at the table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from league.core.periods import moment_on
from league.interchange.problems import Step, refuse
from league.interchange.references import MOVED, merge_chain, version_numbers
from league.interchange.schema import (
    AdjustmentDocument,
    HanchanDocument,
    LeagueDocument,
    LeagueFile,
    PlanDocument,
    PlayerDocument,
    RulesetDocument,
    SessionDocument,
)
from league.models import (
    Adjustment,
    League,
    Membership,
    PlannedSeat,
    Player,
    PlayerAlias,
    Revision,
    Ruleset,
    RulesetVersion,
    Seat,
    Session,
    SessionPoints,
)
from league.services.boards import mark_stale
from league.services.bulk import Prepared, Slot, prepare, store
from league.services.history import Actor, Change, write_revision
from league.services.people import player_snapshot, set_role
from league.services.results import EVENING, HanchanResult, ResultError
from league.services.session_points import points_snapshot
from scoring.core import (
    FinishedGame,
    GameError,
    RulesetError,
    ScoringError,
    ScoringRules,
    UnknownCardError,
    load_card,
    read_game,
    read_ruleset,
    write_ruleset,
)

Path = tuple[Step, ...]
PLAYER_COLUMNS = ("key", "name", "kana", "romanised", "number", "is_guest", "visibility")
NOT_COLUMNS = {"slug", "ruleset", "ruleset_version", "tiebreak"}


@dataclass(frozen=True, slots=True)
class _StoredVersion:
    """A stored version and what it says."""

    version: RulesetVersion
    rules: ScoringRules


@dataclass(slots=True)
class _Import:
    """What has been stored so far, by the keys of the file."""

    league: League
    by: Actor
    rules: dict[str, dict[int, _StoredVersion]] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    current: _StoredVersion | None = None

    def rules_for(self, key: str | None, number: int | None, otherwise: _StoredVersion | None) -> _StoredVersion | None:
        """Return the version that is named; without a number the latest, without a key the other one."""
        if key is None:
            return otherwise
        versions = self.rules[key]
        return versions[number or max(versions)]


@transaction.atomic
def store_league(file: LeagueFile, *, by: Actor, slug: str | None = None) -> League:
    """Return the new league that the file describes, under another slug if one is given.

    Raises InterchangeError, and leaves nothing behind then. With a user in `by`, that user owns the league.
    """
    work = _Import(_new_league(file.league, slug), by)
    _store_rulesets(work, file)
    _store_players(work, file.players)
    _store_sessions(work, file)
    points = _store_points(work, file.sessions)
    adjustments = _store_adjustments(work, file.adjustments)
    _remember_merges(work, file, _rows(work, file, adjustments, points))
    after = {"players": len(file.players), "sessions": len(file.sessions)}
    write_revision(work.league, work.league, Change(Revision.Action.CREATED, after=after), by)
    if by.user is not None:
        set_role(league=work.league, user=by.user, role=Membership.Role.OWNER, by=by)
    return work.league


def _new_league(entry: LeagueDocument, slug: str | None) -> League:
    slug = slug or entry.slug
    if League.objects.filter(slug=slug).exists():
        raise refuse(("league", "slug"), f'the league "{slug}" exists already; choose another one with --slug')
    league = League(slug=slug, tiebreak=list(entry.tiebreak), **entry.model_dump(exclude=NOT_COLUMNS))
    try:
        league.full_clean()
    except ValidationError as error:
        name, complaints = next(iter(error.message_dict.items()))
        raise refuse(("league", name), " ".join(complaints)) from error
    league.save(force_insert=True)
    return league


def _store_rulesets(work: _Import, file: LeagueFile) -> None:
    for index, entry in enumerate(file.rulesets):
        work.rules[entry.key] = _store_ruleset(work, entry, ("rulesets", index))
    current = file.league
    if current.ruleset is None and "ruleset" not in current.model_fields_set and file.rulesets:
        work.current = work.rules_for(file.rulesets[0].key, None, None)
    else:
        work.current = work.rules_for(current.ruleset, current.ruleset_version, None)
    if work.current:
        work.league.current_version = work.current.version
        work.league.save(update_fields=["current_version"])


def _store_ruleset(work: _Import, entry: RulesetDocument, path: Path) -> dict[int, _StoredVersion]:
    name = entry.name or entry.key
    ruleset = Ruleset.objects.create(league=work.league, key=entry.key, name=name, card=entry.card)
    stored: dict[int, _StoredVersion] = {}
    for number, note, parameters, where in _versions(entry, path):
        rules = _read_rules(parameters, where)
        version = RulesetVersion.objects.create(
            ruleset=ruleset, number=number, note=note, parameters=write_ruleset(rules), created_by=work.by.user
        )
        stored[number] = _StoredVersion(version, rules)
    latest = stored[max(stored)].version
    write_revision(work.league, ruleset, Change(Revision.Action.CREATED, after=latest.parameters), work.by)
    return stored


def _versions(entry: RulesetDocument, path: Path) -> Iterator[tuple[int, str, Mapping[str, Any], Path]]:
    """Yield number, note, parameters and place of every version."""
    if entry.versions is not None:
        for index, version in enumerate(entry.versions):
            where = (*path, "versions", index, "parameters")
            yield version.number, version.note, version.parameters, where
        return
    parameters = {**_card_parameters(entry, path), **(entry.parameters or {})}
    present = {name: value for name, value in parameters.items() if value is not None}
    yield version_numbers(entry)[0], "", present, (*path, "parameters")


def _card_parameters(entry: RulesetDocument, path: Path) -> Mapping[str, Any]:
    if not entry.card:
        return {}
    try:
        return write_ruleset(load_card(entry.card).ruleset)
    except UnknownCardError as error:
        raise refuse((*path, "card"), "is no card of this Tenbo; list them with: python -m scoring cards") from error


def _read_rules(parameters: Mapping[str, Any], path: Path) -> ScoringRules:
    try:
        return read_ruleset(parameters)
    except RulesetError as error:
        where, _, complaint = str(error).partition(": ")
        raise refuse((*path, where), f"{complaint}; please correct it") from error


def _store_players(work: _Import, entries: Sequence[PlayerDocument]) -> None:
    for entry in entries:
        columns = {name: getattr(entry, name) for name in PLAYER_COLUMNS} | {"is_active": entry.active}
        work.players[entry.key] = player = Player.objects.create(league=work.league, **columns)
        PlayerAlias.objects.bulk_create([PlayerAlias(player=player, name=alias) for alias in entry.aliases])
        change = Change(Revision.Action.CREATED, after=player_snapshot(player))
        write_revision(work.league, player, change, work.by)


def _store_sessions(work: _Import, file: LeagueFile) -> None:
    numbered = list(_numbered(file.sessions))
    prepared: list[Prepared] = []
    for number, index, entry in sorted(numbered, key=lambda each: each[0]):
        rules = work.rules_for(entry.ruleset, entry.ruleset_version, work.current)
        if rules is None:
            raise refuse(("sessions", index, "ruleset"), 'is missing, and the league has no rules; add "rulesets"')
        session = work.sessions[entry.key] = _store_session(work, entry, number, rules)
        _store_plan(work, session, entry.plan)
        prepared += _prepared(work, session, rules, entry, ("sessions", index, "hanchan"))
    store(work.league, prepared, work.by)


def _numbered(entries: Sequence[SessionDocument]) -> Iterator[tuple[int, int, SessionDocument]]:
    """Yield every session with its number: the given one, or the next that is free."""
    taken = {entry.number for entry in entries}
    last = 0
    for index, entry in enumerate(entries):
        number = entry.number or last + 1
        while entry.number is None and number in taken:
            number += 1
        last = number
        yield number, index, entry


def _store_session(work: _Import, entry: SessionDocument, number: int, rules: _StoredVersion) -> Session:
    columns = entry.model_dump(include={"key", "date", "title", "venue", "tables", "state"})
    if "tables" not in entry.model_fields_set:
        columns["tables"] = max((plan.table for plan in entry.plan), default=1)
    session = Session.objects.create(league=work.league, number=number, ruleset_version=rules.version, **columns)
    after = {**columns, "date": entry.date.isoformat(), "rules": str(rules.version)}
    if entry.plan:
        names = {plan: [work.players[key].name for key in plan.players + plan.waiting] for plan in entry.plan}
        after["plan"] = {f"{plan.round}/{plan.table}": seated for plan, seated in names.items()}
    write_revision(work.league, session, Change(Revision.Action.CREATED, after=after), work.by)
    return session


def _store_plan(work: _Import, session: Session, entries: Sequence[PlanDocument]) -> None:
    PlannedSeat.objects.bulk_create(
        PlannedSeat(
            session=session,
            table=entry.table,
            round=entry.round,
            seat=seat,
            player=work.players[key],
            waits=seat >= len(entry.players),
        )
        for entry in entries
        for seat, key in enumerate(entry.players + entry.waiting)
    )


def _store_points(work: _Import, entries: Sequence[SessionDocument]) -> list[SessionPoints]:
    """Store the points without hanchan in the order of the file, whatever they add up to: so they were published."""
    stored = [
        SessionPoints.objects.create(
            league=work.league,
            session=work.sessions[session.key],
            day=session.date,
            player=work.players[entry.player],
            points=entry.points,
            hanchan=entry.hanchan,
            note=entry.note,
            withdrawn=entry.withdrawn,
            created_by=work.by.user,
        )
        for session in entries
        for entry in session.points
    ]
    for points in stored:
        change = Change(Revision.Action.CREATED, after=points_snapshot(points), reason=points.note)
        write_revision(work.league, points, change, work.by)
    mark_stale(work.league, {points.day for points in stored})
    return stored


def _prepared(
    work: _Import, session: Session, rules: _StoredVersion, entry: SessionDocument, path: Path
) -> Iterator[Prepared]:
    """Yield the scored hanchan of a session; what they leave out follows from the ones before."""
    rounds: dict[int, int] = {}
    league = work.league
    moment = moment_on(entry.date, EVENING, league.time_zone, league.day_boundary) - timedelta(minutes=1)
    for index, hanchan in enumerate(entry.hanchan):
        where = (*path, index)
        own = work.rules_for(hanchan.ruleset, hanchan.ruleset_version, rules) or rules
        round_number = hanchan.round or rounds.get(hanchan.table, 0) + 1
        rounds[hanchan.table] = max(round_number, rounds.get(hanchan.table, 0))
        moment = hanchan.played_at or moment + timedelta(minutes=1)
        slot = Slot(
            session=session,
            version=own.version,
            rules=own.rules,
            table=hanchan.table,
            round=round_number,
            played_at=moment.astimezone(UTC),
            key=hanchan.key,
            state=hanchan.state,
        )
        yield _scored(work, slot, hanchan, where)


def _scored(work: _Import, slot: Slot, entry: HanchanDocument, path: Path) -> Prepared:
    try:
        result = HanchanResult(
            players=tuple(work.players[seat.player] for seat in entry.seats),
            game=_game(entry, path),
            note=entry.note,
            end_reason=entry.end_reason,
            yakuman=tuple((yakuman.seat, yakuman.note) for yakuman in entry.yakuman),
        )
        return prepare(slot, result, work.by)
    except ScoringError as error:
        where = path if error.seat is None else (*path, "seats", error.seat)
        raise refuse(where, str(error)) from error
    except ResultError as error:
        raise refuse(path, f"{error.code} {error.values}") from error


def _game(entry: HanchanDocument, path: Path) -> FinishedGame:
    table = {
        "raw": [seat.raw for seat in entry.seats],
        "sticks_left": entry.sticks_left,
        "busts": entry.busts,
        "chombo": entry.chombo,
        "chips": [seat.chips for seat in entry.seats],
        "deposits": [seat.deposits for seat in entry.seats],
    }
    try:
        return read_game(table)
    except GameError as error:
        where, _, complaint = str(error).partition(": ")
        raise refuse((*path, where), f"{complaint}; please correct it") from error


def _store_adjustments(work: _Import, entries: Sequence[AdjustmentDocument]) -> list[Adjustment]:
    adjustments = [
        Adjustment.objects.create(
            league=work.league,
            player=work.players[entry.player],
            day=entry.date,
            points=entry.points,
            reason=entry.reason,
            session=work.sessions[entry.session] if entry.session is not None else None,
            withdrawn=entry.withdrawn,
            created_by=work.by.user,
        )
        for entry in entries
    ]
    for adjustment in adjustments:
        after = {"name": adjustment.player.name, "day": str(adjustment.day), "points": adjustment.points}
        change = Change(Revision.Action.CREATED, after=after, reason=adjustment.reason)
        write_revision(work.league, adjustment, change, work.by)
    mark_stale(work.league, {adjustment.day for adjustment in adjustments})
    return adjustments


@dataclass(frozen=True, slots=True)
class _RecordedRow:
    """A stored row that names a player, by its kind and number, with the name it was recorded under."""

    kind: str
    pk: int
    player: str
    recorded_as: str | None


def _remember_merges(work: _Import, file: LeagueFile, rows: Iterable[_RecordedRow]) -> None:
    """Write the merges into the history with what they moved, so that they can be undone here as well."""
    entries = {entry.key: entry for entry in file.players}
    moved: dict[str, dict[str, list[int]]] = {key: {kind: [] for kind in MOVED} for key in entries}
    for row in rows:
        for key in _names_left(row.recorded_as, row.player, entries):
            moved[key][row.kind].append(row.pk)
    # The innermost merge was made first: a player can only be merged while nobody has taken it over.
    for key in sorted(entries, key=lambda key: -len(merge_chain(key, entries))):
        if (target := entries[key].merged_into) is not None:
            _remember_merge(work, work.players[key], work.players[target], moved[key])


def _rows(
    work: _Import, file: LeagueFile, adjustments: Sequence[Adjustment], points: Sequence[SessionPoints]
) -> Iterator[_RecordedRow]:
    """Yield everything stored that a merge may have moved."""
    numbers = _seat_numbers(work)
    for hanchan in (hanchan for session in file.sessions for hanchan in session.hanchan):
        for number, seat in enumerate(hanchan.seats):
            yield _RecordedRow("seats", numbers[hanchan.key, number], seat.player, seat.recorded_as)
    for entry, adjustment in zip(file.adjustments, adjustments, strict=True):
        yield _RecordedRow("adjustments", adjustment.pk, entry.player, entry.recorded_as)
    lines = (line for session in file.sessions for line in session.points)
    for line, stored in zip(lines, points, strict=True):
        yield _RecordedRow("session_points", stored.pk, line.player, line.recorded_as)


def _remember_merge(work: _Import, source: Player, target: Player, moved: Mapping[str, list[int]]) -> None:
    source.merged_into = target
    source.save(update_fields=["merged_into"])
    after = {"into": target.pk, "name": target.name, **moved}
    write_revision(work.league, source, Change(Revision.Action.MERGED, None, after), work.by)


def _names_left(recorded_as: str | None, player: str, entries: Mapping[str, PlayerDocument]) -> Iterator[str]:
    """Yield the names that a row had before it came to the player."""
    while recorded_as is not None and recorded_as != player:
        yield recorded_as
        recorded_as = entries[recorded_as].merged_into


def _seat_numbers(work: _Import) -> dict[tuple[str, int], int]:
    rows = Seat.objects.filter(league=work.league).order_by().values_list("hanchan__key", "seat", "pk")
    return {(key, seat): pk for key, seat, pk in rows}

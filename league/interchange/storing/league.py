"""Storing of a league with its players and merges, in one transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction

from league.core.kept_states import MOVED
from league.interchange.problems import refuse
from league.interchange.references import merge_chain
from league.interchange.schema import PLAYER_COLUMNS, LeagueDocument, LeagueFile, PlayerDocument
from league.interchange.storing.rulesets import StoredSoFar, store_rulesets
from league.interchange.storing.sessions import store_adjustments, store_points, store_sessions
from league.models import Adjustment, League, Membership, Player, Revision, Seat, SessionPoints
from league.selectors.addresses import is_free
from league.services.history import Actor, Change, write_revision
from league.services.leagues import AddressTakenError, store_new_league
from league.services.people import set_role, store_new_players

NOT_COLUMNS = {"slug", "ruleset", "ruleset_version", "tiebreak"}


@transaction.atomic
def store_league(file: LeagueFile, *, by: Actor, slug: str | None = None) -> League:
    """Create a league from a file, optionally with another slug.

    Raise InterchangeError and store nothing if its content cannot be stored. If `by` has a user, that user becomes the
    owner.
    """
    work = StoredSoFar(_new_league(file.league, slug), by)
    store_rulesets(work, file)
    store_players(work, file.players)
    store_sessions(work, file)
    points = store_points(work, file.sessions)
    adjustments = store_adjustments(work, file.adjustments)
    remember_merges(work, file, recorded_rows(work, file, adjustments, points))
    after = {"players": len(file.players), "sessions": len(file.sessions)}
    write_revision(work.league, work.league, Change(Revision.Action.CREATED, after=after), by)
    if by.user is not None:
        set_role(league=work.league, user=by.user, role=Membership.Role.OWNER, by=by)
    return work.league


def _new_league(entry: LeagueDocument, slug: str | None) -> League:
    slug = slug or entry.slug
    taken = refuse(("league", "slug"), f'the league "{slug}" exists already; choose another one with --slug')
    if not is_free(slug):
        raise taken
    league = League(slug=slug, tiebreak=list(entry.tiebreak), **entry.model_dump(exclude=NOT_COLUMNS))
    try:
        league.full_clean()
    except ValidationError as error:
        name, complaints = next(iter(error.message_dict.items()))
        raise refuse(("league", name), " ".join(complaints)) from error
    try:
        store_new_league(league)
    except AddressTakenError as error:
        raise taken from error
    return league


def store_players(work: StoredSoFar, entries: Sequence[PlayerDocument]) -> None:
    for entry in entries:
        columns = {name: getattr(entry, name) for name in PLAYER_COLUMNS} | {"is_active": entry.active}
        work.players[entry.key] = Player(league=work.league, **columns)
    new = [work.players[entry.key] for entry in entries]
    store_new_players(work.league, new, [entry.aliases for entry in entries], work.by)


@dataclass(frozen=True, slots=True)
class RecordedRow:
    kind: str
    pk: int
    player: str
    recorded_as: str | None


def remember_merges(work: StoredSoFar, file: LeagueFile, rows: Iterable[RecordedRow]) -> None:
    """Record merges and the rows they moved in the history, so that they can be undone."""
    entries = {entry.key: entry for entry in file.players}
    moved: dict[str, dict[str, list[int]]] = {key: {kind: [] for kind in MOVED} for key in entries}
    for row in rows:
        for key in _names_left(row.recorded_as, row.player, entries):
            moved[key][row.kind].append(row.pk)
    # Start at the beginning of each chain: a player who has already been merged cannot receive others.
    for key in sorted(entries, key=lambda key: -len(merge_chain(key, entries))):
        if (target := entries[key].merged_into) is not None:
            source, into = work.players[key], work.players[target]
            source.merged_into = into
            source.save(update_fields=["merged_into"])
            after = {"into": into.pk, "name": into.name, **moved[key]}
            write_revision(work.league, source, Change(Revision.Action.MERGED, None, after), work.by)


def recorded_rows(
    work: StoredSoFar, file: LeagueFile, adjustments: Sequence[Adjustment], points: Sequence[SessionPoints]
) -> Iterator[RecordedRow]:
    rows = Seat.objects.filter(league=work.league).order_by().values_list("hanchan__key", "seat", "pk")
    numbers = {(key, seat): pk for key, seat, pk in rows}
    for hanchan in (hanchan for session in file.sessions for hanchan in session.hanchan):
        for number, seat in enumerate(hanchan.seats):
            yield RecordedRow("seats", numbers[hanchan.key, number], seat.player, seat.recorded_as)
    for entry, adjustment in zip(file.adjustments, adjustments, strict=True):
        yield RecordedRow("adjustments", adjustment.pk, entry.player, entry.recorded_as)
    lines = (line for session in file.sessions for line in session.points)
    for line, stored in zip(lines, points, strict=True):
        yield RecordedRow("session_points", stored.pk, line.player, line.recorded_as)


def _names_left(recorded_as: str | None, player: str, entries: Mapping[str, PlayerDocument]) -> Iterator[str]:
    while recorded_as is not None and recorded_as != player:
        yield recorded_as
        recorded_as = entries[recorded_as].merged_into

"""Parts of a tournament file: format, registrations, ticks, and a seating without a tournament."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import pgettext

from league.core.spreadsheets.columns import CellKind
from league.exports.table import CSV, Cell, ExportColumn, ExportTable, text_chunks
from league.interchange.problems import FileProblem, InterchangeError, Step, json_path, refuse
from league.interchange.writing import filled
from league.models import Player, Session
from scoring.messages.numbers import WINDS
from tournaments.core import values
from tournaments.core.format import Format
from tournaments.core.problems import FormatError, UnknownFormatError
from tournaments.core.reading import document_for, entrant_choices, format_keys, load_document, read_format
from tournaments.interchange.schema import RegistrationTermsDocument, TickDocument, TournamentDocument
from tournaments.models import Registration, RegistrationTerms, Tick, Tournament
from tournaments.selectors.certificates import GeneratedSeating

Document = dict[str, Any]


def shipped_document(key: str, entered: int) -> Document:
    """Return a built-in format's document for at least this many entrants. Raise UnknownFormatError."""
    document = load_document(key)
    numbers = entrant_choices(document)
    number = next((each for each in numbers if each >= entered), numbers[-1]) if numbers else entered
    try:
        return document_for(document, number)
    except FormatError:
        return document


def format_of(entry: TournamentDocument, entered: int, path: tuple[Step, ...]) -> tuple[Document, Format]:
    """Return a tournament's format, as document and read. Raise InterchangeError."""
    try:
        document = (
            values.plain(entry.document) if entry.document is not None else shipped_document(entry.format, entered)
        )
    except UnknownFormatError as error:
        known = ", ".join(format_keys())
        sentence = (
            f'is not a format of this version of Tenbo; known ones are {known}; or give the whole format as "document"'
        )
        raise refuse((*path, "format"), sentence) from error
    try:
        return document, read_format(entry.format, document)
    except FormatError as error:
        where = json_path(*path, "document" if entry.document is not None else "format")
        raise InterchangeError(*(_problem(where, each.path, each) for each in error.problems)) from error


def _problem(where: str, path: str, problem: object) -> FileProblem:
    complaint = str(problem).removeprefix(f"{path}: ")
    return FileProblem(f"{where}.{path}" if path else where, f"{complaint}; please correct it")


TERMS = ("places", "audience", "needs_approval", "note")
MOMENTS = ("opens_at", "closes_at", "check_in_from", "check_in_until")


def registration_document(tournament: Tournament, zone: ZoneInfo) -> Document:
    terms = RegistrationTerms.objects.filter(tournament=tournament).first()
    if terms is None:
        return {}
    rows = tournament.registrations.select_related("player").order_by("number", "pk")
    moments = {name: moment_text(getattr(terms, name), zone) for name in MOMENTS}
    return filled({name: getattr(terms, name) for name in TERMS} | moments) | {
        "queue": [_row(each, zone) for each in rows]
    }


def _row(registration: Registration, zone: ZoneInfo) -> Document:
    sparse = {
        "reason": registration.reason,
        "checked_in": moment_text(registration.checked_in_at, zone),
        "brought": registration.brought_player,
    }
    known = {"player": registration.player.key, "state": registration.state}
    return known | {"at": moment_text(registration.registered_at, zone)} | filled(sparse)


def moment_text(moment: datetime | None, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).isoformat() if moment else ""


def store_registration(
    tournament: Tournament, document: RegistrationTermsDocument, players: Mapping[str, Player]
) -> None:
    RegistrationTerms.objects.create(tournament=tournament, **document.model_dump(include={*TERMS, *MOMENTS}))
    now = timezone.now()
    Registration.objects.bulk_create(
        Registration(
            tournament=tournament,
            player=players[row.player],
            number=number,
            state=row.state,
            reason=row.reason,
            registered_at=row.at or now,
            checked_in_at=row.checked_in,
            brought_player=row.brought,
        )
        for number, row in enumerate(document.queue, 1)
    )


def ticks_by_session(tournament: Tournament, zone: ZoneInfo) -> dict[int, Document]:
    rows = list(Tick.objects.filter(session__stage__tournament=tournament).order_by("session", "pk"))
    if not rows:
        return {}
    keys = dict(tournament.league.players.values_list("pk", "key"))
    return {
        session: {"ticks": _document(list(ticks), keys, zone)}
        for session, ticks in groupby(rows, attrgetter("session_id"))
    }


def _document(rows: list[Tick], players: Mapping[int, str], zone: ZoneInfo) -> list[Document]:
    places = {row.client_key: place for place, row in enumerate(rows, 1)}
    return [_tick(row, places, players, zone) for row in rows]


def _tick(row: Tick, places: Mapping[UUID, int], players: Mapping[int, str], zone: ZoneInfo) -> Document:
    where = {"table": row.table, "round": row.round, "number": row.number, "at": row.at.astimezone(zone).isoformat()}
    if row.takes_back is not None:
        return where | {"takes_back": places.get(row.takes_back, 0)}
    sparse = {"honba": row.honba, "sticks": row.sticks, "riichi": row.riichi}
    seats = [players[pk] for pk in row.seats]
    said = {name: value for name, value in sparse.items() if value}
    return where | {"seats": seats, "scores": row.scores, "hand": row.hand} | said


def store_ticks(session: Session, documents: tuple[TickDocument, ...], players: Mapping[str, Player]) -> None:
    keys = [uuid4() for _ in documents]
    Tick.objects.bulk_create(
        Tick(
            league=session.league,
            session=session,
            seats=[players[key].pk for key in each.seats],
            scores=list(each.scores),
            riichi=list(each.riichi),
            client_key=keys[place],
            takes_back=_slip(each, keys),
            at=each.at or timezone.now(),
            **each.model_dump(include={"table", "round", "number", "hand", "honba", "sticks"}),
        )
        for place, each in enumerate(documents)
    )


def _slip(tick: TickDocument, keys: Sequence[UUID]) -> UUID | None:
    """Return the key of the withdrawn tick, or an unused key if that tick never arrived."""
    if tick.takes_back is None:
        return None
    return keys[tick.takes_back - 1] if 1 <= tick.takes_back <= len(keys) else uuid4()


def seating_sheet(generated_seating: GeneratedSeating) -> bytes:
    numbers = ((pgettext("csv heading", "round"),), (pgettext("csv heading", "table"),))
    names = ((str(wind),) for wind in WINDS[: generated_seating.schedule.table_size])
    headings = (
        *(ExportColumn(titles, CellKind.WHOLE) for titles in numbers),
        *(ExportColumn(titles, CellKind.TEXT) for titles in names),
    )
    return b"".join(text_chunks(ExportTable("", headings, lambda: _tables(generated_seating)), CSV))


def _tables(generated_seating: GeneratedSeating) -> Iterator[list[Cell]]:
    for each in generated_seating.rounds:
        for table in each.tables:
            yield [each.number, table.number, *(seat.player.name for seat in table.seats)]


def seating_document(generated_seating: GeneratedSeating) -> dict[str, Any]:
    return {
        "players": list(generated_seating.names),
        "table_size": generated_seating.schedule.table_size,
        "seed": generated_seating.schedule.seed,
        "method": generated_seating.schedule.method,
        "rounds": [[list(table) for table in tables] for tables in generated_seating.schedule.rounds],
        "byes": [list(players) for players in generated_seating.schedule.byes],
        "wishes": {
            "apart": [list(pair) for pair in generated_seating.wishes.apart],
            "together": [list(pair) for pair in generated_seating.wishes.together],
            "groups": [list(group) for group in generated_seating.wishes.groups],
            "history": [[list(table) for table in tables] for tables in generated_seating.wishes.history],
        },
        "certificate": generated_seating.certificate.as_json(),
    }

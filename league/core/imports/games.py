from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeVar

from league.core import limits
from league.core.imports.records import GameRecord, SeatRecord, Texts
from league.core.numbers import half_width, small_number
from league.core.readings import folded
from league.core.spelling import cleaned
from league.core.spreadsheets.cells import CellError, read_flag, read_list, read_seat, read_word, unescaped
from league.core.spreadsheets.columns import END, GIVEN, SESSION_STATE, STATE, VISIBILITY, Words
from league.core.spreadsheets.dates import DateError, DateReading, parse_date, parse_moment, parse_stamp
from league.core.spreadsheets.layouts import Total
from league.core.spreadsheets.names import WrittenName, without_honorific
from league.core.spreadsheets.numbers import (
    NumberError,
    parse_clear_points,
    parse_count,
    parse_exact_points,
    parse_number,
    parse_sticks,
)

Value = TypeVar("Value")

MAX_LENGTHS = {
    "player": limits.MAX_NAME_LENGTH,
    "kana": limits.MAX_READING_LENGTH,
    "romanised": limits.MAX_READING_LENGTH,
    "number": limits.MAX_MEMBER_NUMBER_LENGTH,
    "club": limits.MAX_CLUB_LENGTH,
    "player_key": limits.MAX_KEY_LENGTH,
    "memo": limits.MAX_NOTE_LENGTH,
    "venue": limits.MAX_VENUE_LENGTH,
    "session": limits.MAX_TITLE_LENGTH,
    "session_title": limits.MAX_TITLE_LENGTH,
    "key": limits.MAX_KEY_LENGTH,
    "session_key": limits.MAX_KEY_LENGTH,
    "rules": 200,
    "session_rules": 200,
}

NAMES = frozenset({"player", "kana", "romanised", "number", "club", "venue", "session", "session_title"})
"""Targets whose cells are cleaned like names."""


@dataclass(frozen=True, slots=True)
class ImportNote:
    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """Details of a person in a file; None or "" if not given."""

    kana: str = ""
    romanised: str = ""
    club: str = ""
    guest: bool | None = None
    visibility: str = ""
    active: bool | None = None
    aliases: tuple[str, ...] = ()


@dataclass(slots=True)
class ImportedSeat:
    """A player's result in a game. `bust` is left unparsed until all names at the table are known."""

    line: int
    written: WrittenName
    facts: PersonFacts
    number: Decimal | None
    seat: int | None
    placement: int | None
    points: int | None
    chips: int
    chombo: int
    deposits: int
    bust: str
    yakuman: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionRef:
    """The session a game belongs to. `title` is None if the file has no title or number column."""

    day: date
    key: str = ""
    label: str = ""
    number: int | None = None
    title: str | None = None
    venue: str = ""
    state: str = ""
    rules: str = ""
    tables: int | None = None

    @property
    def id(self) -> tuple[str, ...]:
        return (self.key,) if self.key else (self.day.isoformat(), self.label)


@dataclass(slots=True)
class ImportedGame:
    """A game in the file, seats in order from the first dealer. `state` is None if the file has no such column."""

    lines: tuple[int, ...]
    entries: list[ImportedSeat]
    problems: list[ImportNote]
    session: SessionRef | None
    table: int | None = None
    round: int | None = None
    key: str = ""
    played_at: datetime | None = None
    sticks: int = 0
    end: str = ""
    state: str | None = None
    rules: str = ""
    memo: str = ""
    given: str | None = None
    as_is: bool = False
    seats_known: bool = False

    @property
    def names(self) -> list[str]:
        return [entry.written.name for entry in self.entries]


@dataclass(frozen=True, slots=True)
class ImportedTotal:
    """Points of a player outside hanchan, in 1/1000 pt. `hanchan`: how many they cover, 0 for a penalty."""

    line: int
    written: WrittenName
    points: int
    hanchan: int
    session: SessionRef | None
    problems: tuple[ImportNote, ...]


class _Reader:
    def __init__(self, lines: tuple[int, ...]) -> None:
        self.line = lines[0]
        self.problems: list[ImportNote] = []

    def complain(self, code: str, **values: object) -> None:
        self.problems.append(ImportNote(code, {**values, "line": self.line}))

    def text(self, texts: Texts, key: str) -> str:
        if key not in texts:
            return ""
        text = unescaped(texts[key]).strip()
        if key in NAMES:
            text = cleaned(text)
        if len(text) > MAX_LENGTHS[key]:
            self.complain("too_long", column=key, most=MAX_LENGTHS[key])
            return ""
        return text

    def value(self, texts: Texts, key: str, read: Callable[[str], Value], empty: Value) -> Value:
        text = texts.get(key, "")
        if not text:
            return empty
        try:
            return read(text)
        except NumberError:
            self.complain("number_unreadable", column=key, text=text)
        except DateError as error:
            self.complain(f"date_{error.code}", column=key, text=text)
        except CellError:
            self.complain("word_unreadable", column=key, text=text)
        return empty

    def count(
        self, texts: Texts, key: str, least: int, most: int, read: Callable[[str], int | None] = parse_count
    ) -> int | None:
        if key not in texts:
            return None
        found = self.value(texts, key, read, None)
        if found is not None and not least <= found <= most:
            self.complain("out_of_range", column=key, text=texts[key], least=least, most=most)
            return None
        return found

    def word(self, texts: Texts, key: str, words: Words) -> str | None:
        # A missing key must not match the empty code.
        if key not in texts:
            return None
        return self.value(texts, key, lambda text: read_word(words, text), None)


def game_of(record: GameRecord, calendar: DateReading) -> ImportedGame:
    reader = _Reader(record.lines)
    texts = record.texts
    for key in record.conflicts:
        reader.complain("differs", column=key)
    game = ImportedGame(
        lines=record.lines,
        entries=[],
        problems=reader.problems,
        session=_session(texts, reader, calendar),
        table=reader.count(texts, "table", 1, limits.MAX_TABLE),
        round=reader.count(texts, "game", 1, limits.MAX_ROUND),
        key=reader.text(texts, "key"),
        played_at=reader.value(texts, "played_at", lambda text: parse_moment(text, calendar), None),
        sticks=reader.count(texts, "sticks", 0, limits.MAX_STICKS, parse_sticks) or 0,
        end=reader.word(texts, "end", END) or "",
        state=reader.word(texts, "state", STATE),
        rules=reader.text(texts, "rules"),
        memo=reader.text(texts, "memo"),
        given=reader.word(texts, "given", GIVEN),
        as_is=reader.value(texts, "as_is", read_flag, None) or False,
    )
    game.entries = [
        _imported_seat(seat, reader, parse_clear_points if record.is_open else parse_exact_points)
        for seat in record.seats
    ]
    if game.sticks and sum(numbers_of(game) or ()) < 0:
        # If the total is negative, the column holds the number of sticks, not points.
        game.sticks = reader.count(texts, "sticks", 0, limits.MAX_STICKS, parse_count) or 0
    _put_in_order(game, reader, record)
    return game


def total_of(total: Total, calendar: DateReading, undated: str) -> ImportedTotal:
    reader = _Reader((total.line,))
    day = total.date or (undated if undated[:1].isdigit() else "")
    texts = {key: text for key, text in (("date", day), ("session", total.session), ("player", total.name)) if text}
    written = WrittenName(reader.text(texts, "player"))
    points = reader.value({"points": str(total.points)}, "points", parse_exact_points, None) or 0
    session = _session(texts, reader, calendar)
    return ImportedTotal(total.line, written, points, total.hanchan, session, tuple(reader.problems))


def _session(texts: Texts, reader: _Reader, calendar: DateReading) -> SessionRef | None:
    day = reader.value(texts, "date", lambda text: parse_date(text, calendar), None)
    if day is None and "date" not in texts and calendar.takes_stamps:
        day = reader.value(texts, "stamp", lambda text: parse_stamp(text, calendar), None)
    if day is None:
        if "date" not in texts and not (calendar.takes_stamps and "stamp" in texts):
            reader.complain("date_missing")
        return None
    titled = "session_title" in texts or "session_number" in texts
    return SessionRef(
        day=day,
        key=reader.text(texts, "session_key"),
        label=reader.text(texts, "session"),
        number=reader.count(texts, "session_number", 1, limits.MAX_SESSION_NUMBER),
        title=reader.text(texts, "session_title") if titled else None,
        venue=reader.text(texts, "venue"),
        state=reader.word(texts, "session_state", SESSION_STATE) or "",
        rules=reader.text(texts, "session_rules"),
        tables=reader.count(texts, "tables", 1, limits.MAX_TABLE),
    )


def _imported_seat(record: SeatRecord, reader: _Reader, points: Callable[[str], int | None]) -> ImportedSeat:
    reader.line = record.line
    texts = record.texts
    name = reader.text(texts, "player")
    if not name and "player" not in texts:
        reader.complain("player_missing")
    return ImportedSeat(
        line=record.line,
        written=WrittenName(name, reader.text(texts, "player_key"), reader.text(texts, "number")),
        facts=_person(texts, reader),
        number=reader.value(texts, "raw", parse_number, None),
        seat=record.place if record.place is not None else _seat(texts, reader),
        placement=reader.count(texts, "placement", 1, 4),
        points=reader.value(texts, "points", points, None),
        chips=reader.count(texts, "chips", -limits.MAX_CHIPS, limits.MAX_CHIPS) or 0,
        chombo=reader.count(texts, "chombo", 0, limits.MAX_CHOMBO) or 0,
        deposits=reader.count(texts, "deposits", 0, limits.MAX_DEPOSITS) or 0,
        bust=unescaped(texts.get("bust", "")),
        yakuman=_list(texts, "yakuman", limits.MAX_YAKUMAN_LENGTH, reader),
    )


NOTHING_KNOWN = PersonFacts()
_OF_PEOPLE = frozenset({"kana", "romanised", "club", "guest", "visibility", "active", "aliases"})


def _person(texts: Texts, reader: _Reader) -> PersonFacts:
    if _OF_PEOPLE.isdisjoint(texts):
        return NOTHING_KNOWN
    return PersonFacts(
        kana=reader.text(texts, "kana"),
        romanised=reader.text(texts, "romanised"),
        club=reader.text(texts, "club"),
        guest=reader.value(texts, "guest", read_flag, None),
        visibility=reader.word(texts, "visibility", VISIBILITY) or "",
        active=reader.value(texts, "active", read_flag, None),
        aliases=_list(texts, "aliases", limits.MAX_NAME_LENGTH, reader),
    )


def _list(texts: Texts, key: str, longest: int, reader: _Reader) -> tuple[str, ...]:
    if key not in texts:
        return ()
    entries = read_list(unescaped(texts[key]))
    if any(len(entry) > longest for entry in entries):
        reader.complain("too_long", column=key, most=longest)
        return ()
    return entries


def _seat(texts: Texts, reader: _Reader) -> int | None:
    text = texts.get("seat", "")
    seat = read_seat(text)
    if text and seat is None:
        reader.complain("seat_unreadable", column="seat", text=text)
    return seat


def _put_in_order(game: ImportedGame, reader: _Reader, record: GameRecord) -> None:
    """Sort the players by seat if the file gives seats; otherwise keep the order of the file."""
    reader.line = game.lines[0]
    if "dealer" in record.texts and not any("seat" in seat.texts for seat in record.seats):
        _begin_with(record.texts["dealer"], game, reader)
    seats = [entry.seat for entry in game.entries]
    known = [seat for seat in seats if seat is not None]
    if not known:
        return
    if len(set(known)) < len(known):
        reader.complain("seat_twice")
    elif len(known) < len(seats):
        if all("seat" not in seat.texts or read_seat(seat.texts["seat"]) is not None for seat in record.seats):
            reader.complain("seat_missing")
    else:
        game.entries.sort(key=lambda entry: entry.seat or 0)
        game.seats_known = sorted(known) == list(range(len(known)))
        if not game.seats_known:
            reader.complain("seat_gap")


def _begin_with(text: str, game: ImportedGame, reader: _Reader) -> None:
    """Rotate the seats so that the first dealer comes first; the file may start with any seat."""
    wanted, number = folded(without_honorific(text)), small_number(half_width(text), 0)
    named = [place for place, name in enumerate(game.names) if folded(without_honorific(name)) == wanted]
    named = named or [place for place in range(len(game.entries)) if place + 1 == number]
    if len(named) != 1:
        reader.complain("dealer_unknown", text=text)
        return
    game.entries = game.entries[named[0] :] + game.entries[: named[0]]
    for seat, entry in enumerate(game.entries):
        entry.seat = seat


def numbers_of(game: ImportedGame) -> list[Decimal] | None:
    numbers = [entry.number for entry in game.entries if entry.number is not None]
    return numbers if len(numbers) == len(game.entries) else None

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

from league.core import limits
from league.core.imports.records import GameRecord, SeatRecord, Texts
from league.core.numbers import half_width, small_number
from league.core.readings import folded
from league.core.spelling import cleaned
from league.core.spreadsheets.cells import CellError, read_seat, read_state, unescaped
from league.core.spreadsheets.dates import DateError, DateReading, parse_date, parse_stamp
from league.core.spreadsheets.layouts import Total
from league.core.spreadsheets.names import WrittenName, without_honorific
from league.core.spreadsheets.numbers import NumberError, parse_count, parse_exact_points, parse_number, parse_sticks

Value = TypeVar("Value")

MAX_LENGTHS = {
    "player": limits.MAX_NAME_LENGTH,
    "number": limits.MAX_MEMBER_NUMBER_LENGTH,
    "memo": limits.MAX_NOTE_LENGTH,
    "yakuman": limits.MAX_YAKUMAN_LENGTH,
    "session": limits.MAX_TITLE_LENGTH,
    "key": limits.MAX_KEY_LENGTH,
}

NAMES = frozenset({"player", "number", "session"})
"""Targets whose cells are cleaned like names."""


@dataclass(frozen=True, slots=True)
class ImportNote:
    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class ImportedSeat:
    """A player's result in a game. `bust` is left unparsed until all names at the table are known."""

    line: int
    written: WrittenName
    number: Decimal | None
    seat: int | None
    placement: int | None
    points: int | None
    chips: int
    chombo: int
    bust: str
    yakuman: str


class SessionRef(NamedTuple):
    """The session a game belongs to."""

    day: date
    label: str = ""


@dataclass(slots=True)
class ImportedGame:
    """A game in the file, seats in order from the first dealer."""

    lines: tuple[int, ...]
    entries: list[ImportedSeat]
    problems: list[ImportNote]
    session: SessionRef | None
    table: int | None = None
    round: int | None = None
    key: str = ""
    sticks: int = 0
    is_voided: bool = False
    memo: str = ""
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
        sticks=reader.count(texts, "sticks", 0, limits.MAX_STICKS, parse_sticks) or 0,
        is_voided=reader.value(texts, "state", read_state, "") == "voided",
        memo=reader.text(texts, "memo"),
    )
    game.entries = [_imported_seat(seat, reader) for seat in record.seats]
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
    return SessionRef(day, reader.text(texts, "session"))


def _imported_seat(record: SeatRecord, reader: _Reader) -> ImportedSeat:
    reader.line = record.line
    texts = record.texts
    name = reader.text(texts, "player")
    if not name and "player" not in texts:
        reader.complain("player_missing")
    return ImportedSeat(
        line=record.line,
        written=WrittenName(name, reader.text(texts, "number")),
        number=reader.value(texts, "raw", parse_number, None),
        seat=record.place if record.place is not None else _seat(texts, reader),
        placement=reader.count(texts, "placement", 1, 4),
        points=reader.value(texts, "points", parse_exact_points, None),
        chips=reader.count(texts, "chips", -limits.MAX_CHIPS, limits.MAX_CHIPS) or 0,
        chombo=reader.count(texts, "chombo", 0, limits.MAX_CHOMBO) or 0,
        bust=unescaped(texts.get("bust", "")),
        yakuman=reader.text(texts, "yakuman"),
    )


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

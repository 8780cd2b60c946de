"""Hanchan as rows: one per player and hanchan, or one per hanchan; what pages show, or every fact."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.db.models import Max
from django.utils.translation import gettext

from league.core.periods import Period
from league.core.spreadsheets.cells import write_bust, write_list
from league.core.spreadsheets.columns import (
    BY_KEY,
    END,
    PER_SEAT,
    SEATS,
    SEATS_JA,
    SESSION_STATE,
    STATE,
    VISIBILITY,
    FileColumn,
    RowShape,
    Words,
    long_columns,
    wide_columns,
)
from league.exports.table import LANGUAGES, Cell, ExportColumn, ExportTable, Row
from league.models import Hanchan, Incident, League, Player, RulesetVersion, Seat, Session
from league.models.play import HanchanQuerySet
from league.permissions import Person
from league.selectors.games import game_of, seats_of
from league.selectors.names import hide_names
from scoring.core import format_points

HANCHAN_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How the rows look. `exact` adds what is needed to read the file back into the very same facts."""

    form: RowShape = RowShape.LONG
    languages: str = "ja"
    exact: bool = False

    @property
    def columns(self) -> Callable[[int], tuple[tuple[FileColumn, int | None], ...]]:
        """Return the columns for so many players at a table."""
        if self.form is RowShape.WIDE:
            return lambda players: wide_columns(players, exact=self.exact)
        return lambda _players: long_columns(exact=self.exact)


def hanchan_within(league: League, period: Period | None = None, session: Session | None = None) -> HanchanQuerySet:
    """Return the hanchan of a period, of a session, or all of them."""
    found = Hanchan.objects.filter(league=league)
    if session is not None:
        return found.filter(session=session)
    return found.in_period(period) if period is not None else found


def hanchan_table(league: League, hanchan: HanchanQuerySet, reader: Person, shape: FileLayout) -> ExportTable:
    """Return hanchan in order of play, with the names that the reader may read.

    Without `exact`, hanchan that were taken back are left out; where disputed ones do not count, a column tells them.
    At most four queries here, three for every HANCHAN_AT_ONCE rows.
    """
    if not shape.exact:
        hanchan = hanchan.valid()
    seats = Seat.objects.filter(hanchan__in=hanchan.order_by()).aggregate(highest=Max("seat"))["highest"]
    columns = shape.columns(4 if seats is None else seats + 1)
    if not shape.exact and not league.disputed_count and hanchan.filter(state=Hanchan.State.DISPUTED).exists():
        # Sums of the file differ from the boards by just these rows; their state says which they are.
        columns = (*columns, (BY_KEY["state"], None))
    languages = LANGUAGES[shape.languages]
    headings = tuple(
        ExportColumn(tuple(column.header(language, number) for language in languages), column.kind)
        for column, number in columns
    )
    scribe = _scribe(league, reader, shape)
    keys = [(column.key, number) for column, number in columns]
    rows = _wide_rows if shape.form is RowShape.WIDE else _long_rows
    return ExportTable(gettext("Hanchan"), headings, lambda: rows(_walk(hanchan), scribe, keys), day_column=0)


def _walk(hanchan: HanchanQuerySet) -> Iterator[Hanchan]:
    return (
        hanchan.in_order_of_play()
        .select_related("session__ruleset_version__ruleset", "ruleset_version__ruleset")
        .prefetch_related("seats", "incidents")
        .iterator(HANCHAN_AT_ONCE)
    )


Keys = list[tuple[str, int | None]]


def _long_rows(hanchan: Iterator[Hanchan], scribe: "_Scribe", keys: Keys) -> Iterator[Row]:
    for each in hanchan:
        played = _HanchanCells(each, scribe)
        for seat in played.seats:
            yield [played.of_seat(key, seat) if key in PER_SEAT else played.of_game(key) for key, _ in keys]


def _wide_rows(hanchan: Iterator[Hanchan], scribe: "_Scribe", keys: Keys) -> Iterator[Row]:
    for each in hanchan:
        played = _HanchanCells(each, scribe)
        yield [played.of_game(key) if number is None else played.at(number, key) for key, number in keys]


@dataclass(frozen=True, slots=True)
class _Scribe:
    """What all rows share; made while the reader's language is known, for rows may be written much later."""

    people: Mapping[int, Player]
    aliases: Mapping[int, str]
    zone: ZoneInfo
    session: str
    is_japanese: bool

    def word(self, words: Words, code: str) -> str:
        return words[code][0] if self.is_japanese else code


def _scribe(league: League, reader: Person, shape: FileLayout) -> _Scribe:
    people = {player.pk: player for player in league.players.prefetch_related("aliases")}
    # Readers of every fact read every name; to others a file must not tell what pages hide.
    hide_names(reader, league, people.values())
    aliases = {
        player.pk: write_list(sorted(alias.name for alias in player.aliases.all())) for player in people.values()
    }
    return _Scribe(
        people=people,
        aliases=aliases,
        zone=ZoneInfo(league.time_zone),
        session=gettext("Session %(number)s"),
        is_japanese=shape.languages != "en",
    )


class _HanchanCells:
    """What every cell of a hanchan says, whatever the shape of the rows."""

    __slots__ = ("_busts", "hanchan", "scribe", "seats")

    def __init__(self, hanchan: Hanchan, scribe: _Scribe) -> None:
        self.hanchan = hanchan
        self.scribe = scribe
        self.seats = seats_of(hanchan)
        self._busts: dict[int, str] | None = None

    def of_game(self, key: str) -> Cell:
        return OF_GAME[key](self)

    def of_seat(self, key: str, seat: Seat) -> Cell:
        return OF_SEAT[key](self, seat)

    def at(self, number: int, key: str) -> Cell:
        return self.of_seat(key, self.seats[number - 1]) if number <= len(self.seats) else None

    def bust(self, seat: int) -> str:
        if self._busts is None:
            happened = any(incident.kind == Incident.Kind.BUST for incident in self.hanchan.incidents.all())
            busts = game_of(self.hanchan).busts if happened else ()
            self._busts = {bust.seat: write_bust(bust) for bust in busts}
        return self._busts.get(seat, "")

    def yakuman(self, seat: int) -> str:
        found = sorted(self.hanchan.incidents.all(), key=lambda incident: incident.pk)
        wanted = (each.note for each in found if each.kind == Incident.Kind.YAKUMAN and each.seat == seat)
        return write_list(wanted)

    def session_label(self) -> str:
        session = self.hanchan.session
        return session.title or self.scribe.session % {"number": session.number}

    def moment(self) -> str:
        return self.hanchan.played_at.astimezone(self.scribe.zone).isoformat()

    def person(self, seat: Seat) -> Player:
        return self.scribe.people[seat.player_id]


def _rules(version: RulesetVersion) -> str:
    return f"{version.ruleset.key} v{version.number}"


def _points(points: int) -> Decimal:
    return Decimal(format_points(points))


OF_GAME: Mapping[str, Callable[[_HanchanCells], Cell]] = {
    "date": lambda played: played.hanchan.session.date,
    "session": _HanchanCells.session_label,
    "table": lambda played: played.hanchan.table,
    "game": lambda played: played.hanchan.round,
    "memo": lambda played: played.hanchan.note,
    "played_at": _HanchanCells.moment,
    "sticks": lambda played: played.hanchan.sticks_left,
    "end": lambda played: played.scribe.word(END, played.hanchan.end_reason),
    "state": lambda played: played.scribe.word(STATE, played.hanchan.state),
    "venue": lambda played: played.hanchan.session.venue,
    "rules": lambda played: _rules(played.hanchan.ruleset_version),
    "key": lambda played: played.hanchan.key,
    "session_key": lambda played: played.hanchan.session.key,
    "session_number": lambda played: played.hanchan.session.number,
    "session_title": lambda played: played.hanchan.session.title,
    "session_state": lambda played: played.scribe.word(SESSION_STATE, played.hanchan.session.state),
    "session_rules": lambda played: _rules(played.hanchan.session.ruleset_version),
    "tables": lambda played: played.hanchan.session.tables,
}
"""Every column about a hanchan."""

OF_SEAT: Mapping[str, Callable[[_HanchanCells, Seat], Cell]] = {
    "seat": lambda played, seat: (SEATS_JA if played.scribe.is_japanese else SEATS)[seat.seat],
    "player": lambda played, seat: played.person(seat).name,
    "raw": lambda _, seat: seat.raw_score,
    "placement": lambda _, seat: seat.placement,
    "points": lambda _, seat: _points(seat.points),
    "chips": lambda _, seat: seat.chips,
    "chombo": lambda _, seat: seat.chombo,
    "deposits": lambda _, seat: seat.deposits,
    "bust": lambda played, seat: played.bust(seat.seat),
    "yakuman": lambda played, seat: played.yakuman(seat.seat),
    "player_key": lambda played, seat: played.person(seat).key,
    "kana": lambda played, seat: played.person(seat).kana,
    "romanised": lambda played, seat: played.person(seat).romanised,
    "number": lambda played, seat: played.person(seat).number,
    "guest": lambda played, seat: int(played.person(seat).is_guest),
    "visibility": lambda played, seat: played.scribe.word(VISIBILITY, played.person(seat).visibility),
    "active": lambda played, seat: int(played.person(seat).is_active),
    "aliases": lambda played, seat: played.scribe.aliases[seat.player_id],
}
"""Every column about one player's part of a hanchan."""

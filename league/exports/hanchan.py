"""Hanchan as rows: one per player and hanchan, or one per hanchan."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from zoneinfo import ZoneInfo

from django.db.models import Count, Max, Q
from django.utils.translation import gettext

from league.core.periods import Period
from league.core.spreadsheets.cells import write_bust, write_list
from league.core.spreadsheets.columns import (
    BY_KEY,
    END,
    GIVEN,
    GIVEN_EN,
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
from league.exports.table import LANGUAGES, Cell, ExportColumn, ExportTable, Row, points_cell
from league.models import Hanchan, Incident, League, Player, RulesetVersion, Seat, Session
from league.models.play import HanchanQuerySet
from league.permissions import Person, hide_names
from league.selectors.plain_rows import walk
from scoring.core import read_game


@dataclass(frozen=True, slots=True)
class FileLayout:
    """Layout of an export. `exact`: include everything that is known, also voided hanchan."""

    form: RowShape = RowShape.LONG
    languages: str = "ja"
    exact: bool = False

    @property
    def columns(self) -> Callable[[int], tuple[tuple[FileColumn, int | None], ...]]:
        if self.form is RowShape.WIDE:
            return lambda players: wide_columns(players, exact=self.exact)
        return lambda _players: long_columns(exact=self.exact)


def hanchan_within(league: League, period: Period | None = None, session: Session | None = None) -> HanchanQuerySet:
    found = Hanchan.objects.filter(league=league)
    if session is not None:
        return found.filter(session=session)
    return found.in_period(period) if period is not None else found


def hanchan_table(league: League, hanchan: HanchanQuerySet, reader: Person, shape: FileLayout) -> ExportTable:
    """Return the hanchan in playing order, with names as visible to the reader.

    Without `exact`, voided hanchan and empty columns are left out, and if disputed ones do not count, a column marks
    them. At most four queries, plus seven per few hundred hanchan.
    """
    if not shape.exact:
        hanchan = hanchan.valid()
    known = Seat.objects.filter(hanchan__in=hanchan.order_by()).aggregate(
        highest=Max("seat"),
        chips=Count("pk", filter=~Q(chips=0)),
        chombo=Count("pk", filter=~Q(chombo=0)),
        bust=Count("pk", filter=Q(hanchan__incidents__kind=Incident.Kind.BUST)),
        sticks=Count("pk", filter=~Q(hanchan__sticks_left=0)),
        memo=Count("pk", filter=~Q(hanchan__note="")),
        as_is=Count("pk", filter=Q(hanchan__as_is=True)),
        given=Count("pk", filter=~Q(hanchan__given=Hanchan.Given.RAW)),
        total_only=Count("pk", filter=~Q(total_only=0)),
    )
    players = 4 if known["highest"] is None else known["highest"] + 1
    columns = shape.columns(players)
    if not shape.exact:
        columns = tuple((column, number) for column, number in columns if known.get(column.key, True))
    columns = (*columns, *((BY_KEY[name], None) for name in ("given", "as_is") if known[name]))
    if known["total_only"]:
        numbers = range(1, players + 1) if shape.form is RowShape.WIDE else (None,)
        columns = (*columns, *((BY_KEY["total_only"], number) for number in numbers))
    if not shape.exact and not league.disputed_count and hanchan.filter(state=Hanchan.State.DISPUTED).exists():
        # Only these rows make totals differ from the standings, so their state is included.
        columns = (*columns, (BY_KEY["state"], None))
    languages = LANGUAGES[shape.languages]
    headers = ((tuple(column.header(each, number) for each in languages), column.kind) for column, number in columns)
    headings = tuple(ExportColumn(*header) for header in headers)
    scribe = _scribe(league, reader, shape)
    keys = [(column.key, number) for column, number in columns]
    rows = _wide_rows if shape.form is RowShape.WIDE else _long_rows
    return ExportTable(gettext("Hanchan"), headings, lambda: rows(_cells(hanchan, scribe), keys), day_column=0)


def _cells(hanchan: HanchanQuerySet, scribe: "_Scribe") -> Iterator["_HanchanCells"]:
    for played in walk(hanchan.in_order_of_play(), "session__ruleset_version__ruleset", "ruleset_version__ruleset"):
        yield _HanchanCells(played, scribe)


Keys = list[tuple[str, int | None]]


def _long_rows(hanchan: Iterator["_HanchanCells"], keys: Keys) -> Iterator[Row]:
    of_game = [(place, _of_game(key)) for place, (key, _) in enumerate(keys) if not BY_KEY[key].per_seat]
    of_seat = [(place, _of_seat(key)) for place, (key, _) in enumerate(keys) if BY_KEY[key].per_seat]
    for played in hanchan:
        shared: list[Cell] = [None] * len(keys)
        for place, cell in of_game:
            shared[place] = cell(played)
        for seat in played.seats:
            row = shared.copy()
            for place, seat_cell in of_seat:
                row[place] = seat_cell(played, seat)
            yield row


def _wide_rows(hanchan: Iterator["_HanchanCells"], keys: Keys) -> Iterator[Row]:
    cells = [_of_game(key) if number is None else _at(number - 1, _of_seat(key)) for key, number in keys]
    for played in hanchan:
        yield [cell(played) for cell in cells]


@dataclass(frozen=True, slots=True)
class _Scribe:
    """Data shared by all rows, captured in the reader's language as rows may be written much later."""

    people: Mapping[int, Player]
    aliases: Mapping[int, str]
    zone: ZoneInfo
    session: str
    is_japanese: bool
    is_exact: bool

    def word(self, words: Words, code: str) -> str:
        return words[code] if self.is_japanese else code

    def name(self, player: Player) -> str:
        """Return a name in the file's language; exact files have a column for each."""
        return player.name if self.is_japanese or self.is_exact else player.romanised or player.name


def _scribe(league: League, reader: Person, shape: FileLayout) -> _Scribe:
    people = {player.pk: player for player in league.players.prefetch_related("aliases")}
    # Exact files are for organisers and contain all names; in others, names are hidden as on pages.
    if not shape.exact:
        hide_names(reader, league, people.values())
    names = {player.pk: sorted(alias.name for alias in player.aliases.all()) for player in people.values()}
    aliases = {pk: write_list(given) for pk, given in names.items()}
    return _Scribe(
        people=people,
        aliases=aliases,
        zone=ZoneInfo(league.time_zone),
        session=gettext("Session %(number)s"),
        is_japanese=shape.languages != "en",
        is_exact=shape.exact,
    )


class _HanchanCells:
    __slots__ = ("_busts", "hanchan", "incidents", "scribe", "seats")

    def __init__(self, hanchan: Hanchan, scribe: _Scribe) -> None:
        self.hanchan, self.scribe = hanchan, scribe
        self.seats, self.incidents = list(hanchan.seats.all()), list(hanchan.incidents.all())
        self._busts: dict[int, str] | None = None

    def bust(self, seat: int) -> str:
        if self._busts is None:
            kept = [{"seat": each.seat, **each.detail} for each in self.incidents if each.kind == Incident.Kind.BUST]
            busts = read_game({"raw": [each.raw_score for each in self.seats], "busts": kept}).busts if kept else ()
            self._busts = {bust.seat: write_bust(bust, is_japanese=self.scribe.is_japanese) for bust in busts}
        return self._busts.get(seat, "")

    def yakuman(self, seat: int) -> str:
        if not self.incidents:
            return ""
        wanted = (each.note for each in self.incidents if each.kind == Incident.Kind.YAKUMAN and each.seat == seat)
        return write_list(wanted)

    def session_label(self) -> str:
        return self.hanchan.session.own_name or self.scribe.session % {"number": self.hanchan.session.number}

    def moment(self) -> str:
        return self.hanchan.played_at.astimezone(self.scribe.zone).isoformat()

    def person(self, seat: Seat) -> Player:
        return self.scribe.people[seat.player_id]


def _rules(version: RulesetVersion) -> str:
    return f"{version.ruleset.key} v{version.number}"


def _of_game(key: str) -> "CellOfGame":
    return OF_GAME.get(key) or attrgetter(f"hanchan.{key}")


def _of_seat(key: str) -> "CellOfSeat":
    if key in {"kana", "romanised", "number", "club"}:
        return lambda played, seat: getattr(played.person(seat), key)
    return OF_SEAT.get(key) or (lambda _, seat: getattr(seat, key))


def _at(place: int, cell: "CellOfSeat") -> "CellOfGame":
    return lambda played: cell(played, played.seats[place]) if place < len(played.seats) else None


CellOfGame = Callable[[_HanchanCells], Cell]
CellOfSeat = Callable[[_HanchanCells, Seat], Cell]

OF_GAME: Mapping[str, CellOfGame] = {
    "date": lambda played: played.hanchan.session.date,
    "session": _HanchanCells.session_label,
    "session_key": lambda played: played.hanchan.session.key,
    "session_number": lambda played: played.hanchan.session.number,
    "session_title": lambda played: played.hanchan.session.title,
    "venue": lambda played: played.hanchan.session.venue,
    "tables": lambda played: played.hanchan.session.tables,
    "game": lambda played: played.hanchan.round,
    "sticks": lambda played: played.hanchan.sticks_left,
    "memo": lambda played: played.hanchan.note,
    "played_at": _HanchanCells.moment,
    "end": lambda played: played.scribe.word(END, played.hanchan.end_reason),
    "state": lambda played: played.scribe.word(STATE, played.hanchan.state),
    "given": lambda played: (GIVEN if played.scribe.is_japanese else GIVEN_EN)[played.hanchan.given],
    "as_is": lambda played: int(played.hanchan.as_is),
    "rules": lambda played: _rules(played.hanchan.ruleset_version),
    "session_state": lambda played: played.scribe.word(SESSION_STATE, played.hanchan.session.state),
    "session_rules": lambda played: _rules(played.hanchan.session.ruleset_version),
}
"""Columns about a hanchan that are not fields of it."""

OF_SEAT: Mapping[str, CellOfSeat] = {
    "seat": lambda played, seat: (SEATS_JA if played.scribe.is_japanese else SEATS)[seat.seat],
    "player": lambda played, seat: played.scribe.name(played.person(seat)),
    "raw": lambda _, seat: seat.raw_score,
    "points": lambda _, seat: points_cell(seat.points),
    "total_only": lambda _, seat: points_cell(seat.total_only),
    "bust": lambda played, seat: played.bust(seat.seat),
    "yakuman": lambda played, seat: played.yakuman(seat.seat),
    "player_key": lambda played, seat: played.person(seat).key,
    "guest": lambda played, seat: int(played.person(seat).is_guest),
    "visibility": lambda played, seat: played.scribe.word(VISIBILITY, played.person(seat).visibility),
    "active": lambda played, seat: int(played.person(seat).is_active),
    "aliases": lambda played, seat: played.scribe.aliases[seat.player_id],
}
"""Columns about a seat that are not fields of it."""

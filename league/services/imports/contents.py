"""An upload as games: read, recognised and completed by the answers so far, with the questions it leaves open."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.utils import timezone

from league.core.imports.games import ImportedGame, ImportedTotal, ImportNote, game_of, numbers_of, total_of
from league.core.imports.records import (
    ABOVE,
    BY_SESSION,
    BY_STAMP,
    STAY,
    UNDATED,
    GameRecord,
    records_of,
    settle_commas,
    with_days,
)
from league.core.imports.scores import POINTS, RAW, columns_by_sums, sticks_missing
from league.core.spreadsheets import layouts
from league.core.spreadsheets.dates import (
    ORDERS,
    DateError,
    DateOrder,
    DateReading,
    ambiguous,
    guess_order,
    parse_date,
    parse_stamp,
)
from league.core.spreadsheets.headers import (
    columns_of,
    names_places,
    split_target,
    suggest_layout,
)
from league.core.spreadsheets.layouts import FileSheet, Recognised
from league.core.spreadsheets.logs import read_log
from league.core.spreadsheets.names import WrittenName
from league.core.spreadsheets.numbers import guess_unit
from league.core.spreadsheets.tables import (
    BESIDE,
    MAX_ROWS,
    FileRow,
    ImportFileError,
    decode,
    is_workbook,
    read_table,
)
from league.models import ImportBatch, League
from league.services.imports.values import MISSING, FileQuestions, FileReading
from league.services.imports.workbook import open_workbook
from league.services.stored_json import from_stored
from scoring.core import ScoringRules

LOOKED_AT = 200
"""Rows that tell the width of a file."""

REMEMBERED = 20
"""Earlier imports searched for the same headers."""


def rules_of(league: League) -> ScoringRules | None:
    return league.current_version.read() if league.current_version else None


def players_of(rules: ScoringRules | None) -> int:
    """Return the number of players at a table."""
    return (rules.players if rules else None) or 4


# --- Read and recognise -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileSource:
    """All rows of a plain table or what was recognised in another file, how it was read, and the alternatives.

    `fitting`: encodings that fit; `is_suggested`: the user has not chosen the columns.
    """

    reading: FileReading
    rows: tuple[FileRow, ...] = ()
    recognised: Recognised | None = None
    fitting: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    notes: tuple[ImportNote, ...] = ()
    is_suggested: bool = True

    @property
    def is_workbook(self) -> bool:
        return bool(self.sheets)

    @property
    def header(self) -> tuple[FileRow, ...]:
        return self.rows[self.reading.header_row : self.reading.header_row + self.reading.header_rows]

    @property
    def body(self) -> tuple[FileRow, ...]:
        return self.rows[self.reading.header_row + self.reading.header_rows :]

    @property
    def headers(self) -> list[str]:
        """One header per column of the file, "" if the column has none."""
        width = max((len(row.cells) for row in self.rows[:LOOKED_AT]), default=0)
        texts = [[row.cells[at] for row in self.header if at < len(row.cells)] for at in range(width)]
        return [" ".join(dict.fromkeys(text for text in parts if text)) for parts in texts]


def source_of(batch: ImportBatch, reading: FileReading | None = None) -> FileSource:
    """Return an upload's rows, read by `reading`, else by the stored reading, else as the file suggests.

    Raise ImportFileError.
    """
    stored = reading or from_stored(FileReading, batch.reading or {})
    data, players = bytes(batch.data), players_of(rules_of(batch.league))
    source = _workbook(data, stored, players) if is_workbook(data) else _text(data, stored, players)
    if source.recognised is not None:
        return source
    if not source.rows:
        raise ImportFileError("empty")
    completed = _completed(source.rows, source.reading)
    source = replace(source, reading=completed, is_suggested=not stored.columns)
    return source if reading or batch.reading else _remembered(batch, source)


def _workbook(data: bytes, reading: FileReading, players: int) -> FileSource:
    book = open_workbook(data)
    source = _recognised(book.sheets(reading.sheet), replace(reading, encoding=""), players)
    return replace(source, sheets=book.names)


def _text(data: bytes, reading: FileReading, players: int) -> FileSource:
    decoded, notes = decode(data, reading.encoding), []
    if len(decoded.fitting) > 1 and not decoded.text.isascii() and not reading.encoding:
        notes.append(ImportNote("encoding_unsure"))
    read = replace(reading, encoding=decoded.encoding, sheet="")
    if reading.layout in {"", layouts.LOG} and (log := read_log(decoded.text)) is not None:
        source = _of_layout(log, read)
    else:
        table = read_table(decoded.text)
        notes += [ImportNote("quotes_ignored")] if table.quotes_ignored else []
        source = _recognised((FileSheet("", table.rows),), read, players)
    return replace(source, fitting=decoded.fitting, notes=(*notes, *source.notes))


def _recognised(sheets: Sequence[FileSheet], reading: FileReading, players: int) -> FileSource:
    """Return the rows of a plain table, or the games of another layout."""
    sheets = [sheet for sheet in sheets if sheet.rows]
    if reading.layout != layouts.TABLE:
        if (found := layouts.recognise(sheets, players, reading.layout)) is not None:
            return _of_layout(found, reading)
        if reading.layout:
            raise ImportFileError("other_layout")
    rows, used, is_dated = layouts.plain_rows(sheets)
    if len(rows) > MAX_ROWS + BESIDE:
        raise ImportFileError("too_many_rows", most=MAX_ROWS)
    notes = [ImportNote("days_of_sheets")] if is_dated else []
    if left := [sheet.name for sheet in sheets if sheet not in used]:
        notes.append(ImportNote("sheets_left_out", {"names": left}))
    return FileSource(replace(reading, layout=layouts.TABLE), tuple(rows), notes=tuple(notes))


def _of_layout(found: Recognised, reading: FileReading) -> FileSource:
    notes = [ImportNote("sheets_left_out", {"names": found.left_out})] if found.left_out else []
    read = replace(reading, layout=found.layout, header_row=-1, columns=())
    return FileSource(read, recognised=found, notes=tuple(notes))


def _completed(rows: Sequence[FileRow], reading: FileReading) -> FileReading:
    """Return a reading with defaults filled in. Raise ImportFileError for invalid choices."""
    if reading.header_row < 0:
        layout = suggest_layout(rows)
        return replace(
            reading,
            header_row=layout.header_row,
            header_rows=layout.header_rows,
            columns=layout.columns,
        )
    if reading.header_row >= len(rows) or not 0 <= reading.header_rows <= 2:
        raise ImportFileError("unknown_header", row=reading.header_row + 1)
    if not reading.columns:
        columns = columns_of(rows[reading.header_row : reading.header_row + reading.header_rows])
        return replace(reading, columns=columns)
    return reading


def _remembered(batch: ImportBatch, source: FileSource) -> FileSource:
    """Use the columns of the league's latest import with the same headers, if any."""
    earlier = batch.league.imports.exclude(pk=batch.pk).exclude(run_at=None).order_by("-run_at")
    for reading in earlier.values_list("reading", flat=True)[:REMEMBERED]:
        if reading.get("headers") == source.headers:
            old = from_stored(FileReading, reading)
            # A date for undated games is valid for one file only.
            undated = old.undated if old.undated in UNDATED else ""
            now = replace(source.reading, columns=old.columns, date_order=old.date_order)
            return replace(source, reading=replace(now, undated=undated), is_suggested=False)
    return source


def today_of(batch: ImportBatch) -> date:
    return batch.league.day_of(timezone.now())


# --- Games ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileContents:
    """Content of a file; `problems` prevent the import, `notes` do not.

    `people`: number of games by name, in order of appearance. `unit`: points per unit of raw scores.
    """

    source: FileSource
    games: Sequence[ImportedGame]
    totals: Sequence[ImportedTotal]
    people: Counter[WrittenName]
    unit: int
    notes: tuple[ImportNote, ...]
    problems: tuple[ImportNote, ...]
    questions: FileQuestions

    @property
    def reading(self) -> FileReading:
        return self.source.reading

    def must_be_readable(self) -> None:
        for problem in self.problems:
            raise ImportFileError(problem.code, **problem.values)


def contents_of(batch: ImportBatch, reading: FileReading | None = None) -> FileContents:
    """Return the file's contents, read as chosen, as in an earlier import, or as the file suggests.

    Raise ImportFileError.
    """
    # A page needs the same contents several times, so they are cached on the batch.
    found: dict[FileReading, FileContents] = batch.__dict__.setdefault("_contents", {})
    key = reading or from_stored(FileReading, batch.reading or {})
    if key not in found:
        found[key] = _contents(batch, source_of(batch, reading))
    return found[key]


def _contents(batch: ImportBatch, source: FileSource) -> FileContents:
    league, rules, skipped = batch.league, rules_of(batch.league), Counter[str]()
    starts = [players_of(rules) * (rules.start_points or 25_000)] if rules else []
    source, records = _records(source, players_of(rules), starts, skipped)
    comma = settle_commas(records, source.reading.comma)
    found = source.recognised.totals if source.recognised else []
    calendar, questions = _days_of(source, records, league, today_of(batch))
    with_days(records, source.reading.undated)
    games = [game for record in records if not (game := game_of(record, calendar)).is_voided]
    totals = [total_of(total, calendar, source.reading.undated) for total in found]
    unit = guess_unit(filter(None, map(numbers_of, games)), starts)
    short = _sticks_missing(games, unit, starts)
    if source.reading.as_is == MISSING:
        for at, sticks in short.items():
            games[at].sticks += sticks
    problems = tuple(_problems(source, league))
    people = Counter(entry.written for game in games for entry in game.entries if entry.written.name)
    people.update(total.written for total in totals)
    questions = replace(
        questions,
        short=len(short),
        comma=comma,
        chips=source.reading.layout != layouts.LOG and _has_chips_of(games, rules),
        undated=questions.undated + sum(not total.date for total in found),
    )
    return FileContents(
        source=source,
        games=games,
        totals=totals,
        people=people,
        unit=unit,
        notes=(
            *source.notes,
            *_notes(skipped, unit, _order_of(source, games)),
            *_notes_on(source, records, questions, calendar),
        ),
        problems=problems if problems or games or totals else (ImportNote("no_games"),),
        questions=questions,
    )


def _sticks_missing(games: Sequence[ImportedGame], unit: int, starts: Sequence[int]) -> dict[int, int]:
    """Return the number of riichi sticks that would explain a total that is too low, by game."""
    numbers = ((at, game, numbers_of(game)) for at, game in enumerate(games))
    found = {at: sticks_missing(each, unit, game.sticks, starts) for at, game, each in numbers if each}
    return {at: sticks for at, sticks in found.items() if sticks}


def _has_chips_of(games: Sequence[ImportedGame], rules: ScoringRules | None) -> bool:
    """Return whether the file has chips beside points without raw scores, and chips count in the points."""
    counts = rules is not None and bool(rules.chips)
    seats = (entry for game in games for entry in game.entries)
    return counts and any(entry.chips and entry.number is None and entry.points is not None for entry in seats)


def _records(
    source: FileSource, players: int, starts: Sequence[int], skipped: Counter[str]
) -> tuple[FileSource, list[GameRecord]]:
    """Return the source and its games as text; ambiguous score columns are told apart by their totals."""
    columns: tuple[str, ...] = source.reading.columns
    if source.recognised is not None:
        records, columns = source.recognised.games, (RAW,)
        skipped.update({"lines_passed_over": source.recognised.passed_over} if source.recognised.passed_over else {})
    else:
        by_place = names_places(source.headers)
        records = records_of(source.body, columns, players, skipped, by_place=by_place)
    settled = columns_by_sums(records, columns, starts) if source.is_suggested else columns
    if source.recognised is None:
        source = replace(source, reading=replace(source.reading, columns=settled))
    return source, records


def _order_of(source: FileSource, games: Sequence[ImportedGame]) -> str:
    """Return the order that is taken for that of the seats: "place", "columns" or "order" of rows; "" with seats."""
    layout = source.reading.layout
    if not games or any(game.seats_known for game in games):
        return ""
    if layout == layouts.LOG or names_places(source.headers):
        return "place"
    return "columns" if layout in {layouts.MATRIX, layouts.SIGNED} else "order"


def _problems(source: FileSource, league: League) -> Iterator[ImportNote]:
    if league.current_version is None:
        yield ImportNote("no_rules")
    if source.recognised is not None:
        yield from (ImportNote(code) for code in (source.recognised.problem,) if code)
        return
    columns = [column for column in source.reading.columns if column]
    keys = {split_target(column)[0] for column in columns}
    dated = {"date", "stamp"} & keys or source.reading.undated not in {"", *UNDATED}
    for column, is_there in (("player", "player" in keys), ("raw", keys & {RAW, POINTS}), ("date", dated)):
        if not is_there:
            yield ImportNote("column_missing", {"column": column})
    yield from (ImportNote("column_twice", {"column": each}) for each, count in Counter(columns).items() if count > 1)
    if "player" in columns and any(seat is not None for _, seat in map(split_target, columns)):
        yield ImportNote("forms_mixed")


def _notes(skipped: Counter[str], unit: int, order: str) -> Iterator[ImportNote]:
    yield from (ImportNote(code, {"count": count}) for code, count in skipped.items())
    if order:
        yield ImportNote(f"seats_by_{order}")
    if unit != 1:
        yield ImportNote("unit", {"unit": unit})


# --- Open questions of a file ----------------------------------------------------------------------------------------


def _days_of(
    source: FileSource, records: Sequence[GameRecord], league: League, today: date
) -> tuple[DateReading, FileQuestions]:
    reading, keys = source.reading, set(source.reading.columns)
    if source.recognised is not None:
        keys = {key for record in records for key in record.texts}
        keys |= {"date"} - ({"date"} if "stamp" in keys else set())
    day_column = next((key for key in ("date", "stamp") if key in keys), "")
    takes_stamps = day_column == "stamp" or reading.undated == BY_STAMP
    wanted = ["date", "stamp"] if takes_stamps else ["date"]
    texts = list(dict.fromkeys(each.texts[key] for key in wanted for each in records if key in each.texts))
    guess = guess_order(texts, today)
    calendar = DateReading(
        today=today,
        order=reading.date_order or (guess.order if guess.is_sure else DateOrder.UNKNOWN),
        year=reading.year,
        boundary=league.day_boundary,
        zone=league.time_zone,
        takes_stamps=takes_stamps,
    )
    undated = 0 if day_column == "stamp" else sum("date" not in record.texts for record in records)
    is_dated = day_column == "date"
    ways = {ABOVE: is_dated, BY_SESSION: is_dated and "session" in keys, BY_STAMP: "stamp" in keys, STAY: True}
    return calendar, FileQuestions(
        samples=tuple(_samples(texts, calendar, day_column)),
        guess=guess,
        day_column=day_column,
        undated=undated,
        ways=tuple(way for way, is_allowed in ways.items() if is_allowed) if undated else (),
    )


def _samples(
    texts: Sequence[str], calendar: DateReading, day_column: str
) -> Iterator[tuple[str, dict[DateOrder, date | None]]]:
    """Yield dates from the start, middle and end of the file, ambiguous ones if any, as read in each order."""
    some = [text for text in texts if ambiguous(text)] or texts
    for text in dict.fromkeys(some[at] for at in (0, len(some) // 2, len(some) - 1)) if some else ():
        yield text, {order: _day(text, replace(calendar, order=order), day_column) for order in ORDERS}


def _day(text: str, calendar: DateReading, day_column: str) -> date | None:
    try:
        return parse_stamp(text, calendar) if day_column == "stamp" else parse_date(text, calendar)
    except DateError:
        return None


def _notes_on(
    source: FileSource, records: Iterable[GameRecord], questions: FileQuestions, calendar: DateReading
) -> Iterator[ImportNote]:
    """Yield notes about how the file was read, whether detected or chosen by the user."""
    columns, headers = source.reading.columns, source.headers
    kinds = [
        (split_target(old)[0], split_target(new)[0])
        for old, new in zip(columns_of(source.header), columns, strict=False)
    ]
    other = [(new, header) for (old, new), header in zip(kinds, headers, strict=False) if {old, new} == {RAW, POINTS}]
    if other:
        yield ImportNote(f"taken_as_{other[0][0]}", {"header": other[0][1]})
    if source.recognised is not None and any(POINTS in seat.texts for record in records for seat in record.seats):
        yield ImportNote("all_points")
    if "dealer" in columns:
        yield ImportNote("seats_by_dealer", {"header": headers[columns.index("dealer")]})
    if questions.day_column == "stamp":
        header = headers[columns.index("stamp")] if columns else questions.samples[0][0]
        yield ImportNote("days_of_stamps", {"header": header, "boundary": f"{calendar.boundary:%H:%M}"})
    if calendar.order and questions.guess.dates:
        text, days = questions.samples[0]
        if day := days[calendar.order]:
            values = {"order": str(calendar.order), "text": text, "day": day.isoformat()}
            yield ImportNote("dates_said", values)
    if questions.short and source.reading.as_is == MISSING:
        yield ImportNote("sticks_taken", {"count": questions.short})

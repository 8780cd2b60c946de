"""An upload as games: read, recognised and completed by the answers so far, with the questions it leaves open."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta

from django.utils import timezone

from league.core.imports.games import ImportedGame, ImportedTotal, ImportNote, game_of, numbers_of, total_of
from league.core.imports.records import (
    ABOVE,
    BY_SESSION,
    BY_STAMP,
    STAY,
    UNDATED,
    GameRecord,
    Skipped,
    records_of,
    settle_commas,
    with_days,
)
from league.core.imports.scores import POINTS, RAW, columns_by_sums, finished, sticks_missing
from league.core.spreadsheets import dates, layouts, tables
from league.core.spreadsheets.headers import columns_of, names_places, split_target, suggest_layout
from league.core.spreadsheets.layouts import FileSheet, Recognised
from league.core.spreadsheets.logs import read_log
from league.core.spreadsheets.names import WrittenName
from league.core.spreadsheets.numbers import guess_unit
from league.models import ImportBatch, League, RulesetVersion
from league.services.imports.people import people_of
from league.services.imports.sessions import results_in
from league.services.imports.values import MISSING, FileReading
from league.services.imports.workbook import open_workbook
from league.services.rules import choosable_versions
from league.services.stored_json import from_stored
from scoring.core import ScoringRules

LOOKED_AT = 200
"""Rows that tell the width of a file."""

MAX_SHOWN = 120
"""Length of a skipped row that is shown."""

USUAL_STARTS = (25_000, 30_000)
"""Start points that a file may have, whatever the league's rules say."""

REMEMBERED = 20
"""Earlier imports searched for the same headers."""


@dataclass(slots=True)
class FileContents:
    """A file on its way from rows to games; `problems` prevent the import, `notes` do not.

    `rows`: of a plain table; `recognised`: what was recognised in another file. `fitting`: encodings that fit; `sheets`: of
    a workbook, `starts`: lines above each; `is_suggested`: the user has not chosen the columns. `people`: number of games
    by name, in order of appearance. `unit`: points per unit of raw scores.

    The other fields are about questions. `samples`: dates with their value in each order; `guess`: the likely order;
    `undated`: number of games and totals without a date; `ways`: applicable answers of UNDATED; `day_column`: "date",
    "stamp" or "";
    `short`: number of games whose total riichi sticks would explain; `comma`: an ambiguous number; `chips`: whether points
    may contain those of chips.
    """

    league: League
    reading: FileReading
    chosen: RulesetVersion | None = None
    rows: Sequence[tables.FileRow] = ()
    recognised: Recognised | None = None
    fitting: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    starts: Sequence[tuple[int, str]] = ()
    is_suggested: bool = True
    games: Sequence[ImportedGame] = ()
    totals: Sequence[ImportedTotal] = ()
    people: Counter[WrittenName] = field(default_factory=Counter)
    unit: int = 1
    notes: list[ImportNote] = field(default_factory=list)
    problems: list[ImportNote] = field(default_factory=list)
    samples: Sequence[tuple[str, Mapping[dates.DateOrder, date | None]]] = ()
    guess: dates.OrderGuess = field(default_factory=dates.OrderGuess)
    undated: int = 0
    undated_totals: int = 0
    ways: Sequence[str] = ()
    day_column: str = ""
    short: int = 0
    comma: str = ""
    chips: bool = False

    def where(self, lines: Collection[int]) -> tuple[str, str]:
        """Return the sheet of some lines, "" if there is one alone, and their numbers in it."""
        before = [start for start in self.starts if start[0] < min(lines)]
        above, name = before[-1] if before and self.starts[1:] else (0, "")
        return name, "–".join(dict.fromkeys((str(min(lines) - above), str(max(lines) - above))))

    @property
    def header(self) -> Sequence[tables.FileRow]:
        return self.rows[self.reading.header_row : self.reading.header_row + self.reading.header_rows]

    @property
    def body(self) -> Sequence[tables.FileRow]:
        return self.rows[self.reading.header_row + self.reading.header_rows :]

    @property
    def headers(self) -> list[str]:
        """One header per column of the file, "" if the column has none."""
        width = max((len(row.cells) for row in self.rows[:LOOKED_AT]), default=0)
        texts = [[row.cells[at] for row in self.header if at < len(row.cells)] for at in range(width)]
        return [" ".join(dict.fromkeys(text for text in parts if text)) for parts in texts]

    @property
    def rules(self) -> ScoringRules | None:
        version = self.chosen or self.league.current_version
        return version.read() if version else None

    @property
    def players(self) -> int:
        """Number of players at a table."""
        return (self.rules.players if self.rules else None) or 4

    @property
    def is_asking(self) -> bool:
        """Whether a question about the file is not answered."""
        is_order_unsure = bool(self.guess.dates) and not self.guess.is_sure
        asked = {"date_order": is_order_unsure, "undated": self.undated, "comma": self.comma, "chips": self.chips}
        return any(asked[name] and not getattr(self.reading, name) for name in asked)


def contents_of(batch: ImportBatch, reading: FileReading | None = None) -> FileContents:
    """Return the file's contents, read as chosen, as in an earlier import, or as the file suggests.

    Raise ImportFileError.
    """
    # A page needs the same contents several times, so they are cached on the batch.
    found: dict[FileReading, FileContents] = batch.__dict__.setdefault("_contents", {})
    key = reading or from_stored(FileReading, batch.reading or {})
    if key not in found:
        found[key] = read_rows(batch, reading)
        _find_games(found[key], batch)
    return found[key]


def read_rows(batch: ImportBatch, reading: FileReading | None = None) -> FileContents:
    """Return an upload's rows, read by `reading`, else by the stored reading, else as the file suggests.

    Raise ImportFileError.
    """
    stored, data = reading or from_stored(FileReading, batch.reading or {}), bytes(batch.data)
    chosen = choosable_versions(batch.league).get(stored.rules) if stored.rules else None
    contents = FileContents(batch.league, stored, chosen)
    if tables.is_workbook(data):
        _read_workbook(contents, data)
    else:
        _read_text(contents, data)
    if contents.recognised is None:
        if not contents.rows:
            raise tables.ImportFileError("empty")
        _complete(contents)
        contents.is_suggested = not stored.columns
        if reading is None and not batch.reading:
            _remember(contents, batch)
    return contents


def _read_workbook(contents: FileContents, data: bytes) -> None:
    book = open_workbook(data)
    contents.sheets, contents.reading = book.names, replace(contents.reading, encoding="")
    sheets = [sheet for sheet in book.sheets(contents.reading.sheet) if sheet.rows]
    contents.starts = [(sheet.above, sheet.name) for sheet in sheets]
    _recognise(contents, sheets)


def _read_text(contents: FileContents, data: bytes) -> None:
    decoded = tables.decode(data, contents.reading.encoding)
    if decoded.is_unsure and not contents.reading.encoding:
        contents.notes.append(ImportNote("encoding_unsure"))
    contents.fitting = decoded.fitting
    contents.reading = replace(contents.reading, encoding=decoded.encoding, sheet="")
    if contents.reading.layout in {"", layouts.LOG} and (log := read_log(decoded.text)) is not None:
        _take(contents, log)
        return
    table = tables.read_table(decoded.text)
    if table.quotes_ignored:
        contents.notes.append(ImportNote("quotes_ignored"))
    _recognise(contents, (FileSheet("", table.rows),))


def _recognise(contents: FileContents, sheets: Sequence[FileSheet]) -> None:
    """Find the rows of a plain table, or the games of another layout."""
    layout = contents.reading.layout
    found = layouts.recognise(sheets, contents.players, layout) if layout != layouts.TABLE else None
    if found is not None:
        _take(contents, found)
        return
    if layout not in {"", layouts.TABLE}:
        raise tables.ImportFileError("other_layout")
    contents.rows, used, is_dated = layouts.plain_rows(sheets)
    if len(contents.rows) > tables.MAX_ROWS + tables.BESIDE:
        raise tables.ImportFileError("too_many_rows", most=tables.MAX_ROWS)
    if is_dated:
        contents.notes.append(ImportNote("days_of_sheets"))
    contents.notes += _on_sheets([sheet for sheet in sheets if sheet not in used])
    contents.reading = replace(contents.reading, layout=layouts.TABLE)


def _take(contents: FileContents, found: Recognised) -> None:
    contents.notes += _on_sheets(found.left_out)
    contents.recognised = found
    contents.reading = replace(contents.reading, layout=found.layout, header_row=-1, columns=())


def _on_sheets(left: Sequence[FileSheet]) -> Iterator[ImportNote]:
    """Yield notes on sheets of which nothing was read; those with numbers may hold results."""
    unread = [sheet.name for sheet in left if layouts.holds_numbers(sheet)]
    others = [sheet.name for sheet in left if sheet.name not in unread]
    for code, names in (("sheets_unread", unread), ("sheets_left_out", others)):
        yield from [ImportNote(code, {"names": names, "count": len(names)})] if names else []


def _complete(contents: FileContents) -> None:
    """Fill in defaults of the reading. Raise ImportFileError for invalid choices."""
    reading, rows = contents.reading, contents.rows
    if reading.header_row < 0:
        contents.reading = replace(reading, **asdict(suggest_layout(rows)))
    elif reading.header_row >= len(rows) or not 0 <= reading.header_rows <= 2:
        raise tables.ImportFileError("unknown_header", row=reading.header_row + 1)
    elif not reading.columns:
        contents.reading = replace(reading, columns=columns_of(contents.header))


def _remember(contents: FileContents, batch: ImportBatch) -> None:
    """Use the columns of the league's latest import with the same headers, if any."""
    earlier = batch.league.imports.exclude(pk=batch.pk).exclude(run_at=None).order_by("-run_at")
    for reading in earlier.values_list("reading", flat=True)[:REMEMBERED]:
        if reading.get("headers") == contents.headers:
            old = from_stored(FileReading, reading)
            # A date for undated games is valid for one file only.
            undated = old.undated if old.undated in UNDATED else ""
            contents.reading = replace(
                contents.reading, columns=old.columns, date_order=old.date_order, undated=undated
            )
            contents.is_suggested = False
            return


def today_of(batch: ImportBatch) -> date:
    return batch.league.day_of(timezone.now())


def _find_games(contents: FileContents, batch: ImportBatch) -> None:
    rules, found = contents.rules, contents.recognised.totals if contents.recognised else []
    starts = [contents.players * (rules.start_points or 25_000)] if rules else []
    usual = [*starts, *(contents.players * each for each in USUAL_STARTS)]
    records = _records(contents, usual)
    contents.comma = settle_commas(records, contents.reading.comma)
    calendar = _calendar(contents, records, today_of(batch))
    contents.undated_totals = sum(not total.date for total in found)
    contents.undated += contents.undated_totals
    with_days(records, contents.reading.undated)
    games = _games(records, calendar)
    contents.people.update(entry.written for game in games for entry in game.entries if entry.written.name)
    contents.unit = guess_unit(filter(None, map(numbers_of, games)), usual)
    if any(_is_completed(text, calendar, contents.day_column) for text, _days in contents.samples):
        calendar = replace(calendar, latest=_latest_day(contents, batch, games, calendar.today))
        games = _games(records, calendar)
    contents.games = games
    contents.totals = [total_of(total, calendar, contents.reading.undated) for total in found]
    short = _sticks_missing(games, contents.unit, starts)
    contents.short = len(short)
    if contents.reading.as_is == MISSING:
        for at, sticks in short.items():
            games[at].sticks += sticks
    contents.chips = contents.reading.layout != layouts.LOG and _has_chips_of(games, rules)
    for total in contents.totals:
        contents.people[total.written] += total.hanchan
    contents.problems = list(_problems(contents))
    if not (contents.problems or games or contents.totals):
        contents.problems = [ImportNote("no_games")]
    contents.notes += [*_notes(contents, records), *_notes_on_days(contents, calendar)]


def _records(contents: FileContents, starts: Sequence[int]) -> list[GameRecord]:
    """Return the games as text; ambiguous score columns are told apart by their totals."""
    skipped, found, columns = Skipped(list), contents.recognised, contents.reading.columns
    if found is not None:
        records, columns = found.games, (RAW,)
        skipped |= {"lines_passed_over": found.passed_over} if found.passed_over else {}
    else:
        records = records_of(contents.body, columns, contents.players, skipped, by_place=names_places(contents.headers))
    contents.notes += [_on_rows(contents, code, rows) for code, rows in skipped.items()]
    settled = columns_by_sums(records, columns, starts) if contents.is_suggested else columns
    if found is None:
        contents.reading = replace(contents.reading, columns=settled)
    return records


def _on_rows(contents: FileContents, code: str, rows: Sequence[tables.FileRow]) -> ImportNote:
    """Return a note with the first of some rows: their sheet, line and text."""
    shown = [(*contents.where([row.line]), " · ".join(filter(None, row.cells))) for row in rows[:LOOKED_AT]]
    told = [(*place, text[:MAX_SHOWN]) for *place, text in shown if text]
    return ImportNote(code, {"count": len(rows), "rows": told})


def _games(records: Sequence[GameRecord], calendar: dates.DateReading) -> list[ImportedGame]:
    return [game for record in records if not (game := game_of(record, calendar)).is_voided]


def _latest_day(contents: FileContents, batch: ImportBatch, games: Sequence[ImportedGame], today: date) -> date:
    """Return the last day that a date without a year may mean: today, or one by which the league has more of the games."""
    people = people_of(batch, contents.people, contents.reading.unknown, games).names
    read = [
        (game, game.session.day, played)
        for game in games
        if game.session and (played := finished(game, contents.unit)[0])
    ]
    wanted = {(day.month, day.day) for _game, day, _played in read}
    sessions = contents.league.sessions.kept().values_list("pk", "date")
    days = {pk: day for pk, day in sessions if (day.month, day.day) in wanted}
    if not days:
        return today
    stored = results_in(days, "raw_score" if any(played.raw for *_, played in read) else "points")
    found: dict[tuple[int, int], Counter[date | None]] = {}
    for game, day, played in read:
        matches = (people.get(entry.written) for entry in game.entries)
        who = (match.player.pk if match and match.player else 0 for match in matches)
        same = stored.get(frozenset(zip(who, played.raw or played.points, strict=True)), ())
        on = (day.month, day.day)
        found.setdefault(on, Counter()).update({days[pk] for pk in same if (days[pk].month, days[pk].day) == on})
    # The longest time without a second such day after the first.
    last = {min(day + timedelta(364), today) for there in found.values() for day in there if day}
    return max(
        {today, *last}, key=lambda day: (sum(there[dates.last_on(*on, day)] for on, there in found.items()), day)
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


def _problems(contents: FileContents) -> Iterator[ImportNote]:
    if contents.league.current_version is None:
        yield ImportNote("no_rules")
    if (found := contents.recognised) is not None:
        yield from [ImportNote("tables_unknown", {"names": found.crowded})] if found.crowded else []
    else:
        columns = [column for column in contents.reading.columns if column]
        keys = {split_target(column)[0] for column in columns}
        dated = {"date", "stamp"} & keys or contents.reading.undated not in UNDATED
        for column, is_there in (("player", "player" in keys), ("raw", keys & {RAW, POINTS}), ("date", dated)):
            if not is_there:
                yield ImportNote("column_missing", {"column": column})
        twice = [each for each, count in Counter(columns).items() if count > 1]
        yield from (ImportNote("column_twice", {"column": each}) for each in twice)
        if "player" in columns and any(seat is not None for _, seat in map(split_target, columns)):
            yield ImportNote("forms_mixed")


def _calendar(contents: FileContents, records: Sequence[GameRecord], today: date) -> dates.DateReading:
    """Find the questions about dates; return how they are read so far."""
    reading, keys = contents.reading, set(contents.reading.columns)
    if contents.recognised is not None:
        keys = {key for record in records for key in record.texts}
        keys |= {"date"} - ({"date"} if "stamp" in keys else set())
    day_column = next((key for key in ("date", "stamp") if key in keys), "")
    takes_stamps = day_column == "stamp" or reading.undated == BY_STAMP
    wanted = ["date", "stamp"] if takes_stamps else ["date"]
    texts = list(dict.fromkeys(each.texts[key] for key in wanted for each in records if key in each.texts))
    contents.guess = dates.guess_order(texts, today)
    calendar = dates.DateReading(
        today=today,
        order=reading.date_order or (contents.guess.order if contents.guess.is_sure else dates.DateOrder.UNKNOWN),
        year=reading.year,
        boundary=contents.league.day_boundary,
        zone=contents.league.time_zone,
        takes_stamps=takes_stamps,
    )
    contents.day_column, contents.samples = day_column, list(_samples(texts, calendar, day_column))
    contents.undated = 0 if day_column == "stamp" else sum("date" not in record.texts for record in records)
    is_dated = day_column == "date" and contents.undated < len(records)
    by_session = is_dated and "session" in keys
    ways = {ABOVE: is_dated, BY_SESSION: by_session, BY_STAMP: "stamp" in keys, STAY: is_dated or not day_column}
    contents.ways = [way for way, is_allowed in ways.items() if is_allowed and contents.undated]
    return calendar


def _samples(
    texts: Sequence[str], calendar: dates.DateReading, day_column: str
) -> Iterator[tuple[str, dict[dates.DateOrder, date | None]]]:
    """Yield dates from the start, middle and end of the file, ambiguous ones if any, as read in each order."""
    some = [text for text in texts if dates.ambiguous(text)] or texts
    for text in dict.fromkeys(some[at] for at in (0, len(some) // 2, len(some) - 1)) if some else ():
        yield text, {order: _day(text, replace(calendar, order=order), day_column) for order in dates.ORDERS}


def _day(text: str, calendar: dates.DateReading, day_column: str) -> date | None:
    try:
        return dates.parse_stamp(text, calendar) if day_column == "stamp" else dates.parse_date(text, calendar)
    except dates.DateError:
        return None


def _is_completed(text: str, calendar: dates.DateReading, day_column: str) -> bool:
    """Return whether a date has no year, and none is chosen."""
    day = _day(text, calendar, day_column)
    return bool(day and not calendar.year and day != _day(text, replace(calendar, year=day.year - 1), day_column))


def _notes(contents: FileContents, records: Sequence[GameRecord]) -> Iterator[ImportNote]:
    """Yield notes about how the file was read, whether detected or chosen by the user."""
    headers, columns = contents.headers, contents.reading.columns
    if contents.games and not any(game.seats_known for game in contents.games):
        yield ImportNote(f"seats_by_{_order_of(contents)}")
    if contents.unit != 1:
        yield ImportNote("unit", {"unit": contents.unit})
    named = zip(columns_of(contents.header), columns, headers, strict=False)
    kinds = [({split_target(old)[0], split_target(new)[0]}, split_target(new)[0], header) for old, new, header in named]
    if other := [(kind, header) for both, kind, header in kinds if both == {RAW, POINTS}]:
        yield ImportNote(f"taken_as_{other[0][0]}", {"header": other[0][1]})
    if contents.recognised is not None and any(POINTS in seat.texts for record in records for seat in record.seats):
        yield ImportNote("all_points")
    if "dealer" in columns:
        yield ImportNote("seats_by_dealer", {"header": headers[columns.index("dealer")]})
    if contents.short and contents.reading.as_is == MISSING:
        yield ImportNote("sticks_taken", {"count": contents.short})


def _order_of(contents: FileContents) -> str:
    """Return the order that is taken for that of the seats: "place", "columns" or "order" of rows."""
    layout = contents.reading.layout
    if layout == layouts.LOG or names_places(contents.headers):
        return "place"
    return "columns" if layout in {layouts.MATRIX, layouts.SIGNED} else "order"


def _notes_on_days(contents: FileContents, calendar: dates.DateReading) -> Iterator[ImportNote]:
    headers, columns = contents.headers, contents.reading.columns
    if contents.day_column == "stamp":
        header = headers[columns.index("stamp")] if columns else contents.samples[0][0]
        yield ImportNote("days_of_stamps", {"header": header, "boundary": f"{calendar.boundary:%H:%M}"})
    if calendar.order and contents.guess.dates:
        text, days = contents.samples[0]
        if day := days[calendar.order]:
            yield ImportNote("dates_said", {"order": str(calendar.order), "text": text, "day": day.isoformat()})
    for text, _days in contents.samples[:1]:
        day = _day(text, calendar, contents.day_column)
        if day and _is_completed(text, calendar, contents.day_column):
            yield ImportNote("year_taken", {"text": text, "day": day.isoformat()})

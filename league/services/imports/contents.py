"""The content of an upload before it is compared with the league, and the questions it leaves open."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from league.core.imports.games import ImportedGame, ImportNote, game_of, numbers_of
from league.core.imports.records import (
    ABOVE,
    BY_SESSION,
    BY_STAMP,
    STAY,
    GameRecord,
    SkippedRows,
    comma_under,
    records_of,
    with_days,
    with_decimals,
)
from league.core.imports.scores import POINTS, RAW, columns_by_sums, sticks_missing
from league.core.numbers import DECIMAL, OPEN
from league.core.readings import folded
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.dates import (
    ORDERS,
    DateError,
    DateOrder,
    DateReading,
    OrderGuess,
    ambiguous,
    guess_order,
    hint_of,
    parse_date,
    parse_stamp,
)
from league.core.spreadsheets.headers import all_targets, columns_of, names_places, split_target
from league.core.spreadsheets.names import WrittenName
from league.core.spreadsheets.numbers import guess_unit
from league.core.spreadsheets.tables import ImportFileError
from league.models import ImportBatch, League, RulesetVersion
from league.services.imports.source import FileSource, source_of, texts_under, today_of
from league.services.imports.values import MISSING, FileQuestions, FileReading, PreviewColumn
from scoring.core import ScoringRules

SHOWN = 10
"""Rows in the preview."""

SAMPLES = 3

TARGETS = all_targets(RowShape.LONG) + tuple(each for each in all_targets(RowShape.WIDE) if each[-1:].isdigit())
"""All targets of a column, in the order of our own export."""


@dataclass(frozen=True, slots=True)
class FileRules:
    version: RulesetVersion
    rules: ScoringRules


class RuleBook:
    """The league's rulesets, by the names used in files. One query."""

    def __init__(self, league: League) -> None:
        versions = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset")
        found = [FileRules(version, version.read()) for version in versions.order_by("ruleset", "number")]
        self._by_version = {each.version.pk: each for each in found}
        self._known: dict[str, FileRules] = {}
        # A name without a version means the latest one. Keys come last, as they take precedence over names.
        for attribute in ("__str__", "name", "key"):
            for each in found:
                ruleset = each.version.ruleset
                name = str(ruleset) if attribute == "__str__" else getattr(ruleset, attribute)
                self._known[folded(name)] = self._known[folded(f"{name} v{each.version.number}")] = each
        self.current = self._by_version[league.current_version_id] if league.current_version_id is not None else None

    def named(self, text: str) -> FileRules | None:
        return self._known.get(folded(text))

    def of(self, version_id: int) -> FileRules:
        return self._by_version[version_id]

    def players(self, texts: set[str]) -> dict[str, int]:
        """Return the number of players at a table, by text of the "rules" column."""
        usual = self.current.rules.players if self.current else None
        counts = {text: found.rules.players or 4 for text in texts if (found := self.named(text))}
        return {"": usual or 4, **counts}

    def starts(self, texts: set[str]) -> list[int]:
        named = [found for text in texts if (found := self.named(text))]
        used = named + ([self.current] if self.current else [])
        return sorted({(each.rules.players or 4) * (each.rules.start_points or 25_000) for each in used})


@dataclass(frozen=True, slots=True)
class FileContents:
    """Content of a file; `problems` prevent the import, `notes` do not.

    `people`: number of games by name, in order of appearance. `unit`: points per unit of raw scores. `mapped`: targets
    that have a column.
    """

    source: FileSource
    games: Sequence[ImportedGame]
    people: Counter[WrittenName]
    unit: int
    mapped: frozenset[str]
    notes: tuple[ImportNote, ...]
    problems: tuple[ImportNote, ...]
    questions: FileQuestions

    @property
    def reading(self) -> FileReading:
        return self.source.reading

    @property
    def columns(self) -> tuple[PreviewColumn, ...]:
        """The file's columns, each with its header, its target and its first values."""
        found, targets = [], self.reading.columns
        for index, header in enumerate(self.source.headers):
            cells = (row[index] for row in self.rows if index < len(row))
            samples = tuple(cell for cell in cells if cell)[:SAMPLES]
            found.append(PreviewColumn(index, header, targets[index] if index < len(targets) else "", samples))
        return tuple(found)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        return tuple(row.cells for row in self.source.body[:SHOWN])

    @property
    def row_count(self) -> int:
        return len(self.source.body)

    def must_be_readable(self) -> None:
        for problem in self.problems:
            raise ImportFileError(problem.code, **problem.values)


def contents_of(batch: ImportBatch, book: RuleBook, reading: FileReading | None = None) -> FileContents:
    skipped, source = SkippedRows(), source_of(batch, reading)
    rules = set(texts_under(source, "rules"))
    starts, players = book.starts(rules), book.players(rules)
    by_place = names_places(source.headers)
    source, records = _records(source, players, starts, skipped, by_place=by_place)
    open_comma = _settle_commas(records, source.reading.comma)
    calendar, questions = _days_of(source, records, batch.league, today_of(batch))
    with_days(records, source.reading.undated)
    games = [game_of(record, calendar) for record in records]
    numbers = [numbers_of(game) for game in games]
    unit = guess_unit(filter(None, numbers), starts)
    missing = [
        sticks_missing(each, unit, game.sticks, starts) if each else 0
        for game, each in zip(games, numbers, strict=True)
    ]
    takes_sticks = source.reading.sticks == MISSING
    if takes_sticks:
        for game, sticks in zip(games, missing, strict=True):
            game.sticks += sticks
    short = sum(map(bool, missing))
    problems = tuple(_problems(source, book))
    seats = "" if any(game.seats_known for game in games) else "seats_by_place" if by_place else "seats_by_order"
    return FileContents(
        source=source,
        games=games,
        people=Counter(entry.written for game in games for entry in game.entries if entry.written.name),
        unit=unit,
        mapped=_keys(source) | ({"sticks"} if takes_sticks else set()),
        notes=(
            *source.notes,
            *_notes(skipped, unit, seats if games else ""),
            *_notes_on(source, questions, calendar, sticks=short if takes_sticks else 0),
        ),
        problems=problems if problems or games else (ImportNote("no_games"),),
        questions=replace(questions, short=short, comma=open_comma),
    )


def _records(
    source: FileSource, players: dict[str, int], starts: Sequence[int], skipped: SkippedRows, *, by_place: bool
) -> tuple[FileSource, list[GameRecord]]:
    """Return the source and its games as text; ambiguous score columns are told apart by their totals."""
    form = RowShape(source.reading.form)
    records = records_of(source.body, source.reading.columns, form, players, skipped, by_place=by_place)
    if source.is_suggested:
        settled, found = columns_by_sums(records, source.reading.columns, starts)
        if found.kind:
            source = replace(source, reading=replace(source.reading, columns=settled))
            records = records_of(source.body, settled, form, players, SkippedRows(), by_place=by_place)
    return source, records


def _settle_commas(records: Sequence[GameRecord], said: str) -> str:
    """Convert decimal commas to points; return an example if a comma may also be a thousands separator."""
    (raw, _), (points, example) = comma_under(records, RAW), comma_under(records, POINTS)
    points = said if said and points == OPEN else points
    with_decimals(records, [key for key, comma in ((RAW, raw), (POINTS, points)) if comma == DECIMAL])
    for record in records:
        record.is_open = points == OPEN
    return example


def _keys(source: FileSource) -> frozenset[str]:
    return frozenset(split_target(column)[0] for column in source.reading.columns if column)


def _problems(source: FileSource, book: RuleBook) -> Iterator[ImportNote]:
    columns = [column for column in source.reading.columns if column]
    keys = _keys(source)
    if book.current is None:
        yield ImportNote("no_rules")
    dated = {"date", "stamp"} & keys or is_day(source.reading.undated)
    for column, is_there in (("player", "player" in keys), ("raw", keys & {RAW, POINTS}), ("date", dated)):
        if not is_there:
            yield ImportNote("column_missing", {"column": column})
    yield from (ImportNote("column_twice", {"column": each}) for each, count in Counter(columns).items() if count > 1)
    if "player" in columns and any(seat is not None for _, seat in map(split_target, columns)):
        yield ImportNote("forms_mixed")


def _notes(skipped: SkippedRows, unit: int, seats: str) -> Iterator[ImportNote]:
    counts = {"totals_skipped": skipped.totals, "headers_skipped": skipped.headers, "dates_carried": skipped.carried}
    yield from (ImportNote(code, {"count": count}) for code, count in counts.items() if count)
    if seats:
        yield ImportNote(seats)
    if unit != 1:
        yield ImportNote("unit", {"unit": unit})


# --- Open questions of a file ----------------------------------------------------------------------------------------


def is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _days_of(
    source: FileSource, records: Sequence[GameRecord], league: League, today: date
) -> tuple[DateReading, FileQuestions]:
    reading, columns = source.reading, source.reading.columns
    day_column = next((key for key in ("date", "stamp") if key in columns), "")
    stamps = texts_under(source, "stamp")
    texts = texts_under(source, day_column) if day_column else []
    hint = hint_of(league.time_zone)
    guess, of_stamps = guess_order(texts, today, hint), guess_order(stamps, today, hint)
    said_of_stamps = reading.date_order if day_column == "stamp" else DateOrder.UNKNOWN
    calendar = DateReading(
        today=today,
        order=reading.date_order or _shown(guess),
        year=reading.year,
        boundary=league.day_boundary,
        zone=league.time_zone,
        takes_stamps=day_column == "stamp" or reading.undated == BY_STAMP,
        stamps=said_of_stamps or _shown(of_stamps) or reading.date_order,
    )
    undated = 0 if day_column == "stamp" else sum("date" not in record.texts for record in records)
    return calendar, FileQuestions(
        samples=tuple(_samples(texts, calendar, day_column)),
        guess=guess,
        day_column=day_column,
        undated=undated,
        ways=_ways(columns, day_column) if undated else (),
    )


def _shown(guess: OrderGuess) -> DateOrder:
    """Return the date order if the file proves it; a mere hint does not count until the user confirms it."""
    return guess.order if guess.is_sure else DateOrder.UNKNOWN


def _ways(columns: Sequence[str], day_column: str) -> tuple[str, ...]:
    allowed = {
        ABOVE: day_column == "date",
        BY_SESSION: day_column == "date" and "session" in columns,
        BY_STAMP: "stamp" in columns,
        STAY: True,
    }
    return tuple(way for way, is_allowed in allowed.items() if is_allowed)


def _samples(
    texts: Sequence[str], calendar: DateReading, day_column: str
) -> Iterator[tuple[str, dict[DateOrder, date | None]]]:
    """Yield dates from the start, middle and end of the file, ambiguous ones if any, as read in each order."""
    some = [text for text in texts if ambiguous(text)] or list(texts)
    for text in dict.fromkeys(some[at] for at in (0, len(some) // 2, len(some) - 1)) if some else ():
        yield text, {order: _day(text, replace(calendar, order=order, stamps=order), day_column) for order in ORDERS}


def _day(text: str, calendar: DateReading, day_column: str) -> date | None:
    try:
        return parse_stamp(text, calendar) if day_column == "stamp" else parse_date(text, calendar)
    except DateError:
        return None


def _notes_on(
    source: FileSource, questions: FileQuestions, calendar: DateReading, *, sticks: int
) -> Iterator[ImportNote]:
    """Yield notes about how the file was read, whether detected or chosen by the user."""
    columns = source.reading.columns
    for at, (called, read) in enumerate(zip(columns_of(source.header), columns, strict=False)):
        kinds = split_target(called)[0], split_target(read)[0]
        if set(kinds) == {RAW, POINTS}:
            yield ImportNote(f"taken_as_{kinds[1]}", {"header": source.headers[at]})
            break
    if "dealer" in columns:
        yield ImportNote("seats_by_dealer", {"header": source.headers[columns.index("dealer")]})
    if questions.day_column == "stamp":
        values = {"header": source.headers[columns.index("stamp")], "boundary": f"{calendar.boundary:%H:%M}"}
        yield ImportNote("days_of_stamps", values)
    yield from _of_dates(source.reading.date_order, questions)
    if sticks:
        yield ImportNote("sticks_taken", {"count": sticks})


def _of_dates(said: DateOrder, questions: FileQuestions) -> Iterator[ImportNote]:
    order = said or _shown(questions.guess)
    if order and questions.guess.dates:
        text, days = questions.samples[0]
        if day := days[order]:
            values = {"order": str(order), "text": text, "day": day.isoformat()}
            yield ImportNote("dates_said" if said else "dates_guessed", values)

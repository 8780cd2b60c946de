"""The games of an upload, before anybody asks what the league has of them already."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from decimal import Decimal

from league.core.imports.games import ImportedGame, game_of, numbers_of
from league.core.imports.records import FileRecords, GameRecord, SkippedRows, records_of
from league.core.imports.scores import KINDS, POINTS, RAW, columns_by_sums
from league.core.imports.sums import adds_up, sticks_missing
from league.core.numbers import OPEN
from league.core.readings import folded
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.dates import DateReading
from league.core.spreadsheets.headers import names_places, split_target
from league.core.spreadsheets.names import WrittenName
from league.core.spreadsheets.numbers import guess_unit
from league.models import ImportBatch, League, Ruleset, RulesetVersion
from league.services.imports.questions import days_of, is_day, notes_on
from league.services.imports.source import FileSource, source_of, texts_under, today_of
from league.services.imports.values import MISSING, FileQuestions, FileReading, ImportFileError, ImportNote
from scoring.core import ScoringRules


@dataclass(frozen=True, slots=True)
class FileRules:
    """A version of a rule set and what it says."""

    version: RulesetVersion
    rules: ScoringRules


class RuleBook:
    """The rule sets of a league by what a file may call them. A few queries when it is made, none afterwards."""

    def __init__(self, league: League) -> None:
        self.current: FileRules | None = None
        self._known: dict[str, FileRules] = {}
        self._by_version: dict[int, FileRules] = {}
        versions = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset")
        for version in versions.order_by("ruleset", "number"):
            self._by_version[version.pk] = FileRules(version, version.read())
        # Without a number the latest version is meant; where a name is another one's key, the key counts.
        for name_of in (str, _name, _key):
            for found in self._by_version.values():
                name, number = name_of(found.version.ruleset), found.version.number
                self._known[folded(name)] = self._known[folded(f"{name} v{number}")] = found
        if league.current_version_id is not None:
            self.current = self._by_version[league.current_version_id]

    def named(self, text: str) -> FileRules | None:
        """Return the rules that a cell names, or None."""
        return self._known.get(folded(text))

    def of(self, version_id: int) -> FileRules:
        """Return the rules of a version of this league."""
        return self._by_version[version_id]

    def players(self, texts: set[str]) -> dict[str, int]:
        """Return how many sit at a table by what "rules" says."""
        usual = self.current.rules.players if self.current else None
        counts = {text: found.rules.players or 4 for text in texts if (found := self.named(text))}
        return {"": usual or 4, **counts}

    def starts(self, texts: set[str]) -> list[int]:
        """Return with how many points in all a game begins, by these rules and the current ones."""
        named = [found for text in texts if (found := self.named(text))]
        used = named + ([self.current] if self.current else [])
        return sorted({(each.rules.players or 4) * (each.rules.start_points or 25_000) for each in used})


def _name(ruleset: Ruleset) -> str:
    return ruleset.name


def _key(ruleset: Ruleset) -> str:
    return ruleset.key


@dataclass(frozen=True, slots=True)
class FileGames:
    """The games of a file, read out of their records each time anew: only those that somebody holds are in memory.

    With `starts` sticks that were left make up what is missing in a sum of raw scores, written in `unit`.
    """

    records: FileRecords
    calendar: DateReading
    unit: int = 1
    starts: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[ImportedGame]:
        return map(self.game, self.records)

    def game(self, record: GameRecord) -> ImportedGame:
        """Return the game that a record tells of."""
        game = game_of(record, self.calendar)
        if self.starts and (numbers := numbers_of(game)) is not None:
            game.sticks += sticks_missing(numbers, self.unit, game.sticks, self.starts)
        return game

    def at(self, lines: Set[int]) -> list[ImportedGame]:
        """Return the games that any of these lines belong to."""
        return [self.game(record) for record in self.records if not lines.isdisjoint(record.lines)]


@dataclass(slots=True)
class _FirstLook:
    """What is known of a file when its games have been read once. `off` holds the games whose sums are not the usual."""

    starts: Sequence[int]
    people: Counter[WrittenName] = field(default_factory=Counter)
    seats_known: bool = False
    off: list[tuple[list[Decimal], int]] = field(default_factory=list)

    def numbers(self, games: Iterable[ImportedGame]) -> Iterator[list[Decimal]]:
        """Yield the raw scores as written of every game that has them all."""
        for game in games:
            self.people.update(entry.written for entry in game.entries if entry.written.name)
            self.seats_known = self.seats_known or game.seats_known
            if (numbers := numbers_of(game)) is not None:
                if not adds_up(numbers, game.sticks, self.starts):
                    self.off.append((numbers, game.sticks))
                yield numbers

    def short(self, unit: int) -> int:
        """Return in how many games riichi sticks would make up what is missing."""
        return sum(bool(sticks_missing(numbers, unit, sticks, self.starts)) for numbers, sticks in self.off)


@dataclass(frozen=True, slots=True)
class FileContents:
    """Everything that the file says. `problems` stop the import, whatever the league has.

    `people` are those in the file, in the order of appearance, with how many games each is in.
    """

    source: FileSource
    games: FileGames
    people: Counter[WrittenName]
    unit: int
    mapped: frozenset[str]
    notes: tuple[ImportNote, ...]
    problems: tuple[ImportNote, ...]
    questions: FileQuestions


def contents_of(batch: ImportBatch, book: RuleBook, reading: FileReading | None = None) -> FileContents:
    """Return what the upload says. Raises ImportFileError where it cannot be read at all."""
    skipped = SkippedRows()
    source, records, open_comma = _records(source_of(batch, reading), book, skipped)
    problems = _problems(source, book)
    starts = book.starts(set(texts_under(source, "rules")))
    calendar, questions = days_of(source, records, batch.league, today_of(batch))
    games, look = FileGames(records, calendar), _FirstLook(starts)
    if not records and not problems:
        problems = (ImportNote("no_games"),)
    unit = guess_unit(look.numbers(games), starts)
    short = look.short(unit)
    takes_sticks = source.reading.sticks == MISSING
    return FileContents(
        source=source,
        games=FileGames(records, calendar, unit, starts) if takes_sticks else games,
        people=look.people,
        unit=unit,
        mapped=_keys(source) | ({"sticks"} if takes_sticks else set()),
        notes=(
            *source.notes,
            *_notes(skipped, unit, "" if look.seats_known else _seats_of(records)),
            *notes_on(source, questions, calendar, sticks=short if takes_sticks else 0),
        ),
        problems=problems,
        questions=replace(questions, short=short, comma=open_comma),
    )


def _records(source: FileSource, book: RuleBook, skipped: SkippedRows) -> tuple[FileSource, FileRecords, str]:
    """Return the games as text, with raw scores and points told apart by their sums where only headers name them.

    And a number of points of which nothing tells what its comma is.
    """
    rules = set(texts_under(source, "rules"))
    players, form = book.players(rules), RowShape(source.reading.form)
    records = records_of(source.body, source.reading.columns, form, players, skipped)
    if source.is_suggested:
        settled, found = columns_by_sums(records, source.reading.columns, book.starts(rules))
        if found.kind:
            source = replace(source, reading=replace(source.reading, columns=settled))
            records = records_of(source.body, settled, form, players, SkippedRows())
    by_place = names_places(source.headers)
    raw, points = (records.comma_under(key) for key in KINDS)
    commas = {RAW: raw[0], POINTS: (points[0] == OPEN and source.reading.comma) or points[0]}
    read = replace(records, undated=source.reading.undated, by_place=by_place, commas=commas)
    return source, read, points[1]


def _keys(source: FileSource) -> frozenset[str]:
    return frozenset(split_target(column)[0] for column in source.reading.columns if column)


def _problems(source: FileSource, book: RuleBook) -> tuple[ImportNote, ...]:
    """Return what is missing for any row to be read."""
    columns = [column for column in source.reading.columns if column]
    keys = _keys(source)
    found = []
    if book.current is None:
        found.append(ImportNote("no_rules"))
    if "player" not in keys:
        found.append(ImportNote("column_missing", {"column": "player"}))
    if not keys & {"raw", "points"}:
        found.append(ImportNote("column_missing", {"column": "raw"}))
    if not keys & {"date", "stamp"} and not is_day(source.reading.undated):
        found.append(ImportNote("column_missing", {"column": "date"}))
    found += [ImportNote("column_twice", {"column": column}) for column, count in Counter(columns).items() if count > 1]
    if any(seat is None for key, seat in map(split_target, columns) if key == "player") and "wide" in _forms(columns):
        found.append(ImportNote("forms_mixed"))
    return tuple(found)


def _forms(columns: Sequence[str]) -> set[str]:
    return {"wide" for _, seat in map(split_target, columns) if seat is not None}


def _seats_of(records: FileRecords) -> str:
    """Return the code of what there is to say of seats that a file does not name."""
    if not records:
        return ""
    return "seats_by_place" if records.by_place else "seats_by_order"


def _notes(skipped: SkippedRows, unit: int, seats: str) -> list[ImportNote]:
    found = []
    if skipped.totals:
        found.append(ImportNote("totals_skipped", {"count": skipped.totals}))
    if skipped.headers:
        found.append(ImportNote("headers_skipped", {"count": skipped.headers}))
    if skipped.carried:
        found.append(ImportNote("dates_carried", {"count": skipped.carried}))
    if seats:
        found.append(ImportNote(seats))
    if unit != 1:
        found.append(ImportNote("unit", {"unit": unit}))
    return found


def must_be_readable(contents: FileContents) -> None:
    """Raise ImportFileError for the first thing that keeps the file from being read."""
    for problem in contents.problems:
        raise ImportFileError(problem.code, **problem.values)

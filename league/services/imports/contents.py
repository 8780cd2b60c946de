"""The games of an upload, before anybody asks what the league has of them already."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from league.core.imports.games import ImportedGame, game_of, numbers_of
from league.core.imports.records import FileRecords, SkippedRows, records_of
from league.core.readings import folded
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.dates import DateReading, order_shown
from league.core.spreadsheets.headers import split_target
from league.core.spreadsheets.names import WrittenName
from league.core.spreadsheets.numbers import guess_unit
from league.models import ImportBatch, League, Ruleset, RulesetVersion
from league.services.imports.source import FileSource, source_of, today_of
from league.services.imports.values import FileReading, ImportFileError, ImportNote
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
    """The games of a file, read out of their records each time anew: only those that somebody holds are in memory."""

    records: FileRecords
    calendar: DateReading

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[ImportedGame]:
        return (game_of(record, self.calendar) for record in self.records)


@dataclass(slots=True)
class _FirstLook:
    """What is known of a file when its games have been read once."""

    people: Counter[WrittenName] = field(default_factory=Counter)
    seats_known: bool = False

    def numbers(self, games: Iterable[ImportedGame]) -> Iterator[list[Decimal]]:
        """Yield the raw scores as written of every game that has them all."""
        for game in games:
            self.people.update(entry.written for entry in game.entries if entry.written.name)
            self.seats_known = self.seats_known or game.seats_known
            if (numbers := numbers_of(game)) is not None:
                yield numbers


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


def contents_of(batch: ImportBatch, book: RuleBook, reading: FileReading | None = None) -> FileContents:
    """Return what the upload says. Raises ImportFileError where it cannot be read at all."""
    source = source_of(batch, reading)
    problems = _problems(source, book)
    skipped = SkippedRows()
    columns, form = source.reading.columns, RowShape(source.reading.form)
    named = _texts_under(source, "rules")
    records = records_of(source.body, columns, form, book.players(named), skipped)
    order = order_shown(_texts_under(source, "date"))
    calendar = DateReading(today_of(batch), order, source.reading.year)
    games, look = FileGames(records, calendar), _FirstLook()
    if not records and not problems:
        problems = (ImportNote("no_games"),)
    unit = guess_unit(look.numbers(games), book.starts(named))
    return FileContents(
        source=source,
        games=games,
        people=look.people,
        unit=unit,
        mapped=frozenset(split_target(column)[0] for column in columns if column),
        notes=(*source.notes, *_notes(skipped, unit, seats_by_order=bool(records) and not look.seats_known)),
        problems=problems,
    )


def _texts_under(source: FileSource, key: str) -> set[str]:
    places = [place for place, target in enumerate(source.reading.columns) if target == key]
    return {row.cells[place] for row in source.body for place in places if place < len(row.cells)} - {""}


def _problems(source: FileSource, book: RuleBook) -> tuple[ImportNote, ...]:
    """Return what is missing for any row to be read."""
    columns = [column for column in source.reading.columns if column]
    keys = {split_target(column)[0] for column in columns}
    found = []
    if book.current is None:
        found.append(ImportNote("no_rules"))
    found += [ImportNote("column_missing", {"column": key}) for key in ("player",) if key not in keys]
    if not keys & {"raw", "points"}:
        found.append(ImportNote("column_missing", {"column": "raw"}))
    if "date" not in keys:
        found.append(ImportNote("column_missing", {"column": "date"}))
    found += [ImportNote("column_twice", {"column": column}) for column, count in Counter(columns).items() if count > 1]
    if any(seat is None for key, seat in map(split_target, columns) if key == "player") and "wide" in _forms(columns):
        found.append(ImportNote("forms_mixed"))
    return tuple(found)


def _forms(columns: Sequence[str]) -> set[str]:
    return {"wide" for _, seat in map(split_target, columns) if seat is not None}


def _notes(skipped: SkippedRows, unit: int, *, seats_by_order: bool) -> list[ImportNote]:
    found = []
    if skipped.totals:
        found.append(ImportNote("totals_skipped", {"count": skipped.totals}))
    if skipped.headers:
        found.append(ImportNote("headers_skipped", {"count": skipped.headers}))
    if skipped.carried:
        found.append(ImportNote("dates_carried", {"count": skipped.carried}))
    if seats_by_order:
        found.append(ImportNote("seats_by_order"))
    if unit != 1:
        found.append(ImportNote("unit", {"unit": unit}))
    return found


def must_be_readable(contents: FileContents) -> None:
    """Raise ImportFileError for the first thing that keeps the file from being read."""
    for problem in contents.problems:
        raise ImportFileError(problem.code, **problem.values)

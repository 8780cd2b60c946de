"""Layouts of score sheets other than plain tables, recognised by content."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from league.core.imports.records import GameRecord, SeatRecord, Skipped, Texts, records_of
from league.core.spreadsheets.cells import sits_out
from league.core.spreadsheets.dates import DATE, SESSION, days_in
from league.core.spreadsheets.headers import (
    HEADER_WITHIN,
    KNOWN,
    MAX_SEATS,
    MIN_SEATS,
    folded_header,
    is_average,
    is_total,
    split_target,
    suggest_layout,
    target_of,
)
from league.core.spreadsheets.names import same_width
from league.core.spreadsheets.numbers import UNITS, NumberError, parse_number
from league.core.spreadsheets.tables import FileRow

TABLE, LOG, MATRIX, SIGNED, PLAYERS, ROUNDS = ("table", "log", "matrix", "signed", "players", "rounds")

_ROUND = re.compile(
    r"(?:第|h|r|g|no\.?|hanchan|round|game|回戦|半荘|#)?\s*(?P<number>\d{1,3})\s*(?:回戦目?|回目?|戦目?|半荘目?|局|本目|卓|h)?"
)
_TABLED = re.compile(r"([a-z]?)(?:卓|table)?[\s_.-]*(\d{1,2})(?:回戦?|戦|半荘)?[\s_.-]*([a-z]?)卓?")
_PENALTY, _TOTAL = "ペナルティ", "計"
_PENALTIES = frozenset(map(folded_header, ("penalty", "penalties", _PENALTY, "ペナルティー", "罰符", "減点", "罰則")))
_CHECKS = frozenset(map(folded_header, ("チェック", "検算", "check", "差", "確認", "前節まで", "before")))
_SIGNS = dict.fromkeys(("+", "プラス", "plus", "勝"), 1) | dict.fromkeys(
    ("-", "−", "‐", "ー", "マイナス", "minus", "負", "▲"), -1
)

MAX_POINTS = 3000
"""Larger sums of a person's hanchan are raw scores."""

USUAL_STARTS = (20_000, 50_000)
"""Least and most points that players start with."""

NEARLY = 20
"""Tolerance of a total, as 1/NEARLY, for scores with a typing error or leftover sticks."""

MAX_TITLE = 40
"""Longest row of a title that is searched for a date."""

PER_HANCHAN = ("date", "stamp", "session", "table", "game", "sticks", "memo")


class FileSheet(NamedTuple):
    """A sheet of a workbook, or a text file with the name "". `above`: lines of the sheets before it."""

    name: str
    rows: tuple[FileRow, ...]
    above: int = 0


class Total(NamedTuple):
    """Points of a player outside hanchan. `hanchan`: how many the points cover, 0 for a penalty."""

    line: int
    name: str
    points: Decimal
    hanchan: int = 0
    date: str = ""
    session: str = ""


class SheetSum(NamedTuple):
    """A total that the file gives for a player. `summed`: of their scores in `games`, which are numbered from 0."""

    name: str
    said: Decimal
    summed: Decimal
    games: Sequence[int]


@dataclass(slots=True)
class Recognised:
    """The games of one or more sheets. `passed_over`: rows without results; `left_out`: sheets of which nothing was read.

    `crowded`: headings of columns with raw scores of more people than fit at a table.
    """

    layout: str = ""
    games: list[GameRecord] = field(default_factory=list)
    totals: list[Total] = field(default_factory=list)
    said: list[SheetSum] = field(default_factory=list)
    passed_over: list[FileRow] = field(default_factory=list)
    left_out: Sequence[FileSheet] = ()
    crowded: list[str] = field(default_factory=list)

    def add(self, part: "Recognised", name: str) -> None:
        """Add the games of a sheet, with the date and session in its name."""
        session = SESSION.search(unicodedata.normalize("NFKC", name))
        named = {"date": named_day(name), "session": session[0] if session else ""}
        for game in part.games:
            game.texts = {key: text for key, text in named.items() if text} | game.texts
        self.totals += [
            each._replace(date=each.date or named["date"], session=each.session or named["session"])
            for each in part.totals
        ]
        self.said += [each._replace(games=[at + len(self.games) for at in each.games]) for each in part.said]
        self.games += part.games
        self.passed_over += part.passed_over
        self.crowded += [" ".join(filter(None, (name, heading))) for heading in part.crowded]


def recognise(sheets: Sequence[FileSheet], players: int, wanted: str = "") -> Recognised | None:
    """Return the games of sheets that are no plain tables, or None. `players`: at a table; `wanted`: a known layout."""
    found, left_out = Recognised(), []
    for sheet in sheets:
        for layout, read in _READERS.items():
            if wanted in {"", layout} and (part := read(sheet.rows, players)) is not None:
                found.layout = found.layout or layout
                found.add(part, sheet.name)
                break
        else:
            left_out += [sheet] if sheet.rows else []
    found.left_out = left_out
    return found if found.layout else None


def holds_numbers(sheet: FileSheet) -> bool:
    """Return whether a sheet has as many numbers as a hanchan has scores."""
    return sum(_number(text) is not None for row in sheet.rows for text in row.cells) >= MIN_SEATS


def named_day(name: str) -> str:
    """Return the date in the name of a sheet, "" if there is none."""
    plain = unicodedata.normalize("NFKC", name).replace("_", "-")
    found = DATE.search(plain) or re.search(r"(?<!\d)(?:20\d{6}|\d{1,2}[-.]\d{1,2})(?!\d)", plain)
    return found[0] if found else ""


def plain_rows(sheets: Sequence[FileSheet]) -> tuple[list[FileRow], list[FileSheet], bool]:
    """Return the rows of the sheets that have the first header found, those sheets, and whether their names are days.

    The days become a column if the header has none. If there is no header, the first sheet is returned.
    """
    layouts = [suggest_layout(sheet.rows) for sheet in sheets]
    headers = [
        sheet.rows[layout.header_row].cells if any(layout.columns) else ()
        for sheet, layout in zip(sheets, layouts, strict=True)
    ]
    first = next(filter(None, headers), None)
    alike = [at for at, header in enumerate(headers) if first and header == first] or list(range(len(sheets)))[:1]
    used = [sheets[at] for at in alike]
    days = [named_day(sheet.name) for sheet in used]
    is_dated = len(days) > 1 and all(days) and not any("date" in layouts[at].columns for at in alike)
    rows: list[FileRow] = []
    for at, sheet, day in zip(alike, used, days, strict=True):
        start = layouts[at].header_row
        for number, row in enumerate(sheet.rows):
            cell = "" if number < start else "date" if number == start else day
            rows.append(FileRow(row.line, (cell, *row.cells)) if is_dated else row)
    return rows, used, is_dated


# --- Cells -----------------------------------------------------------------------------------------------------------


def _number(text: str) -> Decimal | None:
    try:
        return parse_number(text)
    except NumberError:
        return None


def _numbers(cells: Sequence[str], places: Iterable[int]) -> dict[int, Decimal]:
    return {at: number for at in places if (number := _number(cell_at(cells, at))) is not None}


def cell_at(cells: Sequence[str], place: int | None) -> str:
    return cells[place] if place is not None and place < len(cells) else ""


def round_in(text: str) -> str:
    """Return the number in the heading of a round, such as H1, 第3回戦 or Round 2; "" for other texts."""
    found = _ROUND.fullmatch(unicodedata.normalize("NFKC", text).strip().casefold())
    return found["number"] if found else ""


def table_in(text: str) -> tuple[int, str]:
    """Return table and round in a heading such as A1, A卓1回戦 or 1A; zero and "" for other texts."""
    found = _TABLED.fullmatch(unicodedata.normalize("NFKC", text).strip().casefold())
    letters = "".join(found.group(1, 3)) if found else ""
    return (ord(letters) - ord("a") + 1, found[2]) if found and len(letters) == 1 else (0, "")


def heads_scores(text: str) -> bool:
    """Return whether a column with this heading may hold a player's scores."""
    folded = folded_header(text)
    is_other = bool(target_of(text)) or is_total([text]) or folded in _CHECKS or folded in _PENALTIES
    return bool(folded) and not is_other


def is_name(text: str) -> bool:
    is_other = folded_header(text) in KNOWN or sits_out(text) or _number(text) is not None or DATE.fullmatch(text)
    return heads_scores(text) and not is_other


def _told_apart(names: Mapping[int, str]) -> dict[int, str]:
    """Return the names with a number after each that was there before: 佐藤, 佐藤(2)."""
    counts, found = Counter[str](), {}
    for at, name in names.items():
        counts[same := same_width(name)] += 1
        found[at] = f"{name}({counts[same]})" if counts[same] > 1 else name
    return found


def is_aside(cells: Sequence[str]) -> bool:
    """Return whether a row holds totals, checks or ranks of the rows above."""
    first = next(filter(None, cells), "")
    return is_total([first]) or folded_header(first) in _CHECKS or target_of(first) in {"placement", "chombo"}


def _is_penalty(cells: Sequence[str]) -> bool:
    return folded_header(next(filter(None, cells), "")) in _PENALTIES


def facts_at(heads: Sequence[str]) -> dict[str, int]:
    """Return the columns of facts about a hanchan by key, the first one of each."""
    return {key: at for at, head in reversed([*enumerate(heads)]) if (key := target_of(head)) in PER_HANCHAN}


def _facts(cells: Sequence[str], places: Mapping[str, int]) -> Texts:
    facts = {key: text for key, at in places.items() if (text := cell_at(cells, at))}
    if number := round_in(facts.get("game", "")):
        facts["game"] = number
    elif (place := table_in(facts.get("game", "")))[0]:
        facts = {"table": str(place[0])} | facts | {"game": place[1]}
    return facts


def _totals_in(scores: Mapping[int, Mapping[int, Decimal]], players: int) -> set[int]:
    """Return the lines of numbers that are the sums of the others nearly everywhere, such as a control row.

    `scores`: by line and place, with enough others to fill a table. Zeros are the sums of one table alone.
    """
    sums, counts, found = defaultdict[int, Decimal](Decimal), Counter[int](), set[int]()
    for own in scores.values():
        for at, number in own.items():
            sums[at] += number
            counts[at] += 1
    for line, own in reversed([*scores.items()]):
        is_sum = [
            number * 2 == sums[at] and counts[at] > players and (number != 0 or counts[at] == players + 1)
            for at, number in own.items()
        ]
        if sum(is_sum) > 1 and sum(is_sum) * 3 >= len(is_sum) * 2:
            found.add(line)
            counts.subtract(own.keys())
            for at, number in own.items():
                sums[at] -= number
    return found


# --- A row per hanchan, a column per person --------------------------------------------------------------------------


@dataclass(slots=True)
class _Sum:
    points: Decimal = Decimal()
    games: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Matrix:
    """Rows of scores under names; dates alone, totals, penalties, footnotes and other names may be between them.

    `people`: names by column; `lines`: by column, if the rows of the file are people; `places`: of facts about hanchan.
    `whole`, `latest`: sums by column since the names, and since the row of totals before.
    """

    people: dict[int, str] = field(default_factory=dict)
    lines: Mapping[int, int] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    above: Texts = field(default_factory=dict)
    whole: dict[int, _Sum] = field(default_factory=lambda: defaultdict(_Sum))
    latest: dict[int, _Sum] = field(default_factory=lambda: defaultdict(_Sum))
    fines: dict[int, Decimal] = field(default_factory=dict)
    found: Recognised = field(default_factory=Recognised)

    def under(self, names: dict[int, str], heads: Sequence[str]) -> None:
        self.people, self.places = _told_apart(names), facts_at(heads)
        for sums in (self.whole, self.latest, self.fines):
            sums.clear()

    def take(self, row: FileRow) -> None:
        scores = {at: text for at in self.people if not sits_out(text := cell_at(row.cells, at))}
        told = _facts(row.cells, self.places)
        if _is_penalty(row.cells):
            self._fine(row, scores)
        elif is_aside(row.cells) or self._are_sums(told, scores):
            self.found.passed_over.append(row)
            self._compare(row, scores)
            self.latest.clear()
        elif sum(any(char.isdigit() for char in text) for text in scores.values()) < 2:
            text = " ".join(row.cells)
            days = days_in(text) if len(text) <= MAX_TITLE else {}
            self.above |= days
            self.found.passed_over += [row] if self.people and not days else []
        else:
            self._add(row, {**self.above, **told}, scores)

    def _add(self, row: FileRow, facts: Texts, scores: Mapping[int, str]) -> None:
        self.above |= {key: facts[key] for key in ("date", "session") if key in facts}
        number = len(self.found.games)
        seats = [
            SeatRecord(self.lines.get(at, row.line), {"player": self.people[at], "raw": text})
            for at, text in scores.items()
        ]
        self.found.games.append(GameRecord(facts, seats))
        for at, text in scores.items():
            for sums in (self.whole, self.latest):
                sums[at].points += _number(text) or 0
                sums[at].games.append(number)

    def _are_sums(self, told: Texts, scores: Mapping[int, str]) -> bool:
        """Return whether nearly all numbers of a row without day or number are the sums of the games above."""
        agreeing = sum(at in self.whole and self.whole[at].points == _number(text) for at, text in scores.items())
        is_sum = len(self.found.games) > 1 and agreeing >= MIN_SEATS and agreeing * 3 >= len(scores) * 2
        return is_sum and not any(char.isdigit() for text in told.values() for char in text)

    def _fine(self, row: FileRow, scores: Mapping[int, str]) -> None:
        for at, text in scores.items():
            if points := _number(text):
                self.fines[at] = self.fines.get(at, 0) + points
                line, days = self.lines.get(at, row.line), (self.above.get("date", ""), self.above.get("session", ""))
                self.found.totals.append(Total(line, self.people[at], points, 0, *days))

    def _compare(self, row: FileRow, scores: Mapping[int, str]) -> None:
        """Compare totals with all games above them, or only those since the row of totals before."""
        totals = {} if is_average(row.cells) else {at: _number(text) for at, text in scores.items()}
        for at, said in ((at, said) for at, said in totals.items() if said is not None):
            whole, latest = self.whole.get(at, _Sum()), self.latest.get(at, _Sum())
            of = latest if latest.points == said else whole
            summed = said if of is latest else whole.points + self.fines.get(at, 0)
            self.found.said.append(SheetSum(self.people[at], said, summed, of.games))


def _matrix(rows: Sequence[FileRow], players: int) -> Recognised | None:
    heads = enumerate(rows[:HEADER_WITHIN])
    if _is_plain(rows) or not any(_people(row.cells, rows[at + 1 :], players) for at, row in heads):
        return None
    matrix = _Matrix()
    for at, row in enumerate(rows):
        if names := _people(row.cells, (), players):
            matrix.under(_people(row.cells, rows[at + 1 :], players) or names, row.cells)
        else:
            matrix.take(row)
    games = matrix.found.games
    fitting = sum(MIN_SEATS <= len(game.seats) <= MAX_SEATS for game in games)
    return matrix.found if fitting and fitting * 2 > len(games) else None


def _is_plain(rows: Sequence[FileRow]) -> bool:
    keys = {split_target(target)[0] for target in suggest_layout(rows).columns}
    return "player" in keys and bool({"raw", "points"} & keys)


def _people(heads: Sequence[str], below: Sequence[FileRow], players: int) -> dict[int, str]:
    """Return the names by column; none if such columns hold texts, as in a table with unknown headings."""
    names = {at: head for at, head in enumerate(heads) if is_name(head)}
    if len(names) < MIN_SEATS:
        return {}
    body = [row.cells for row in below if sum(is_name(cell_at(row.cells, at)) for at in names) < MIN_SEATS]
    cells = {at: [text for each in body if not sits_out(text := cell_at(each, at))] for at in names}
    worded = [at for at, texts in cells.items() if 2 * sum(_number(text) is None for text in texts) > len(texts)]
    scores: dict[int, dict[int, Decimal]] = {at: {} for at in names}
    for line, each in enumerate(body):
        for at, number in _numbers(each, names).items():
            scores[at][line] = number
    people = {at: name for at, name in names.items() if at not in {*worded, *_totals_in(scores, players)}}
    return people if len(worded) < 2 and len(people) >= MIN_SEATS else {}


# --- A plus and a minus column per person ----------------------------------------------------------------------------


def _signed(rows: Sequence[FileRow], players: int) -> Recognised | None:
    for start, (over, row) in enumerate(pairwise(rows[:HEADER_WITHIN])):
        signs = {
            at: _SIGNS.get(unicodedata.normalize("NFKC", cell).strip().casefold(), 0)
            for at, cell in enumerate(row.cells)
        }
        if (plus := [*signs.values()].count(1)) >= MIN_SEATS and plus == [*signs.values()].count(-1):
            named = [at for at in range(len(row.cells)) if cell_at(over.cells, at)]
            owners = {at: max((to for to in named if to <= at), default=0) for at in signs if signs[at]}
            kept = tuple("" if owners.get(at, at) != at else head for at, head in enumerate(over.cells))
            body = (FileRow(each.line, _added(each.cells, owners, signs)) for each in rows[start + 2 :])
            return _matrix([FileRow(over.line, kept), *body], players)
    return None


def _added(cells: Sequence[str], owners: Mapping[int, int], signs: Mapping[int, int]) -> tuple[str, ...]:
    """Return a row with the sum of a person's two columns in the first one."""
    found = {at: text for at, text in enumerate(cells) if at not in owners}
    for at, owner in owners.items():
        if not sits_out(text := cell_at(cells, at)):
            number, before = _number(text), _number(found.get(owner, "0"))
            found[owner] = text if number is None or before is None else str(before + signs[at] * abs(number))
    return tuple(found.get(at, "") for at in range(max(found, default=-1) + 1))


# --- Players as rows, hanchan as columns ------------------------------------------------------------------------------


def _players(rows: Sequence[FileRow], players: int) -> Recognised | None:
    is_headed = any(suggest_layout(rows).columns)
    for start, row in enumerate(rows[:HEADER_WITHIN]):
        targets = [target_of(cell) for cell in row.cells]
        is_named = "player" in targets
        if "raw" in targets or targets.count("player") > 1 or (not is_named and (is_headed or row.cells[0])):
            continue
        heads, body, name = row.cells, rows[start + 1 :], targets.index("player") if is_named else 0
        # Where columns describe the hanchan of a row, unknown headings are no hanchan.
        is_alone = {*PER_HANCHAN, "seat"}.isdisjoint(targets)
        may_be = {at: _is_told(head) or (is_alone and is_name(head)) for at, head in enumerate(heads) if at != name}
        columns = {at: heads[at] for at, is_round in may_be.items() if is_round}
        if len(columns) < 2:
            continue
        people = [each for each in body if cell_at(each.cells, name) and not is_aside(each.cells)]
        if not is_named:
            people = [each for each in people if is_name(each.cells[0]) and not round_in(each.cells[0])]
        totals = _totals_in(dict(enumerate(_numbers(each.cells, columns) for each in people)), players)
        people = [each for at, each in enumerate(people) if at not in totals]
        rounds = _hanchan_in(people, columns)
        if people and len(rounds) > 1:
            return _by_person(body, heads, name, rounds, people)
    return None


def _is_told(head: str) -> bool:
    return bool(round_in(head) or DATE.fullmatch(head))


def _hanchan_in(people: Sequence[FileRow], columns: Mapping[int, str]) -> dict[int, str]:
    """Return the columns with hanchan: those headed by a round or day, and others whose scores total as much."""
    told = {at: head for at, head in columns.items() if _is_told(head)}
    tabled = {at for at, head in columns.items() if at not in told and table_in(head)[0]}
    means = {at: sum(scores, Decimal()) / len(scores) for at in columns if (scores := _column(people, at))}
    usual = Counter(mean for at, mean in means.items() if at in (told or tabled) or _is_start(mean)).most_common(1)
    if not usual or (told and told.keys().isdisjoint(means)):
        return told
    other = {at for at, mean in means.items() if abs(mean - usual[0][0]) * NEARLY <= usual[0][0]} - told.keys()
    # What is headed like hanchan is one even if a score is missing or wrong.
    other |= tabled if len(other & tabled) * 2 >= len(tabled) else set()
    found = {at: head for at, head in columns.items() if at in told or at in other}
    for at in sorted(other - tabled, reverse=True):
        rest = {key: head for key, head in found.items() if key != at}
        if all(_scores(row, [at]).get(at) in {None, sum(_scores(row, rest).values())} for row in people):
            found = rest
    return found


def _column(people: Sequence[FileRow], at: int) -> list[Decimal]:
    """Return the scores of a column; none if it has other texts, or more or fewer than a table."""
    texts = [text for row in people if not sits_out(text := cell_at(row.cells, at))]
    numbers = [number for text in texts if (number := _number(text)) is not None]
    return numbers if MIN_SEATS <= len(numbers) == len(texts) <= MAX_SEATS and any(numbers) else []


def _is_start(mean: Decimal) -> bool:
    """Return whether players may start with what is the mean of scores, in any unit."""
    least, most = USUAL_STARTS
    return any(least <= mean * unit <= most and mean * unit % 1000 == 0 for unit in UNITS)


def _by_person(
    body: Sequence[FileRow], heads: Sequence[str], name: int, rounds: Mapping[int, str], people: Sequence[FileRow]
) -> Recognised:
    """Read the columns as the rows of a matrix."""
    people = [row for row in people if _scores(row, rounds)]
    labels = {at: _label(head) for at, head in rounds.items()}
    totals = [at for at, head in enumerate(heads) if is_total([head]) or target_of(head) == "points"]
    labels |= {at: (_PENALTY, "") for at, head in enumerate(heads) if _is_penalty([head])}
    labels |= dict.fromkeys(totals[:1], (_TOTAL, ""))
    columns = dict(enumerate(people, start=2))
    names = _told_apart({at: row.cells[name] for at, row in columns.items()})
    lines = {at: row.line for at, row in columns.items()}
    matrix = _Matrix(names, lines, {"date": 0, "game": 1})
    for at, label in labels.items():
        matrix.above.clear()
        matrix.take(FileRow(0, (*label, *(cell_at(row.cells, at) for row in people))))
    found, lines_read = matrix.found, {*lines.values()}
    found.passed_over = [row for row in body if row.line not in lines_read]
    counts = Counter(at for row in people for at in _scores(row, rounds))
    full = [rounds[at] for at in rounds if counts[at] > MAX_SEATS]
    if len(full) * 2 > len(found.games):
        found.games = []
        found.totals += [each for row in people for each in _sums(row, row.cells[name], rounds)]
        # Without tables, raw scores do not tell the points.
        found.crowded = full if any(abs(each.points) > MAX_POINTS for each in found.totals) else []
    return found


def _label(head: str) -> tuple[str, str]:
    """Return the day and the round in the heading of a hanchan."""
    if round_in(head) or table_in(head)[0]:
        return "", head
    return head if DATE.fullmatch(head) else days_in(head).get("date", ""), ""


def _scores(row: FileRow, rounds: Iterable[int]) -> dict[int, Decimal]:
    texts = {at: text for at in rounds if not sits_out(text := cell_at(row.cells, at))}
    return {at: _number(text) or Decimal() for at, text in texts.items()}


def _sums(row: FileRow, name: str, rounds: Mapping[int, str]) -> Iterator[Total]:
    """Yield a player's points: one sum of all rounds, or one per day."""
    scores = _scores(row, rounds)
    if not all(map(DATE.fullmatch, rounds.values())):
        yield Total(row.line, name, sum(scores.values(), Decimal()), len(scores))
    else:
        yield from (Total(row.line, name, points, 1, rounds[at]) for at, points in scores.items())


# --- Rounds side by side ----------------------------------------------------------------------------------------------


def _rounds(rows: Sequence[FileRow], players: int) -> Recognised | None:
    for start, (over, row) in enumerate(pairwise(rows[:HEADER_WITHIN])):
        labels = {at: number for at, cell in enumerate(over.cells) if (number := round_in(cell))}
        names = sum(target_of(cell) == "player" for cell in row.cells)
        if len(set(labels.values())) > 1 and len(set(labels.values())) == len(labels) <= names:
            edges = [*labels, max(len(over.cells), len(row.cells))]
            shared = facts_at(over.cells[: edges[0]]) | facts_at(row.cells[: edges[0]])
            games: list[GameRecord] = []
            for (first, end), number in zip(pairwise(edges), labels.values(), strict=True):
                own = {
                    split_target(target_of(row.cells[at]))[0]: at
                    for at in reversed(range(first, min(end, len(row.cells))))
                }
                games += _of_round(rows[start + 2 :], shared | own, number, players)
            games.sort(key=lambda game: int(game.texts["game"]))
            return Recognised(games=games) if games else None
    return None


def _of_round(body: Sequence[FileRow], places: Mapping[str, int], number: str, players: int) -> list[GameRecord]:
    """Read the columns of one round as a table with a row per player."""
    columns = [key for key in places if key and key != "game"]
    rows, table = [], ""
    for row in body:
        cells = {key: cell_at(row.cells, places[key]) for key in columns}
        table = cells.get("table", "") or table
        if not is_total(row.cells) and cells.get("player"):
            told = cells | {"table": table} if table else cells
            rows.append(FileRow(row.line, (*told.values(), number)))
    return records_of(rows, (*columns, "game"), players, Skipped(list))


_READERS: Mapping[str, Callable[[Sequence[FileRow], int], Recognised | None]] = {
    ROUNDS: _rounds,
    PLAYERS: _players,
    SIGNED: _signed,
    MATRIX: _matrix,
}

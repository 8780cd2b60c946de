"""Layouts of score sheets other than plain tables, recognised by content and rewritten as one row per hanchan."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from league.core.spreadsheets.columns import BY_KEY
from league.core.spreadsheets.dates import DATE, SESSION
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
from league.core.spreadsheets.numbers import NumberError, parse_number
from league.core.spreadsheets.tables import FileRow

TABLE, LOG, MATRIX, SIGNED, PLAYERS, ROUNDS = ("table", "log", "matrix", "signed", "players", "rounds")

_ROUND = re.compile(
    r"(?:第|h|r|g|no\.?|hanchan|round|game|回戦|半荘|#)?\s*(?P<number>\d{1,3})\s*(?:回戦目?|回目?|戦目?|半荘目?|局|本目|h)?"
)
_PENALTIES = frozenset(
    map(folded_header, ("penalty", "penalties", "ペナルティ", "ペナルティー", "罰符", "減点", "罰則"))
)
_CHECKS = frozenset(map(folded_header, ("チェック", "検算", "check", "差", "確認")))
_OUT = frozenset(
    {"", "抜け", "抜", "休", "休み", "欠", "欠席", "見学", "-", "—", "–", "―", "out", "x", "×", "n/a", "dnp"}
)
_PLUS, _MINUS = (
    frozenset({"+", "プラス", "plus", "勝"}),
    frozenset({"-", "−", "‐", "ー", "マイナス", "minus", "負", "▲"}),
)

MAX_POINTS = 3000
"""Larger sums of a person's hanchan are raw scores."""

MAX_SAID = 200
"""Totals of players that are compared."""

PER_HANCHAN = ("date", "stamp", "session", "table", "game", "sticks", "memo")
PER_PLAYER = ("player", "raw", "chips")


class FileSheet(NamedTuple):
    """A sheet of a workbook, or a text file with the name ""."""

    name: str
    rows: tuple[FileRow, ...]


class Total(NamedTuple):
    """Points of a player outside hanchan. `hanchan`: how many the points cover, 0 for a penalty."""

    line: int
    name: str
    points: Decimal
    hanchan: int = 0
    date: str = ""
    session: str = ""


class SheetSum(NamedTuple):
    """A total that the file gives for a player. `summed`: of their scores on `lines`; `is_proved`: whether they agree."""

    name: str
    said: Decimal
    summed: Decimal
    lines: tuple[int, ...]
    is_proved: bool


@dataclass(slots=True)
class SheetGame:
    line: int
    facts: dict[str, str]
    seats: list[tuple[str, ...]] = field(default_factory=list)


@dataclass(slots=True)
class Rewritten:
    """The games of one or more sheets.

    `left_out`: sheets without results; `is_in_places`: players are listed by placement; `problem`: why it cannot be used.
    """

    layout: str
    games: list[SheetGame] = field(default_factory=list)
    totals: list[Total] = field(default_factory=list)
    said: list[SheetSum] = field(default_factory=list)
    passed_over: int = 0
    left_out: tuple[str, ...] = ()
    is_in_places: bool = False
    problem: str = ""

    def rows(self) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield a header with keys of columns, and one row per hanchan."""
        facts = [key for key in PER_HANCHAN if any(game.facts.get(key) for game in self.games)]
        facts = facts if {"date", "stamp"} & set(facts) else ["date", *facts]
        seats = min(max((len(game.seats) for game in self.games), default=MIN_SEATS), MAX_SEATS)
        keys = PER_PLAYER[: max((len(seat) for game in self.games for seat in game.seats), default=2)]
        yield 0, (*facts, *(f"{key}{seat}" for seat in range(1, seats + 1) for key in keys))
        for game in self.games:
            told = (cell for seat in game.seats[:MAX_SEATS] for cell in seat)
            yield game.line, (*(game.facts.get(key, "") for key in facts), *told)


def recognise(sheets: Sequence[FileSheet], players: int, wanted: str = "") -> Rewritten | None:
    """Return the games of sheets that are no plain tables, or None. `players`: at a table; `wanted`: a known layout."""
    found: list[tuple[FileSheet, Rewritten]] = []
    for sheet in sheets:
        for layout, read in _READERS.items():
            if wanted in {"", layout} and (rewritten := read(sheet.rows, players)) is not None:
                found.append((sheet, _of_sheet(sheet, rewritten)))
                break
    if not found:
        return None
    whole = Rewritten(found[0][1].layout)
    for _sheet, part in found:
        whole.games += part.games
        whole.totals += part.totals
        whole.said += part.said
        whole.passed_over += part.passed_over
        whole.problem = whole.problem or part.problem
    used = {sheet.name for sheet, _part in found}
    whole.left_out = tuple(sheet.name for sheet in sheets if sheet.name not in used and sheet.rows)
    return whole


def named_day(name: str) -> str:
    """Return the date in the name of a sheet, "" if there is none."""
    plain = unicodedata.normalize("NFKC", name).replace("_", "-")
    found = DATE.search(plain) or re.search(r"(?<!\d)(?:20\d{6}|\d{1,2}[-.]\d{1,2})(?!\d)", plain)
    return found[0] if found else ""


def day_alone(text: str) -> str:
    """Return the text if it is nothing but a date or the number of a session."""
    plain = unicodedata.normalize("NFKC", text).strip()
    return text if DATE.fullmatch(re.sub(r"\s*\(.\)$", "", plain)) or SESSION.fullmatch(plain) else ""


def _of_sheet(sheet: FileSheet, part: Rewritten) -> Rewritten:
    """Give the games of a sheet the date in its name; a name without one is that of the session."""
    day, label = named_day(sheet.name), SESSION.search(unicodedata.normalize("NFKC", sheet.name))
    session = label[0] if label else ""
    for game in part.games:
        if day:
            game.facts.setdefault("date", day)
        if session:
            game.facts.setdefault("session", session)
    part.totals = [each._replace(date=each.date or day, session=each.session or session) for each in part.totals]
    return part


def with_days(sheets: Sequence[FileSheet]) -> tuple[tuple[FileRow, ...], bool]:
    """Return the rows of plain tables one after another, with the days in the sheets' names if their header has none."""
    dated = len(sheets) > 1 and all(named_day(sheet.name) for sheet in sheets)
    if not dated or any("date" in suggest_layout(sheet.rows).columns for sheet in sheets):
        return tuple(row for sheet in sheets for row in sheet.rows), False
    rows: list[FileRow] = []
    for sheet in sheets:
        start = suggest_layout(sheet.rows).header_row
        for at, row in enumerate(sheet.rows):
            first = "" if at < start else BY_KEY["date"].key if at == start else named_day(sheet.name)
            rows.append(FileRow(row.line, (first, *row.cells)))
    return tuple(rows), True


# --- Cells -----------------------------------------------------------------------------------------------------------


def sits_out(text: str) -> bool:
    return unicodedata.normalize("NFKC", text).strip().casefold() in _OUT


def _number(text: str) -> Decimal | None:
    try:
        return parse_number(text)
    except NumberError:
        return None


def _at(cells: Sequence[str], place: int | None) -> str:
    return cells[place] if place is not None and place < len(cells) else ""


def round_in(text: str) -> str:
    """Return the number in the heading of a round, such as H1, 第3回戦 or Round 2; "" for other texts."""
    found = _ROUND.fullmatch(unicodedata.normalize("NFKC", text).strip().casefold())
    return found["number"] if found else ""


def _is_name(text: str) -> bool:
    folded = folded_header(text)
    is_other = folded in KNOWN or bool(target_of(text)) or is_total([text]) or folded in _CHECKS or folded in _PENALTIES
    return bool(folded) and not is_other and not sits_out(text) and _number(text) is None and not DATE.fullmatch(text)


def _facts_at(heads: Sequence[str]) -> dict[str, int]:
    """Return the columns of facts about a hanchan by key, the first one of each."""
    found: dict[str, int] = {}
    for at, head in enumerate(heads):
        if (key := target_of(head)) in PER_HANCHAN:
            found.setdefault(key, at)
    return found


def _facts(cells: Sequence[str], places: Mapping[str, int]) -> dict[str, str]:
    facts = {key: text for key, at in places.items() if (text := _at(cells, at))}
    if "game" in facts:
        facts["game"] = round_in(facts["game"]) or facts["game"]
    return facts


# --- A row per hanchan, a column per person --------------------------------------------------------------------------


def _matrix(rows: Sequence[FileRow], players: int) -> Rewritten | None:
    if _is_plain(rows):
        return None
    for start, row in enumerate(rows[:HEADER_WITHIN]):
        people = _people(row.cells, rows[start + 1 :])
        if len(people) >= MIN_SEATS:
            found = _games_under(rows[:start], rows[start:])
            fitting = sum(MIN_SEATS <= len(game.seats) <= MAX_SEATS for game in found.games)
            if fitting and fitting * 2 > len(found.games):
                return found
    return None


def _is_plain(rows: Sequence[FileRow]) -> bool:
    keys = {split_target(target)[0] for target in suggest_layout(rows).columns}
    return "player" in keys and bool({"raw", "points"} & keys)


def _people(heads: Sequence[str], below: Sequence[FileRow]) -> dict[int, str]:
    """Return the names by column; none if such columns hold texts, as in a table with unknown headings."""
    names = {at: head for at, head in enumerate(heads) if _is_name(head)}
    texts = {
        at: [text for row in below if not sits_out(text := _at(row.cells, at)) and not _is_name_row(row, names)]
        for at in names
    }
    worded = [
        at for at, cells in texts.items() if cells and sum(_number(each) is None for each in cells) * 2 > len(cells)
    ]
    if len(worded) > 1:
        return {}
    return {at: name for at, name in names.items() if at not in worded}


def _is_name_row(row: FileRow, names: Mapping[int, str]) -> bool:
    return sum(_is_name(_at(row.cells, at)) for at in names) >= MIN_SEATS


def _games_under(titles: Sequence[FileRow], rows: Sequence[FileRow]) -> Rewritten:
    """Read the rows from a header of names on; later headers, dates alone, totals and footnotes may be between them."""
    found, sums = Rewritten(MATRIX), dict[int, Decimal]()
    people, places, above = dict[int, str](), dict[str, int](), dict[str, str]()
    first = since = 0
    for row in titles:
        _note_day(row, above)
    for row in rows:
        if (names := _people(row.cells, [])) and len(names) >= MIN_SEATS:
            kept = _people(row.cells, [each for each in rows if each.line > row.line])
            people, places, sums = kept or names, _facts_at(row.cells), {}
            first = since = len(found.games)
            continue
        scores = {at: text for at in people if not sits_out(text := _at(row.cells, at))}
        told = _facts(row.cells, places)
        if is_total(row.cells) or (not told and len(found.games) > 1 and _are(scores, sums)):
            found.passed_over += 1
            if not is_average(row.cells) and len(found.said) < MAX_SAID:
                said = {people[at]: number for at, text in scores.items() if (number := _number(text)) is not None}
                found.said += _compared(said, found.games[first:], found.games[since:])
            since = len(found.games)
        elif sum(any(char.isdigit() for char in text) for text in scores.values()) < 2:
            found.passed_over += not _note_day(row, above)
        else:
            facts = {**above, **told}
            above |= {key: facts[key] for key in ("date", "session") if key in facts}
            found.games.append(SheetGame(row.line, facts, [(people[at], text) for at, text in scores.items()]))
            for at, text in scores.items():
                sums[at] = sums.get(at, Decimal()) + (_number(text) or 0)
    return found


def _compared(
    said: Mapping[str, Decimal], games: Sequence[SheetGame], latest: Sequence[SheetGame]
) -> Iterator[SheetSum]:
    """Compare a row of totals with all games above it, or only those since the row of totals before."""
    of_latest, of_all = _sums_of(latest), _sums_of(games)
    for name, total in said.items():
        is_of_latest = of_latest[name][0] == total
        summed, lines = of_latest[name] if is_of_latest else of_all[name]
        yield SheetSum(name, total, summed, lines, summed == total)


def _sums_of(games: Sequence[SheetGame]) -> Mapping[str, tuple[Decimal, tuple[int, ...]]]:
    """Return the sum of each player's scores, with the lines of their games."""
    scores: dict[str, list[Decimal]] = defaultdict(list)
    lines: dict[str, list[int]] = defaultdict(list)
    for game in games:
        for name, text, *_ in game.seats:
            scores[name].append(_number(text) or Decimal())
            lines[name].append(game.line)
    return defaultdict(
        lambda: (Decimal(), ()), {name: (sum(each, Decimal()), tuple(lines[name])) for name, each in scores.items()}
    )


def _are(scores: Mapping[int, str], sums: Mapping[int, Decimal]) -> bool:
    return scores.keys() == sums.keys() and all(_number(text) == sums[at] for at, text in scores.items())


def _note_day(row: FileRow, above: dict[str, str]) -> bool:
    """Remember the date or session in a row without scores for the rows below."""
    text = unicodedata.normalize("NFKC", " ".join(row.cells))
    day, session = DATE.search(text), SESSION.search(text)
    if len(text) > 40 or not (day or session):
        return False
    above |= {"date": day[0]} if day else {}
    above |= {"session": session[0]} if session else {}
    return True


# --- A plus and a minus column per person ----------------------------------------------------------------------------


def _signed(rows: Sequence[FileRow], players: int) -> Rewritten | None:
    for start, (over, row) in enumerate(pairwise(rows[:HEADER_WITHIN])):
        signs = [_sign(cell) for cell in row.cells]
        if signs.count(1) < MIN_SEATS or signs.count(1) != signs.count(-1):
            continue
        owners = list(_owners(over.cells, signs))
        body = [FileRow(each.line, _added(each.cells, owners)) for each in rows[start + 2 :]]
        found = _matrix([FileRow(over.line, _alone(over.cells, owners)), *body], players)
        if found is not None:
            found.layout = SIGNED
        return found
    return None


def _sign(cell: str) -> int:
    plain = unicodedata.normalize("NFKC", cell).strip().casefold()
    return 1 if plain in _PLUS else -1 if plain in _MINUS else 0


def _owners(heads: Sequence[str], signs: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the column of a name, of a sign below it, and the sign."""
    name = 0
    for at, sign in enumerate(signs):
        name = at if _at(heads, at) else name
        if sign:
            yield name, at, sign


def _alone(heads: Sequence[str], owners: Iterable[tuple[int, int, int]]) -> tuple[str, ...]:
    others = {at for name, at, _sign in owners if at != name}
    return tuple("" if at in others else head for at, head in enumerate(heads))


def _added(cells: Sequence[str], owners: Sequence[tuple[int, int, int]]) -> tuple[str, ...]:
    found = list(cells) + [""] * (max(at for _name, at, _sign in owners) + 1 - len(cells))
    sums: dict[int, str] = {}
    for name, at, sign in owners:
        text = found[at]
        if not sits_out(text):
            number, before = _number(text), _number(sums.get(name, "0"))
            sums[name] = text if number is None or before is None else str(before + sign * abs(number))
    for name, at, _sign in owners:
        found[at] = sums.get(name, "") if at == name else ""
    return tuple(found)


# --- Players as rows, hanchan as columns ------------------------------------------------------------------------------


def _players(rows: Sequence[FileRow], players: int) -> Rewritten | None:
    for start, row in enumerate(rows[:HEADER_WITHIN]):
        targets = [target_of(cell) for cell in row.cells]
        rounds = {at: cell for at, cell in enumerate(row.cells) if round_in(cell) or DATE.fullmatch(cell)}
        if targets.count("player") == 1 and len(rounds) > 1 and "raw" not in targets:
            return _by_person(rows[start + 1 :], row.cells, targets.index("player"), rounds)
    return None


def _by_person(body: Sequence[FileRow], heads: Sequence[str], name: int, rounds: Mapping[int, str]) -> Rewritten:
    found = Rewritten(PLAYERS)
    penalty = next((at for at, head in enumerate(heads) if folded_header(head) in _PENALTIES), None)
    total = next((at for at, head in enumerate(heads) if is_total([head]) or target_of(head) == "points"), None)
    people = [row for row in body if _at(row.cells, name) and not is_total(row.cells) and _scores(row, rounds)]
    found.passed_over = len(body) - len(people)
    for row in people:
        fined = _number(_at(row.cells, penalty)) or Decimal()
        if fined:
            found.totals.append(Total(row.line, _at(row.cells, name), fined))
        scored = sum((_number(text) or Decimal() for text in _scores(row, rounds).values()), fined)
        if (said := _number(_at(row.cells, total))) is not None:
            found.said.append(SheetSum(_at(row.cells, name), said, scored, (), said == scored))
    columns = {at: [(row, text) for row in people if (text := _scores(row, rounds).get(at))] for at in rounds}
    if all(len(column) <= MAX_SEATS for column in columns.values()):
        for at, column in columns.items():
            facts = {"game": round_in(heads[at])} if round_in(heads[at]) else {"date": heads[at]}
            seats: list[tuple[str, ...]] = [(_at(row.cells, name), text) for row, text in column]
            found.games += [SheetGame(column[0][0].line, facts, seats)] if seats else []
        return found
    found.totals += [each for row in people for each in _sums(row, _at(row.cells, name), rounds)]
    # Without tables, raw scores do not tell the points.
    found.problem = "tables_unknown" if any(abs(each.points) > MAX_POINTS for each in found.totals) else ""
    return found


def _scores(row: FileRow, rounds: Iterable[int]) -> dict[int, str]:
    return {at: text for at in rounds if not sits_out(text := _at(row.cells, at))}


def _sums(row: FileRow, name: str, rounds: Mapping[int, str]) -> Iterator[Total]:
    """Yield a player's points: one sum of all rounds, or one per day."""
    scores = {at: _number(text) or Decimal() for at, text in _scores(row, rounds).items()}
    if all(round_in(head) for head in rounds.values()):
        yield Total(row.line, name, sum(scores.values(), Decimal()), len(scores))
    else:
        yield from (Total(row.line, name, points, 1, rounds[at]) for at, points in scores.items())


# --- Rounds side by side ----------------------------------------------------------------------------------------------


def _rounds(rows: Sequence[FileRow], players: int) -> Rewritten | None:
    for start, (over, row) in enumerate(pairwise(rows[:HEADER_WITHIN])):
        labels = {at: number for at, cell in enumerate(over.cells) if (number := round_in(cell))}
        names = [at for at, cell in enumerate(row.cells) if target_of(cell) == "player"]
        if len(labels) < 2 or len(set(labels.values())) < len(labels) or len(names) < len(labels):
            continue
        edges = [*labels, max(len(over.cells), len(row.cells))]
        found = Rewritten(ROUNDS)
        for (first, end), number in zip(pairwise(edges), labels.values(), strict=True):
            block = row.cells[first:end]
            found.games += _side(
                rows[start + 2 :],
                block,
                first,
                {**_facts_at(over.cells[: edges[0]]), **_facts_at(row.cells[: edges[0]])},
                number,
                players,
            )
        found.games.sort(key=lambda game: int(game.facts["game"]))
        return found if found.games else None
    return None


def _side(
    body: Sequence[FileRow], heads: Sequence[str], first: int, shared: Mapping[str, int], number: str, players: int
) -> Iterator[SheetGame]:
    """Yield the games of one round: rows of one table, or as many rows as players at a table."""
    keys = [split_target(target_of(head))[0] for head in heads]
    name = first + keys.index("player") if "player" in keys else None
    score = next((first + at for at, key in enumerate(keys) if key in {"raw", "points"}), None)
    places = {**shared, **{key: first + at for key, at in _facts_at(heads).items()}}
    game: SheetGame | None = None
    for row in body:
        who, text = _at(row.cells, name), _at(row.cells, score)
        facts = {**_facts(row.cells, places), "game": number}
        is_new = (
            game is None or len(game.seats) >= players or facts.get("table", "") not in {"", game.facts.get("table")}
        )
        if is_total(row.cells) or not who or sits_out(text) or is_total([who]):
            continue
        if game is None or is_new:
            if game is not None:
                yield game
            game = SheetGame(row.line, facts)
        game.seats.append((who, text))
    if game is not None:
        yield game


_READERS: Mapping[str, Callable[[Sequence[FileRow], int], Rewritten | None]] = {
    ROUNDS: _rounds,
    PLAYERS: _players,
    SIGNED: _signed,
    MATRIX: _matrix,
}

"""Detection of the header and meaning of columns, including questions of web forms as headers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from league.core.spreadsheets.cells import read_seat
from league.core.spreadsheets.columns import BY_KEY, COLUMNS, PER_SEAT, READ, RowShape
from league.core.spreadsheets.tables import FileRow

MIN_SEATS, MAX_SEATS = 3, 4

HEADER_WITHIN = 10
"""Number of rows searched for a header."""

MAX_LENGTH = 120
"""Longest header that is analysed as a question."""

_NOISE = re.compile(r"[\s_\-・.:：#*]|[(（\[【].*?[)）\]】]")
_NTH = "(?:st|nd|rd|th)"
_SEAT_BEFORE = re.compile(
    rf"(?P<seat>[1-4](?=人目|位|番|着|{_NTH})|起家|[東南西北]|east|south|west|north|[eswn](?=.))"
    rf"(?:人目|位|番|着|{_NTH}(?:place)?|家)?(?:の|player)?(?P<name>.*)"
)
_SEAT_BEHIND = re.compile(r"(?P<name>.*?\D)(?P<seat>[1-4])")
_SEAT_BESIDE = re.compile(
    r"(?P<name>.+)[(\[【](?P<seat>east|south|west|north|[東南西北eswn1-4])家?[)\]】]\s*", re.DOTALL
)
_PLACES = re.compile(rf"[1-4](?:位|着|{_NTH})")
_TOTALS = frozenset(
    (
        *("合計", "小計", "総計", "総合計", "累計", "計", "通算", "合計点", "合計ポイント"),
        *("total", "totals", "subtotal", "sum", "grandtotal", "totalpoints"),
    )
)
_AVERAGES = frozenset({"平均", "average", "mean"})

_ENDING = re.compile(
    r"は?(?:誰|だれ|どなた|いつ|何点|なに|何)?(?:でしたか|ですか|か)?(?:を|は)?(?:ご)?"
    r"(?:入力|記入|選択|選んで|お選び|教えて|書いて)?(?:して)?(?:ください|下さい|願います)?[?!。]*$"
)
"""The end of a Japanese question."""

_WORDS = re.compile(rf"\d{_NTH}\b|[a-z]+|\d+")
_SEAT_WORDS = {"east": 1, "1st": 1, "south": 2, "2nd": 2, "west": 3, "3rd": 3, "north": 4, "4th": 4}
_FILLING = re.compile(
    r"a|an|the|who|whos|what|whats|is|was|were|sat|sits|in|at|of|for|by|on|to|from|with|and|s|did|do|does"
    r"|have|had|has|please|enter|select|choose|pick|type|your|you|their|this|player|players|person|name"
    r"|names|end|ended|finish|finished|final|place|position|seat|how|many|much"
)
"""Words without meaning in a question."""

_TELLING = {
    "date": {"date", "day", "when"},
    "sticks": {"sticks", "stick"},
    "memo": {"comments", "comment", "notes", "remarks"},
}
"""Words that suffice to identify a question that names no seat."""


def folded_header(text: str) -> str:
    """Fold a header: ignore width, case, spaces and units in brackets."""
    return _NOISE.sub("", unicodedata.normalize("NFKC", text).casefold())


KNOWN: Mapping[str, str] = {
    folded_header(name): column.key
    for column in COLUMNS
    for name in (*column.aliases, column.ja, column.key, column.header("en"))
}
"""Column key by folded header, for all known headers."""


@dataclass(frozen=True, slots=True)
class HeaderLayout:
    """Position of the header, and the target of each column; "" for an ignored column."""

    header_row: int
    header_rows: int
    columns: tuple[str, ...]


def target_of(header: str) -> str:
    """Return the target of a header, such as "date" or "raw2"; "" if unknown."""
    beside = _SEAT_BESIDE.fullmatch(unicodedata.normalize("NFKC", header).casefold())
    if beside and (target := _of_seat(beside["seat"], KNOWN.get(folded_header(beside["name"]), ""))):
        return target
    plain = folded_header(header)
    for each in dict.fromkeys((plain, _ENDING.sub("", plain) if len(plain) <= MAX_LENGTH else plain)):
        if each in KNOWN:
            return _read(each)
        for found in (_SEAT_BEHIND.fullmatch(each), _SEAT_BEFORE.fullmatch(each)):
            if found and (target := _of_seat(found["seat"], KNOWN.get(found["name"] or "player", ""))):
                return target
    return _asked_for(header)


def _asked_for(header: str) -> str:
    """Return the target of an English question; "" for any other text."""
    words = _WORDS.findall(unicodedata.normalize("NFKC", header).casefold()) if len(header) <= MAX_LENGTH else []
    if len(words) < 2:
        return ""
    numbers = {word for word in words if word.isdigit()}
    seats = {_SEAT_WORDS[word] for word in words if word in _SEAT_WORDS}
    if not seats and {"player", "seat", "position"} & {*words}:
        seats = {int(word) for word in numbers & {"1", "2", "3", "4"}}
    what = "".join(word for word in words if not _FILLING.fullmatch(word) and word not in {*_SEAT_WORDS, *numbers})
    if len(seats) == 1:
        return _of_seat(str(seats.pop()), _read(what or "player"))
    if seats or numbers:
        return ""
    return _read(next((key for key, telling in _TELLING.items() if telling & {*words}), what))


def _read(plain: str) -> str:
    key = KNOWN.get(plain, "")
    return "" if key and BY_KEY[key].unread else key


def _of_seat(seat: str, key: str) -> str:
    """Return the target of a per-seat column for a seat given as a wind or number; "" for any other column."""
    return f"{key}{(read_seat(seat) or 0) + 1}" if key in PER_SEAT and key != "seat" else ""


def names_places(headers: Sequence[str]) -> bool:
    """Return whether the player columns are labelled by placement (1位, 2位 …) instead of by seat."""
    return any(_PLACES.match(folded_header(header)) and target_of(header)[:-1] == "player" for header in headers)


def split_target(target: str) -> tuple[str, int | None]:
    """Split a target into column key and seat from 0; the seat is None for columns without one."""
    if target in BY_KEY or not target:
        return target, None
    return target[:-1], int(target[-1]) - 1


TARGETS = tuple(column.key for column in READ) + tuple(
    f"{key}{seat}" for seat in range(1, MAX_SEATS + 1) for key in PER_SEAT if key != "seat"
)
"""All targets of a column, in the order of our own export."""


def suggest_layout(rows: Sequence[FileRow]) -> HeaderLayout:
    """Guess the position of the header and the meaning of its columns; the first row if none looks like a header."""
    best, known = HeaderLayout(0, 1, tuple("" for _ in rows[0].cells) if rows else ()), 0
    for height in (1, 2):
        for start in range(min(HEADER_WITHIN, len(rows))):
            columns = columns_of(rows[start : start + height])
            found = len([column for column in columns if column])
            # A second row has to tell more than one word, which may be a result.
            if found > max(known, 1) + (height == 2 and known > 0):
                best, known = HeaderLayout(start, height, columns), found
    return best if best.header_rows == 2 else _with_keys_below(rows, best)


def _with_keys_below(rows: Sequence[FileRow], layout: HeaderLayout) -> HeaderLayout:
    """Extend the header to the row below if that repeats it in the other language."""
    below = rows[layout.header_row + 1 : layout.header_row + 2]
    if below and is_header(below[0].cells, layout.columns):
        return HeaderLayout(layout.header_row, 2, layout.columns)
    return layout


def columns_of(header: Sequence[FileRow]) -> tuple[str, ...]:
    """Return the targets of the columns under one or two rows: 東家 above 素点 is "raw1"."""
    width = max((len(row.cells) for row in header), default=0)
    upper, lower = ([*row.cells, *[""] * (width - len(row.cells))] for row in (*header, *[FileRow(0, ())] * 2)[:2])
    targets, over = [], ""
    for above, below in zip(upper, lower, strict=True):
        over = above or over
        targets.append((below and target_of(f"{over}{below}")) or target_of(below) or target_of(above))
    return _distinct(targets, [above + below for above, below in zip(upper, lower, strict=True)])


def _distinct(targets: Sequence[str], headers: Sequence[str]) -> tuple[str, ...]:
    """Return the targets, numbered by seat if they repeat (選手, 素点, 選手, 素点 …), without other duplicates.

    An unnamed column next to a seat's player, and a second 東, hold raw scores.
    """
    result: list[str] = []
    for position, target in enumerate(_for_seats(_by_winds(targets, headers))):
        named = target
        if not target and position and result[-1].startswith("player") and not headers[position].strip():
            named = f"raw{result[-1][-1]}" if result[-1][-1].isdigit() else ""
        elif target in result and split_target(target)[0] == "player" and target != "player":
            named = f"raw{target[-1]}"
        result.append("" if named in result else named)
    return tuple(result)


def _by_winds(targets: Sequence[str], headers: Sequence[str]) -> list[str]:
    """Treat the headers E S W N, and 起家 next to 南家, as seats."""
    found = list(targets)
    plain = [folded_header(header) for header in headers]
    if set(plain) >= set("eswn"):
        found = [_of_seat(head, "player") if head in set("eswn") else found[at] for at, head in enumerate(plain)]
    if "player1" not in found and {"dealer", "player2", "player3"} <= set(found):
        found[found.index("dealer")] = "player1"
    return found


def _for_seats(targets: Sequence[str]) -> list[str]:
    """Assign the n-th column of a kind that repeats for every player to the n-th player."""
    seats = [target for target in dict.fromkeys(targets) if split_target(target)[0] == "player" and target != "player"]
    times = Counter(targets)
    order = [int(target[-1]) for target in seats] or list(range(1, times["player"] + 1))
    if not MIN_SEATS <= len(order) <= MAX_SEATS:
        return list(targets)
    seen: Counter[str] = Counter()
    numbered = []
    for target in targets:
        if target not in PER_SEAT or times[target] == 1:
            numbered.append(target)
            continue
        seat = order[seen[target]] if seen[target] < len(order) else seen[target] + 1
        seen[target] += 1
        numbered.append(f"{target}{seat}" if seat <= MAX_SEATS else "")
    return numbered


def form_of(columns: Sequence[str]) -> RowShape:
    seats = {seat for key, seat in map(split_target, columns) if key == "player" and seat is not None}
    return RowShape.WIDE if len(seats) > 1 else RowShape.LONG


def is_header(cells: Sequence[str], columns: Sequence[str], meaning: Callable[[str], str] = target_of) -> bool:
    """Return whether a row repeats the header. `meaning`: `target_of`, possibly cached."""
    meant = [meaning(cell) for cell in cells]
    matches = [target for target, column in zip(meant, columns, strict=False) if target and column.startswith(target)]
    return len(matches) > 1 and len(matches) * 3 >= len([cell for cell in cells if cell])


def is_total(cells: Sequence[str], folding: Callable[[str], str] = folded_header) -> bool:
    return folding(next((cell for cell in cells if cell), "")) in _TOTALS | _AVERAGES


def is_average(cells: Sequence[str]) -> bool:
    return folded_header(next((cell for cell in cells if cell), "")) in _AVERAGES

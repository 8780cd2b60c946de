import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from league.core import limits
from league.core.errors import RefusedError
from league.core.name_order import guessed_reading
from league.core.readings import is_kana, romaji
from league.core.spelling import cleaned, without_list_marks
from league.core.spreadsheets.cells import CellError, read_flag
from league.core.spreadsheets.headers import KNOWN, folded_header
from league.core.spreadsheets.tables import FileRow, read_table

NAME, KANA, ROMANISED, NUMBER, CLUB, GUEST = "name", "kana", "romanised", "number", "club", "guest"

MAX_LINES = 1000

LENGTHS = {
    NAME: limits.MAX_NAME_LENGTH,
    KANA: limits.MAX_READING_LENGTH,
    ROMANISED: limits.MAX_READING_LENGTH,
    NUMBER: limits.MAX_MEMBER_NUMBER_LENGTH,
    CLUB: limits.MAX_CLUB_LENGTH,
}

_HEADS = {"player": NAME, KANA: KANA, ROMANISED: ROMANISED, NUMBER: NUMBER, CLUB: CLUB, GUEST: GUEST}
_SHORT_FOR_NUMBER = {folded_header(word) for word in ("番号", "no", "no.", "#", "id", "会員no")}
GUEST_WORDS = {"ゲスト": True, "guest": True, "会員": False, "member": False}


class PeopleListError(RefusedError):
    """A list that cannot be read. `code`: "empty", "too_many" or "no_names"."""


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A row of a list: texts by column. `wrong`: columns with invalid values."""

    line: int
    texts: Mapping[str, str]
    is_guest: bool | None = None
    wrong: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.texts.get(NAME, "")

    @property
    def number(self) -> str:
        return self.texts.get(NUMBER, "")


def read_people(text: str) -> tuple[ListedPerson, ...]:
    """Read a list of people, with or without a header. Raise PeopleListError or ImportFileError."""
    text = without_list_marks(text)
    commas = re.compile("[、，,]" if "\t" in text else "[、，]")
    lines = (line if "\t" in line else commas.sub("\t", line) for line in text.split("\n"))
    rows = [row for row in read_table("\n".join(lines)).rows if any(map(cleaned, row.cells))]
    if not rows:
        raise PeopleListError("empty")
    columns = _headed(rows[0].cells)
    rows = rows[1:] if columns else rows
    if len(rows) > MAX_LINES:
        raise PeopleListError("too_many")
    if not columns and _is_surname_first(rows):
        rows = [row._replace(cells=(" ".join(filter(None, reversed(row.cells))),)) for row in rows]
    columns = columns or _guessed(rows)
    if NAME not in columns:
        raise PeopleListError("no_names")
    people = [_person(row, columns) for row in rows]
    if len(people) > 1 and all(_POLITE.fullmatch(person.name) for person in people):
        people = [_named(person, _POLITE.sub(r"\g<one>\g<two>", person.name)) for person in people]
    plain = [_apart(person) for person in people]
    names = Counter(person.name for person in plain)
    return tuple(new if names[new.name] == 1 else old for new, old in zip(plain, people, strict=True))


_POLITE = re.compile(r"(?:(?P<one>.+?)\s*さん|(?P<two>..+?)\s*(?:様|さま))\Z")
"""A name as a list writes it politely. Handles end in ちゃん or くん, and 王様 is one."""


def _named(person: ListedPerson, name: str, **more: str) -> ListedPerson:
    return replace(person, texts={**more, **person.texts, NAME: name})


def _headed(cells: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for cell in cells:
        word = folded_header(cell)
        column = NUMBER if word in _SHORT_FOR_NUMBER else _HEADS.get(KNOWN.get(word, ""), "")
        found.append("" if column in found else column)
    return tuple(found) if NAME in found else ()


_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f .'’-]+")


def _is_surname_first(rows: Sequence[FileRow]) -> bool:
    """Return whether a list without a header has lines such as “O'Neill, Siobhan” or “Van der Berg, Joost”.

    A second name after a full name is something else, such as a club.
    """
    pairs = [cells for row in rows if len(cells := [*filter(None, row.cells)]) > 1]
    is_latin = all(len(cells) == 2 and all(map(_LATIN.fullmatch, cells)) for cells in pairs)
    return is_latin and 2 * sum(" " not in first for first, *_ in pairs) > len(pairs)


def _guessed(rows: Sequence[FileRow]) -> tuple[str, ...]:
    """Guess the columns from their contents: number, name, reading, Latin name, club."""
    width = max(len(row.cells) for row in rows)
    columns: list[str] = []
    are_names_latin = False
    for place in range(width):
        texts = [row.cells[place] for row in rows if place < len(row.cells) and row.cells[place]]
        kinds = _kinds(texts, are_names_latin=are_names_latin)
        known = [kind for kind in kinds if kind not in columns and (kind in {NAME, NUMBER} or NAME in columns)]
        columns.append(known[0] if known else "")
        are_names_latin |= columns[-1] == NAME and all(text.isascii() for text in texts)
    return tuple(columns)


def _kinds(texts: Sequence[str], *, are_names_latin: bool) -> tuple[str, ...]:
    if not texts:
        return ()
    if all(any(char.isdigit() for char in text) and len(text) <= LENGTHS[NUMBER] for text in texts):
        return (NUMBER,)
    if all(map(is_kana, texts)):
        return (NAME, KANA, CLUB)
    if all(text.isascii() for text in texts):
        return (NAME, CLUB) if are_names_latin else (NAME, ROMANISED, CLUB)
    return (NAME, CLUB)


_IN_BRACKETS = re.compile(r"(?P<name>[^(（]*[^(（\s])\s*[(（](?P<rest>[^()（）]+)[)）]")


def reading_beside(written: str) -> tuple[str, str]:
    """Split a name from the reading in brackets after it, in kana or Latin letters; other brackets are part of the name."""
    found = _IN_BRACKETS.fullmatch(written)
    if found is None:
        return written, ""
    name, rest = found["name"], found["rest"].strip()
    guess = guessed_reading(name)
    if guess is None:
        fits = not romaji(name) and bool(romaji(rest)) and len(name.split()) == len(rest.split()) > 1
    else:
        fits = romaji(guess.kana) in romaji(rest)
    return (name, rest) if fits else (written, "")


def _apart(person: ListedPerson) -> ListedPerson:
    name, reading = reading_beside(person.name)
    if reading:
        return _named(person, name, **{KANA if is_kana(reading) else ROMANISED: reading})
    found = _IN_BRACKETS.fullmatch(person.name)
    if found is None or found["rest"].casefold() not in GUEST_WORDS:
        return person
    return replace(_named(person, found["name"]), is_guest=GUEST_WORDS[found["rest"].casefold()])


def _person(row: FileRow, columns: Sequence[str]) -> ListedPerson:
    cells = {column: cleaned(cell) for column, cell in zip(columns, row.cells, strict=False) if column}
    texts = {column: text for column, text in cells.items() if text and column != GUEST}
    wrong = [column for column, text in texts.items() if len(text) > LENGTHS[column]]
    is_guest = None
    try:
        is_guest = GUEST_WORDS.get(said) if (said := cells.get(GUEST, "")) in GUEST_WORDS else read_flag(said)
    except CellError:
        wrong.append(GUEST)
    if NAME not in texts:
        wrong.append(NAME)
    return ListedPerson(row.line, texts, is_guest, tuple(wrong))

"""Tables for the pages of an import: steps, names, rows of the check, and editable cells of hanchan with errors."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.forms import BoundField
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.imports.games import ImportNote
from league.core.imports.mending import REPEATED, Cell, cell_of
from league.core.spreadsheets.tables import FileRow
from league.messages.imports import HOW, STATUSES, column_label, sentence
from league.models import ImportBatch, ImportMending, Player
from league.selectors.people import looking_like
from league.services.imports.mending import MAX_CELL, MendableFile, WrongGame, WrongText
from league.services.imports.people import GUEST, NEW
from league.services.imports.values import ImportReport, NameMatch, RowStatus

STEPS: tuple[tuple[str, str | Promise], ...] = (
    ("file", pgettext_lazy("step of an import", "File")),
    ("reading", pgettext_lazy("step of an import", "Encoding")),
    ("columns", pgettext_lazy("step of an import", "Columns")),
    ("names", pgettext_lazy("step of an import", "Names")),
    ("check", pgettext_lazy("step of an import", "Check")),
    ("preview", pgettext_lazy("step of an import", "Difference")),
    ("result", pgettext_lazy("step of an import", "Import")),
)
"""Steps of an import; the user can go back to all except the first and last."""


@dataclass(frozen=True, slots=True)
class ImportStep:
    number: int
    label: str | Promise
    url: str
    is_here: bool
    is_behind: bool


def steps(batch: ImportBatch | None, here: str) -> list[ImportStep]:
    names = [name for name, _label in STEPS]
    at = names.index(here)
    return [
        ImportStep(
            number=number,
            label=label,
            url=_address(batch, name) if batch and 0 < number - 1 < at and here != "result" else "",
            is_here=number - 1 == at,
            is_behind=number - 1 < at,
        )
        for number, (name, label) in enumerate(STEPS, start=1)
    ]


def _address(batch: ImportBatch, step: str) -> str:
    return reverse(f"league:import_{step}", args=(batch.league.slug, batch.pk))


def said(notes: Iterable[ImportNote]) -> list[str]:
    return [sentence(note.code, note.values) for note in notes]


# --- Names -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name in the file with the choice of its player. `field`: name of the select."""

    match: NameMatch
    field: str
    how: str | Promise
    options: SafeString

    @property
    def is_open(self) -> bool:
        return self.match.how == "ask"


def name_field(match: NameMatch) -> str:
    """Return the form field name for a name in the file."""
    return f"name-{hashlib.sha256(match.key.encode()).hexdigest()[:16]}"


def name_rows(matches: Sequence[NameMatch], players: Sequence[Player], chosen: Mapping[str, str]) -> list[NameRow]:
    """Return the rows of names; `players`: options, `chosen`: earlier choices by NameMatch.key."""
    everybody = format_html(
        '<optgroup label="{}">{}</optgroup>',
        gettext("All players"),
        format_html_join("", '<option value="{}">{}</option>', ((player.pk, _known(player)) for player in players)),
    )
    return [
        NameRow(match, name_field(match), _how(match), _options(match, everybody, chosen.get(match.key, "")))
        for match in matches
    ]


def _how(match: NameMatch) -> str | Promise:
    twins = looking_like([match.written], match.candidates)
    return (
        gettext("looks like %(name)s but uses different characters") % {"name": twins[0].name}
        if twins
        else HOW[match.how]
    )


def _options(match: NameMatch, everybody: SafeString, chosen: str) -> SafeString:
    found = match.player if match.how != "chosen" else None
    first = _known(found) if found else gettext("detect") if chosen else gettext("choose a player")
    options = [("", first), (NEW, gettext("a new player")), (GUEST, gettext("a new guest"))]
    if match.player is not None and chosen:
        options.append((str(match.player.pk), _known(match.player)))
    rows = [(value, mark_safe(" selected") if value == chosen else "", label) for value, label in options]
    alike = [(player.pk, _known(player)) for player in match.candidates]
    return mark_safe(  # noqa: S308 - every part is escaped
        format_html_join("", '<option value="{}"{}>{}</option>', rows)
        + (_group(gettext("Sounds alike"), alike) if alike else "")
        + everybody
    )


def _group(label: str, players: Iterable[tuple[int, str]]) -> SafeString:
    inner = format_html_join("", '<option value="{}">{}</option>', players)
    return format_html('<optgroup label="{}">{}</optgroup>', label, inner)


def _known(player: Player) -> str:
    return " · ".join(filter(None, (player.name, player.kana, player.number)))


# --- Rows of a check -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckRow:
    """The outcome for one hanchan of the file, as text.

    `line`: its first line. `may_be_taken`: only the total is wrong; `is_taken`: accepted anyway.
    """

    lines: str
    status: str
    status_label: str | Promise
    label: str
    sentences: list[str]
    line: int = 0
    may_be_taken: bool = False
    is_taken: bool = False


@dataclass(frozen=True, slots=True)
class RowFilter:
    url: str
    label: str
    current: bool


WARNED = "warned"
"""Value of `?show=` for rows that can be stored but have warnings."""

FILTERS: tuple[tuple[str, str | Promise], ...] = (
    ("", pgettext_lazy("rows", "All")),
    ("error", _("Errors")),
    (WARNED, _("To check")),
    ("changed", STATUSES["changed"]),
    ("same", STATUSES["same"]),
    ("added", STATUSES["added"]),
    ("left_out", STATUSES["left_out"]),
)


def check_rows(report: ImportReport, show: str) -> list[CheckRow]:
    return [_check_row(row) for row in report.rows if show in _kinds(row)]


def _kinds(row: RowStatus) -> set[str]:
    return {"", row.status, WARNED} if row.is_warned else {"", row.status}


def _check_row(row: RowStatus) -> CheckRow:
    first, last = min(row.lines, default=0), max(row.lines, default=0)
    lines = f"{first}" if first == last else f"{first}–{last}"
    may_be_taken = row.is_unbalanced or row.is_as_it_is
    facts = lines, row.status, STATUSES[row.status], row.label, said(row.notes)
    return CheckRow(*facts, row.lines[0] if row.lines else 0, may_be_taken, row.is_as_it_is)


def filters(report: ImportReport, show: str) -> list[RowFilter]:
    """Return links that filter the rows by status, with counts; only for statuses that occur."""
    counts = {
        "": report.games,
        "error": 0 if report.leaves_out_errors else report.errors,
        WARNED: report.warnings,
        "changed": report.changed,
        "same": report.same,
        "added": report.added,
        "left_out": report.errors if report.leaves_out_errors else 0,
    }
    return [
        RowFilter(f"?show={code}", f"{label} {counts[code]}", code == show) for code, label in FILTERS if counts[code]
    ]


class MendableCell(NamedTuple):
    """An editable cell. `sentences`: its errors; `is_long`: too long to show."""

    label: str
    field: BoundField
    is_wrong: bool
    sentences: tuple[str, ...]
    is_long: bool


class RowFields(NamedTuple):
    line: int
    cells: tuple[MendableCell, ...]


class GameFields(NamedTuple):
    """A hanchan with errors: its rows, and errors not tied to a cell. `more`: number of rows not shown."""

    label: str
    lines: str
    sentences: tuple[str, ...]
    rows: tuple[RowFields, ...]
    more: int


class TextField(NamedTuple):
    label: str
    text: str
    field: BoundField
    cells: int


class MendedCell(NamedTuple):
    """A corrected cell; `line` is None if all equal cells of the column were corrected."""

    line: int | None
    column: str
    mending: ImportMending


FieldOf = Callable[[Cell], BoundField]


def text_fields(texts: Iterable[WrongText], field_of: Callable[[WrongText], BoundField]) -> list[TextField]:
    return [TextField(column_label(wrong.key), wrong.text, field_of(wrong), wrong.cells) for wrong in texts]


def game_fields(game: WrongGame, file: MendableFile, field_of: FieldOf) -> GameFields:
    first, last = min(game.lines, default=0), max(game.lines, default=0)
    shown = {(row.line, column) for row in game.rows for column in file.columns}
    beside: dict[Cell, list[str]] = {cell: [] for cell in shown}
    above: list[str] = []
    wrong: set[Cell] = set()
    for note, cells in game.notes:
        said, here = sentence(note.code, note.values), [cell for cell in cells if cell in shown]
        wrong |= set(here)
        # Show each note once: at its cell, or above the rows if several cells are wrong together.
        is_of_a_cell = here and (len(here) == 1 or note.code in REPEATED)
        (beside[here[0]] if is_of_a_cell else above).append(said)

    def field(row: FileRow, column: int) -> MendableCell:
        cell, is_long = (row.line, column), len(cell_of(row, column)) > MAX_CELL
        sentences = tuple(dict.fromkeys(beside[cell]))
        return MendableCell(header_of(file, column), field_of(cell), cell in wrong, sentences, is_long)

    return GameFields(
        label=game.label,
        lines=f"{first}" if first == last else f"{first}–{last}",
        sentences=tuple(dict.fromkeys(above)),
        rows=tuple(RowFields(row.line, tuple(field(row, column) for column in file.columns)) for row in game.rows),
        more=game.more,
    )


def header_of(file: MendableFile, column: int) -> str:
    headers, targets = file.source.headers, file.source.reading.columns
    header = headers[column] if column < len(headers) else ""
    return header or (column_label(targets[column]) if column < len(targets) and targets[column] else str(column + 1))


def mended_cells(mendings: Sequence[ImportMending], headers: Sequence[str]) -> list[MendedCell]:
    names = dict(enumerate(headers))
    return [MendedCell(each.line, names.get(each.column) or str(each.column + 1), each) for each in mendings]

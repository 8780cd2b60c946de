"""The session grid as shown on the page: columns, rows, and whether it can be saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from league.core.limits import MAX_SHEET_ROWS
from league.core.sheet_cells import write_cell
from league.forms.grid.columns import sent_number
from league.forms.grid.rows import RowForm, in_words, shown, texts_of
from league.forms.grid.sheet import SheetForm
from league.messages import joined, plain_name
from league.messages.sessions import WIND_MARKS
from league.models import Hanchan, Player
from league.selectors.games import seats_of
from league.selectors.grid import SheetPlace
from league.services.entry import Seated
from league.services.grid import MARKED, STORES, RowState, SheetRowError, TypedRow, seats_before
from league.services.people import PlayerFacts
from league.services.results import result_of
from scoring.core import Bust, FinishedGame

LONG_TEXT = 7


@dataclass(frozen=True, slots=True)
class FieldOnPage:
    """A field of the grid.

    `described_by`: ids of its messages. `wind`: planned seat. `is_out`: others are planned for the row, so keyboard
    navigation skips the field. `labels`: ids of its labels. `is_led_to`: a message links to it.
    """

    name: str
    text: str
    described_by: str = ""
    wind: str = ""
    is_out: bool = False
    labels: str = ""
    is_led_to: bool = False

    @property
    def as_cell(self) -> SafeString:
        """The field as a table cell. There may be thousands of them, so the markup is kept short."""
        said = [("value", self.text), ("placeholder", self.wind), ("id", self.name if self.is_led_to else "")]
        if self.described_by:
            said += [("aria-invalid", "true"), ("aria-describedby", self.described_by)]
        written = format_html_join("", ' {}="{}"', [each for each in said if each[1]])
        how = "long" if len(self.text) > LONG_TEXT else "out" if self.is_out else ""
        kind = format_html(' class="{}"', how) if how else ""
        text = '<td{}><input name="{}" aria-labelledby="{}"{}></td>'
        return format_html(text, kind, self.name, self.labels, written)


@dataclass(frozen=True, slots=True)
class Question:
    name: str
    who: str
    answers: tuple[tuple[str, str], ...]


def told_beside(game: FinishedGame, names: Sequence[str]) -> list[str]:
    is_bust = _("%(name)s is bust: %(how)s")
    busts = [is_bust % {"name": names[bust.seat], "how": _how(bust, names)} for bust in game.busts]
    counts = [(name, count) for name, count in zip(names, game.chombo, strict=False) if count]
    chombo = [_("%(name)s: chombo %(count)s") % {"name": name, "count": count} for name, count in counts]
    return busts + chombo


def _answers(seat: int, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    others = [other for other in range(len(names)) if other != seat]
    won = [Bust(seat, "win", winners=(other,)) for other in others]
    some = (tenpai for count in range(1, len(names)) for tenpai in combinations(others, count))
    drawn = [Bust(seat, "draw", tenpai=tenpai) for tenpai in some]
    for bust in (*won, *drawn, Bust(seat, "other")):
        yield in_words(write_cell("", None, bust).strip()), _how(bust, names)


def _how(bust: Bust, names: Sequence[str]) -> str:
    called = joined(f"{names[seat]}({WIND_MARKS[seat]})" for seat in bust.winners or bust.tenpai)
    if bust.by == "win":
        return _("%(names)s won") % {"names": called}
    if bust.by == "draw":
        return _("draw; tenpai: %(names)s") % {"names": called}
    return _("riichi without enough points") if bust.by == "riichi" else _("something else")


EMPTY = "empty"
"""Status of a blank row, and of every row before it is checked."""

WITH_WIND = 2


class RowOnPage:
    """A row with its check; `check` is None if the row is blank or unreadable."""

    def __init__(self, form: RowForm, check: TypedRow | None, *, is_checked: bool) -> None:
        self.form = form
        self.check = check
        self.seated = check.seated if check else []
        self.is_checked = is_checked
        self.place, self.client_key, self.keeps_points = int(form.prefix or 0), form.client_key, form.keeps_points
        self.hanchan = form.stored
        self.shows: dict[str, str] = {}
        if form.stored_as is not None:
            self.shows = shown(form.stored_as)
        elif check and check.state == RowState.OVERTAKEN and form.stored:
            self.shows = {"version": str(form.stored.version)}
        self.number, self.round, self.table, self.sticks = map(self.text, ("hanchan", "round", "table", "sticks"))
        self.version = sent_number(self.text("version"))

    # --- Content -----------------------------------------------------------------------------------------------------

    def text(self, name: str) -> str:
        """Return a field's text: as typed, unless the stored hanchan has changed."""
        return self.shows.get(name, self.form.text(name))

    @property
    def another(self) -> bool:
        return bool(self.form["another"].value())

    @cached_property
    def fields(self) -> dict[str, FieldOnPage]:
        return {name: self._field(name) for name in ("round", "table", "sticks")}

    @cached_property
    def scores(self) -> list[FieldOnPage]:
        return [self._field(name) for name in self.form.columns]

    def _field(self, name: str) -> FieldOnPage:
        lists = enumerate(self._fields_by_problem.values())
        ids = [f"problem_{self.form.prefix}_{at}" for at, names in lists if name in names]
        if self.is_checked and name in self.form.unknown_cells:
            ids.append(self.form.columns[name].problem_id)
        wind = self.planned.get(name, "")
        is_out = bool(self.planned) and name.startswith("cell_") and not wind
        labels = f"r{self.form.prefix} {name.replace('cell_', 'c')}"
        written = self.form.add_prefix(name)
        return FieldOnPage(written, self.text(name), " ".join(ids), wind, is_out, labels, name in self.leads.values())

    @cached_property
    def leads(self) -> dict[str, str]:
        """Field that each message links to: the one it is about, or else the first score typed."""
        first = next(iter(self.form.typed_cells), "round")
        return {
            problem: next((name for name in names if name in self.form.fields), first)
            for problem, names in self._fields_by_problem.items()
        }

    @property
    def led_problems(self) -> list[tuple[str, str]]:
        return [(problem, self.form.add_prefix(name)) for problem, name in self.leads.items()]

    @cached_property
    def planned(self) -> dict[str, str]:
        seats = self._plan
        if self.hanchan is not None or not seats:
            return {}
        return {
            name: str(WIND_MARKS[seats.index(person.pk)])
            for name, column in self.form.columns.items()
            if isinstance(person := column.person, Player) and person.pk in seats
        }

    # --- Check -------------------------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        if self.check is not None:
            return self.check.state
        if self.is_checked and self.form.errors:
            return RowState.WRONG
        is_same = (self.is_checked or not self.form.is_bound) and (self.form.stored or self.form.stored_as)
        return RowState.SAME if is_same else EMPTY

    @property
    def before(self) -> list[tuple[Player, int]]:
        is_other = self.status in {RowState.CHANGED, RowState.OVERTAKEN}
        return seats_before(self.hanchan) if is_other and self.hanchan else []

    @cached_property
    def _fields_by_problem(self) -> dict[str, list[str]]:
        fields: dict[str, list[str]] = {}
        for name, texts in self.form.errors.items() if self.is_checked else ():
            for text in texts:
                fields.setdefault(str(text), []).append(name)
        return fields

    @property
    def is_alone(self) -> bool:
        return self.hanchan is not None and not self.hanchan.has_raw_scores

    @property
    def notes(self) -> list[str]:
        entry = self.check.entry if self.check else None
        return told_beside(entry.game, [plain_name(person) for person, _raw in self.seated]) if entry else []

    @property
    def unplanned(self) -> list[Seated]:
        planned = self._plan
        if not planned or self.hanchan is not None:
            return []
        return [person for person, _raw in self.seated if getattr(person, "pk", None) not in planned]

    @property
    def _plan(self) -> Sequence[int]:
        return self.form.context.planned(sent_number(self.round), sent_number(self.table) or 1)

    @cached_property
    def stays(self) -> list[str]:
        """Stored details that saving would keep although the cells no longer show them, as their winds were deleted."""
        if self.hanchan is None or self.status != RowState.SAME:
            return []
        texts, cells = texts_of(self.hanchan), self.form.cells
        is_unsaid = any(
            not cells[name].behind and len(texts.get(self.form.columns[name].key, "").split()) > WITH_WIND
            for name in self.form.seats
        )
        return told_beside(result_of(self.hanchan).game, self.form.names) if is_unsaid else []

    @cached_property
    def question(self) -> Question | None:
        seat, names = self.form.unexplained, self.form.names
        if seat is None:
            return None
        field = self.form.add_prefix(f"why_{self.form.seats[seat].removeprefix('cell_')}")
        return Question(field, names[seat], tuple(_answers(seat, names)))

    @property
    def off_by(self) -> int | None:
        """Difference of a wrong total that the user may accept or has accepted, else None."""
        typed = self.form.typed
        return typed.off_by or None if typed and not typed.mistaken_unit else None

    @property
    def is_taken(self) -> bool:
        return self.text("taken") == str(self.off_by)

    @property
    def asks_more(self) -> str:
        """Query string that opens the row on the entry page, if the rules need more input than the grid has."""
        typed = self.form.typed
        is_asked = typed is not None and typed.entry and typed.entry.refusal and self.question is None
        return urlencode(self.form.sent, doseq=True) if is_asked else ""


@dataclass(frozen=True, slots=True)
class PartToType:
    number: int
    first: SheetPlace
    last: SheetPlace
    is_here: bool


class SheetOnPage:
    """The grid with the results of its check.

    `left_over`: pasted text that did not fit. `part`: index of the part shown, if the session is split.
    """

    def __init__(
        self,
        form: SheetForm,
        check: dict[int, TypedRow] | None = None,
        problems: Sequence[str] = (),
        left_over: str = "",
        part: int = 0,
    ) -> None:
        self.form = form
        self.part = part
        self.check = check
        self.problems = list(problems)
        self.left_over = left_over
        self.columns, self.rules, self.size = form.columns, form.context.rules, form.context.size
        self.most_rows = MAX_SHEET_ROWS

    def refuse(self, refusal: SheetRowError) -> None:
        if self.check is not None:
            self.check[refusal.number] = replace(self.check[refusal.number], state=refusal.state, error=refusal.error)
            self.form.rows[refusal.number].refuse(refusal.error)

    @cached_property
    def rows(self) -> list[RowOnPage]:
        found = self.check or {}
        is_checked = self.check is not None
        return [RowOnPage(row, found.get(number), is_checked=is_checked) for number, row in self.form.rows.items()]

    @property
    def marked(self) -> str:
        return ",".join(str(row.place) for row in self.rows if row.status in MARKED)

    @cached_property
    def parts(self) -> list[PartToType]:
        context = self.form.context
        if len(context.parts) == 1:
            return []
        return [
            PartToType(number, context.places[part[0]], context.places[part[-1]], is_here=number - 1 == self.part)
            for number, part in enumerate(context.parts, 1)
        ]

    @property
    def new_guests(self) -> list[PlayerFacts]:
        people = [column.person for column in self.columns] if self.check is not None else []
        return [person for person in people if isinstance(person, PlayerFacts)]

    @property
    def to_store(self) -> list[TypedRow]:
        return [row for row in (self.check or {}).values() if row.state in STORES]

    @property
    def corrects(self) -> bool:
        return any(row.hanchan is not None for row in self.to_store)

    @property
    def is_stuck(self) -> bool:
        if self.check is None:
            return False
        is_marked = any(row.state in MARKED for row in self.check.values())
        return is_marked or any(row.errors for row in self.form.rows.values())

    @property
    def is_ready(self) -> bool:
        return bool(self.to_store) and not self.is_stuck


def sent_row(row: RowOnPage) -> dict[str, Any]:
    fields = [*row.fields.values(), *row.scores]
    return {
        "status": row.status,
        "hanchan": row.number,
        "version": str(row.version),
        "fields": {
            field.name: {"text": field.text, "described": field.described_by, "led": field.is_led_to}
            for field in fields
            if field.text or field.described_by or field.is_led_to
        },
    }


def standing_row(hanchan: Hanchan) -> dict[str, Any]:
    texts = texts_of(hanchan)
    return shown(hanchan) | {
        "key": str(hanchan.client_key),
        "people": [
            {"key": str(seat.player_id), "name": plain_name(seat.player), "text": texts.get(str(seat.player_id), "")}
            for seat in seats_of(hanchan)
        ],
        "is_alone": not hanchan.has_raw_scores,
        "page": reverse("league:hanchan", args=[hanchan.league.slug, hanchan.pk]),
    }

"""A row of the session grid: a hanchan with a cell for each player's column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.entry import RawScoreError, ScoreText, check_sum, read_count, read_score_text, scores_together
from league.core.limits import MAX_NOTE_LENGTH, MAX_ROUND, MAX_STICKS, MAX_TABLE
from league.core.sheet_cells import TypedText, read_cell
from league.core.spreadsheets.layouts import sits_out
from league.forms.entry.fields import Words
from league.forms.entry.sentences import row_sentence, score_sentence
from league.forms.grid.columns import NumberedForm, sent_number
from league.messages import plain_name
from league.models import Hanchan
from league.services.entry import Seated
from league.services.grid.saving import TypedRow
from league.services.results import ResultError, result_of
from scoring.core import FinishedGame, ScoringError, ScoringRules
from scoring.core.hanchan import STICK

if TYPE_CHECKING:
    from league.forms.grid.columns import ColumnForm

MAX_CELL_LENGTH = 40


@dataclass(frozen=True, slots=True)
class TypedCell:
    score: ScoreText
    said: TypedText

    @property
    def seat(self) -> int | None:
        return self.said.seat


class CellField(forms.Field):
    """A score such as `317`, `317 北` or `▲15 東`; None if the player sits out.

    `who`: the player's name, or None as long as the column's player is unknown.
    """

    def __init__(self, who: str | None) -> None:
        super().__init__(required=False, widget=forms.TextInput)
        self.who = who

    def to_python(self, value: object) -> TypedCell | None:
        text = str(value or "")
        if self.who is None or sits_out(text):
            return None
        try:
            if len(text) > MAX_CELL_LENGTH:
                raise RawScoreError("unreadable", text[:MAX_CELL_LENGTH])
            said = read_cell(text)
            return TypedCell(read_score_text(said.score), said)
        except RawScoreError as error:
            raise ValidationError(score_sentence(error, self.who), error.code) from error


class CountField(forms.Field):
    """A number from 0 to `most`; blank means 0."""

    def __init__(self, most: int, invalid: Words) -> None:
        super().__init__(required=False, widget=forms.TextInput, error_messages={"invalid": invalid})
        self.most = most

    def to_python(self, value: object) -> int:
        try:
            return read_count(str(value or ""), self.most)
        except RawScoreError as error:
            raise ValidationError(self.error_messages["invalid"], "invalid") from error


Cells = Mapping[str, TypedCell]


def expected_order(cells: Cells, people: Mapping[str, Seated | None], planned: Sequence[int]) -> list[str]:
    """Return the score fields in default seat order: as planned, else by column.

    The plan (primary keys by seat) applies if exactly the planned players have scores.
    """
    by_player = {getattr(people[name], "pk", None): name for name in cells}
    if planned and by_player.keys() == set(planned):
        return [by_player[player] for player in planned]
    return list(cells)


def settled(cells: Cells, order: Sequence[str], rules: ScoringRules) -> dict[str, TypedCell]:
    """Decide for bust scores with a single wind whether it is the player's own seat or the one that caused the bust.

    It is the player's own if all other seats are given and differ, if it matches the seat in `order`, or if the rules
    do not need the cause.
    """
    open_ = {name for name, cell in cells.items() if cell.said.is_open and rules.is_bust(cell.score.points)}
    others = [cell.seat for name, cell in cells.items() if name not in open_ and cell.seat is not None]
    written = [cell.seat for cell in cells.values() if cell.seat is not None]
    if not rules.asks_busts or (others and len(set(written)) == len(written)):
        return dict(cells)
    return {
        name: replace(cell, said=cell.said.as_bust()) if name in open_ and cell.seat != order.index(name) else cell
        for name, cell in cells.items()
    }


def in_seats(fixed: Mapping[int, str], order: Sequence[str]) -> list[str]:
    """Return the score fields by seat, first dealer first. `fixed`: fields whose seat is given.

    The others fill the remaining seats in the order of `order`.
    """
    free = (name for name in order if name not in fixed.values())
    return [fixed.get(seat) or next(free) for seat in range(len(order))]


_PLACE = gettext_lazy("Enter table and round as whole numbers, such as 1.")


class RowForm(NumberedForm):
    """A hanchan as typed. A row without scores is blank, unless it shows a stored hanchan (`known`, by primary key).

    `seated`: score field, player and points by seat, once they are known. `plans`: returns the planned primary keys by
    seat for a round and table.
    """

    hanchan = forms.CharField(required=False)
    version = forms.CharField(required=False)
    key = forms.CharField(required=False)
    another = forms.BooleanField(required=False)
    taken = forms.CharField(required=False, max_length=20)
    note = forms.CharField(required=False, max_length=MAX_NOTE_LENGTH)
    round = CountField(MAX_ROUND, _PLACE)
    table = CountField(MAX_TABLE, _PLACE)
    sticks = CountField(MAX_STICKS, gettext_lazy("Enter the leftover sticks as a whole number, such as 1."))

    def __init__(
        self,
        *args: Any,
        columns: Sequence[ColumnForm],
        known: Mapping[str, Hanchan],
        rules: ScoringRules,
        plans: Callable[[int, int], Sequence[int]],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.plans = plans
        self.columns = {f"cell_{place}": column for place, column in enumerate(columns)}
        self.known = known
        self.rules = rules
        self.seated: Sequence[tuple[str, Seated, int]] = ()
        self.cells: dict[str, TypedCell] = {}
        for name, column in self.columns.items():
            self.fields[name] = CellField(column.name if column.is_known else None)

    # --- Content of a row --------------------------------------------------------------------------------------------

    def text(self, name: str) -> str:
        value = self[name].value()
        return "" if value is None else str(value)

    @cached_property
    def typed_cells(self) -> list[str]:
        return [name for name in self.columns if not sits_out(self.text(name))]

    @property
    def stored(self) -> Hanchan | None:
        return self.known.get(self.text("hanchan"))

    @property
    def keeps_points(self) -> bool:
        """Whether the row shows a stored hanchan known only by points, and no scores were typed."""
        return self.stored is not None and not self.stored.has_raw_scores and not self.typed_cells

    @cached_property
    def client_key(self) -> UUID:
        """Key that prevents saving the row twice; a new one if missing or invalid."""
        try:
            return UUID(self.text("key"))
        except ValueError:
            return uuid4()

    def has_changed(self) -> bool:
        return bool(self.typed_cells) or self.stored is not None

    # --- Validation --------------------------------------------------------------------------------------------------

    def clean_hanchan(self) -> Hanchan | None:
        if self.stored is None:
            if self.cleaned_data["hanchan"]:
                raise ValidationError(_("This hanchan has been voided. Reload the sheet."))
            return None
        rules = self.stored.ruleset_version.readable()
        if rules is None:
            raise ValidationError(_("The rules of this hanchan cannot be read. An organiser has to fix them first."))
        self.rules = rules
        return self.stored

    def clean(self) -> dict[str, Any]:
        if self.keeps_points:
            return self.cleaned_data
        if not self.typed_cells:
            raise ValidationError(_("A saved hanchan cannot be cleared here. Void it on its own page."))
        if self.unknown_cells:
            places = [str(number) for number, name in enumerate(self.columns, start=1) if name in self.unknown_cells]
            text = _("Choose a player at the top of the sheet: column %(columns)s.")
            self.add_error(None, text % {"columns": ", ".join(places)})
        typed = {name: cell for name in self.typed_cells if (cell := self.cleaned_data.get(name)) is not None}
        planned = self.plans(self.cleaned_data.get("round", 0), self.cleaned_data.get("table", 0) or 1)
        order = expected_order(typed, {name: self.columns[name].person for name in typed}, planned)
        self.cells = settled(typed, order, self.rules)
        fixed = self._fixed(self.cells)
        if not self.unknown_cells and not any(name in self.errors for name in self.typed_cells):
            self._seat(self.cells, fixed, order)
        return self.cleaned_data

    @cached_property
    def unknown_cells(self) -> list[str]:
        return [name for name in self.typed_cells if not self.columns[name].is_known]

    def _fixed(self, cells: Mapping[str, TypedCell]) -> dict[int, str]:
        fixed: dict[int, str] = {}
        for name, cell in cells.items():
            if cell.seat is None:
                continue
            if cell.seat in fixed or cell.seat >= (self.rules.players or 0):
                text = _("%(name)s: this seat is taken or does not exist.")
                self.add_error(name, text % {"name": self.columns[name].name})
            else:
                fixed[cell.seat] = name
        return fixed

    def _seat(self, cells: Mapping[str, TypedCell], fixed: Mapping[int, str], order: Sequence[str]) -> None:
        if len(cells) != self.rules.players:
            text = _("This row has %(count)s scores, but a table has %(size)s players.")
            raise ValidationError(text % {"count": len(cells), "size": self.rules.players})
        names = in_seats(fixed, order)
        expected = len(names) * (self.rules.start_points or 0) - STICK * self.cleaned_data.get("sticks", 0)
        points = scores_together([cells[name].score for name in names], expected)
        people = [self.columns[name].person for name in names]
        self.seated = [
            (name, person, score)
            for name, person, score in zip(names, people, points, strict=True)
            if person is not None and score is not None
        ]

    # --- Messages ----------------------------------------------------------------------------------------------------

    @property
    def off_by(self) -> int | None:
        if not self.seated:
            return None
        scores = [points for _name, _person, points in self.seated]
        check = check_sum(scores, self.cleaned_data.get("sticks", 0), self.rules.start_points or 0)
        return None if check.adds_up else check.difference

    @property
    def names(self) -> list[str]:
        return [plain_name(person) for _name, person, _points in self.seated]

    def typed_row(self) -> TypedRow:
        data = self.cleaned_data
        row = TypedRow(
            number=int(self.prefix or 0),
            client_key=self.client_key,
            rules=self.rules,
            hanchan=self.stored,
            seen_version=sent_number(self.text("version")),
            is_another=data.get("another", False),
            table=data.get("table") or 1,
            round=data.get("round") or None,
        )
        if not self.errors and self.stored is not None and self.keeps_points:
            # Keep the stored result; only the row's own fields can change.
            known = result_of(self.stored)
            return replace(row, people=known.players, game=replace(known.game, sticks_left=data["sticks"]))
        if self.errors or not self.seated:
            return row
        said = [self.cells[name].said for name, _person, _points in self.seated]
        busts = (cell.bust_of(seat) for seat, cell in enumerate(said))
        return replace(
            row,
            people=tuple(person for _name, person, _points in self.seated),
            game=FinishedGame(
                raw=tuple(points for _name, _person, points in self.seated),
                sticks_left=data["sticks"],
                busts=tuple(bust for bust in busts if bust is not None),
            ),
            chombo=tuple(0 if cell.chombo is None and self._is_told(cell) else cell.chombo for cell in said),
            told=frozenset(seat for seat, cell in enumerate(said) if self._is_told(cell)),
            taken=data.get("taken", ""),
            note=data.get("note", ""),
        )

    def _is_told(self, cell: TypedText) -> bool:
        """Return whether a cell of a stored hanchan is complete: it then has a wind, as written by the grid."""
        return self.stored is not None and cell.seat is not None

    def refuse(self, error: ResultError | ScoringError) -> None:
        seat = error.seat if isinstance(error, ScoringError) else None
        fields = [name for name, _person, _points in self.seated]
        self.add_error(None if seat is None else fields[seat], row_sentence(error, self.names))


def spare_row(number: int, table: int = 1) -> dict[str, str]:
    return {"round": str(number), "table": str(table), "key": str(uuid4())}


def shown(hanchan: Hanchan) -> dict[str, str]:
    return {
        "hanchan": str(hanchan.pk),
        "version": str(hanchan.version),
        "round": str(hanchan.round),
        "table": str(hanchan.table),
        "sticks": str(hanchan.sticks_left or ""),
    }

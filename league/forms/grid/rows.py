"""A row of the session grid: a hanchan with a cell for each player's column, read by the entry form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from league.core.entry import RawScoreError, read_score_text
from league.core.limits import MAX_NOTE_LENGTH, MAX_ROUND, MAX_STICKS, MAX_TABLE
from league.core.sheet_cells import TypedText, in_english, read_cell, write_cell
from league.core.spreadsheets.cells import sits_out
from league.forms.entry.fields import GUEST, EntryTable
from league.forms.entry.form import EntryForm
from league.forms.entry.prefill import accepted, as_sent, of_result, score_text
from league.forms.entry.sentences import row_sentence, score_sentence
from league.forms.grid.columns import NumberedForm, sent_number
from league.forms.points import TimesField
from league.messages import plain_name
from league.models import Hanchan, Player
from league.selectors.entry import SeatingChoices
from league.selectors.games import seats_of
from league.selectors.grid import SheetContext
from league.services.entry import Seated, TypedResult
from league.services.grid import TypedRow, stored_scores
from league.services.results import HanchanResult, ResultError, TableAndTime, result_of
from scoring.core import FinishedGame, ScoringError, ScoringRules
from scoring.messages import scoring_error_sentence

if TYPE_CHECKING:
    from league.forms.grid.columns import ColumnForm

MAX_CELL_LENGTH = 40


class CellField(forms.Field):
    """A score such as `317`, `317 北` or `▲15 東`; None if the player sits out.

    `who`: the player's name, or None as long as the column's player is unknown.
    """

    def __init__(self, who: str | None) -> None:
        super().__init__(required=False, widget=forms.TextInput)
        self.who = who

    def to_python(self, value: object) -> TypedText | None:
        text = str(value or "")
        if self.who is None or sits_out(text):
            return None
        try:
            if len(text) > MAX_CELL_LENGTH:
                raise RawScoreError("unreadable", text[:MAX_CELL_LENGTH])
            cell = read_cell(text)
            read_score_text(cell.score)
        except RawScoreError as error:
            said = RawScoreError("unreadable", text) if error.code == "empty" else error
            raise ValidationError(score_sentence(said, self.who), said.code) from error
        return cell


Cells = Mapping[str, TypedText]


def expected_order(cells: Cells, people: Mapping[str, Seated | None], planned: Sequence[int]) -> list[str]:
    """Return the score fields in default seat order: as planned, else by column.

    The plan (primary keys by seat) applies if exactly the planned players have scores.
    """
    by_player = {getattr(people[name], "pk", None): name for name in cells}
    if planned and by_player.keys() == set(planned):
        return [by_player[player] for player in planned]
    return list(cells)


def settled(cells: Cells, order: Sequence[str], rules: ScoringRules) -> dict[str, TypedText]:
    """Decide for bust scores with a single wind whether it is the player's own seat or the one that caused the bust.

    It is the player's own if all other seats are given and differ, if it matches the seat in `order`, or if the rules
    do not need the cause.
    """
    scores = {name: read_score_text(cell.score).points for name, cell in cells.items()}
    open_ = {name for name, cell in cells.items() if cell.is_open and rules.is_bust(scores[name])}
    others = [cell.seat for name, cell in cells.items() if name not in open_ and cell.seat is not None]
    written = [cell.seat for cell in cells.values() if cell.seat is not None]
    if not rules.asks_busts or (others and len(set(written)) == len(written)):
        return dict(cells)
    return {
        name: cell.as_bust() if name in open_ and cell.seat != order.index(name) else cell
        for name, cell in cells.items()
    }


_PLACE = gettext_lazy("Enter table and round as whole numbers, such as 1.")


class RowForm(NumberedForm):
    """A hanchan as typed. A row without scores is blank, unless it shows a stored hanchan.

    `names`: the score fields by seat, once they are known; `typed`: the entry form that read what was `sent` to it.
    """

    hanchan = forms.CharField(required=False)
    version = forms.CharField(required=False)
    key = forms.CharField(required=False)
    another = forms.BooleanField(required=False)
    taken = forms.CharField(required=False, max_length=20)
    note = forms.CharField(required=False, max_length=MAX_NOTE_LENGTH)
    round = TimesField(most=MAX_ROUND, required=False, error_messages={"unreadable": _PLACE})
    table = TimesField(most=MAX_TABLE, required=False, error_messages={"unreadable": _PLACE})
    sticks = TimesField(
        most=MAX_STICKS,
        required=False,
        error_messages={"unreadable": gettext_lazy("Enter the leftover sticks as a whole number, such as 1.")},
    )

    def __init__(self, *args: Any, columns: Sequence[ColumnForm], context: SheetContext) -> None:
        super().__init__(*args)
        self.columns = {f"cell_{place}": column for place, column in enumerate(columns)}
        self.context, self.version_of_rules = context, context.session.ruleset_version
        self.rules: ScoringRules = context.rules
        self.cells: dict[str, TypedText] = {}
        self.seats: Sequence[str] = ()
        self.sent: dict[str, Any] = {}
        self.typed: EntryForm | None = None
        self.entry: TypedResult | None = None
        self.stored_as: Hanchan | None = None
        self.unexplained: int | None = None
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
        return self.context.by_key.get(self.text("hanchan"))

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

    @property
    def names(self) -> list[str]:
        """The players' names by seat."""
        return [self.columns[name].name for name in self.seats]

    # --- Validation --------------------------------------------------------------------------------------------------

    def clean_hanchan(self) -> Hanchan | None:
        if self.stored is None:
            if self.cleaned_data["hanchan"]:
                raise ValidationError(_("This hanchan has been voided. Reload the sheet."))
            return None
        rules = self.stored.ruleset_version.readable()
        if rules is None:
            raise ValidationError(_("The rules of this hanchan cannot be read. An organiser has to fix them first."))
        self.rules, self.version_of_rules = rules, self.stored.ruleset_version
        return self.stored

    def clean(self) -> dict[str, Any]:
        if self.stored is not None and self.keeps_points:
            self._keep_points(self.stored)
            return self.cleaned_data
        if not self.typed_cells:
            raise ValidationError(_("A saved hanchan cannot be cleared here. Void it on its own page."))
        if self.unknown_cells:
            places = [str(number) for number, name in enumerate(self.columns, start=1) if name in self.unknown_cells]
            text = _("Choose a player at the top of the sheet: column %(columns)s.")
            self.add_error(None, text % {"columns": ", ".join(places)})
        elif self._is_untouched():
            return self.cleaned_data
        typed = {name: cell for name in self.typed_cells if (cell := self.cleaned_data.get(name)) is not None}
        planned = self.context.planned(self.cleaned_data.get("round") or 0, self.cleaned_data.get("table") or 1)
        order = expected_order(typed, {name: self.columns[name].person for name in typed}, planned)
        self.cells = settled(typed, order, self.rules)
        fixed = self._fixed(self.cells)
        if not self.unknown_cells and not any(name in self.errors for name in self.typed_cells):
            self._read(fixed, order)
        return self.cleaned_data

    @cached_property
    def unknown_cells(self) -> list[str]:
        return [name for name in self.typed_cells if not self.columns[name].is_known]

    def _is_untouched(self) -> bool:
        if self.stored is None:
            return False
        said = {getattr(self.columns[name].person, "pk", None): self.text(name) for name in self.typed_cells}
        beside = {name: text for name, text in shown(self.stored).items() if name not in {"hanchan", "version"}}
        return said == {int(key): text for key, text in texts_of(self.stored).items()} and all(
            self.text(name) == text for name, text in beside.items()
        )

    def _keep_points(self, hanchan: Hanchan) -> None:
        """Keep the stored result; only the row's place can change."""
        if self.cleaned_data.get("sticks"):
            text = _("Only the points of this hanchan are known. To enter leftover sticks, enter the raw scores too.")
            raise ValidationError(text)
        known, data = result_of(hanchan), self.cleaned_data
        place = TableAndTime(data.get("table") or 1, data.get("round") or None, client_key=self.client_key)
        self.entry = TypedResult(
            known.players, known.game, place, note=known.note, end_reason=known.end_reason, yakuman=known.yakuman
        )

    def _fixed(self, cells: Cells) -> dict[int, str]:
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

    def _read(self, fixed: Mapping[int, str], order: Sequence[str]) -> None:
        if len(self.cells) != self.rules.players:
            text = _("This row has %(count)s scores, but a table has %(size)s players.")
            raise ValidationError(text % {"count": len(self.cells), "size": self.rules.players})
        # Scores without a given seat fill the remaining seats in their order.
        free = (name for name in order if name not in fixed.values())
        self.seats = [fixed.get(seat) or next(free) for seat in range(len(order))]
        people = [person for name in self.seats if (person := self.columns[name].person) is not None]
        players = tuple(person for person in people if isinstance(person, Player))
        takes = self.context.takes_as_is or (self.stored is not None and self.stored.as_is)
        table = EntryTable(
            self.context.session.league,
            self.cleaned_data.get("table") or 1,
            self.version_of_rules,
            self.rules,
            SeatingChoices(last=(), recent=(), others=players),
            is_strict=True,
            takes_as_is=takes,
        )
        self.sent = self._sent(people)
        self.typed = EntryForm(as_sent(self.sent), table=table)
        if not self.typed.is_valid() and self._is_stored_meanwhile(people):
            return
        for field, errors in self.typed.errors.as_data().items():
            seat = re.search(r"\d", field)
            self.add_error(self.seats[int(seat[0])] if seat else None, errors)
            if field.startswith("bust_") and seat and any(error.code == "missing" for error in errors):
                self.unexplained = int(seat[0])
        self._refuse_lost_busts()
        if not self.errors:
            self.entry = self.typed.entry

    def _sent(self, people: Sequence[Seated]) -> dict[str, Any]:
        """Return the row as the entry page would send it. Facts that its cells do not show stay as stored."""
        data, cells = self.cleaned_data, [self.cells[name] for name in self.seats]
        sent = (accepted(self.stored) if self.stored else {}) | of_result(self._facts(people, cells))
        sent |= {"table": data.get("table") or 1, "round": data.get("round") or "", "client_key": self.client_key}
        sent |= {"sticks_left": data.get("sticks") or 0, "as_is_why": data.get("note", "")}
        sent |= {"as_is": data["taken"]} if data.get("taken") else {}
        for seat, (person, cell) in enumerate(zip(people, cells, strict=True)):
            is_player = isinstance(person, Player)
            sent[f"raw_{seat}"] = cell.score
            sent[f"player_{seat}"] = person.pk if isinstance(person, Player) else GUEST
            sent[f"guest_{seat}"] = "" if is_player else person.name
        return sent

    def _facts(self, people: Sequence[Seated], cells: Sequence[TypedText]) -> HanchanResult:
        """Return the facts beside the scores: those of the cells, and stored ones that the cells do not mention.

        A cell of a stored hanchan mentions all of them if it has its wind, as written by the grid.
        """
        kept = HanchanResult((), FinishedGame((0,) * len(cells)))
        if self.stored is not None:
            kept = _kept(result_of(self.stored), people)
        stored = {bust.seat: bust for bust in kept.game.busts}
        before = kept.game.chombo or (0,) * len(cells)
        busts, chombo = [], []
        for seat, cell in enumerate(cells):
            is_told, said = self.stored is None or cell.seat is not None, cell.bust_of(seat)
            known = stored.get(seat)
            if said is None or (known and replace(known, shares=()) == said):
                said = known if said or not is_told else None
            busts += [said] if said else []
            usual = 0 if is_told else before[seat]
            chombo.append(usual if cell.chombo is None else cell.chombo)
        return replace(kept, game=replace(kept.game, busts=tuple(busts), chombo=tuple(chombo)))

    def _refuse_lost_busts(self) -> None:
        """Refuse a bust that a cell names for a score that is none."""
        entry = self.typed.entry if self.typed else None
        for seat, name in enumerate(self.seats):
            if entry and self.cells[name].cause and not self.rules.is_bust(entry.game.raw[seat]):
                error = ScoringError("not_bust", seat, raw=entry.game.raw[seat])
                self.add_error(name, scoring_error_sentence(error, self.names))

    def _is_stored_meanwhile(self, people: Sequence[Seated]) -> bool:
        """Return whether the row was completed and stored on the entry page meanwhile."""
        scores = self.typed.reading.scores if self.typed else None
        if self.stored is None and scores is not None:
            said = {str(getattr(person, "pk", "")): raw for person, raw in zip(people, scores, strict=True)}
            found = (game for game in self.context.hanchan if game.client_key == self.client_key)
            self.stored_as = next((game for game in found if stored_scores(game) == said), None)
        return self.stored_as is not None

    def typed_row(self) -> TypedRow:
        return TypedRow(
            number=int(self.prefix or 0),
            client_key=self.client_key,
            hanchan=self.stored or self.stored_as,
            seen_version=sent_number(self.text("version")),
            is_another=bool(self.is_bound and self.cleaned_data.get("another")),
            entry=None if self.errors else self.entry,
        )

    def refuse(self, error: ResultError | ScoringError) -> None:
        seat = error.seat if isinstance(error, ScoringError) else None
        names = [plain_name(person) for person in self.entry.seated] if self.entry else self.names
        self.add_error(None if seat is None else self.seats[seat], row_sentence(error, names))


def _kept(known: HanchanResult, people: Sequence[Seated]) -> HanchanResult:
    """Return the stored facts by new seat. Raise ValidationError if the players changed and facts would be lost."""
    before, now = [player.pk for player in known.players], [getattr(person, "pk", None) for person in people]
    game = known.game
    if set(before) == set(now):
        order = [before.index(pk) for pk in now if pk is not None]
        yakuman = tuple((order.index(seat), text) for seat, text in known.yakuman)
        return replace(known, players=(), game=game.reseated(order), yakuman=yakuman)
    if known.yakuman or any(game.chips) or any(game.deposits) or any(bust.shares for bust in game.busts):
        text = _(
            "This hanchan has notes about its players, such as busts. To change who played, open the hanchan's "
            "own page."
        )
        raise ValidationError(text)
    return HanchanResult((), FinishedGame((0,) * len(people)), known.note, known.end_reason)


def texts_of(hanchan: Hanchan) -> dict[str, str]:
    game, seats = result_of(hanchan).game, seats_of(hanchan)
    busts = {bust.seat: bust for bust in game.busts}
    chombo = game.chombo or (0,) * len(seats)
    return {
        str(seat.player_id): in_words(write_cell(score_text(seat.raw_score), at, busts.get(at), chombo[at]))
        for at, seat in enumerate(seats)
        if seat.raw_score is not None
    }


def in_words(text: str) -> str:
    """Write the words of a cell in the page's language."""
    return text if get_language() == "ja" else in_english(text)


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

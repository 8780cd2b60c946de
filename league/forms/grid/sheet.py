"""The evening as a sheet that can be typed into: a hanchan a row, a player a column, a raw score a cell.

A cell is what the entry page takes, with the wind behind it where the seats do not follow the columns: `317`, `▲15 北`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID, uuid4

from django import forms
from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from league.core.entry import RawScoreError, check_sum, parse_raw_score
from league.core.limits import MAX_NAME_LENGTH, MAX_ROUND, MAX_STICKS, MAX_TABLE
from league.core.numbers import small_number
from league.core.pasting import sits_out, slip_of, split_cell
from league.core.readings import folded
from league.forms.entry.fields import GUEST, people_choices
from league.forms.entry.reading import read_count, score_sentence
from league.forms.entry.sentences import result_sentence, slip_sentence, sum_sentence
from league.forms.grid.doubles import mark_doubles, scores_of, stored_scores
from league.forms.grid.rows import (
    ADDED,
    CHANGED,
    DOUBLE,
    EMPTY,
    MARKED,
    MAX_COLUMNS,
    MAX_ROWS,
    OVERTAKEN,
    SAME,
    WRONG,
    GridColumn,
    GridRow,
    on_entry_page,
    row_of,
    with_notes,
)
from league.messages import plain_name
from league.models import Hanchan, Player, Session
from league.selectors.entry import SeatingChoices
from league.selectors.games import seats_of
from league.services.entry import Seated
from league.services.grid import SheetLine
from league.services.people import PlayerFacts
from league.services.results import HanchanResult, ResultError, SameResultError, TableAndTime, result_of
from scoring.core import FinishedGame, ScoringError, ScoringRules, score
from scoring.messages import scoring_error_sentence

SPARE_ROWS = 2


class SheetForm:
    """The whole sheet. `check` fills in what would become of each row; `left_over` of a pasted text found no place."""

    def __init__(self, session: Session, rules: ScoringRules, choices: SeatingChoices) -> None:
        self.session = session
        self.rules = rules
        self.choices = people_choices(choices)
        self._by_key = choices.by_key
        self.columns: list[GridColumn] = []
        self.rows: list[GridRow] = []
        self.problems: list[str] = []
        self.left_over = ""
        self._stored: list[Hanchan] = []

    @property
    def size(self) -> int:
        """How many sit at a table."""
        return self.rules.players or 0

    # --- Where a sheet comes from ------------------------------------------------------------------------------------

    @classmethod
    def stored(
        cls, session: Session, rules: ScoringRules, choices: SeatingChoices, hanchan: Sequence[Hanchan]
    ) -> SheetForm:
        """Return the session as it stands, with room for what comes next."""
        grid = cls(session, rules, choices)
        keys = dict.fromkeys(str(seat.player_id) for game in hanchan for seat in seats_of(game))
        keys |= dict.fromkeys([str(player.pk) for player in choices.last + choices.waiting][: MAX_COLUMNS - len(keys)])
        grid.columns = [GridColumn(key=key) for key in keys] or [GridColumn() for _seat in range(grid.size)]
        grid.name_columns()
        grid.rows = [row_of(game, list(keys)) for game in hanchan]
        grid.add_rows(SPARE_ROWS)
        return grid

    @classmethod
    def typed(
        cls, session: Session, rules: ScoringRules, choices: SeatingChoices, data: QueryDict, hanchan: Iterable[Hanchan]
    ) -> SheetForm:
        """Return the sheet as it was typed."""
        grid = cls(session, rules, choices)
        grid._stored = list(hanchan)
        known = {str(game.pk): game for game in grid._stored}
        columns = min(_number(data.get("columns", "")), MAX_COLUMNS)
        grid.columns = [
            GridColumn(data.get(f"player_{c}", ""), data.get(f"guest_{c}", "").strip()) for c in range(columns)
        ]
        grid.name_columns()
        for r in range(min(_number(data.get("rows", "")), MAX_ROWS)):
            row = GridRow(
                cells=[data.get(f"cell_{r}_{c}", "")[:40] for c in range(columns)],
                hanchan=known.get(data.get(f"hanchan_{r}", "")),
                version=_number(data.get(f"version_{r}", "")),
                round=data.get(f"round_{r}", "")[:6],
                table=data.get(f"table_{r}", "")[:6],
                sticks=data.get(f"sticks_{r}", "")[:6],
            )
            row.client_key = _key(data.get(f"key_{r}", ""))
            row.another = f"another_{r}" in data
            row.number = data.get(f"hanchan_{r}", "")[:19]
            grid.rows.append(row)
        return grid

    def name_columns(self) -> None:
        """Work out who each column is, and say where that is open or somebody has two."""
        seen: set[str] = set()
        known = {folded(player.name): player for player in self._by_key.values()}
        for column in self.columns:
            column.problem = ""
            if column.key == GUEST:
                column.person = known.get(folded(column.guest)) or self._guest(column)
            elif column.guest and not column.key:
                column.person = None
                column.problem = _("Who is “%(name)s”? Choose the player, or “Guest by name”.") % {"name": column.guest}
            else:
                column.person = self._by_key.get(column.key)
            name = column.name or ("" if column.key else column.guest)
            who = str(column.person.pk) if isinstance(column.person, Player) else folded(name)
            if who and who in seen:
                column.problem = _("%(name)s has two columns.") % {"name": name}
            seen.add(who)

    def _guest(self, column: GridColumn) -> PlayerFacts | None:
        if not column.guest or len(column.guest) > MAX_NAME_LENGTH:
            column.problem = _("Write the name of the guest, up to 40 characters.")
            return None
        return PlayerFacts(column.guest, is_guest=True)

    def add_rows(self, count: int) -> None:
        """Put empty rows at the end, numbered on, as far as there is room."""
        for _count in range(min(count, MAX_ROWS - len(self.rows))):
            self.rows.append(GridRow([""] * len(self.columns), round=str(self._next_round()), table="1"))

    def _next_round(self) -> int:
        return max((_number(row.round) for row in self.rows), default=0) + 1

    def add_column(self) -> None:
        """Put an empty column at the end, if there is room."""
        if len(self.columns) < MAX_COLUMNS:
            self.columns.append(GridColumn())
            for row in self.rows:
                row.cells.append("")

    def free_row(self, start: int = 0, places: Iterable[int] | None = None) -> int | None:
        """Return the first row from `start` on that is empty at these places, or altogether; a new one if need be.

        None where the sheet is full.
        """
        for number, row in enumerate(self.rows[start:], start):
            cells = row.cells if places is None else [row.cells[place] for place in places]
            if row.hanchan is None and all(sits_out(cell) for cell in cells):
                return number
        before = len(self.rows)
        self.add_rows(1)
        return before if len(self.rows) > before else None

    def is_free(self, place: int) -> bool:
        """Return whether a column is nobody's and nothing stands in it."""
        column = self.columns[place]
        return not (column.key or column.guest or any(row.cells[place].strip() for row in self.rows))

    def offers(self, player: Player) -> bool:
        """Return whether a player can be chosen for a column."""
        return str(player.pk) in self._by_key

    # --- What would become of it -------------------------------------------------------------------------------------

    def check(self) -> None:
        """Work out what would become of each row of a sheet that was typed."""
        for place, column in enumerate(self.columns):
            if (
                column.person is None
                and not column.problem
                and not all(sits_out(row.cells[place]) for row in self.rows)
            ):
                column.problem = _("Choose whose column this is.")
        for number, row in enumerate(self.rows):
            row.problems, row.line, row.status = [], None, EMPTY
            if not all(sits_out(cell) for cell in row.cells):
                self._check(number, row)
            elif row.hanchan is not None:
                row.status = WRONG
                row.problems = [_("A stored hanchan cannot be emptied here. Take it back on its own page.")]
        mark_doubles(self.rows, self._stored)

    def _check(self, number: int, row: GridRow) -> None:
        row.status = WRONG
        rules = self.rules if row.hanchan is None else row.hanchan.ruleset_version.readable()
        if rules is None:
            row.problems = [_("The rules of this hanchan cannot be read. An organiser mends them first.")]
            return
        result = self._read(row, rules)
        if result is None:
            return
        people, placing = row.people, row.placing
        assert placing is not None
        if row.hanchan is not None and self._is_same(row.hanchan, people, result, placing):
            row.status = SAME
            return
        check = check_sum(result.game.raw, result.game.sticks_left, rules.start_points or 0)
        if not check.adds_up:
            row.problems = [slip_sentence(slip_of(result.game.raw, check.expected)) or sum_sentence(check)]
            return
        try:
            score(result.game, rules)
        except ScoringError as error:
            if self._was_entered(row, result):
                return
            names = [plain_name(person) for person in people]
            row.problems, row.asks_more = [scoring_error_sentence(error, names)], on_entry_page(row, result)
            return
        row.line = SheetLine(number, people, result, placing, row.hanchan, row.version, even_if_same=row.another)
        row.status = self._status(row)

    def _was_entered(self, row: GridRow, result: HanchanResult) -> bool:
        """Return whether the entry page, to which this row was sent, has stored it; then it shows what is stored."""
        game = next((game for game in self._stored if game.client_key == row.client_key), None)
        if row.hanchan or game is None or stored_scores(game) != scores_of(row.people, result.game.raw):
            return False
        row.hanchan, row.number, row.version, row.status = game, str(game.pk), game.version, SAME
        row.round, row.table, row.sticks = str(game.round), str(game.table), str(game.sticks_left or "")
        return True

    def _read(self, row: GridRow, rules: ScoringRules) -> HanchanResult | None:
        """Return what a row says, with its people and its place; None where that cannot be read."""
        if row.number and row.hanchan is None:
            row.problems = [_("This hanchan was taken back meanwhile. Open the sheet anew.")]
            return None
        seated = self._seated(row)
        if row.problems:
            return None
        if len(seated) != (rules.players or 0):
            text = _("%(count)s scores stand in this row; a table has %(size)s.")
            row.problems = [text % {"count": len(seated), "size": rules.players}]
            return None
        row.people = tuple(person for person, _raw in seated)
        row.placing, sticks = self._placing(row), self._sticks(row)
        if row.placing is None or sticks is None:
            return None
        raw = tuple(points for _person, points in seated)
        return self._result(row, row.people, FinishedGame(raw=raw, sticks_left=sticks))

    def _seated(self, row: GridRow) -> list[tuple[Seated, int]]:
        """Return who sat where with how many points, by seats: those that are written, then by columns."""
        unknown = [
            str(number)
            for number, (column, cell) in enumerate(zip(self.columns, row.cells, strict=True), start=1)
            if not sits_out(cell) and (column.person is None or column.problem)
        ]
        if unknown:
            text = _("Say at the top of the sheet whose scores these are: column %(columns)s.")
            row.problems.append(text % {"columns": ", ".join(unknown)})
        fixed: dict[int, tuple[Seated, int]] = {}
        free: list[tuple[Seated, int]] = []
        for column, cell in zip(self.columns, row.cells, strict=True):
            if sits_out(cell) or column.person is None or column.problem:
                continue
            text, seat = split_cell(cell)
            try:
                points = parse_raw_score(text)
            except RawScoreError as error:
                row.problems.append(score_sentence(error, column.name))
                continue
            if seat is None:
                free.append((column.person, points))
            elif seat in fixed or seat >= self.size:
                row.problems.append(_("%(name)s: this seat is taken or does not exist.") % {"name": column.name})
            else:
                fixed[seat] = (column.person, points)
        order = iter(free)
        count = len(fixed) + len(free)
        seats = [fixed.get(seat) or next(order, None) for seat in range(max(count, *fixed, 0) if fixed else count)]
        return [each for each in seats if each is not None] + list(order)

    def _placing(self, row: GridRow) -> TableAndTime | None:
        try:
            table = read_count(row.table or "1", MAX_TABLE)
            number = read_count(row.round, MAX_ROUND) if row.round else None
        except RawScoreError:
            row.problems = [_("Table and round are whole numbers, such as 1.")]
            return None
        return TableAndTime(table=table or 1, round=number or None, client_key=row.client_key)

    def _sticks(self, row: GridRow) -> int | None:
        try:
            return read_count(row.sticks, MAX_STICKS)
        except RawScoreError:
            row.problems = [_("Sticks left are a whole number, such as 1.")]
            return None

    def _result(self, row: GridRow, people: tuple[Seated, ...], game: FinishedGame) -> HanchanResult | None:
        """Return the result of a row; what else is known of a stored hanchan stays with the same people."""
        if row.hanchan is None:
            return HanchanResult((), game)
        result = with_notes(result_of(row.hanchan), [getattr(person, "pk", None) for person in people], game)
        if result is None:
            row.problems = [_("More is noted about the players of this hanchan. Change who played on its own page.")]
        return result

    def _is_same(
        self, hanchan: Hanchan, people: tuple[Seated, ...], result: HanchanResult, placing: TableAndTime
    ) -> bool:
        known = result_of(hanchan)
        return (
            [getattr(person, "pk", None) for person in people] == [player.pk for player in known.players]
            and result.game == known.game
            and (placing.table, placing.round or hanchan.round) == (hanchan.table, hanchan.round)
        )

    def _status(self, row: GridRow) -> str:
        if row.hanchan is None:
            return ADDED
        hanchan = row.hanchan
        known = result_of(hanchan)
        row.before = tuple(zip(known.players, known.game.raw, strict=True))
        if row.version != hanchan.version:
            row.version = hanchan.version
            return OVERTAKEN
        return CHANGED

    # --- What the page reads -----------------------------------------------------------------------------------------

    def heads(self) -> Iterator[tuple[GridColumn, SafeString]]:
        """Yield each column with the field in which its player is chosen."""
        for number, column in enumerate(self.columns):
            name = f"player_{number}"
            yield column, forms.Select({"id": name}, choices=self.choices).render(name, column.key)

    def lines(self) -> list[SheetLine]:
        """Return what is to be stored."""
        return [row.line for row in self.rows if row.line is not None and row.status in {ADDED, CHANGED}]

    @property
    def is_ready(self) -> bool:
        """Whether there is something to store and nothing in its way."""
        return bool(self.lines()) and not self.is_stuck

    @property
    def is_stuck(self) -> bool:
        """Whether a row stands in the way of saving them all."""
        return any(row.status in MARKED for row in self.rows)

    @property
    def corrects(self) -> bool:
        """Whether a stored hanchan would change, which takes a reason."""
        return any(line.hanchan is not None for line in self.lines())

    def refuse(self, number: int, error: ResultError | ScoringError) -> None:
        """Say at a row why it could not be stored."""
        row = self.rows[number]
        names = [plain_name(person) for person in row.line.people] if row.line else []
        sentence = result_sentence(error) if isinstance(error, ResultError) else scoring_error_sentence(error, names)
        row.status = DOUBLE if isinstance(error, SameResultError) else WRONG
        row.problems = [sentence]


def has_room(hanchan: Sequence[Hanchan]) -> bool:
    """Return whether everything that is stored of a session stands in a sheet."""
    people = {seat.player_id for game in hanchan for seat in seats_of(game)}
    return len(hanchan) <= MAX_ROWS and len(people) <= MAX_COLUMNS


def _number(text: str) -> int:
    return small_number(text, 0, digits=8)


def _key(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return uuid4()

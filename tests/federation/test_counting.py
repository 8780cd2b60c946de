"""What the table of a rehearsal counts: whoever loses, doubles or hides a result is seen."""

from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pytest

from tests.federation.costs import KINDS, Cost, costs_told
from tests.federation.evening import Club, Evening, lost_and_doubled, stale, untold
from tests.federation.listening import Listener, Listeners
from tests.federation.parts import Federation
from tests.federation.table import Row, lines_of
from tests.production.browsing import Answer

ROW = Row("edge", 12, 0, 0, 0, 1.24, 1_500, 3, 0.5, {})


class Told:
    """A federation of which a test says what its databases have and its edge shows."""

    def __init__(self, boards: list[str], **stored: list[tuple[int, str]]) -> None:
        self.stored, self.boards = stored, boards

    def ask(self, database: str, _question: str) -> list[tuple[int, str]]:
        """Return the rows of a database."""
        return self.stored.get(database, [])

    def visitor(self) -> "Told":
        """Return who looks at boards."""
        return self

    def get(self, _address: str) -> Answer:
        """Return the next board; the last one stays."""
        said = self.boards.pop(0) if len(self.boards) > 1 else self.boards[0]
        return Answer(200, {"content-type": "application/json"}, said.encode())


def evening(told: Told) -> Evening:
    club = Club("club-1", 1, "code", {}, {"a", "b", "c"}, {"a", "b"})
    return Evening(cast("Federation", told), [club])


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({"default": [(1, "a"), (1, "b")]}, (0, 0)),
        # Sent and not acknowledged: it may be there.
        ({"east": [(1, "a"), (1, "b"), (1, "c")]}, (0, 0)),
        ({"east": [(1, "a")]}, (1, 0)),
        # Two databases have it: a league left something behind.
        ({"default": [(1, "a"), (1, "b")], "east": [(1, "a")]}, (0, 1)),
        ({"west": [(1, "a"), (1, "a"), (1, "b")]}, (0, 1)),
        # Nobody sent it.
        ({"west": [(1, "a"), (1, "b"), (1, "d")]}, (0, 1)),
        # In another league it is lost here, although it is there.
        ({"west": [(1, "a"), (2, "b")]}, (1, 0)),
    ],
)
def test_what_is_lost_and_what_is_doubled(stored: dict[str, Any], expected: tuple[int, int]) -> None:
    assert lost_and_doubled(evening(Told(["{}"], **stored))) == expected


def test_a_board_that_stays_behind_is_seen() -> None:
    new = '{"hanchan": 2, "stale": false}'
    assert stale(evening(Told(["", '{"hanchan": 1, "stale": true}', new])), 5) == []
    for said in ('{"hanchan": 1, "stale": false}', '{"hanchan": 2, "stale": true}', "no board"):
        assert stale(evening(Told([said])), 0.2) == ["club-1"]


def test_a_row_that_is_not_well() -> None:
    assert ROW.is_well
    for unwell in (replace(ROW, lost=1), replace(ROW, doubled=1), replace(ROW, stale=1)):
        assert not unwell.is_well
    assert not replace(ROW, accepted=0).is_well
    assert not replace(ROW, wrong={"500 to a phone": 1}).is_well
    # Whoever was not told finds out by asking; that nobody at all is told is no chance.
    assert replace(ROW, told=3, untold=1).is_well
    assert not replace(ROW, told=0).is_well


def test_a_page_that_was_not_told_is_seen() -> None:
    told = Told(["{}"], default=[(1, "6")], east=[(1, "7.5"), (2, "3.1")])
    pages = [Listener(1, "/push/1", 7.6), Listener(2, "/push/2", 2.98), Listener(3, "/push/3", 4.0)]
    listeners = Listeners(1, pages)
    assert untold(evening(told), listeners, {1}, 0.2) == 0
    # The third has played nothing, of a fourth nobody has the page open.
    assert untold(evening(told), listeners, {1, 2, 4}, 0.2) == 1
    pages[0].heard_at = 6.98
    assert untold(evening(told), listeners, {1, 2}, 0.2) == 2


def test_the_table_stands_in_columns() -> None:
    wrong = Counter({"500 to a phone": 2})
    lines = list(lines_of([ROW, replace(ROW, name="a longer name", wrong=wrong, told=14, untold=1)]))
    assert len(lines) == 3
    assert lines[1].split() == ["edge", "12", "0", "0", "0", "1.2", "s", "1,500", "3", "0.5", "s", "0"]
    assert lines[2].endswith("14       1  2× 500 to a phone")


def test_costs_stand_below_each_other_as_shares_of_a_question() -> None:
    lines = list(costs_told([Cost("/healthz", dict.fromkeys(KINDS, 0.2)), Cost("a look", dict.fromkeys(KINDS, 11.0))]))
    assert [line.split()[-6:] for line in lines[1:]] == [["1.00"] + ["0.20"] * 5, ["55.00"] + ["11.00"] * 5]
    assert len({len(line) for line in lines}) == 1

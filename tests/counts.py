"""How many keys the same work takes in Tenbo and in a spreadsheet, and how many mistakes are left: make counts.

Tenbo's side is counted from real keys in Chromium on the real site (tests/browser/test_counts.py). The spreadsheet's is the
least that a person can do there, see NOTES; nobody's program is run for it.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

NOTES = """
The spreadsheet: a workbook that is open, with its columns, names and formulas prepared by somebody else, and the cursor where
the work begins. A score takes its digits and a Tab or Enter; no name is typed, nothing is looked at, saving is one key. Where
the last score is worked out, the formula is typed once, is selected and filled down. What comes in as a file takes opening,
selecting, copying, changing the window, pasting and saving; points and standings of it take one formula each, typed once, as
Tenbo gives them with the same keys. Choosing the file is the same on both sides and not counted.
Tenbo: the page is open. A chord is one key on both sides. Keys in a page's navigation count as they are pressed, by the shortest
way there is by Tab, Shift + Tab and the link to the content.
Seconds: 0.28 for a key (the average typist of the keystroke-level model), for Tenbo with what was waited for the site.
Mistakes left: of four (two digits swapped, a digit dropped, a score in the wrong column, a score too high), how many hanchan
were stored otherwise than on paper. Whatever Tenbo pointed out before saving was typed again or left out; a spreadsheet says nothing.
"""

SECONDS = 0.28
TABLES, ROUNDS, SEATS = 3, 4, 4
SEASON = 160
START = 1000
"""What a table of four begins with, in hundreds."""

Scores = tuple[int, ...]


def paper(count: int) -> list[Scores]:
    """Return so many results in hundreds as they stand on paper, no two nearly alike."""
    return [_scores(number) for number in range(count)]


def _scores(number: int) -> Scores:
    first, second, third = 310 + 13 * number % 190, 255 - 7 * number % 90, 240 - 11 * number % 100
    return (first, second, third, START - first - second - third)


def mistaken(results: Sequence[Scores]) -> list[tuple[str, ...]]:
    """Return the results as somebody types them who makes four mistakes; "" is a cell that was passed over."""
    typed = [tuple(map(str, scores)) for scores in results]
    first, second, third, fourth = typed[1]
    typed[1] = (first, second[1] + second[0] + second[2], third, fourth)
    first, second, third, fourth = typed[4]
    typed[4] = (first[0] + first[2], second, third, fourth)
    typed[7] = ("", *typed[7])
    first, second, third, fourth = typed[10]
    typed[10] = (first, second, str(int(third) + 10), fourth)
    return typed


# --- The spreadsheet -------------------------------------------------------------------------------------------------

SAVE = 1
OPEN_SELECT_COPY_CHANGE_PASTE = 5
LAST = "=1000-SUM(A2:C2)"
POINTS = "=(F2-30000)/1000+CHOOSE(RANK(F2,$F2:$I2),50,10,-10,-30)"
NAMES = "=UNIQUE(TOCOL(B2:E161))"
STANDINGS = "=SUMIF(B$2:E$161,O2#,K$2:N$161)"
AREA = "K2:N161"


def in_spreadsheet(results: Sequence[Scores]) -> int:
    """Return the keys for typing all scores: digits, a Tab between them, Enter behind the last."""
    return sum(len(str(score)) + 1 for scores in results for score in scores) + SAVE


def in_spreadsheet_by_formula(results: Sequence[Scores]) -> int:
    """Return the keys where the last score of each row is worked out: the formula, Enter, up, select, fill down, and back."""
    typed = sum(len(str(score)) + 1 for scores in results for score in scores[:-1])
    return typed + len(LAST) + 1 + 1 + (len(results) - 1) + 1 + 1 + SAVE


def pasted_in_spreadsheet() -> int:
    """Return the keys for a block that is copied already."""
    return 1 + SAVE


def brought_into_spreadsheet() -> int:
    """Return the keys for a file with its points and standings: a formula goes over a range that is named and entered at once."""
    formulas = 1 + len(AREA) + 1 + len(POINTS) + 1 + 1 + len(NAMES) + 1 + len(STANDINGS) + 1
    return OPEN_SELECT_COPY_CHANGE_PASTE + SAVE + formulas


# --- The table -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counted:
    """A piece of work: keys on both sides, what was waited for the site, and mistakes left on both sides."""

    work: str
    keys: int
    waited: float
    spreadsheet: int
    left: int
    left_there: int

    @property
    def line(self) -> str:
        """The row of the table."""
        ours, theirs = self.keys * SECONDS + self.waited, self.spreadsheet * SECONDS
        return (
            f"{self.work:<44}{self.keys:>7}{self.spreadsheet:>13}{ours:>10.0f}{theirs:>13.0f}"
            f"{self.left:>8}{self.left_there:>13}"
        )


HEAD = f"{'work':<44}{'keys':>7}{'spreadsheet':>13}{'seconds':>10}{'spreadsheet':>13}{'left':>8}{'spreadsheet':>13}"
KEY = "counted"


@dataclass
class Table:
    """Gathers what the tests have counted, as pytest reports it."""

    rows: list[Counted] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test has counted."""
        told = report.user_properties if report.when == "call" else ()
        self.rows += [Counted(**counted) for name, counted in told if name == KEY and isinstance(counted, dict)]


def main() -> int:
    """Count everything and print the table; return what pytest returns."""
    table = Table()
    status = pytest.main(["-q", "--no-header", "tests/browser/test_counts.py"], plugins=[table])
    sys.stdout.write("\n".join(["", HEAD, *(row.line for row in table.rows), NOTES]))
    return int(status)


if __name__ == "__main__":
    sys.exit(main())

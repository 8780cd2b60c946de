"""Beside a spreadsheet: never more keys for the same work, and fewer mistakes left; `make counts` prints the table."""

import io
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import pytest
import xlsxwriter
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, League, Player, Session
from league.selectors.games import seats_of
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from tests.browser.evenings import tonight
from tests.browser.keyboard import Keyboard
from tests.browser.test_grid import open_page_of
from tests.browser.test_import import enter
from tests.conftest import DESKTOP, OpenPage
from tests.counts import (
    KEY,
    ROUNDS,
    SEASON,
    SEATS,
    TABLES,
    Counted,
    Scores,
    brought_into_spreadsheet,
    in_spreadsheet,
    in_spreadsheet_by_formula,
    mistaken,
    paper,
    pasted_in_spreadsheet,
)
from tests.league.factories import make_league, make_players, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MISTAKES = 4

Record = Callable[[str, object], None]


@pytest.fixture
def evening(transactional_db: None) -> Session:
    """An open session of today with three tables that stay together."""
    del transactional_db
    session = tonight()
    players = make_players(session.league, TABLES * SEATS)
    plans = [TablePlan(table + 1, tuple(players[table * SEATS : (table + 1) * SEATS])) for table in range(TABLES)]
    plan_tables(session=session, plans=plans, by=SYSTEM)
    return session


def stored(session_or_league: Session | League) -> list[Scores]:
    """Return what is stored, in hundreds, in the order of play."""
    games = session_or_league.hanchan.valid().order_by("day", "round", "table", "pk")
    return [tuple((seat.raw_score or 0) // 100 for seat in seats_of(game)) for game in games]


def save(keyboard: Keyboard, session: Session) -> None:
    """Check, then save what was checked."""
    with keyboard.waiting():
        keyboard.press("Control+Enter")
        expect(keyboard.page.locator("[data-busy]")).to_have_count(0)
        expect(keyboard.page.locator("[data-checked] [value=save]")).to_be_visible()
    with keyboard.waiting():
        keyboard.press("Control+Enter")
        keyboard.page.wait_for_url(f"**/sessions/{session.pk}/")


def type_evening(keyboard: Keyboard, rows: Sequence[Sequence[str]], shown: int = SEATS) -> None:
    """Type the rows from the cell on where the cursor is; of each the first scores, the others are worked out."""
    for number, cells in enumerate(rows):
        scores = cells
        if len(cells) > SEATS:
            # A slip: the first score stands in a column of the next table.
            _passed, slipped, *scores = cells
            keyboard.press(*["ArrowRight"] * SEATS)
            keyboard.type(slipped)
            keyboard.press(*["Shift+Tab"] * (SEATS - 1))
        for place, score in enumerate(scores):
            keyboard.type(score if place < shown else "")
            is_last = number == len(rows) - 1 and place == len(scores) - 1 and shown == SEATS
            keyboard.press(*[] if is_last else ["Enter"])


def mend(page: Page, results: Sequence[Scores]) -> int:
    """Type anew, as it stands on paper, every row that the check points out; return how many."""
    listed = page.locator(".grid-lines li:has(.error), .grid-lines li:has(.unplanned)")
    marked = [int(row) for row in listed.evaluate_all("lines => lines.map((line) => line.dataset.place)")]
    for row in marked:
        fields = page.locator(f"[name^=cell_{row}_]")
        for column in range(fields.count()):
            at = column - row % TABLES * SEATS
            fields.nth(column).fill(str(results[row][at]) if 0 <= at < SEATS else "")
    return len(marked)


@pytest.mark.long
def test_an_evening_is_typed_with_no_more_keys(
    open_page: OpenPage, live_server: LiveServer, evening: Session, record_property: Record
) -> None:
    results = paper(TABLES * ROUNDS)
    page = open_page(DESKTOP)
    open_page_of(page, live_server, evening, "ja", "grid/")
    keyboard = Keyboard(page)
    type_evening(keyboard, [tuple(map(str, scores)) for scores in results])
    save(keyboard, evening)
    assert stored(evening) == results
    left = evening_with_mistakes(page, evening, lambda typed: type_evening(Keyboard(page), typed))
    counted = Counted(
        "an evening, all scores typed", keyboard.keys, keyboard.waited, in_spreadsheet(results), left, MISTAKES
    )
    record_property(KEY, asdict(counted))
    assert keyboard.keys == 193
    assert keyboard.keys <= counted.spreadsheet
    assert left == 0


def evening_with_mistakes(
    page: Page, evening: Session, put: Callable[[list[tuple[str, ...]]], None], seen: int = MISTAKES
) -> int:
    """Bring in the same evening with mistakes, mend those that are pointed out, and return how many are stored."""
    results = paper(TABLES * ROUNDS)
    Hanchan.objects.all().delete()
    page.goto(f"{page.url.rstrip('/')}/grid/")
    put(mistaken(results))
    if not page.locator("[data-checked] > *").count():
        page.keyboard.press("Control+Enter")
        expect(page.locator("[data-checked] > *")).to_be_visible()
    assert mend(page, results) == seen
    save(Keyboard(page), evening)
    return sum(one != other for one, other in zip(stored(evening), results, strict=True))


@pytest.mark.long
def test_an_evening_with_the_last_score_worked_out_takes_no_more_keys(
    open_page: OpenPage, live_server: LiveServer, evening: Session, record_property: Record
) -> None:
    results = paper(TABLES * ROUNDS)
    page = open_page(DESKTOP)
    open_page_of(page, live_server, evening, "ja", "grid/")
    keyboard = Keyboard(page)
    type_evening(keyboard, [tuple(map(str, scores)) for scores in results], SEATS - 1)
    save(keyboard, evening)
    assert stored(evening) == results
    there = in_spreadsheet_by_formula(results)
    # No sum is off where the last score is worked out, in neither; only who sits elsewhere is pointed out.
    left = evening_with_mistakes(page, evening, lambda typed: type_evening(Keyboard(page), typed, SEATS - 1), seen=1)
    counted = Counted("an evening, the last score worked out", keyboard.keys, keyboard.waited, there, left, MISTAKES)
    record_property(KEY, asdict(counted))
    assert left < MISTAKES
    assert keyboard.keys == 158
    assert keyboard.keys <= there


def block(rows: Sequence[Sequence[str]]) -> str:
    """Return an evening as a spreadsheet has it: round, table, and a column for each seat."""
    lines = [[str(number // TABLES + 1), str(number % TABLES + 1), *cells] for number, cells in enumerate(rows)]
    return "\n".join("\t".join(line) for line in [["回戦", "卓", "東", "南", "西", "北"], *lines])


@pytest.mark.long
def test_an_evening_is_pasted_with_no_more_keys(
    open_page: OpenPage, live_server: LiveServer, evening: Session, record_property: Record
) -> None:
    results = paper(TABLES * ROUNDS)
    page = open_page(DESKTOP)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page_of(page, live_server, evening, "ja", "grid/")

    def put(keyboard: Keyboard, rows: Sequence[Sequence[str]]) -> None:
        page.evaluate("(text) => navigator.clipboard.writeText(text)", block(rows))
        with keyboard.waiting():
            keyboard.press("Control+v")
            expect(page.locator("[data-checked] > *")).to_be_focused()

    keyboard = Keyboard(page)
    put(keyboard, [tuple(map(str, scores)) for scores in results])
    with keyboard.waiting():
        keyboard.press("Control+Enter")
        page.wait_for_url(f"**/sessions/{evening.pk}/")
    assert stored(evening) == results
    left = evening_with_mistakes(page, evening, lambda typed: put(Keyboard(page), typed))
    counted = Counted("the same, pasted", keyboard.keys, keyboard.waited, pasted_in_spreadsheet(), left, MISTAKES)
    record_property(KEY, asdict(counted))
    assert keyboard.keys == 2
    assert keyboard.keys <= counted.spreadsheet
    assert left == 0


# --- A season --------------------------------------------------------------------------------------------------------


@pytest.fixture
def league(transactional_db: None) -> League:
    """A league with twelve players and an organiser."""
    del transactional_db
    league = make_league()
    make_players(league, TABLES * SEATS)
    make_user("ishida", league=league, role="organiser")
    return league


Line = list[str]


def season(league: League, rows: Sequence[Sequence[str]]) -> list[tuple[str, str, str, list[Player], list[str]]]:
    """Return hanchan after hanchan: the day, the table, the round, who sits there, and the scores as typed."""
    players = list(league.players.order_by("pk"))
    found = []
    for number, cells in enumerate(rows):
        evening, place = divmod(number, TABLES * ROUNDS)
        round_, table = divmod(place, TABLES)
        seated = players[table * SEATS : (table + 1) * SEATS]
        found.append(
            (f"2025-{evening % 12 + 1:02}-{10 + evening // 12:02}", str(table + 1), str(round_ + 1), seated, [*cells])
        )
    return found


def long_rows(league: League, rows: Sequence[Sequence[str]]) -> list[Line]:
    """Return the season a row a player, as many clubs have it."""
    lines = [["日付", "卓", "回戦", "席", "選手", "素点"]]
    for day, table, round_, seated, cells in season(league, rows):
        scores = [f"{cell}00" if cell else "" for cell in cells[:SEATS]]
        named = zip("東南西北", seated, scores, strict=True)
        lines += [[day, table, round_, wind, player.name, score] for wind, player, score in named]
    return lines


def answers(league: League, rows: Sequence[Sequence[str]]) -> list[Line]:
    """Return the season a row a hanchan, as the answers of a form are kept."""
    lines = [
        [
            "タイムスタンプ",
            "日付",
            "卓",
            "回戦",
            *(f"{what}{seat + 1}" for seat in range(SEATS) for what in ("選手", "素点")),
        ]
    ]
    for day, table, round_, seated, cells in season(league, rows):
        scores = [f"{cell}00" if cell else "" for cell in cells[:SEATS]]
        pairs = [text for player, score in zip(seated, scores, strict=True) for text in (player.name, score)]
        lines.append([f"{day.replace('-', '/')} 22:{int(round_):02}:00", day, table, round_, *pairs])
    return lines


def workbook(rows: Sequence[Line]) -> bytes:
    """Return the rows as XLSX."""
    output = io.BytesIO()
    with xlsxwriter.Workbook(output, {"strings_to_numbers": True}) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(rows):
            sheet.write_row(at, 0, row)
    return output.getvalue()


def csv(rows: Sequence[Line], encoding: str) -> bytes:
    """Return the rows as CSV."""
    return "\r\n".join(",".join(row) for row in rows).encode(encoding)


def bring_in(keyboard: Keyboard, name: str, data: bytes) -> None:
    """Go through the steps of an import by keys alone; what the check points out is left out."""
    page = keyboard.page
    page.set_input_files("[name=file]", {"name": name, "mimeType": "application/octet-stream", "buffer": data})
    page.evaluate("document.activeElement.blur()")
    keyboard.go_to("#upload")
    for step in ("reading", "columns", "names", "check", "preview"):
        with keyboard.waiting():
            keyboard.press("Enter")
            page.wait_for_url(f"**/{step}/")
        if page.locator("#leave-out:not(:checked)").count():
            page.check("#leave-out")
            page.click("#set-leave-out")
            page.wait_for_load_state()
        keyboard.go_to("#run" if step == "preview" else "#next")
    with keyboard.waiting():
        keyboard.press("Enter")
        page.wait_for_url("**/import/*/")


@dataclass(frozen=True)
class File:
    """A season as it comes; `of` a league and its rows."""

    work: str
    name: str
    of: Callable[[League, Sequence[Sequence[str]]], bytes]


FILES = (
    File("a season of 160, XLSX", "2025.xlsx", lambda *of: workbook(long_rows(*of))),
    File("a season of 160, CSV in cp932", "2025.csv", lambda *of: csv(long_rows(*of), "cp932")),
    File("a season of 160, answers of a form", "answers.csv", lambda *of: csv(answers(*of), "utf-8")),
)

IMPORT_KEYS = 60


@pytest.mark.long
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_season_is_brought_in_with_no_more_keys(
    open_page: OpenPage, live_server: LiveServer, league: League, record_property: Record, file: File
) -> None:
    results = paper(SEASON)
    page = open_page(DESKTOP)
    enter(page, live_server, "ja", f"/l/{league.slug}/manage/import/new/")
    keyboard = Keyboard(page)
    bring_in(keyboard, file.name, file.of(league, [tuple(map(str, scores)) for scores in results]))
    assert sorted(stored(league)) == sorted(results)
    Hanchan.objects.all().delete()
    page.goto(f"{live_server.url}/l/{league.slug}/manage/import/new/")
    bring_in(Keyboard(page), file.name, file.of(league, mistaken(results)))
    left = len(set(stored(league)) - set(results))
    counted = Counted(file.work, keyboard.keys, keyboard.waited, brought_into_spreadsheet(), left, MISTAKES)
    record_property(KEY, asdict(counted))
    assert keyboard.keys <= IMPORT_KEYS < counted.spreadsheet
    assert left == 0

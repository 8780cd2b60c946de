import pytest
from playwright.sync_api import Page, expect

from league.models import Hanchan, Session
from tests.browser.test_grid import OpenGrid, cell, evening, grid, paste

__all__ = ["evening", "grid"]


pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TWO_GAMES = "317\t313\t255\t115\n400\t300\t▲10\t310"


def copied(page: Page, key: str = "copy") -> str:
    text: str = page.evaluate(
        """(kind) => {
          const clipboardData = new DataTransfer();
          document.activeElement.dispatchEvent(new ClipboardEvent(kind, { clipboardData, bubbles: true, cancelable: true }));
          return clipboardData.getData("text/plain");
        }""",
        key,
    )
    return text


def block(page: Page, row: int, height: int = 2, width: int = 4) -> str:
    return "\n".join("\t".join(cell(page, row + down, right) for right in range(width)) for down in range(height))


@pytest.mark.long
def test_rectangles_are_copied_cut_pasted_undone_and_redone(grid: OpenGrid) -> None:
    page, row = grid("en")
    said, empty = page.locator("#said"), "\t\t\t\n\t\t\t"
    expect(page.locator(f"[name=cell_{row}_0]")).to_be_focused()
    paste(page, f"[name=cell_{row}_0]", TWO_GAMES + "\n")
    expect(said).to_have_text("Pasted: 2 rows, 4 columns.")
    for key in ("Shift+ArrowDown", *["Shift+ArrowRight"] * 3):
        page.keyboard.press(key)
    expect(said).to_have_text("Selected: 2 rows, 4 columns.")
    expect(page.locator(".picked")).to_have_count(8)
    assert copied(page) == TWO_GAMES
    page.keyboard.press("Delete")
    assert block(page, row) == empty
    page.keyboard.press("Control+z")
    assert block(page, row) == TWO_GAMES
    assert copied(page, "cut") == TWO_GAMES
    assert block(page, row) == empty
    for _step in range(2):
        page.keyboard.press("Control+z")
    assert block(page, row) == empty
    expect(said).to_have_text("Undone. Cells changed: 8.")
    page.keyboard.press("Control+z")
    expect(said).to_have_text("Nothing to undo.")
    page.keyboard.press("Control+y")
    assert block(page, row) == TWO_GAMES
    expect(page.locator("[data-row]").nth(row).locator("[data-sum]")).to_have_text("✓")
    # Each typed cell is an undo step; typing discards the redo steps.
    page.focus(f"[name=cell_{row}_0]")
    page.keyboard.type("318")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("312")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+z")
    assert block(page, row, 1) == "318\t313\t255\t115"


@pytest.mark.long
def test_copied_names_find_their_columns_when_pasted(grid: OpenGrid) -> None:
    page, row = grid("en")
    page.locator("[name=cell_0_0]").select_text()
    page.keyboard.press("Control+a")
    lines = copied(page).split("\n")
    assert lines[0].split("\t") == ["Aoki", "Ishida", "Ueno", "Eguchi", "Player 5"]
    assert lines[1].split("\t") == ["317 E", "313 S", "255 W", "115 N", ""]
    paste(page, f"[name=cell_{row}_0]", "Eguchi\tUeno\tIshida\tAoki\n115\t255\t313\t317")
    expect(page.locator("[data-checked] [data-focus]")).to_be_visible()
    assert cell(page, row, 0).split()[0] == "317"
    page.focus(f"[name=cell_{row}_0]")
    page.keyboard.press("Control+z")
    assert cell(page, row, 0) == ""
    assert page.locator("[data-checked] [data-focus]").count() == 0
    page.keyboard.press("Control+y")
    assert cell(page, row, 0).split()[0] == "317"


@pytest.mark.long
def test_dragging_selects_cells_and_long_paste_adds_rows(grid: OpenGrid) -> None:
    page, row = grid("ja")
    rows = page.locator("[data-row]").count()
    paste(page, f"[name=cell_{row}_0]", "\n".join(["250\t250\t250\t250"] * rows))
    expect(page.locator("[data-row]")).to_have_count(row + rows)
    assert block(page, row + rows - 1, 1) == "250\t250\t250\t250"
    keys = page.locator("[name^=key_]").evaluate_all("fields => fields.map((field) => field.value)")
    assert len(set(keys)) == row + rows
    page.hover(f"[name=cell_{row}_0]")
    page.mouse.down()
    page.hover(f"[name=cell_{row + 1}_2]")
    page.mouse.up()
    expect(page.locator(".picked")).to_have_count(6)
    paste(page, f"[name=cell_{row}_0]", "251")
    assert block(page, row, 2, 3) == "251\t251\t251\n251\t251\t251"
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert block(page, row, 2) == "\t\t\t\n\t\t\t"


@pytest.mark.long
def test_enter_fills_in_the_missing_score(grid: OpenGrid) -> None:
    page, row = grid("ja")
    for score in ("317", "313", "375"):
        page.keyboard.type(score)
        page.keyboard.press("Tab")
    expect(page.locator("[data-row]").nth(row).locator("[data-sum]")).to_have_text("→ ▲5")
    page.keyboard.press("Enter")
    assert cell(page, row, 3) == "-5"
    expect(page.locator(f"[name=cell_{row + 1}_0]")).to_be_focused()


@pytest.mark.long
def test_invalid_cells_are_marked_and_listed(grid: OpenGrid, evening: Session) -> None:
    page, row = grid("en")
    paste(page, f"[name=cell_{row}_0]", "268\t3x2\t255\t165\n400\t310\t200\t80")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or "") if request.method == "POST" else None)
    page.keyboard.press("Control+Enter")
    problems = page.locator(".grid-lines .error a")
    expect(problems).to_have_count(2)
    expect(page.locator(f"[name=cell_{row}_1]")).to_have_attribute("aria-invalid", "true")
    problems.first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"[name=cell_{row}_1]")).to_be_focused()
    # Typed cells can still be undone, and only two rows were sent.
    page.keyboard.type("312")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert block(page, row) == "\t\t\t\n\t\t\t"
    assert f'name="only"\r\n\r\n{row},{row + 1}\r\n' in sent[0]
    assert 'name="round_0"' not in sent[0]
    assert f'name="cell_{row}_1"' in sent[0]
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+y")
    page.locator(f"[name=cell_{row + 1}_3]").select_text()
    page.keyboard.type("90")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[value=save]")).to_be_visible()
    expect(page.locator("[aria-invalid]")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/sessions/{evening.pk}/")
    assert Hanchan.objects.count() == row + 2


@pytest.mark.long
def test_sheet_keeps_input_while_the_server_is_unreachable(grid: OpenGrid) -> None:
    page, row = grid("en")
    paste(page, f"[name=cell_{row}_0]", TWO_GAMES)
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-trouble]")).to_contain_text("What you entered is still here")
    assert block(page, row) == TWO_GAMES
    page.context.set_offline(False)
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-row=double]")).to_have_count(1)
    expect(page.locator("[data-trouble]")).to_be_hidden()

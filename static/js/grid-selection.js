/* A rectangle of cells: from where the cursor is to where Shift and the arrows or the mouse have led. */

import { FIRST_SCORE, NAMES, cellAt, columnCount, form, headAt, placeOf, rowCount } from "./grid-cells.js";

let anchor = null;
let end = null;
let marked = [];

/* The rectangle as { top, left, bottom, right }; null for a single cell. */
export function picked() {
  if (!end) {
    return null;
  }
  return {
    top: Math.min(anchor.row, end.row),
    bottom: Math.max(anchor.row, end.row),
    left: Math.min(anchor.column, end.column),
    right: Math.max(anchor.column, end.column),
  };
}

export function unpick() {
  if (end) {
    end = null;
    mark([]);
  }
}

/* From the cell at `from` to the one at `to`. The names on top are taken along only with scores. */
export function pick(from, to) {
  anchor = from;
  const isSame = from.row === to.row && from.column === to.column;
  end = isSame ? null : to;
  const area = picked();
  mark(area ? cellsOf(area) : []);
  return area;
}

/* One row or column further from the cursor at `from`. */
export function extend(from, down, right) {
  const at = end ?? from;
  const top = (end ?? from).column >= FIRST_SCORE && from.column >= FIRST_SCORE ? NAMES : 0;
  return pick(from, {
    row: Math.max(top, Math.min(at.row + down, rowCount() - 1)),
    column: Math.max(at.row === NAMES ? FIRST_SCORE : 0, Math.min(at.column + right, columnCount() - 1)),
  });
}

/* All scores with the names above them. */
export function pickAll() {
  return pick({ row: rowCount() - 1, column: columnCount() - 2 }, { row: NAMES, column: FIRST_SCORE });
}

export function* placesOf({ top, left, bottom, right }) {
  for (let row = top; row <= bottom; row += 1) {
    for (let column = left; column <= right; column += 1) {
      yield { row, column };
    }
  }
}

function cellsOf(area) {
  return [...placesOf(area)].map(({ row, column }) => cellAt(row, column));
}

function mark(cells) {
  const kept = new Set(cells);
  marked.filter((cell) => !kept.has(cell)).forEach((cell) => cell.classList.remove("picked"));
  cells.forEach((cell) => cell.classList.add("picked"));
  marked = cells;
}

/* --- With the mouse --- */

let pressed = null;

function overPlace(target) {
  const cell = target.closest?.(".grid thead th");
  const isName = cell && headAt(cell.cellIndex) === cell && cell.cellIndex >= FIRST_SCORE && cell.cellIndex < columnCount();
  return isName ? { row: NAMES, column: cell.cellIndex } : placeOf(target);
}

export function followMouse(cursor, say) {
  form.addEventListener("pointerdown", (event) => {
    const place = event.pointerType === "mouse" && event.button === 0 ? placeOf(event.target) : null;
    if (!place) {
      return;
    }
    if (event.shiftKey && cursor()) {
      event.preventDefault();
      say(pick(cursor(), place));
    } else {
      unpick();
      pressed = place;
    }
  });
  // Shift and a click must not move the cursor, which holds the other corner.
  form.addEventListener("mousedown", (event) => {
    if (event.shiftKey && end && placeOf(event.target)) {
      event.preventDefault();
    }
  });
  form.addEventListener("pointerover", (event) => {
    const place = pressed && overPlace(event.target);
    if (place && (end || place.row !== pressed.row || place.column !== pressed.column)) {
      getSelection().removeAllRanges();
      pick(pressed, place);
    }
  });
  addEventListener("pointerup", () => {
    if (pressed && end) {
      say(picked());
    }
    pressed = null;
  });
}

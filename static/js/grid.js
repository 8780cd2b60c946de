/* The sheet by keyboard: Enter goes down or on, arrows go round, Shift picks a rectangle, and every step can be undone. */

import { columnCount, fieldAt, form, go, hidden, placeOf, rowCount } from "./grid-cells.js";
import { clear, sizeOf, useClipboard } from "./grid-clipboard.js";
import { close, giveUp, open, redo, undo, write } from "./grid-history.js";
import { watch } from "./grid-live.js";
import { addRow, addRows } from "./grid-rows.js";
import { extend, followMouse, pickAll, picked, unpick } from "./grid-selection.js";
import { isReady, press, refresh } from "./grid-sending.js";
import { leftOver, total } from "./grid-sums.js";
import { word } from "./i18n.js";

const ROWS_AT_ONCE = 4;

/* Where a row of Tabs began: Enter at its end goes to the same place in the next row, as in every spreadsheet. */
let began = null;

/* Where a single cell is left behind before the next step. */
function say(name, facts) {
  document.getElementById("said").textContent = word(name, facts);
}

function sayPicked(area) {
  if (area) {
    say("picked", sizeOf(area));
  }
}

function cursor() {
  return document.activeElement && form.contains(document.activeElement) ? placeOf(document.activeElement) : null;
}

/* --- Going about --- */

/* The next field with a planned player from here on, or the one before. */
function planned(row, column, step) {
  const width = columnCount();
  for (let at = row * width + column + step; at >= 0 && at < rowCount() * width; at += step) {
    const field = fieldAt(Math.floor(at / width), at % width);
    if (field.placeholder) {
      return field;
    }
  }
  return null;
}

/* Enter fills the only missing score, then moves down; after Tabs to their start, one row further;
   at planned tables to the next seated player, then the next table. */
function enter(field, { row, column }, step) {
  const rest = step > 0 && !field.value && /^cell_/.test(field.name) && !field.closest(".out") ? leftOver(row) : "";
  if (rest) {
    write([{ row, column, text: rest }]);
    say("filled", { score: rest });
  }
  if (field.placeholder) {
    const to = planned(row, column, step);
    return to ? go(placeOf(to).row, placeOf(to).column) : step > 0 && addRow() && go(row + 1, 2);
  }
  const to = step > 0 && began?.row === row ? began.column : column;
  const isThere = go(row + step, to) || (step > 0 && addRow() && go(row + 1, to));
  began = null;
  return isThere;
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function isWhole(field) {
  return field.selectionStart === 0 && field.selectionEnd === field.value.length;
}

function mayLeave(field, key) {
  return isWhole(field) || (key === "ArrowLeft" ? field.selectionEnd === 0 : field.selectionStart === field.value.length);
}

/* Returns whether the key is done with. */
function arrow(event, field, { row, column }) {
  const [down, right] = ARROWS[event.key];
  if (event.shiftKey) {
    if (!down && !picked() && !isWhole(field)) {
      return false;
    }
    sayPicked(extend({ row, column }, down, right));
    return true;
  }
  if (!down && !picked() && !mayLeave(field, event.key)) {
    return false;
  }
  unpick();
  began = null;
  return go(row + down, column + right) || (down > 0 && addRow() && go(row + 1, column));
}

function back(step, name) {
  const cells = step();
  say(cells === null ? `no_${name}` : name, { cells });
}

/* --- Keys --- */

const WITH_CONTROL = {
  Enter: () => send(isReady() ? "save" : "check"),
  s: () => send(isReady() ? "save" : "check"),
  z: (event) => (event.shiftKey ? back(redo, "redone") : back(undo, "undone")),
  y: () => back(redo, "redone"),
  a: (event, field) => isWhole(field) && sayPicked(pickAll()),
};

const PLAIN = {
  Enter: (event, field, place) => enter(field, place, event.shiftKey ? -1 : 1) || true,
  Escape: (event, field) => {
    if (picked()) {
      unpick();
    } else {
      giveUp(field);
      total(placeOf(field).row);
    }
    field.select();
  },
  F2: (event, field) => field.setSelectionRange(field.value.length, field.value.length),
  Delete: () => (picked() ? empty() : false),
  Backspace: () => (picked() ? empty() : false),
  Tab: (event, field, place) => {
    began = event.shiftKey ? null : began?.row === place.row ? began : place;
    return false;
  },
};

function empty() {
  const cells = clear(picked());
  say("emptied", { cells });
  return true;
}

form.addEventListener("keydown", (event) => {
  const field = event.target;
  const place = field.name ? placeOf(field) : null;
  if (event.isComposing) {
    return;
  }
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  let isDone = true;
  if (control && (place || key === "Enter" || key === "s")) {
    isDone = WITH_CONTROL[key]?.(event, field) ?? (key in WITH_CONTROL);
  } else if (!place || event.altKey) {
    isDone = false;
  } else if (ARROWS[key]) {
    isDone = arrow(event, field, place);
  } else {
    isDone = PLAIN[key]?.(event, field, place) ?? key in PLAIN;
  }
  if (isDone) {
    event.preventDefault();
  } else if (key.length === 1 && !control) {
    unpick();
  }
});

form.addEventListener("focusin", (event) => {
  const place = placeOf(event.target);
  if (place) {
    open(event.target);
    began = began?.row === place.row ? began : null;
  }
});

form.addEventListener("input", (event) => {
  const place = placeOf(event.target);
  if (place) {
    unpick();
    total(place.row);
  }
});

form.addEventListener("focusout", (event) => {
  const place = placeOf(event.target);
  if (place && close() && event.target.name.startsWith("cell_")) {
    document.getElementById("said").textContent = total(place.row);
  }
  if (place && event.relatedTarget && !picked()) {
    unpick();
  }
});

/* --- Sending --- */

function send(what) {
  press(what);
  return true;
}

form.addEventListener("submit", (event) => {
  const what = event.submitter?.value ?? "check";
  event.preventDefault();
  if (what === "rows" && addRows(ROWS_AT_ONCE)) {
    return;
  }
  send(what);
});

/* A sentence of the list leads to its cell, ready to be typed over. */
form.addEventListener("click", (event) => {
  const to = event.target.closest("[data-checked] a[href^='#']");
  const field = to && document.getElementById(to.hash.slice(1));
  if (field) {
    event.preventDefault();
    const { row, column } = placeOf(field);
    go(row, column);
  }
});

useClipboard(say, (text, { row, column }) => {
  form.querySelector("[data-at]").value = `${row},${column}`;
  form.querySelector("[data-paste]").value = text;
  send("paste");
});
followMouse(cursor, sayPicked);

/* --- At first --- */

/* The first row that waits, where its first score belongs. */
function start() {
  for (let row = 0; row < rowCount(); row += 1) {
    const cells = [...Array(columnCount() - 3).keys()].map((column) => fieldAt(row, column + 2));
    const free = cells.find((field) => field.placeholder) ?? cells[0];
    if (free && !hidden(row, "hanchan").value && cells.every((field) => !field.value)) {
      return placeOf(free);
    }
  }
  return null;
}

refresh();
watch();
const first = document.querySelector("[data-checked] > *") ? null : start();
if (first && matchMedia("(pointer: fine)").matches) {
  const unnamed = [...form.querySelectorAll(".grid-who select")];
  if (unnamed.length && unnamed.every((select) => !select.value)) {
    unnamed[0].focus();
  } else {
    go(first.row, first.column);
  }
} else {
  document.querySelector("[data-focus]")?.focus();
}

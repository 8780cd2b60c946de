/* The sheet by keyboard: Enter goes down, arrows go round, a pasted rectangle lands where the cursor is. */

import { STICK, parseScore, readScores, shownScore } from "./scores.js";

const form = document.querySelector("[data-grid]");
const { minus, off } = form.dataset;
const expected = Number(form.dataset.start) * Number(form.dataset.size);
const size = Number(form.dataset.size);
const said = form.querySelector("[data-said]");
const rows = [...form.querySelectorAll("[data-row]")].map((row) => [...row.querySelectorAll("[data-cell]")]);

const WIND = /^\s*[東南西北ESWN]|[東南西北ESWN]\s*$/gi;
const OUT = /^(抜け?|[-—–－]|out|x|×)$/i;

let before = "";

/* --- Sums --- */

function total(row) {
  const at = row.closest("[data-row]");
  const texts = [...at.querySelectorAll("[data-score]")].map((field) => field.value.trim());
  const written = texts.map((text) => (OUT.test(text) ? "" : text.normalize("NFKC").replace(WIND, ""))).filter((text) => text.trim());
  const sticks = parseInt(at.querySelector("[data-sticks]").value.normalize("NFKC"), 10) || 0;
  const played = readScores(written, expected - sticks * STICK).map((score) => score.points);
  const place = at.querySelector("[data-sum]");
  if (!played.length) {
    place.textContent = "";
  } else if (played.some(Number.isNaN) || played.length !== size) {
    place.textContent = "…";
  } else {
    const rest = played.reduce((sum, score) => sum + score, sticks * STICK) - expected;
    place.textContent = rest ? `${off} ${shownScore(rest, minus)}` : "✓";
  }
  return place.textContent;
}

/* --- Going about --- */

function find(field) {
  const row = rows.findIndex((fields) => fields.includes(field));
  return [row, rows[row].indexOf(field)];
}

function go(row, column) {
  const field = rows[row]?.[column];
  field?.focus();
  field?.select();
  return Boolean(field);
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function mayLeave(field, key) {
  const all = field.selectionStart === 0 && field.selectionEnd === field.value.length;
  return all || (key === "ArrowLeft" ? field.selectionEnd === 0 : field.selectionStart === field.value.length);
}

form.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.isComposing || !field.matches("[data-cell]")) {
    return;
  }
  const [row, column] = find(field);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("[value=check]"));
  } else if (event.key === "Enter") {
    event.preventDefault();
    go(row + (event.shiftKey ? -1 : 1), column);
  } else if (event.key === "Escape") {
    field.value = before;
    field.select();
    total(field);
  } else if (event.key === "F2") {
    field.setSelectionRange(field.value.length, field.value.length);
  } else if (ARROWS[event.key] && !event.shiftKey && !event.altKey) {
    const [down, right] = ARROWS[event.key];
    if (down || mayLeave(field, event.key)) {
      if (go(row + down, column + right)) {
        event.preventDefault();
      }
    }
  }
});

form.addEventListener("focusin", (event) => {
  if (event.target.matches("[data-cell]")) {
    before = event.target.value;
  }
});

form.addEventListener("input", (event) => {
  if (event.target.matches("[data-cell]")) {
    total(event.target);
  }
});

form.addEventListener("focusout", (event) => {
  if (event.target.matches("[data-score]") && event.target.value !== before) {
    said.textContent = total(event.target);
  }
});

/* --- Pasting --- */

const NAMED = 3;

function isHeader(cells) {
  const words = cells.filter((cell) => cell.trim() && !OUT.test(cell.trim()) && Number.isNaN(parseScore(cell.replace(WIND, ""))));
  return words.length >= NAMED;
}

/* What does not fit goes to the server, which makes room for it; a score would be no number of sticks. */
function fits(block, row, column) {
  const sticks = rows[row].length - 1;
  const isInside = row + block.length <= rows.length && block.every((line) => column + line.length <= sticks + 1);
  return isInside && (column === sticks || block.every((line) => /^\s*\d{0,2}\s*$/.test(line[sticks - column] ?? "")));
}

form.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain");
  const field = event.target;
  if (!field.matches("[data-cell]") || !/[\t\n]/.test(text.trimEnd())) {
    return;
  }
  event.preventDefault();
  const block = text.replace(/\r/g, "").trimEnd().split("\n").map((line) => line.split("\t"));
  const [row, column] = find(field);
  if (isHeader(block[0]) || /回|半荘/.test(block[0][0]) || !fits(block, row, column)) {
    form.querySelector("[data-at]").value = `${row},${column}`;
    form.querySelector("[data-paste]").value = text;
    form.requestSubmit(form.querySelector("[value=paste]"));
    return;
  }
  block.forEach((cells, down) =>
    cells.forEach((cell, right) => {
      rows[row + down][column + right].value = cell.trim();
    })
  );
  rows.slice(row, row + block.length).forEach((fields) => total(fields[0]));
});

/* --- At first --- */

rows.forEach((fields) => total(fields[0]));
document.querySelector("[data-focus]")?.focus();

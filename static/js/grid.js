/* The sheet by keyboard: Enter goes down, arrows go round, a pasted rectangle lands where the cursor is. */

import { newKey } from "./store.js";
import { STICK, parseScore, readScores, shownScore } from "./scores.js";

const form = document.querySelector("[data-grid]");
const { minus, off } = form.dataset;
const expected = Number(form.dataset.start) * Number(form.dataset.size);
const size = Number(form.dataset.size);
const said = form.querySelector("[data-said]");
const most = Number(form.dataset.most);
const rows = [...form.querySelectorAll("[data-row]")].map(fieldsOf);

const WIND = /^\s*[東南西北ESWN]|[東南西北ESWN]\s*$/gi;
const OUT = /^(抜け?|[-—–－]|out|x|×)$/i;

let before = "";

function fieldsOf(row) {
  return [...row.querySelectorAll("input:not([type=hidden])")];
}

/* The score of a cell, without the seat, the bust and the chombo behind it. */
function score(text) {
  const words = text.normalize("NFKC").trim().split(/\s+/);
  return (words.find((word) => /\d/.test(word)) ?? "").replace(WIND, "");
}

/* --- Sums --- */

function total(row) {
  const at = row.closest("[data-row]");
  const texts = [...at.querySelectorAll("[name^=cell_]")].map((field) => field.value.trim());
  const written = texts.map((text) => (OUT.test(text) ? "" : score(text))).filter(Boolean);
  const sticks = parseInt(at.querySelector("[data-sticks]").value.normalize("NFKC"), 10) || 0;
  const played = readScores(written, expected - sticks * STICK).map((each) => each.points);
  const place = at.querySelector("[data-sum]");
  if (!played.length) {
    place.textContent = "";
  } else if (played.some(Number.isNaN) || played.length !== size) {
    place.textContent = "…";
  } else {
    const rest = played.reduce((sum, points) => sum + points, sticks * STICK) - expected;
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

/* Enter goes down; where a table is planned, on to the next of those who sit there, then to the next table. */
function next(row, column, step) {
  if (!rows[row][column].placeholder) {
    return go(row + step, column);
  }
  const planned = rows.flatMap((fields, at) => fields.flatMap((field, place) => (field.placeholder ? [[at, place]] : [])));
  const here = planned.findIndex(([at, place]) => at === row && place === column);
  const to = planned[here + step];
  return to ? go(...to) : false;
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function mayLeave(field, key) {
  const all = field.selectionStart === 0 && field.selectionEnd === field.value.length;
  return all || (key === "ArrowLeft" ? field.selectionEnd === 0 : field.selectionStart === field.value.length);
}

form.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.isComposing || !field.closest("[data-row]")) {
    return;
  }
  const [row, column] = find(field);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("[value=check]"));
  } else if (event.key === "Enter") {
    event.preventDefault();
    const step = event.shiftKey ? -1 : 1;
    if (!next(row, column, step) && step > 0 && addRow()) {
      go(row + 1, column);
    }
  } else if (event.key === "Escape") {
    field.value = before;
    field.select();
    total(field);
  } else if (event.key === "F2") {
    field.setSelectionRange(field.value.length, field.value.length);
  } else if (ARROWS[event.key] && !event.shiftKey && !event.altKey) {
    const [down, right] = ARROWS[event.key];
    if (down || mayLeave(field, event.key)) {
      if (go(row + down, column + right) || (down > 0 && addRow() && go(row + 1, column))) {
        event.preventDefault();
      }
    }
  }
});

/* --- One row more --- */

function addRow() {
  const last = form.querySelector("[data-row]:last-child");
  const number = rows.length;
  if (number >= most) {
    return false;
  }
  const row = last.cloneNode(true);
  row.dataset.row = "empty";
  row.querySelectorAll("[name]").forEach((field) => {
    field.name = field.name.replace(/_\d+/, `_${number}`);
    field.setAttribute("value", "");
    field.value = "";
    ["aria-invalid", "aria-describedby", "placeholder", "tabindex"].forEach((name) => field.removeAttribute(name));
    ["aria-labelledby", "aria-label"].filter((label) => field.hasAttribute(label)).forEach((label) => {
      field.setAttribute(label, field.getAttribute(label).replace(/\d+/, label === "aria-label" ? number + 1 : number));
    });
  });
  row.querySelectorAll(".out").forEach((cell) => cell.classList.remove("out"));
  const name = row.querySelector("[id^=r]");
  name.id = `r${number}`;
  name.textContent = name.textContent.replace(/\d+/, number + 1);
  const round = rows[number - 1][0].value;
  row.querySelector("[name^=version_]").value = "0";
  row.querySelector("[name^=key_]").value = newKey();
  row.querySelector("[name^=round_]").value = /^\d+$/.test(round) ? Number(round) + 1 : "";
  row.querySelector("[name^=table_]").value = rows[number - 1][1].value;
  row.querySelector("[data-sum]").textContent = "";
  last.after(row);
  rows.push(fieldsOf(row));
  form.querySelector("[name=rows]").value = String(rows.length);
  return true;
}

form.addEventListener("focusin", (event) => {
  if (event.target.closest("[data-row]")) {
    before = event.target.value;
  }
});

form.addEventListener("input", (event) => {
  if (event.target.closest("[data-row]")) {
    total(event.target);
  }
});

form.addEventListener("focusout", (event) => {
  if (event.target.matches("[name^=cell_]") && event.target.value !== before) {
    said.textContent = total(event.target);
  }
});

/* --- Pasting --- */

const NAMED = 3;

function isHeader(cells) {
  const words = cells.filter((cell) => cell.trim() && !OUT.test(cell.trim()) && Number.isNaN(parseScore(score(cell) || "x")));
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
  if (!field.closest("[data-row]") || !/[\t\n]/.test(text.trimEnd())) {
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

/* --- Sending --- */

/* A sheet has thousands of cells, most of them empty: what is not sent is empty. */
function send(isSent) {
  form.querySelectorAll("[name^=cell_]").forEach((field) => {
    field.disabled = isSent && !field.value;
  });
}

form.addEventListener("formdata", () => send(false));
form.addEventListener("submit", () => send(true));
addEventListener("pageshow", () => send(false));

/* --- At first --- */

form.querySelectorAll(".out input").forEach((field) => {
  field.tabIndex = -1;
});
rows.forEach((fields) => total(fields[0]));
document.querySelector("[data-focus]")?.focus();

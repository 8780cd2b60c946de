/* Sends changed rows and shows their checks. The page stays, so that later input is kept and
   every step can be undone. */

import { columnCount, fieldAt, form, hidden, redrawn, rowAt, rowCount } from "./grid-cells.js";
import { close, redraw, write } from "./grid-history.js";
import { isTouched, showAlone } from "./grid-rows.js";
import { total } from "./grid-sums.js";
import { word } from "./i18n.js";

const OF_ROW = /^(?:cell|round|table|sticks|hanchan|version|key|another|why|taken|note)_(\d+)/;
const PARTLY = new Set(["check", "save", "part"]);

let isBusy = false;
let isLeaving = false;
let checked = "";

export function touchedRows() {
  return [...Array(rowCount()).keys()].filter(isTouched);
}

/* Whether all input is checked and can be saved. */
export function isReady() {
  return Boolean(form.querySelector("[data-checked] [value=save]")) && checked === typed();
}

function typed() {
  const only = new Set(touchedRows());
  return JSON.stringify([...fieldsOf(only)].filter(([name]) => name !== "reason"));
}

/* Fields of these rows, or all, with columns and answers. Omitted fields are empty. */
function fieldsOf(only) {
  const sent = new FormData();
  for (const field of form.elements) {
    const row = field.name?.match(OF_ROW)?.[1];
    const isAsked = field.name && field.type !== "submit" && (field.type !== "checkbox" || field.checked);
    const isEmpty = !field.value && field.name?.startsWith("cell_");
    if (isAsked && !isEmpty && (!only || row === undefined || only.has(Number(row)))) {
      sent.set(field.name, field.value);
    }
  }
  return sent;
}

/* Press a button of the sheet. What changes the columns comes back as a whole, the rest row by row. */
export async function press(what) {
  close();
  if (isBusy) {
    return;
  }
  const isPartly = PARTLY.has(what);
  const sent = fieldsOf(isPartly ? new Set(touchedRows()) : null);
  sent.set("do", what);
  if (isPartly) {
    sent.delete("pasted");
    sent.set("only", touchedRows().join(","));
  }
  isBusy = true;
  form.toggleAttribute("data-busy", true);
  try {
    await (isPartly ? takeRows(sent) : takeSheet(sent));
  } catch {
    trouble(word("unsent"));
  }
  isBusy = false;
  form.toggleAttribute("data-busy", false);
}

function post(body, accept) {
  trouble("");
  return fetch(location.href, { method: "POST", body, headers: { Accept: accept } });
}

export function trouble(text) {
  const place = form.querySelector("[data-trouble]");
  place.textContent = text;
  place.hidden = !text;
}

/* --- The whole sheet --- */

async function takeSheet(sent) {
  const answer = await post(sent, "text/html");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const drawn = page.querySelector("[data-grid]");
  if (!drawn || !answer.ok) {
    trouble(word("refused"));
    return;
  }
  redraw([...drawn.childNodes]);
  refresh();
  checked = typed();
  show(form.querySelector("[data-checked] > *") ?? form.querySelector("[data-problems] > *"));
  if (sent.get("do") === "column") {
    [...form.querySelectorAll("thead select")].pop()?.focus();
  }
}

/* After rendering: skip seats of others in keyboard order, and update each row's sum. */
export function refresh() {
  form.querySelectorAll(".out input").forEach((field) => {
    field.tabIndex = -1;
  });
  for (let row = 0; row < rowCount(); row += 1) {
    total(row);
  }
}

/* --- The rows that were sent --- */

async function takeRows(sent) {
  const answer = await post(sent, "application/json");
  const { go, check, head, problems, rows, message } = await answer.json();
  if (go) {
    isLeaving = true;
    location.assign(go);
    return;
  }
  if (!rows) {
    trouble(message || word("refused"));
    return;
  }
  put("[data-checked]", check);
  put("[data-problems]", problems);
  if (form.querySelector("#reason")) {
    form.querySelectorAll("[type=hidden][name=reason]").forEach((field) => field.remove());
  }
  if (form.querySelector("thead select") || /<select/.test(head)) {
    form.querySelector("thead").replaceChildren(nodes(`<table>${head}</table>`).querySelector("tr"));
    redrawn();
  }
  const changes = Object.entries(rows).flatMap(([row, now]) => take(Number(row), now, sent));
  write(changes);
  Object.entries(rows).forEach(([row, now]) => settle(Number(row), now));
  checked = typed();
  show(form.querySelector("[data-checked] > *"));
}

function nodes(html) {
  return new DOMParser().parseFromString(html, "text/html").body;
}

function put(place, html) {
  form.querySelector(place).replaceChildren(...nodes(html).childNodes);
}

function show(section) {
  if (section) {
    section.tabIndex = -1;
    section.focus();
    section.scrollIntoView({ block: "nearest" });
  }
}

/* Notes on a row's cells; returns what the server wrote into them. */
function take(row, { status, hanchan, version, fields }, sent) {
  rowAt(row).dataset.row = status;
  hidden(row, "hanchan").value = hanchan;
  hidden(row, "version").value = version;
  const changes = [];
  for (let column = 0; column < columnCount(); column += 1) {
    const field = fieldAt(row, column);
    const { text, described, led } = fields[field.name] ?? { text: "" };
    mark(field, "aria-describedby", described);
    mark(field, "aria-invalid", described && "true");
    mark(field, "id", led && field.name);
    if (field.value === (sent.get(field.name) ?? "") && field.value !== text) {
      changes.push({ row, column, text });
    }
  }
  return changes;
}

function mark(field, name, value) {
  if (value) {
    field.setAttribute(name, value);
  } else {
    field.removeAttribute(name);
  }
}

/* An unchanged row has nothing new to send. */
function settle(row, { status, fields }) {
  for (let column = 0; status === "same" && column < columnCount(); column += 1) {
    const field = fieldAt(row, column);
    field.defaultValue = fields[field.name]?.text ?? "";
  }
  if (status === "same" && Object.keys(fields).some((name) => name.startsWith("cell_") && fields[name].text)) {
    showAlone(row, false);
  }
}

addEventListener("beforeunload", (event) => {
  close();
  if (!isLeaving && touchedRows().length) {
    event.preventDefault();
  }
});

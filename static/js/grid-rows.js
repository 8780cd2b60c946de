/* More rows at the end of the sheet, each with a key of its own under which it is stored once. */

import { columnCount, fieldAt, form, rowAt, rowCount } from "./grid-cells.js";
import { copyOf } from "./i18n.js";
import { newKey } from "./store.js";

const most = Number(form.dataset.most);

/* A text that needs more room than a score with its wind. */
const LONG = 7;

/* Adds rows; returns how many fit. */
export function addRows(count) {
  let added = 0;
  while (added < count && addRow()) {
    added += 1;
  }
  return added;
}

export function addRow() {
  const number = rowCount();
  if (number >= most) {
    return false;
  }
  const last = rowAt(number - 1);
  const row = last.cloneNode(true);
  row.querySelectorAll("[name]").forEach((field) => {
    field.name = field.name.replace(/_\d+/, `_${number}`);
    ["aria-labelledby", "aria-label"].filter((label) => field.hasAttribute(label)).forEach((label) => {
      field.setAttribute(label, field.getAttribute(label).replace(/\d+/, label === "aria-label" ? number + 1 : number));
    });
    field.removeAttribute("id");
  });
  const name = row.querySelector("[id^=r]");
  name.id = `r${number}`;
  name.textContent = name.textContent.replace(/\d+/, number + 1);
  last.after(row);
  empty(number);
  const round = fieldAt(number - 1, 0).value;
  fieldAt(number, 0).value = /^\d+$/.test(round) ? Number(round) + 1 : "";
  fieldAt(number, 1).value = fieldAt(number - 1, 1).value;
  form.querySelector("[name=rows]").value = String(rowCount());
  return true;
}

/* A row that shows no hanchan and says nothing but its round and table. */
export function empty(number) {
  const row = rowAt(number);
  row.dataset.row = "empty";
  row.querySelectorAll("[name]").forEach((field) => {
    const isPlace = /^(round|table)_/.test(field.name);
    field.defaultValue = isPlace ? field.value : "";
    field.value = field.defaultValue;
    ["aria-invalid", "aria-describedby", "placeholder", "tabindex"].forEach((each) => field.removeAttribute(each));
  });
  row.querySelectorAll(".out").forEach((cell) => cell.classList.remove("out"));
  row.querySelector("[name^=version_]").value = "0";
  row.querySelector("[name^=key_]").value = newKey();
  row.querySelector("[name^=another_]")?.remove();
  row.querySelector("[data-sum]").textContent = "";
  showAlone(number, false);
}

/* A row as the session knows it: a stored hanchan with its texts by column. */
export function showStored(number, { hanchan, version, key, round, table, sticks, ...known }, texts) {
  const last = columnCount() - 1;
  rowAt(number).dataset.row = "same";
  const facts = { hanchan, version, key };
  for (const [name, value] of Object.entries(facts)) {
    rowAt(number).querySelector(`[name=${name}_${number}]`).value = value;
  }
  for (let column = 0; column <= last; column += 1) {
    const field = fieldAt(number, column);
    field.value = [round, table][column] ?? (column === last ? sticks : (texts.get(column) ?? ""));
    field.defaultValue = field.value;
    ["aria-invalid", "aria-describedby", "placeholder"].forEach((each) => field.removeAttribute(each));
    field.parentElement.classList.remove("out");
    field.parentElement.classList.toggle("long", field.value.length > LONG);
  }
  showAlone(number, known.is_alone, known.page);
}

/* Shows or removes the note that only points are known; they are on the hanchan's page. */
export function showAlone(number, isAlone, page = "") {
  const sum = rowAt(number).querySelector("[data-sum]");
  sum.nextElementSibling?.remove();
  if (isAlone) {
    const link = copyOf("alone");
    link.href = page;
    sum.after(link);
  }
}

/* Whether a row says something that is not stored. */
export function isTouched(number) {
  const row = rowAt(number);
  const isStored = Boolean(row.querySelector(`[name=hanchan_${number}]`).value);
  if (isStored && row.dataset.row !== "same") {
    return true;
  }
  for (let column = isStored ? 0 : 2; column < columnCount() - (isStored ? 0 : 1); column += 1) {
    const field = fieldAt(number, column);
    if (isStored ? field.value !== field.defaultValue : field.value.trim()) {
      return true;
    }
  }
  return false;
}

/* The name of the round and the table of a row, for sentences. */
export function placeName(number) {
  return { round: fieldAt(number, 0).value, table: fieldAt(number, 1).value || "1" };
}


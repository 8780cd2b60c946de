/* Undo history of the sheet. A typed cell, a pasted rectangle and a new sheet from the server are
   one step each. */

import { fieldAt, form, go, placeOf, redrawn } from "./grid-cells.js";
import { total } from "./grid-sums.js";

const MOST = 200;

const done = [];
let undone = [];
let opened = null;

/* The field being typed in. */
export function open(field) {
  opened = { field, before: field.value };
}

/* Turns input into a step. Returns whether it changed. */
export function close() {
  const { field, before } = opened ?? {};
  if (!field?.isConnected || field.value === before) {
    return false;
  }
  opened.before = field.value;
  keep({ changes: [{ ...placeOf(field), before, after: field.value }] });
  return true;
}

/* Restores the old value; nothing to undo. */
export function giveUp(field) {
  if (opened?.field === field) {
    field.value = opened.before;
  }
}

/* Write texts into cells, given as { row, column, text }, as one step. */
export function write(cells) {
  close();
  const changes = cells
    .map(({ row, column, text }) => ({ row, column, before: fieldAt(row, column).value, after: text }))
    .filter(({ before, after }) => before !== after);
  if (changes.length) {
    keep({ changes });
    show(changes, "after");
  }
  return changes.length;
}

/* A sheet from the server replaces the current one, as one step. */
export function redraw(nodes) {
  close();
  const step = { before: [...form.childNodes], after: nodes };
  keep(step);
  swap(step.after);
}

/* Rows written by others cannot be undone. */
export function forget(row) {
  for (const step of [...done, ...undone]) {
    step.changes = step.changes?.filter((change) => change.row !== row);
  }
  if (opened?.field.isConnected && placeOf(opened.field)?.row === row) {
    opened.before = opened.field.value;
  }
}

function keep(step) {
  done.push(step);
  done.splice(0, done.length - MOST);
  undone = [];
}

/* Both return the number of changed cells, null without a step. */
export function undo() {
  close();
  return step(done, undone, "before");
}

export function redo() {
  close();
  return step(undone, done, "after");
}

function step(from, to, side) {
  let found = from.pop();
  while (found?.changes?.length === 0) {
    found = from.pop();
  }
  if (!found) {
    return null;
  }
  to.push(found);
  if (found.changes) {
    show(found.changes, side);
    go(found.changes[0].row, found.changes[0].column);
    return found.changes.length;
  }
  swap(found[side]);
  return 0;
}

function show(changes, side) {
  for (const change of changes) {
    const field = fieldAt(change.row, change.column);
    field.value = change[side];
    if (opened?.field === field) {
      opened.before = field.value;
    }
  }
  for (const row of new Set(changes.map((change) => change.row))) {
    total(row);
  }
}

function swap(nodes) {
  opened = null;
  form.replaceChildren(...nodes);
  redrawn();
  go(0, 2);
}

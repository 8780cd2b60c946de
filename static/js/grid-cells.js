/* The sheet as rows and columns of fields: round, table, scores, sticks. Field names contain the position,
   so that lookups have constant cost. The header row is -1. */

export const form = document.querySelector("[data-grid]");
export const NAMES = -1;
export const FIRST_SCORE = 2;

let body = form.querySelector("tbody");
let head = form.querySelector("thead tr");

/* The server has rendered a new sheet. */
export function redrawn() {
  body = form.querySelector("tbody");
  head = form.querySelector("thead tr");
}

export function rowCount() {
  return body.rows.length;
}

/* Of the fields in a row; the sum behind them is none. */
export function columnCount() {
  return head.cells.length - 1;
}

export function rowAt(row) {
  return body.rows[row];
}

export function rows() {
  return [...body.rows];
}

export function headAt(column) {
  return head.cells[column];
}

/* The table cell; names are in the head. */
export function cellAt(row, column) {
  return row === NAMES ? head.cells[column] : body.rows[row]?.cells[column];
}

export function fieldAt(row, column) {
  const field = column < 0 || column >= columnCount() ? null : body.rows[row]?.cells[column]?.lastElementChild;
  return field ?? undefined;
}

/* Position of a field or cell; null outside rows. */
export function placeOf(element) {
  const cell = element.closest("[data-row] > *");
  const name = cell?.lastElementChild?.name;
  return name ? { row: Number(name.split("_")[1]), column: cell.cellIndex } : null;
}

export function valueAt(row, column) {
  return row === NAMES ? nameAt(column) : fieldAt(row, column).value;
}

/* A typed guest, a chosen player, or the column's name. */
function nameAt(column) {
  const cell = head.cells[column];
  const choice = cell.querySelector("select")?.selectedOptions[0];
  if (choice?.value === "guest") {
    return cell.querySelector(".grid-guest").value;
  }
  return (cell.querySelector("span[id]") ?? (choice?.value ? choice : cell)).textContent;
}

/* The column of every player, by the key that the page carries. */
export function columnsByPlayer() {
  const chosen = [...head.querySelectorAll("[name^=player_]")].filter((field) => field.value);
  return new Map(chosen.map((field) => [field.value, Number(field.name.split("_")[1]) + FIRST_SCORE]));
}

export function go(row, column) {
  const field = fieldAt(row, column);
  field?.focus();
  field?.select();
  return Boolean(field);
}

/* A field of a row that the page does not show: the stored hanchan, its version, the row's own key. */
export function hidden(row, name) {
  return rowAt(row).querySelector(`[name=${name}_${row}]`);
}

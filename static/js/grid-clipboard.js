/* Rectangles out and in: cells divided by tabs, rows by line ends, as every spreadsheet has them. */

import { columnCount, fieldAt, form, placeOf, rowCount, valueAt } from "./grid-cells.js";
import { write } from "./grid-history.js";
import { addRows } from "./grid-rows.js";
import { picked, placesOf, unpick } from "./grid-selection.js";
import { OUT, isScore } from "./grid-sums.js";

const most = Number(form.dataset.most);
const NAMED = 3;

/* Empty the cells of a rectangle; names stay. */
export function clear(area) {
  const places = [...placesOf({ ...area, top: Math.max(area.top, 0) })];
  return write(places.map((place) => ({ ...place, text: "" })));
}

function textOf({ top, left, bottom, right }) {
  const lines = [];
  for (let row = top; row <= bottom; row += 1) {
    const cells = [];
    for (let column = left; column <= right; column += 1) {
      cells.push(valueAt(row, column).trim());
    }
    lines.push(cells.join("\t"));
  }
  return lines.join("\n");
}

function isHeader(cells) {
  return cells.filter((cell) => cell.trim() && !OUT.test(cell.trim()) && !isScore(cell)).length >= NAMED;
}

/* What does not fit goes to the server, which makes room for it; a score would be no number of sticks. */
function fits(block, { row, column }) {
  const sticks = columnCount() - 1;
  const isInside = row + block.length <= most && block.every((line) => column + line.length <= sticks + 1);
  return isInside && (column === sticks || block.every((line) => /^\s*\d{0,2}\s*$/.test(line[sticks - column] ?? "")));
}

function lay(block, { row, column }) {
  addRows(row + block.length - rowCount());
  const cells = block.flatMap((line, down) =>
    line.map((text, right) => ({ row: row + down, column: column + right, text: text.trim() }))
  );
  write(cells);
}

/* `say` shows a message; `send` posts a block to the server, which matches names. */
export function useClipboard(say, send) {
  const copied = (event) => {
    const area = picked();
    if (!area || !placeOf(event.target)) {
      return null;
    }
    event.preventDefault();
    event.clipboardData.setData("text/plain", textOf(area));
    return area;
  };
  form.addEventListener("copy", (event) => {
    const area = copied(event);
    if (area) {
      say("copied", sizeOf(area));
    }
  });
  form.addEventListener("cut", (event) => {
    const area = copied(event);
    if (area) {
      clear(area);
      say("cut", sizeOf(area));
    }
  });
  form.addEventListener("paste", (event) => {
    const place = placeOf(event.target);
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    const area = picked();
    if (!place || (!/[\t\n]/.test(text) && !area)) {
      return;
    }
    event.preventDefault();
    unpick();
    const at = area ? { row: Math.max(area.top, 0), column: area.left } : place;
    const block = text.split("\n").map((line) => line.split("\t"));
    if (area && block.length === 1 && block[0].length === 1) {
      write([...placesOf({ ...area, top: at.row })].map((each) => ({ ...each, text: text.trim() })));
      say("pasted", sizeOf({ ...area, top: at.row }));
    } else if (isHeader(block[0]) || /回|半荘/.test(block[0][0]) || !fits(block, at)) {
      send(text, at);
    } else {
      lay(block, at);
      say("pasted", { rows: block.length, columns: Math.max(...block.map((line) => line.length)) });
      fieldAt(at.row, at.column).select();
    }
  });
}

export function sizeOf({ top, left, bottom, right }) {
  return { rows: bottom - top + 1, columns: right - left + 1 };
}


/* Sum of a row's scores, and the rest for a missing one. */

import { STICK, parseCount, parseScore, readScores, shownScore, typedScore } from "./scores.js";
import { FIRST_SCORE, columnCount, fieldAt, form, rowAt } from "./grid-cells.js";

const { minus, off } = form.dataset;
const size = Number(form.dataset.size);
const all = Number(form.dataset.start) * size;

const WIND = /^\s*[東南西北ESWN]|[東南西北ESWN]\s*$/gi;
export const OUT = /^(抜け?|[-—–－]|out|x|×)$/i;

/* The score of a cell, without the seat, the bust and the chombo behind it. */
export function score(text) {
  const words = text.normalize("NFKC").trim().split(/\s+/);
  return (words.find((word) => /\d/.test(word)) ?? "").replace(WIND, "");
}

export function isScore(text) {
  return !Number.isNaN(parseScore(score(text) || "x"));
}

function played(row) {
  const sticks = parseCount(fieldAt(row, columnCount() - 1).value);
  const texts = [];
  for (let column = FIRST_SCORE; column < columnCount() - 1; column += 1) {
    const text = fieldAt(row, column).value.trim();
    if (text && !OUT.test(text)) {
      texts.push(score(text) || "?");
    }
  }
  const expected = all - sticks * STICK;
  return { expected, points: readScores(texts, expected).map((each) => each.points) };
}

/* The only missing score as typed text; empty if several are missing or unreadable. */
export function leftOver(row) {
  const { expected, points } = played(row);
  if (points.length !== size - 1 || points.some(Number.isNaN)) {
    return "";
  }
  return typedScore(points.reduce((rest, each) => rest - each, expected), "-");
}

/* Shows a row's sum. Reads only this row. */
export function total(row) {
  const { expected, points } = played(row);
  const place = rowAt(row).querySelector("[data-sum]");
  const rest = points.reduce((sum, each) => sum + each, -expected);
  let says = "…";
  if (!points.length) {
    says = "";
  } else if (points.length === size && !Number.isNaN(rest)) {
    says = rest ? `${off} ${shownScore(rest, minus)}` : "✓";
  } else if (points.length === size - 1 && !Number.isNaN(rest)) {
    says = `→ ${typedScore(-rest, minus)}`;
  }
  if (place.textContent !== says) {
    place.textContent = says;
  }
  const alone = place.nextElementSibling;
  if (alone) {
    alone.hidden = points.length > 0;
  }
  return says;
}

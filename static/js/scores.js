/* Raw scores as people type them; the server reads them the same way and decides. */

export const STICK = 1000;
export const EMPTY = null;

const MINUS = /[▲△▼−–—ー－‐]/g;
const NOISE = /[\s,、'_]|点|pts?$/gi;
const TERM = /[+-]?\d+(?:\.\d+)?/g;
const WHOLE = /^[+-]?\d+(?:\.\d+)?(?:[+-]\d+(?:\.\d+)?)*$/;

/* Points for "317", "31,700", "31.7", "３１７", "▲15" or "250+80-39"; EMPTY for nothing, NaN for what is no score. */
export function parseScore(text) {
  const plain = text.replace(MINUS, "-").normalize("NFKC").replace(MINUS, "-").replace(NOISE, "");
  if (!plain) {
    return EMPTY;
  }
  if (!WHOLE.test(plain)) {
    return NaN;
  }
  const points = plain.match(TERM).reduce((sum, term) => sum + termInPoints(term), 0);
  return points % 100 ? NaN : points;
}

function termInPoints(term) {
  const digits = term.replace(/^[+-]/, "");
  const [whole, fraction] = digits.split(".");
  const size = fraction
    ? Number(whole) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3))
    : Number(whole) * (isHundreds(digits) ? 100 : 1);
  return term.startsWith("-") ? -size : size;
}

/* Up to four digits mean hundreds, so that "00" may stand behind them. */
export function isHundreds(text) {
  return /^\D*\d{0,4}$/.test(text.normalize("NFKC").replace(/[\s,、'_]/g, ""));
}

/* What somebody would type for these points: 317, ▲15. */
export function typedScore(points, minus) {
  const hundreds = String(Math.abs(points) / 100);
  return (points < 0 ? minus : "") + (hundreds.length <= 4 ? hundreds : String(Math.abs(points)));
}

export function shownScore(points, minus) {
  return (points < 0 ? minus : "") + String(Math.abs(points)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/* A count such as that of sticks; full-width digits too. */
export function parseCount(text) {
  return parseInt(text.normalize("NFKC"), 10) || 0;
}

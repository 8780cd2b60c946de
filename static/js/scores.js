/* Raw scores as people type them; the server reads them the same way and decides. */

export const STICK = 1000;
export const EMPTY = null;

const MINUS = /[▲△▼−–—ー－‐]/g;
const UNIT = /点(?!\d)|pts?$/gi;
const NUMBER = /\d[\d.,'’·・、_ ]*\d/g;
const GROUPED = /^(\d{1,3}(?:([,'_ ])\d{3})(?:\2\d{3})*)(?:\.(\d+))?$/;
const POINT_GROUPED = /^(?:(\d{1,3}(?:([.'_ ])\d{3})(?:\2\d{3})*),(\d+)|(\d{1,3}(?:\.\d{3}){2,}))$/;
const COMMA = /^(\d+),(\d+)$/;
const BESIDE = /(?<!\d)[\s'_]+|[\s'_]+(?!\d)/g;
const TERM = /[+-]?\d+(?:\.\d+)?/g;
const WHOLE = /^[+-]?\d+(?:\.\d+)?(?:[+-]\d+(?:\.\d+)?)*$/;

/* Meaning of a text alone: `points` in its usual unit ("317", "31,700", "31.7", "３１７", "▲15", "250+80-39"), and `inPoints`
   if whole points are possible too ("1000"), else null. EMPTY for nothing, NaN for no score. */
function meaningsOf(text) {
  const plain = plainScore(text);
  if (!plain || !WHOLE.test(plain)) {
    return { points: plain ? NaN : EMPTY, inPoints: null, isPoints: false };
  }
  const terms = plain.match(TERM);
  const points = terms.reduce((sum, term) => sum + termInPoints(term), 0);
  if (points % 100) {
    return { points: NaN, inPoints: null, isPoints: false };
  }
  const isPoints = terms.some((term) => !term.includes(".") && !isHundreds(term));
  const inPoints = terms.reduce((sum, term) => sum + Number(term), 0);
  const mayBe = !isPoints && !plain.includes(".") && inPoints % 100 === 0 && inPoints !== points;
  return { points, inPoints: mayBe ? inPoints : null, isPoints };
}

/* A text in half-width digits with a point for decimals: a comma is one unless exactly three digits follow. */
function plainScore(text) {
  const half = text.replace(MINUS, "-").normalize("NFKC").replace(MINUS, "-");
  return half.replace(NUMBER, plainNumber).replace(BESIDE, "").replace(UNIT, "");
}

function plainNumber(typed) {
  const number = typed.replaceAll("’", "'").replaceAll("、", ",").replace(/[·・]/g, ".");
  const [, whole, , part, alone] = (!number.startsWith("0,") && (number.match(POINT_GROUPED) ?? number.match(GROUPED))) || [];
  const digits = whole ?? alone;
  return digits ? digits.replace(/\D/g, "") + (part ? `.${part}` : "") : number.replace(COMMA, "$1.$2");
}

/* Points of a single text. */
export function parseScore(text) {
  return meaningsOf(text).points;
}

/* Meaning of a table's scores together, each with points and whether in hundreds: the reading that adds up to
   `expected`, without sticks. Otherwise short numbers are points beside others that are, or where hundreds
   would exceed the table's total. */
export function readScores(texts, expected) {
  const read = texts.map(meaningsOf);
  const writesPoints = read.some((each) => each.isPoints);
  const points = fitting(read, expected) ?? read.map((each) => byItself(each, expected, writesPoints));
  return points.map((score, seat) => ({ points: score, isHundreds: score === read[seat].points && isHundreds(texts[seat]) }));
}

/* All as usual, all in points, then with as few in points as possible. */
function fitting(read, expected) {
  if (read.some(({ points }) => points === EMPTY || Number.isNaN(points))) {
    return undefined;
  }
  const all = read.reduce((found, each) => found.flatMap((raw) => eachWay(each).map((score) => [...raw, score])), [[]]);
  const inPoints = (raw) => raw.filter((score, seat) => score !== read[seat].points).length;
  const most = Math.max(...all.map(inPoints));
  const order = (raw) => (inPoints(raw) === most ? 0.5 : inPoints(raw));
  return all.sort((one, other) => order(one) - order(other)).find((raw) => raw.reduce((sum, score) => sum + score, 0) === expected);
}

function eachWay({ points, inPoints }) {
  return inPoints === null ? [points] : [points, inPoints];
}

function byItself({ points, inPoints }, expected, writesPoints) {
  const isAbsurd = expected > 0 && Math.abs(points) >= expected;
  return inPoints !== null && (writesPoints || isAbsurd) ? inPoints : points;
}

function termInPoints(term) {
  const digits = term.replace(/^[+-]/, "");
  const [whole, fraction] = digits.split(".");
  const size = fraction
    ? Number(whole) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3))
    : Number(whole) * (isHundreds(digits) ? 100 : 1);
  return term.startsWith("-") ? -size : size;
}

/* Up to four digits mean hundreds, so that "00" can follow them. */
export function isHundreds(text) {
  return /^\D*\d{0,4}$/.test(plainScore(text));
}

/* Typed text for these points: 317, ▲15. */
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

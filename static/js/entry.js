/* Live parts of the entry page: sum, last score and echo; the rest comes from the server's form. */

import "./keyboard.js";
import { EMPTY, STICK, parseCount, readScores, shownScore, typedScore } from "./scores.js";

const PAUSE = 150;

export const form = document.querySelector("[data-entry]");
const { minus, auto: autoWord } = form.dataset;
const start = Number(form.dataset.start);
const fills = form.dataset.fills === "1";
const bustAt = Number(form.dataset.bustAt);

const rows = [...form.querySelectorAll("[data-seat]")];
const scores = rows.map((row) => row.querySelector("[data-raw]"));
const players = rows.map((row) => row.querySelector("select"));
const sticks = form.elements.sticks_left;
const automatic = form.elements.auto;
const save = document.getElementById("save");

const answers = new Map();

let filled = filledAtFirst();
let timer = null;
let asked = 0;
let shown = 0;

function filledAtFirst() {
  const [seat, text] = automatic.value.split(":");
  return text !== undefined && scores[seat]?.value === text ? Number(seat) : -1;
}

/* --- The last score and the sum --- */

function recount() {
  const count = parseCount(sticks.value);
  fillLast(count);
  const read = readAll(count);
  read.forEach(echo);
  showSum(read.map((score) => score.points), count);
}

/* What all scores mean together; that of the seat `without` has not been typed. */
function readAll(count, without = -1) {
  const texts = scores.map((field, seat) => (seat === without ? "" : field.value));
  return readScores(texts, rows.length * start - count * STICK);
}

function fillLast(count) {
  if (!fills) {
    return;
  }
  const points = readAll(count, filled).map((score) => score.points);
  const empty = points.flatMap((score, seat) => (score === EMPTY ? [seat] : []));
  const left = rows.length * start - count * STICK;
  const seat = empty.length === 1 && left >= 0 && !points.some(Number.isNaN) ? empty[0] : -1;
  if (filled >= 0 && seat !== filled) {
    scores[filled].value = "";
  }
  filled = seat >= 0 && (seat === filled || scores[seat] !== document.activeElement) ? seat : -1;
  if (filled >= 0) {
    const rest = points.reduce((rest, score) => rest - (score ?? 0), left);
    scores[filled].value = typedScore(rest, minus);
  }
  automatic.value = filled >= 0 ? `${filled}:${scores[filled].value}` : "";
}

function echo({ points, isHundreds }, seat) {
  const place = document.getElementById(`echo-${seat}`);
  const known = points !== EMPTY && !Number.isNaN(points);
  place.textContent = known ? shownScore(points, minus) : "";
  place.classList.toggle("neg", known && points < 0);
  if (seat === filled) {
    const mark = Object.assign(document.createElement("span"), { className: "tag", textContent: autoWord });
    place.append(" ", mark);
  }
  rows[seat].classList.toggle("filled", seat === filled);
  rows[seat].classList.toggle("points", !isHundreds);
}

function showSum(points, count) {
  const complete = points.every((score) => score !== EMPTY && !Number.isNaN(score));
  const total = points.reduce((sum, score) => sum + (score || 0), count * STICK);
  const right = total === rows.length * start;
  document.getElementById("sum-total").textContent = points.some(Boolean) ? shownScore(total, minus) : "—";
  const line = form.querySelector("[data-sum]");
  line.classList.toggle("good", complete && right);
  line.classList.toggle("bad", complete && !right);
}

/* --- Everything that follows from it, from the server --- */

function changed() {
  form.querySelector("[data-sum] + #errors")?.remove();
  recount();
  clearTimeout(timer);
  timer = setTimeout(preview, PAUSE);
}

async function preview() {
  const turn = ++asked;
  try {
    const typed = new FormData(form);
    typed.delete("photo");
    const answer = await fetch(form.dataset.entry, { method: "POST", body: typed });
    if (answer.status !== 200 || answer.redirected) {
      throw new Error(String(answer.status));
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (turn > shown) {
      shown = turn;
      page.querySelectorAll("[data-part]").forEach(put);
    }
  } catch {
    /* Without the network the sum is still checked here, and saving checks everything; old points and advice must not stay. */
    form.querySelectorAll(".seat-out, #verdict").forEach((place) => place.replaceChildren());
    askBusts();
  }
}

/* Prepared questions about busts, for the players now bust. */
function askBusts() {
  const place = document.getElementById("busts");
  const points = readAll(parseCount(sticks.value)).map((score) => score.points);
  const isKnown = points.every((score) => score !== EMPTY && !Number.isNaN(score));
  const bust = isKnown ? points.flatMap((score, seat) => (score <= bustAt ? [seat] : [])) : [];
  const asked = [...place.querySelectorAll("fieldset")].map((question) => Number(question.id.replace("bust-", "")));
  if (String(asked) === String(bust)) {
    return;
  }
  const questions = bust.map((seat) => form.querySelector(`template[data-bust="${seat}"]`)).filter(Boolean);
  place.replaceChildren(...questions.map((question) => question.content.cloneNode(true)));
  place.dataset.key = `here:${bust}`;
  rename();
}

function put(part) {
  const place = document.getElementById(part.dataset.part);
  const { key } = part.dataset;
  if (!place || (key !== undefined && key === place.dataset.key) || place.innerHTML === part.innerHTML) {
    return;
  }
  const chosen = [...place.querySelectorAll(":checked")].map(({ name, value }) => [name, value]);
  chosen.forEach(([name]) => answers.delete(name));
  chosen.forEach(([name, value]) => answers.set(name, [...(answers.get(name) ?? []), value]));
  place.replaceChildren(...part.childNodes);
  if (key !== undefined) {
    place.dataset.key = key;
  }
  answerAgain(place);
}

/* A question that comes back has the answer that it had, as scores may be wrong while they are retyped. */
function answerAgain(place) {
  const names = new Set([...place.querySelectorAll(":checked")].map((choice) => choice.name));
  const open = [...place.querySelectorAll("[type=radio], [type=checkbox]")].filter(
    ({ name, value }) => !names.has(name) && answers.get(name)?.includes(value),
  );
  open.forEach((choice) => {
    choice.checked = true;
  });
  if (open.length > 0) {
    changed();
  }
}

/* --- Going from field to field --- */

function step(from, by) {
  const order = [...scores.filter((_, seat) => seat !== filled), save];
  const at = order.indexOf(from);
  if (at < 0) {
    return false;
  }
  order[at + by]?.focus();
  return true;
}

form.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key !== "Enter" || event.isComposing || !field.matches("input, select, textarea")) {
    return;
  }
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    form.requestSubmit(save);
  } else if (field.matches("input:not([type=radio], [type=checkbox])")) {
    event.preventDefault();
    if (!step(field, event.shiftKey ? -1 : 1)) {
      field.blur();
    }
  }
});

/* Focusing a number selects it, so that the first digit replaces it. */
form.addEventListener("focusin", (event) => {
  if (event.target.inputMode === "numeric") {
    event.target.select();
  }
});

/* An empty field may be filled, but never while it has the focus. */
form.addEventListener("focusout", () => {
  const known = automatic.value;
  setTimeout(() => {
    recount();
    if (automatic.value !== known) {
      changed();
    }
  });
});

/* --- Seats --- */

const before = players.map((player) => player.value);

/* Seats players by key and name, first dealer first; missing ones stay empty. */
export function seat(people) {
  players.forEach((player, at) => {
    const [key, name] = people[at] ?? ["", ""];
    if (![...player.options].some((option) => option.value === String(key))) {
      player.add(new Option(name, key));
    }
    player.value = key;
    before[at] = player.value;
    form.elements[`guest_${at}`].value = "";
  });
  rename();
}

/* Choosing a seated player swaps the two seats. */
function reseat(seat) {
  const chosen = players[seat].value;
  const other = players.findIndex((player, at) => at !== seat && player.value === chosen);
  if (chosen && chosen !== "guest" && other >= 0) {
    players[other].value = before[seat];
    before[other] = players[other].value;
  }
  before[seat] = chosen;
  if (chosen === "guest") {
    rows[seat].querySelector(".seat-guest input").focus();
  }
}

function rename() {
  players.forEach((player, seat) => {
    const guest = form.elements[`guest_${seat}`].value.trim();
    const name = player.value === "guest" ? guest : player.value && player.selectedOptions[0].text;
    for (const label of form.querySelectorAll(`[data-name="${seat}"]`)) {
      label.textContent = name || rows[seat].querySelector(".seat-wind .sr").textContent;
    }
  });
}

function swap(first) {
  for (const field of form.elements) {
    const [, kind, seat] = /^(player|guest|raw|chombo|yakuman|chips|deposits)_(\d)$/.exec(field.name) ?? [];
    if (Number(seat) === first) {
      const other = form.elements[`${kind}_${first + 1}`];
      [field.value, other.value] = [other.value, field.value];
    }
  }
  players.forEach((player, seat) => (before[seat] = player.value));
  const turned = { [first]: first + 1, [first + 1]: first };
  filled = turned[filled] ?? filled;
  for (const answer of form.querySelectorAll("[name^='bust_']:checked")) {
    answer.checked = false;
  }
  rename();
}

function negate(seat) {
  const field = scores[seat];
  const sign = /^\s*[-−▲△]/;
  field.value = sign.test(field.value) ? field.value.replace(sign, "") : minus + field.value.trimStart();
  if (filled === seat) {
    filled = -1;
  }
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/* --- Buttons: the server's actions, done here --- */

const actions = {
  swap,
  negate,
  sticks: (count) => (sticks.value = count),
};

form.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) {
    return;
  }
  const counter = button.closest("[data-counter]");
  const [action, number] = button.value.split("-");
  if (counter && button.classList.contains("step")) {
    const field = counter.querySelector("input");
    const count = parseCount(field.value);
    field.value = Math.max(Number(counter.dataset.least), count + Number(button.value));
  } else if (button.name === "do" && action in actions) {
    event.preventDefault();
    actions[action](Number(number));
  } else {
    return;
  }
  changed();
});

form.addEventListener("input", (event) => {
  if (filled >= 0 && event.target === scores[filled]) {
    filled = -1;
  }
  if (event.target.name?.startsWith("guest_")) {
    rename();
  }
  changed();
});

form.addEventListener("change", (event) => {
  const seat = players.indexOf(event.target);
  if (seat >= 0) {
    reseat(seat);
    rename();
    changed();
  }
});

/* --- For what keeps and restores the page (save.js) --- */

/* Whether people and scores can be saved, as far as known offline. */
export function isComplete() {
  const people = players.map((player, seat) =>
    player.value === "guest" ? form.elements[`guest_${seat}`].value.trim() : player.value,
  );
  return form.querySelector("[data-sum]").classList.contains("good") && people.every(Boolean) && new Set(people).size === people.length;
}

/* Players bust without a known cause; undefined if none. */
export function unanswered() {
  const questions = [...form.querySelectorAll("#busts fieldset")];
  const open = questions.find((question) => !question.querySelector(":checked"));
  return open && seatsShown()[Number(open.id.replace("bust-", ""))].name;
}

export function hasScores() {
  return scores.some((field) => field.value.trim());
}

/* Display of each seat: name and score. */
export function seatsShown() {
  return rows.map((row, seat) => ({
    name: players[seat].value === "guest" ? form.elements[`guest_${seat}`].value.trim() : (players[seat].selectedOptions[0]?.text ?? ""),
    score: document.getElementById(`echo-${seat}`).firstChild?.textContent.trim() || scores[seat].value,
  }));
}

/* The fields were filled by another person. */
export function refilled() {
  players.forEach((player, seat) => (before[seat] = player.value));
  filled = filledAtFirst();
  rename();
  changed();
}

export function focusFirst() {
  scores[0].focus();
}

/* --- At first --- */

for (const button of form.querySelectorAll("[hidden].step")) {
  button.hidden = false;
}
if (matchMedia("(min-width: 64rem)").matches) {
  form.querySelectorAll("[data-wide-open]").forEach((fold) => (fold.open = true));
}
document.querySelector("[data-focus]")?.focus();
recount();
if (scores.some((field) => field.value)) {
  preview();
}

/* The points ticker: three scores after each hand. Kept on this phone first, then sent, in the order in which it was typed. */

import { drop, flush, keep, outbox, records } from "./outbox.js";
import { about } from "./pace.js";
import { EMPTY, readScores, shownScore } from "./scores.js";
import { newKey, open } from "./store.js";
import { afterHand, atFirst, dealerOf, filled, isLast, standing, sticksAfter, turned, withoutRiichi } from "./ticker-hands.js";
import "./unsent-banner.js";

const PAUSE = 5_000;
const LOOK_PAUSE = 200;

const form = document.querySelector("[data-ticker]");
const { url, round, minus, line: lineText, title } = form.dataset;
const rules = JSON.parse(form.dataset.rules);
const rows = [...form.querySelectorAll("[data-seat]")];
const fields = rows.map((_, seat) => form.elements[`raw_${seat}`]);
const state = document.getElementById("ticker-state");
const lastHands = document.getElementById("last-hands");
const handover = document.querySelector("[data-handover]");

let known = JSON.parse(form.dataset.facts);
let own = [];
let moment = 0;
let looking = null;
let asked = 0;

/* --- What stands --- */

function facts() {
  const there = new Set(known.map((fact) => fact.key));
  return [...known, ...own.filter((record) => !there.has(record.client_key)).map((record) => record.tick)];
}

function latest() {
  return standing(facts()).at(-1);
}

function now() {
  return latest() ?? atFirst(rules);
}

function played() {
  return latest()?.number ?? 0;
}

function nameOf(hand) {
  return [...form.elements.hand.options].find((option) => option.value === hand)?.text ?? hand;
}

function lineOf({ hand, honba, sticks }) {
  return lineText.replace("{hand}", nameOf(hand)).replace("{honba}", honba).replace("{sticks}", sticks);
}

/* --- What is typed --- */

function count(name) {
  const text = form.elements[name].value.normalize("NFKC").trim();
  return /^\d{1,2}$/.test(text) ? Number(text) : null;
}

/* The table after what is typed, or undefined where that is not enough or makes no sense. */
function typed() {
  const before = now();
  const asked = count("sticks");
  const total = rules.players * rules.start;
  const read = readScores(fields.map((field) => field.value), total - 1000 * (asked ?? before.sticks)).map(({ points }) => points);
  const empty = read.filter((score) => score === EMPTY).length;
  if (read.some(Number.isNaN) || empty > 1) {
    return undefined;
  }
  const sticks = asked ?? sticksAfter(before, read, rules);
  const scores = filled(read, sticks ?? 0, rules);
  if (sticks === null || scores.reduce((sum, score) => sum + score, 0) + 1000 * sticks !== total) {
    return undefined;
  }
  return changed(afterHand(before, scores, sticks, rules));
}

function changed(after) {
  return { ...after, hand: form.elements.hand.value || after.hand, honba: count("honba") ?? after.honba };
}

/* --- Showing --- */

function draw() {
  const current = now();
  const dealer = dealerOf(current);
  form.querySelector("[data-now]").textContent = lineOf(current);
  form.elements.number.value = played() + 1;
  rows.forEach((row, seat) => {
    row.classList.toggle("deals", seat === dealer);
    row.querySelector("[data-mark]").textContent = rules.marks[(seat - dealer + rules.players) % rules.players];
    row.querySelector("[data-score]").textContent = shownScore(current.scores[seat], minus);
    row.querySelector("[data-riichi]").setAttribute("aria-pressed", current.riichi.includes(seat));
  });
  const undo = form.elements.takes_back;
  undo.value = latest()?.key ?? "";
  undo.disabled = !undo.value;
  drawCourse();
  fillHandover(current);
  drawTyped();
}

function drawCourse() {
  const body = document.getElementById("course");
  const line = document.getElementById("course-line").content.firstElementChild;
  const lines = standing(facts()).reverse();
  body.replaceChildren(
    ...lines.map((tick) => {
      const row = line.cloneNode(true);
      row.querySelector("th").textContent = nameOf(tick.hand);
      row.querySelectorAll("td").forEach((cell, seat) => (cell.textContent = shownScore(withoutRiichi(tick)[seat], minus)));
      return row;
    }),
  );
}

function fillHandover(current) {
  current.scores.forEach((score, seat) => (handover.elements[`raw_${seat}`].value = (score / 1000).toFixed(1)));
  handover.elements.sticks_left.value = current.sticks;
  handover.querySelector("button").value = `sticks-${current.sticks}`;
}

/* The score that follows from the others, and the hand that comes next. */
function drawTyped() {
  const after = typed();
  const left = fields.filter((field) => !field.value.trim());
  rows.forEach((row, seat) => {
    const isLeft = after && left.length === 1 && left[0] === fields[seat];
    row.querySelector("[data-auto]").textContent = isLeft ? shownScore(after.scores[seat], minus) : "";
  });
  form.querySelector("[data-next]").textContent = after ? lineOf(after) : "—";
  look(after ?? now());
}

/* --- What the last hand means: the server tells, and keeps nothing --- */

function look(after) {
  clearTimeout(looking);
  if (!isLast(after.hand, rules)) {
    lastHands.replaceChildren();
    return;
  }
  looking = setTimeout(ask, LOOK_PAUSE, after);
}

async function ask(after) {
  const number = (asked += 1);
  const sent = new FormData();
  for (const [name, value] of [...fieldsOf(after, played()), ["do", "look"]]) {
    sent.append(name, value);
  }
  const token = form.elements.csrfmiddlewaretoken?.value;
  const headers = { Accept: "application/json", ...(token ? { "X-CSRFToken": token } : {}) };
  try {
    const answer = await fetch(url, { method: "POST", body: sent, headers, redirect: "error" });
    const { html } = await answer.json();
    if (answer.ok && number === asked) {
      const found = new DOMParser().parseFromString(html, "text/html");
      lastHands.replaceChildren(...found.body.childNodes);
    }
  } catch {
    /* Without the network what was told last stays. */
  }
}

/* --- Keeping and sending --- */

function fieldsOf(situation, number) {
  return [
    ["round", round],
    ["number", String(number)],
    ...rows.map((_, seat) => [`player_${seat}`, form.elements[`player_${seat}`].value]),
    // With a decimal point, so that nothing is taken for hundreds.
    ...situation.scores.map((score, seat) => [`raw_${seat}`, (score / 1000).toFixed(1)]),
    ["hand", situation.hand],
    ["honba", String(situation.honba)],
    ["sticks", String(situation.sticks)],
    ...situation.riichi.map((seat) => ["riichi", String(seat)]),
  ];
}

async function push(tick, sent) {
  const key = newKey();
  moment = Math.max(Date.now(), moment + 1);
  const shown = tick.scores ?? now().scores;
  await keep({
    client_key: key,
    url,
    state_url: "",
    fields: sent,
    photo: null,
    tick: { ...tick, key },
    tick_round: round,
    summary: {
      title,
      round: nameOf(tick.hand ?? now().hand),
      seats: rows.map((row, seat) => ({ name: row.dataset.name, score: shownScore(shown[seat], minus) })),
    },
    entered_at: new Date(moment).toISOString(),
    since: null,
    another: false,
    receipt: "",
    message: "",
    state: "unsent",
  });
  await gather();
  flush({ now: true });
}

function tickOf(situation, number) {
  return push({ ...situation, number }, fieldsOf(situation, number));
}

function takeBack() {
  const { key, number } = latest();
  return push({ number, takes_back: key }, [
    ["round", round],
    ["takes_back", key],
  ]);
}

async function gather() {
  own = (await records()).filter((record) => record.tick && record.url === url && record.tick_round === round).reverse();
  draw();
}

/* What is pressed, as a deed; undefined for what the server is to judge. */
function deedOf(submitter) {
  const { name, value } = submitter ?? {};
  if (name === "takes_back") {
    return () => takeBack();
  }
  if (value?.startsWith("riichi-")) {
    return () => tickOf(turned(now(), Number(value.slice(-1))), played());
  }
  if (value === "change") {
    const after = typed();
    return after || fields.some((field) => field.value.trim()) || count("sticks") !== null
      ? undefined
      : () => tickOf(changed(now()), played());
  }
  const after = typed();
  return after && (() => tickOf(after, played() + 1));
}

function clear() {
  for (const field of [...fields, form.elements.honba, form.elements.sticks, form.elements.hand]) {
    field.value = "";
  }
}

form.addEventListener("submit", async (event) => {
  const deed = deedOf(event.submitter);
  if (!deed || form.dataset.plain) {
    return;
  }
  event.preventDefault();
  try {
    await deed();
    clear();
    draw();
    document.getElementById("ticker-problem")?.remove();
    fields[0].focus({ preventScroll: true });
  } catch {
    // A browser that keeps nothing: the form goes as it would without a script.
    form.dataset.plain = "1";
    form.requestSubmit(event.submitter);
  }
});

form.addEventListener("input", drawTyped);
form.addEventListener("keydown", (event) => {
  const at = fields.indexOf(event.target);
  if (event.key === "Enter" && !event.isComposing && at >= 0) {
    event.preventDefault();
    (fields[at + 1] ?? form.querySelector("[data-save]")).focus();
  }
});

outbox.addEventListener("change", async (event) => {
  const record = event.detail;
  if (record?.tick && record.state === "refused") {
    state.textContent = record.message;
    await drop(record.client_key);
  } else if (record?.tick && record.state === "sent") {
    await refresh().catch(() => {});
  }
  await gather();
});

/* --- What other phones have typed --- */

async function refresh() {
  const answer = await fetch(url, { cache: "no-store", headers: { Accept: "application/json" }, redirect: "error" });
  if (!answer.ok) {
    throw new Error(String(answer.status));
  }
  const { round: here, ticks } = await answer.json();
  if (String(here) !== round) {
    location.reload();
    return;
  }
  known = ticks;
  const there = new Set(ticks.map((fact) => fact.key));
  for (const record of own) {
    if (record.state === "sent" && there.has(record.client_key)) {
      await drop(record.client_key);
    }
  }
}

async function poll() {
  if (!document.hidden) {
    try {
      await refresh();
      await gather();
    } catch {
      /* Asked again in a while. */
    }
  }
  setTimeout(poll, about(PAUSE));
}

async function begin() {
  await open();
  await gather();
}

begin()
  .catch(() => draw())
  .finally(() => {
    form.dataset.ready = "1";
    setTimeout(poll, about(PAUSE));
  });

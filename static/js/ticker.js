/* The points ticker: three scores after each hand. Kept on this phone first, then sent, in the order in which it was typed. */

import { word } from "./i18n.js";
import { isDraft, isOfTable, nextRound } from "./outbox-states.js";
import { drop, flush, keep, outbox, records } from "./outbox.js";
import { about } from "./pace.js";
import { EMPTY, readScores, shownScore, typedScore } from "./scores.js";
import { newKey, open } from "./store.js";
import { handOver } from "./ticker-entry.js";
import { afterHand, atFirst, filled, standing, sticksAfter, turned } from "./ticker-hands.js";
import { look } from "./ticker-look.js";
import { recalled, remember } from "./ticker-memory.js";
import {
  drawCourse, drawRound, drawSeats, drawTable, enterUrl, fields, fillHandover, form, handover, lineOf, minus, nameOf, plans, rows, rules,
  shown, state, title, url,
} from "./ticker-page.js";
import "./unsent-banner.js";

const PAUSE = 5_000;
const PATIENCE = 10_000;

/* The server's last state: hanchan, facts, seats; and its time. */
let told = newer(shown);
let heard = 0;
/* This page's hanchan: after a save on this phone the server may not know it yet. */
let { round } = told;
let own = [];
let moment = 0;

/* --- State --- */

/* Facts are only ever added: more of them are later ones. */
function newer(page) {
  const { ticks, players } = recalled(url, page.round);
  return ticks?.length > page.ticks.length ? { ...page, ticks, players } : page;
}

function facts() {
  const known = told.round === round ? told.ticks : [];
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

/* Seats: as typed last, else planned; undefined without a plan. */
function seating() {
  const last = own.findLast((record) => record.tick.scores);
  const typedLast = last?.fields.filter(([name]) => name.startsWith("player_")).map(([, player]) => Number(player));
  return typedLast ?? (told.round === round ? told.players : (plans[round] ?? plans[0])?.map(([player]) => player));
}

/* --- Input --- */

/* In the last hand the server explains each possible ending. */
function lookAhead(after) {
  look(after, () => fieldsOf(after, played()));
}

function count(name) {
  const text = form.elements[name].value.normalize("NFKC").trim();
  return /^\d{1,2}$/.test(text) ? Number(text) : null;
}

/* The table after the input, or undefined if incomplete or invalid. */
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
  drawSeats(seating());
  drawTable(current);
  form.elements.number.value = played() + 1;
  const undo = form.elements.takes_back;
  undo.value = latest()?.key ?? "";
  undo.disabled = !undo.value;
  drawRound(round);
  drawCourse(standing(facts()));
  fillHandover(current);
  drawTyped();
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
  lookAhead(after ?? now());
}

/* --- Keeping and sending --- */

function fieldsOf(situation, number, players = seating()) {
  return [
    ["round", String(round)],
    ["number", String(number)],
    ...players.map((player, seat) => [`player_${seat}`, String(player)]),
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
  const at = new Date(moment).toISOString();
  remember(url, round, { since: recalled(url, round).since ?? at });
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
    entered_at: at,
    since: null,
    another: false,
    receipt: "",
    message: "",
    state: "unsent",
  });
  await gather();
  flush({ now: true });
}

function tickOf(situation, number, players) {
  return push({ ...situation, number }, fieldsOf(situation, number, players));
}

function takeBack() {
  const { key, number } = latest();
  return push({ number, takes_back: key }, [
    ["round", String(round)],
    ["takes_back", key],
  ]);
}

async function gather() {
  const kept = await records();
  const saved = kept.filter((record) => !record.tick && !isDraft(record) && isOfTable(record, enterUrl));
  round = nextRound(saved, told.round, heard);
  own = kept.filter((record) => record.tick && record.url === url && record.tick_round === round).reverse();
  draw();
}

/* Chosen players, or undefined while one has two seats. */
function chosen() {
  const players = rows.map((_, seat) => Number(form.elements[`player_${seat}`].value));
  return new Set(players).size === players.length ? players : undefined;
}

/* A pressed key as an action; undefined if the server decides. */
function deedOf(submitter) {
  const { name, value } = submitter ?? {};
  if (name === "takes_back") {
    return () => takeBack();
  }
  if (value?.startsWith("riichi-")) {
    return () => tickOf(turned(now(), Number(value.slice(-1))), played());
  }
  if (value === "change") {
    const players = chosen();
    return !players || typed() || fields.some((field) => field.value.trim()) || count("sticks") !== null
      ? undefined
      : () => tickOf(changed(now()), played(), players);
  }
  const after = typed();
  return after && (() => tickOf(after, played() + 1));
}

const typing = [...fields, form.elements.honba, form.elements.sticks, form.elements.hand];

function clear() {
  for (const field of typing) {
    field.value = "";
  }
  keepTyping();
}

/* Half-typed input returns after a reload, unless another hand was played. */
function keepTyping() {
  remember(url, round, { number: played(), typed: typing.map((field) => field.value) });
}

function restoreTyping() {
  const { number, typed: texts } = recalled(url, round);
  if (texts && number === played() && typing.every((field) => !field.value)) {
    typing.forEach((field, at) => (field.value = texts[at]));
    drawTyped();
  }
}

/* The server explains invalid input; offline, one sentence replaces it. */
async function judge({ name, value }) {
  const sent = new FormData(form);
  sent.append(name, value);
  let answer;
  try {
    answer = await fetch(url, { method: "POST", body: sent, headers: { Accept: "application/json" }, redirect: "error" });
  } catch {
    return word("ticker_unclear");
  }
  const { message = "" } = await answer.json().catch(() => ({}));
  if (answer.ok) {
    clear();
    await refresh().catch(() => {});
    await gather();
  }
  return message;
}

form.addEventListener("submit", async (event) => {
  if (form.dataset.plain) {
    return;
  }
  event.preventDefault();
  const deed = deedOf(event.submitter);
  document.getElementById("ticker-problem")?.remove();
  if (!deed) {
    state.textContent = await judge(event.submitter);
    return;
  }
  try {
    await deed();
    state.textContent = "";
    clear();
    draw();
    fields[0].focus({ preventScroll: true });
  } catch {
    // A browser that keeps nothing: the form goes as it would without a script.
    form.dataset.plain = "1";
    form.requestSubmit(event.submitter);
  }
});

handover.addEventListener("submit", async (event) => {
  if (handover.dataset.plain) {
    return;
  }
  event.preventDefault();
  const meant = round;
  await gather();
  if (round !== meant) {
    // Its result is on this phone already: a page restored from the browser's memory may not know.
    return;
  }
  const { scores, sticks } = now();
  const seats = seating().map((player, seat) => {
    const shownAs = shownScore(scores[seat], minus);
    return { player, name: rows[seat].dataset.name, raw: typedScore(scores[seat], minus), score: shownAs };
  });
  try {
    const { since } = recalled(url, round);
    const { title: name } = handover.dataset;
    await handOver({ url: enterUrl, title: name, round, roundText: word("round", { round }), seats, sticks, since });
    location.assign(enterUrl);
  } catch {
    handover.dataset.plain = "1";
    handover.requestSubmit(event.submitter);
  }
});

form.addEventListener("input", (event) => {
  drawTyped();
  if (typing.includes(event.target)) {
    keepTyping();
  }
});
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
  const moment = Date.now();
  const patience = AbortSignal.timeout(PATIENCE);
  const answer = await fetch(url, { cache: "no-store", headers: { Accept: "application/json" }, redirect: "error", signal: patience });
  if (!answer.ok) {
    throw new Error(String(answer.status));
  }
  const { round: here, ticks, players } = await answer.json();
  if (here !== told.round) {
    location.reload();
    return;
  }
  document.getElementById("kept-page")?.remove();
  told = { round: here, ticks, players };
  heard = moment;
  remember(url, here, { ticks, players });
  const there = new Set(ticks.map((fact) => fact.key));
  for (const record of own) {
    if (record.state === "sent" && there.has(record.client_key)) {
      await drop(record.client_key);
    }
  }
}

async function poll() {
  if (!document.hidden) {
    await refresh().catch(() => {
      /* Asked again in a while. */
    });
    await gather().catch(() => {});
  }
  setTimeout(poll, about(PAUSE));
}

async function begin() {
  await open();
  await gather();
  restoreTyping();
  await refresh().catch(() => {});
  await gather();
}

/* The way on leads to the entry page, also where the network is gone by then. */
navigator.serviceWorker?.ready.then(({ active }) => active.postMessage({ keep: enterUrl }));

begin()
  .catch(() => draw())
  .finally(() => {
    form.dataset.ready = "1";
    setTimeout(poll, about(PAUSE));
  });

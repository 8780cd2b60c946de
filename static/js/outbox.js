/* Results on their way to the server: sent one by one, again and again, until an answer says what became of them.

   draft    being typed; nobody sends it
   unsent   to be sent as soon as that works       sending   on its way
   sent     the server has it; `standing` says what the table says of it
   held     an organiser looks at it               same      an equal one is there: a person decides
   refused  something is wrong with it             ended     the link of the table has ended
   login    whoever recorded it has to log in again */

import { device } from "./device.js";
import { all, change, get, remove } from "./store.js";

const PATIENCE = 15_000;
const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 5 * 60_000;
const DAY = 24 * 60 * 60_000;
const KEPT = 30 * DAY;
const COUNT = "tenbo-unsent";

const GOES_BY_ITSELF = new Set(["unsent", "sending", "login"]);
const GOES_ON_REQUEST = new Set([...GOES_BY_ITSELF, "ended", "refused", "same", "held"]);
const ANSWERS = new Set(["same", "refused", "held", "ended", "login"]);

/* Tells of every change of a record; the record is in `detail`. */
export const outbox = new EventTarget();

/* --- What there is --- */

export async function records() {
  const found = await all();
  return found.sort((one, other) => (one.entered_at < other.entered_at ? 1 : -1));
}

export function isUnsent(record) {
  return record.state !== "draft" && record.state !== "sent" && record.state !== "held";
}

export function isLate(record) {
  return isUnsent(record) && Date.now() - Date.parse(record.entered_at) > DAY;
}

/* The word for a record's state: once it is sent, what the table says of it. */
export function wordFor(record) {
  if (record.state !== "sent") {
    return record.state;
  }
  const { standing, asked } = record;
  return standing && standing !== "recorded" ? standing : asked ? "awaiting" : "sent";
}

async function tell(record) {
  const found = await all();
  try {
    localStorage.setItem(COUNT, found.filter(isUnsent).length);
  } catch {
    /* Other pages then do not know that something waits; this one does. */
  }
  outbox.dispatchEvent(new CustomEvent("change", { detail: record }));
  return record;
}

/* --- Keeping --- */

/* Keeps a result; what is sent or on its way is never written over by something else under its key. */
export async function keep(record) {
  const free = (known) => !known || known.state === "draft" || says(known) === says(record);
  const kept = await change(record.client_key, (known) => (free(known) ? { tries: 0, ...record } : undefined));
  return kept && tell(kept);
}

/* Takes in what another phone handed over; what this one knows already stays as it is. */
export async function receive(record) {
  await change(record.client_key, (known) => known ?? { tries: 0, ...record, state: "unsent" });
  return tell(await get(record.client_key));
}

export async function draftAgain(key, message = "") {
  return tell(await change(key, (known) => known && { ...known, state: "draft", another: false, message }));
}

export async function note(key, facts) {
  return tell(await change(key, (known) => known && { ...known, ...facts }));
}

export async function drop(key) {
  await remove(key);
  return tell(null);
}

/* Drops what is being typed, and never what somebody has saved meanwhile, here or in another tab. */
export async function dropDraft(key) {
  await remove(key, (known) => known.state === "draft");
  return tell(null);
}

/* What a record says, to be compared: empty fields and the automatic score's mark say nothing. */
export function says(record) {
  return JSON.stringify([...record.fields.filter(([name, value]) => value && name !== "auto" && name !== "round")].sort());
}

/* --- Sending --- */

/* Sends one result and returns its record afterwards. `first`: from the page itself, before anything could go wrong. */
export async function send(key, { first = false } = {}) {
  const taken = await alone(key, async () => {
    const record = await change(key, (known) => (known && mayGo(known) ? claimed(known) : undefined));
    if (!record) {
      return null;
    }
    await tell(record);
    return settle(record, await post(record, first && record.tries === 1));
  });
  return taken ?? get(key);
}

function claimed(record) {
  return { ...record, state: "sending", tries: (record.tries ?? 0) + 1, tried_at: Date.now() };
}

function mayGo(record) {
  if (record.state === "sending" && !navigator.locks) {
    return Date.now() - record.tried_at > PATIENCE + FIRST_PAUSE;
  }
  return GOES_ON_REQUEST.has(record.state);
}

/* One tab at a time. Without locks (plain http) the claim in the record does it: it lapses with its tab. */
function alone(key, work) {
  return navigator.locks
    ? navigator.locks.request(`tenbo-${key}`, { ifAvailable: true }, (lock) => (lock ? work() : null))
    : work();
}

async function post(record, first) {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), PATIENCE);
  try {
    const answer = await fetch(record.url, {
      method: "POST",
      body: body(record, first),
      headers: { Accept: "application/json", "X-CSRFToken": csrf() },
      credentials: "same-origin",
      redirect: "manual",
      signal: control.signal,
      keepalive: !record.photo,
    });
    return read(answer, await answer.json().catch(() => ({})));
  } catch {
    return { state: "unsent", unheard: true };
  } finally {
    clearTimeout(timer);
  }
}

function body(record, first) {
  const sent = new FormData();
  for (const [name, value] of record.fields) {
    sent.append(name, value);
  }
  sent.set("do", record.another ? "another" : "save");
  sent.set("client_key", record.client_key);
  sent.set("entered_at", record.entered_at);
  sent.set("device", device());
  if (!first) {
    sent.set("unsent", "1");
  }
  if (record.photo) {
    sent.set("photo", record.photo, record.photo.name || "photo.jpg");
  }
  return sent;
}

/* The token of this moment: the one in a page from the phone's store may be of another log-in. */
function csrf() {
  return /(?:^|;\s*)csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "";
}

/* Only an answer that is surely the server's counts; anything else (a hotel's log-in page) means: not sent. */
function read(answer, said) {
  const { state, message = "", receipt = "", desk = "" } = said;
  if (state === "saved" && answer.ok) {
    return { state: "sent", receipt, message, standing: said.standing, round: said.round, differs: said.differs === true };
  }
  if (ANSWERS.has(state)) {
    // What an ended link means is in the words of the page, at more length.
    return { state, message: state === "ended" ? "" : message, receipt, desk };
  }
  if (state === "unknown") {
    return { state: "ended", message };
  }
  if (answer.status === 403) {
    return { state: "login", message };
  }
  if (answer.status === 400 || answer.status === 413) {
    return { state: "refused", message };
  }
  const seconds = Number(answer.headers.get("Retry-After"));
  return { state: "unsent", message, pause: seconds > 0 ? seconds * 1000 : 0 };
}

async function settle(record, { pause = 0, unheard = false, ...told }) {
  const wait = Math.max(pause, Math.min(FIRST_PAUSE * 2 ** (record.tries - 1), LONGEST_PAUSE));
  const facts = { message: "", receipt: "", desk: "", ...told, unheard, next_at: Date.now() + wait };
  if (told.state === "sent") {
    Object.assign(facts, { sent_at: new Date().toISOString(), photo: null });
  }
  const mine = (known) => known?.state === "sending" && known.tried_at === record.tried_at;
  await change(record.client_key, (known) => (mine(known) ? { ...known, ...facts } : undefined));
  return tell(await get(record.client_key));
}

/* --- Again and again --- */

let timer = null;
let running = null;

/* Sends everything that is due; `now`: also what would wait. In the order in which it was played. */
function flush({ now = false } = {}) {
  running ??= deliver(now).finally(() => {
    running = null;
    plan();
  });
  return running;
}

async function deliver(now) {
  const waiting = (await records()).reverse().filter((record) => GOES_BY_ITSELF.has(record.state));
  for (const record of waiting) {
    if (now || (record.next_at ?? 0) <= Date.now()) {
      const after = await send(record.client_key);
      if (after?.unheard) {
        return;
      }
    }
  }
}

async function plan() {
  const waiting = (await all()).filter((record) => GOES_BY_ITSELF.has(record.state));
  clearTimeout(timer);
  if (waiting.length) {
    const next = Math.min(...waiting.map((record) => record.next_at ?? 0));
    timer = setTimeout(flush, Math.min(Math.max(next - Date.now(), FIRST_PAUSE), LONGEST_PAUSE));
  }
}

async function clean() {
  for (const record of await all()) {
    const done = record.state === "sent" || record.state === "held" || record.state === "draft";
    if (done && Date.now() - Date.parse(record.sent_at ?? record.entered_at) > KEPT) {
      await remove(record.client_key);
    }
  }
}

let started = false;

/* Begins to send, at once and whenever there is reason for hope. */
export async function start() {
  if (started) {
    return;
  }
  started = true;
  // Where the browser keeps nothing this is refused, and nothing is ever sent later.
  await clean();
  addEventListener("online", () => flush({ now: true }));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) {
      flush({ now: true });
    }
  });
  await tell(null);
  await flush({ now: true });
}

/* --- What became of it --- */

/* Notes what the server says of the last hanchan of a table. Only for what was sent, or held and then completed by
   somebody: the rest hears it by being sent. */
export async function learn(hanchan) {
  for (const { client_key: key, round, standing, asked = false } of hanchan) {
    const differs = (known) => known.standing !== standing || known.asked !== asked || known.round !== round;
    const isNew = (known) => known?.state === "held" || (known?.state === "sent" && differs(known));
    const now = { state: "sent", message: "", round, standing, asked };
    const learned = await change(key, (known) => (isNew(known) ? { ...known, ...now } : undefined));
    if (learned) {
      await tell(learned);
    }
  }
}

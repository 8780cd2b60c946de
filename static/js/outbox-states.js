/* States of a result on a phone, and transitions. Pure values: no page, store, network or clock.
   draft    being typed, not sent
   unsent   to be sent as soon as possible         sending  on its way
   sent     stored by the server; `standing` is its state there
   held     waits for an organiser                 same     an equal one exists: the user decides
   others   other people are planned: likewise
   refused  invalid                                ended    the table link has ended
   login    its author must log in again
   Names of states and fields are in docs/entry-protocol.md and in phones' stores, so they cannot change. */

export const PATIENCE = 15_000;
const MIN_PAUSE = 5_000;
const MAX_PAUSE = 5 * 60_000;
const DAY = 24 * 60 * 60_000;
const KEPT = 30 * DAY;

const GOES_BY_ITSELF = new Set(["unsent", "sending", "login"]);
const GOES_ON_REQUEST = new Set([...GOES_BY_ITSELF, "ended", "refused", "same", "others", "held"]);
const ANSWERS = new Set(["same", "others", "refused", "held", "ended", "login"]);

/* --- State --- */

export function isDraft(record) {
  return record.state === "draft";
}

export function isUnsent(record) {
  return record.state !== "draft" && record.state !== "sent" && record.state !== "held";
}

export function isLate(record, now) {
  return isUnsent(record) && now - Date.parse(record.entered_at) > DAY;
}

/* Label of a record's state; after sending, the table's. */
export function wordFor(record) {
  if (record.state !== "sent") {
    return record.state;
  }
  const { standing, asked } = record;
  return standing && standing !== "recorded" ? standing : asked ? "awaiting" : "sent";
}

/* Input for comparison, without empty fields, the marker of a filled score, and the page's own notes. */
const NOTED = new Set(["auto", "round", "for_round", "begun_at"]);

function contentOf(record) {
  return JSON.stringify([...record.fields.filter(([name, value]) => value && !NOTED.has(name))].sort());
}

export function latestFirst(records) {
  return [...records].sort((one, other) => (one.entered_at < other.entered_at ? 1 : -1));
}

/* --- Storing: the new record, or undefined if unchanged --- */

/* Sent results, or those on their way, are never overwritten under their key. */
export function kept(known, record) {
  const isFree = !known || isDraft(known) || contentOf(known) === contentOf(record);
  return isFree ? { tries: 0, ...record } : undefined;
}

/* What another phone handed over; what this one knows already stays as it is. */
export function received(known, record) {
  return known ?? { tries: 0, ...record, state: "unsent" };
}

/* Input continued in place: the user is waiting for a response, however often it was refused. */
export function draftedAgain(known) {
  return known && { ...known, state: "draft", another: false, seated: false, message: "" };
}

/* A result taken from the list keeps its original time. */
export function mended(known) {
  const lay = known && !isDraft(known) && known.tries > 0;
  return draftedAgain(lay ? { ...known, since: known.since ?? known.entered_at } : known);
}

/* Whether a record is done with and old enough to be dropped. */
export function isOutdated(record, now) {
  const isDone = record.state === "sent" || record.state === "held" || isDraft(record);
  return isDone && now - Date.parse(record.sent_at ?? record.entered_at) > KEPT;
}

/* --- Sending --- */

/* Results to send automatically, in playing order. */
export function queueOf(records) {
  return latestFirst(records)
    .reverse()
    .filter((record) => GOES_BY_ITSELF.has(record.state));
}

export function isDue(record, now) {
  return (record.next_at ?? 0) <= now;
}

/* Milliseconds until the next attempt; null where nothing waits. */
export function pauseBefore(queue, now) {
  if (!queue.length) {
    return null;
  }
  const next = Math.min(...queue.map((record) => record.next_at ?? 0));
  return Math.min(Math.max(next - now, MIN_PAUSE), MAX_PAUSE);
}

/* The record as claimed by a tab for sending, or undefined. Without locks between tabs
   the claim alone counts, and expires when its tab must be gone. */
export function claimed(known, now, hasLocks) {
  if (!known) {
    return undefined;
  }
  const isTaken = known.state === "sending" && !hasLocks && now - known.tried_at <= PATIENCE + MIN_PAUSE;
  const mayGo = GOES_ON_REQUEST.has(known.state) && !isTaken;
  return mayGo ? { ...known, state: "sending", tries: (known.tries ?? 0) + 1, tried_at: now } : undefined;
}

/* The fields to send. `isFirst`: from the page itself, before anything could go wrong. */
export function fieldsToSend(record, { device, isFirst }) {
  const said = [record.another && "another", record.seated && "seated"].filter(Boolean).join(" ");
  const own = {
    do: said || "save",
    client_key: record.client_key,
    entered_at: record.entered_at,
    device,
    ...(isFirst ? {} : { unsent: "1" }),
  };
  return [...record.fields.filter(([name]) => !Object.hasOwn(own, name)), ...Object.entries(own)];
}

export const NO_ANSWER = { state: "unsent", unheard: true };

/* What a response means for the result. Only genuine server responses count; others (a hotel's log-in page)
   mean: not sent. */
export function meaningOf({ ok, status, retryAfter, body }) {
  const { state, message = "", receipt = "", desk = "" } = body;
  if (state === "saved" && ok) {
    return { state: "sent", receipt, message, standing: body.standing, round: body.round, differs: body.differs === true };
  }
  if (ANSWERS.has(state)) {
    // What an ended link means is in the words of the page, at more length.
    return { state, message: state === "ended" ? "" : message, receipt, desk };
  }
  if (state === "unknown") {
    return { state: "ended", message };
  }
  if (status === 403) {
    return { state: "login", message };
  }
  if (status === 400 || status === 413) {
    return { state: "refused", message };
  }
  return { state: "unsent", message, pause: retryAfter > 0 ? retryAfter * 1000 : 0 };
}

/* The record after the answer to `claim`; undefined where another tab has claimed it since. */
export function settled(known, claim, { pause = 0, unheard = false, ...meaning }, now) {
  if (known?.state !== "sending" || known.tried_at !== claim.tried_at) {
    return undefined;
  }
  const wait = Math.max(pause, Math.min(MIN_PAUSE * 2 ** (claim.tries - 1), MAX_PAUSE));
  const after = { ...known, message: "", receipt: "", desk: "", ...meaning, unheard, next_at: now + wait };
  return meaning.state === "sent" ? { ...after, sent_at: new Date(now).toISOString(), photo: null } : after;
}

/* The record updated from the table's state; undefined if unchanged. Only for sent results, and held ones
   that were completed; the others learn it by being sent. */
export function updated(known, { round, standing, asked = false }) {
  const differs = () => known.standing !== standing || known.asked !== asked || known.round !== round;
  const isNews = known?.state === "held" || (known?.state === "sent" && differs());
  return isNews ? { ...known, state: "sent", message: "", round, standing, asked } : undefined;
}

/* --- What pages make of it --- */

/* Where the entry page goes after sending: "receipt", back to "draft", the server's own error
   "page", or the "panel" of a result that stays on the phone. */
export function stepAfterSaving(record, { isReady }) {
  if (record.state === "sent" && record.receipt.startsWith("/") && !record.differs) {
    return "receipt";
  }
  if (["refused", "same", "others"].includes(record.state) && record.tries < 2) {
    return "page";
  }
  return record.state === "unsent" && !isReady ? "draft" : "panel";
}

/* Actions on the page where the result was typed. */
export function actionsInPanel({ state, receipt }) {
  return {
    login: state === "login",
    send: state !== "sent" && state !== "held",
    next: state !== "ended",
    hand: state !== "sent",
    another: state === "same",
    seated: state === "others",
    receipt: receipt.startsWith("/"),
  };
}

/* Actions in the phone's list. */
export function actionsInList(record) {
  const { state } = record;
  return {
    send: ["unsent", "login", "ended", "refused"].includes(state),
    another: state === "same",
    seated: state === "others",
    hand: state !== "sent" && state !== "draft",
    mend: !["sent", "sending", "ended"].includes(state) || isForScorer(record),
    remove: ["sent", "held", "same", "others", "draft"].includes(state) || record.handed === true,
    receipt: record.receipt.startsWith("/"),
  };
}

/* Whether the link has ended and the user may save the result with their own account. */
export function isForScorer(record) {
  return record.state === "ended" && Boolean(record.desk);
}

/* Whether a result is of the table of an entry page. Language is not part of where a table is. */
export function isOfTable(record, url) {
  const place = (text) => text.replace(/^\/en(?=\/)/, "");
  return place(record.url) === place(url);
}

/* The number of the hanchan being typed. `next`: the server's count at `asked`; `others`: other results of the
   table on this phone. */
export function nextRound(others, next, asked) {
  const sent = others.filter((record) => record.state === "sent" && record.standing !== "voided");
  const after = sent.filter((record) => Date.parse(record.sent_at) >= asked).map((record) => (record.round ?? 0) + 1);
  // An equal result may be no other hanchan: a person decides.
  const waiting = others.filter((record) => isUnsent(record) && record.state !== "same");
  return Math.max(next, ...after) + waiting.length;
}

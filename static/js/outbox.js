/* The results of this phone: outbox-delivery.js with the store, the network and the tabs of this browser around it. */

import { device } from "./device.js";
import { createOutbox } from "./outbox-delivery.js";
import { PATIENCE, fieldsToSend, isUnsent } from "./outbox-states.js";
import * as store from "./store.js";

const COUNT = "tenbo-unsent";

/* Announces every change of a record, in `detail`. */
export const outbox = new EventTarget();

let timer = null;

const { announce, dropOutdated, ...rest } = createOutbox({
  store,
  request,
  locks: navigator.locks,
  clock: Date.now,
  changed(record, records) {
    try {
      localStorage.setItem(COUNT, records.filter(isUnsent).length);
    } catch {
      /* Other pages then do not know that something waits; this one does. */
    }
    outbox.dispatchEvent(new CustomEvent("change", { detail: record }));
  },
  wakeIn(pause) {
    clearTimeout(timer);
    timer = pause === null ? null : setTimeout(flush, pause);
  },
});

export const { records, keep, receive, draftAgain, mend, note, drop, dropDraft, flush, send, update } = rest;

async function request(record, isFirst) {
  const control = new AbortController();
  const patience = setTimeout(() => control.abort(), PATIENCE);
  try {
    const answer = await fetch(record.url, {
      method: "POST",
      body: bodyOf(record, isFirst),
      headers: { Accept: "application/json", "X-CSRFToken": csrf() },
      credentials: "same-origin",
      redirect: "manual",
      signal: control.signal,
      keepalive: !record.photo,
    });
    const { ok, status, headers } = answer;
    return { ok, status, retryAfter: Number(headers.get("Retry-After")), body: await answer.json().catch(() => ({})) };
  } finally {
    clearTimeout(patience);
  }
}

function bodyOf(record, isFirst) {
  const sent = new FormData();
  for (const [name, value] of fieldsToSend(record, { device: device(), isFirst })) {
    sent.append(name, value);
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

let started = false;

/* Starts sending, now and on every chance of success. */
export async function start() {
  if (started) {
    return;
  }
  started = true;
  // Where the browser keeps nothing this is refused, and nothing is ever sent later.
  await dropOutdated();
  addEventListener("online", () => flush({ now: true }));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) {
      flush({ now: true });
    }
  });
  await announce(null);
  await flush({ now: true });
}

/* The list of results on this phone, and their actions. */

import { copyOf, moment, roundOf, word } from "./i18n.js";
import { actionsInList, isForScorer, isLate, wordFor } from "./outbox-states.js";
import { drop, note, outbox, records, send, update } from "./outbox.js";
import { get } from "./store.js";

const WEEK = 7 * 24 * 60 * 60_000;

const list = document.getElementById("results");
const empty = document.getElementById("no-results");
const status = document.getElementById("outbox-state");

let drawn = "";

async function draw() {
  const found = await records();
  const looks = JSON.stringify(found.map((record) => [record.client_key, wordFor(record), roundOf(record), record.message, record.handed]));
  empty.hidden = found.length > 0;
  if (looks === drawn) {
    return;
  }
  drawn = looks;
  const focused = document.activeElement?.closest("li")?.dataset.key;
  const which = document.activeElement?.dataset.act;
  list.replaceChildren(...found.map(item));
  list.querySelector(`[data-key="${focused}"] [data-act="${which}"]:not([hidden])`)?.focus();
}

function item(record) {
  const name = wordFor(record);
  const { title, seats } = record.summary;
  const line = copyOf("result", {
    title,
    round: roundOf(record),
    state: word(name),
    why: word(why(record, name)),
    moment: moment(record.entered_at),
    message: record.message,
  });
  line.dataset.key = record.client_key;
  line.dataset.state = name;
  line.querySelector("[data-seats]").append(...seats.map((seat) => copyOf("kept-seat", seat)));
  for (const [act, isShown] of Object.entries(actionsInList(record))) {
    line.querySelector(`[data-act="${act}"]`).hidden = !isShown;
  }
  line.querySelector('[data-act="receipt"]').href = record.receipt;
  line.querySelector('[data-act="mend"]').href = `${record.desk || record.url}#mend=${record.client_key}`;
  return line;
}

function why(record, name) {
  return isForScorer(record) ? "scorer_why" : isLate(record, Date.now()) && name !== "ended" ? "late_why" : `${name}_why`;
}

const actions = {
  send: (key) => send(key),
  another: (key) => sendWith(key, { another: true }),
  seated: (key) => sendWith(key, { seated: true }),
  remove: async (key, button) => {
    if (confirm(button.dataset.question)) {
      await drop(key);
      (list.querySelector("a, button") ?? empty).focus();
    }
  },
  hand: async (key, button) => {
    const { show } = await import("./handover-send.js");
    await show(await get(key), button);
  },
};

/* With the answer to its question. */
async function sendWith(key, answer) {
  await note(key, answer);
  await send(key);
}

list.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-act]");
  if (button && button.getAttribute("aria-busy") !== "true") {
    const { key } = button.closest("li").dataset;
    button.setAttribute("aria-busy", "true");
    await actions[button.dataset.act](key, button);
    button.removeAttribute("aria-busy");
    const record = await get(key);
    status.textContent = record ? word(wordFor(record)) : "";
  }
});

/* The tables' state of results sent recently. */
async function refresh() {
  const lately = (record) =>
    (record.state === "sent" || record.state === "held") &&
    record.state_url &&
    Date.now() - Date.parse(record.sent_at ?? record.entered_at) < WEEK;
  const places = new Set((await records()).filter(lately).map((record) => record.state_url));
  for (const place of places) {
    try {
      const answer = await fetch(place, { cache: "no-store", headers: { Accept: "application/json" }, redirect: "error" });
      await update((await answer.json()).hanchan ?? []);
    } catch {
      /* Without the network the last known state stays. */
    }
  }
}

outbox.addEventListener("change", draw);
draw()
  .then(refresh)
  .catch(() => {
    empty.hidden = true;
    status.textContent = word("keeps_nothing");
  });

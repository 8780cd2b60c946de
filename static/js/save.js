/* Saving on the entry page: first on this phone, then on the server. A reload restores the input. */

import { device } from "./device.js";
import { focusFirst, form, hasScores, isComplete, refilled, seatsShown, unanswered } from "./entry.js";
import { copyOf, roundOf, word } from "./i18n.js";
import { count, countAnew, isHere, showRound } from "./next-round.js";
import { actionsInPanel, stepAfterSaving, wordFor } from "./outbox-states.js";
import { draftAgain, dropDraft, keep, mend, note, outbox, records, send } from "./outbox.js";
import { get, newKey, open } from "./store.js";

const PAUSE = 400;
const OWN = new Set(["csrfmiddlewaretoken", "client_key", "device", "entered_at", "unsent", "do", "photo"]);
const PER_HANCHAN = /^(raw|chombo|chips|yakuman|deposits)_|^(note|played_at|photo|auto)$/;

const entryContext = document.getElementById("entry-context");
const key = form.elements.client_key;
const photo = form.elements.photo;

let busy = false;
let isLeft = false;
let timer = null;
let panel = null;
/* When a corrected result from this phone was typed; null for a direct one. */
let since = null;

/* --- Page state --- */

function state(name, facts) {
  document.getElementById("entry-state").textContent = name ? word(name, facts) : "";
  entryContext.dataset.state = name;
}

function typed() {
  return [...new FormData(form)].filter(([name, value]) => typeof value === "string" && value && !OWN.has(name));
}

function gathered(more) {
  return {
    client_key: key.value,
    url: entryContext.dataset.url,
    state_url: entryContext.dataset.stateUrl,
    fields: typed(),
    photo: photo?.files[0] ?? null,
    summary: { title: entryContext.dataset.label, round: document.getElementById("round").textContent.trim(), seats: seatsShown() },
    entered_at: since ?? new Date().toISOString(),
    since,
    another: false,
    seated: false,
    receipt: "",
    message: "",
    ...more,
  };
}

/* Keeps the page's input. If another tab has used its key, the page continues under a
   new one. */
async function keepHere(record) {
  const kept = await keep(record);
  if (kept.client_key !== record.client_key) {
    key.value = kept.client_key;
  }
  return kept;
}

/* --- Drafts --- */

async function keepDraft() {
  clearTimeout(timer);
  if (busy || isLeft || panel || !hasScores()) {
    return;
  }
  await keepHere(gathered({ state: "draft" }));
  if (!busy && !panel) {
    state("draft");
  }
}

async function dropEmptied() {
  const known = await get(key.value);
  if (known?.state === "draft" && !busy && !panel && !hasScores()) {
    await dropDraft(key.value);
    state("");
  }
}

form.addEventListener("input", soon);
form.addEventListener("change", soon);
form.addEventListener("click", soon);

function soon() {
  clearTimeout(timer);
  timer = setTimeout(keepOrDrop, PAUSE);
}

async function keepOrDrop() {
  try {
    await (hasScores() ? keepDraft() : dropEmptied());
  } catch {
    state("keeps_nothing");
  }
}

/* The requested draft, else the table's last one. */
async function wanted() {
  const asked = new URLSearchParams(location.hash.slice(1)).get("mend");
  if (asked) {
    history.replaceState(null, "", location.pathname + location.search);
    return (await mend(asked)) ?? null;
  }
  return (await records()).find((record) => record.state === "draft" && isHere(record)) ?? null;
}

function restore(record) {
  key.value = record.client_key;
  since = record.since ?? null;
  const values = new Map();
  for (const [name, value] of record.fields) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  for (const [name, texts] of values) {
    fill(name, texts, record);
  }
  if (record.photo && photo) {
    const files = new DataTransfer();
    files.items.add(record.photo);
    photo.files = files.files;
  }
  refilled();
  document.getElementById("further")?.toggleAttribute("open", true);
  state(record.came ?? "restored");
  discard.hidden = false;
}

function fill(name, texts, record) {
  const fields = form.querySelectorAll(`[name="${CSS.escape(name)}"]`);
  const seat = /^player_(\d)$/.exec(name)?.[1];
  if (!fields.length && name.startsWith("bust_")) {
    // The question comes back from the server; until then its answer waits here.
    const waiting = texts.map((value) => Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    document.getElementById("busts").append(...waiting);
  }
  for (const field of fields) {
    if (field.matches("[type=radio], [type=checkbox]")) {
      field.checked = texts.includes(field.value);
    } else {
      if (seat !== undefined && ![...field.options].some((option) => option.value === texts[0])) {
        field.add(new Option(record.summary.seats[seat]?.name ?? "", texts[0]));
      }
      [field.value] = texts;
    }
  }
}

function clear() {
  for (const field of form.elements) {
    if (PER_HANCHAN.test(field.name)) {
      field.value = "";
    }
  }
  form.elements.sticks_left.value = "0";
  document.getElementById("busts").replaceChildren();
  key.value = newKey();
  since = null;
}

const discard = entryContext.querySelector("[data-discard]");
discard.addEventListener("click", async () => {
  if (busy || panel) {
    return;
  }
  clearTimeout(timer);
  await dropDraft(key.value);
  clear();
  discard.hidden = true;
  state("");
  refilled();
  countAnew();
  focusFirst();
});

/* --- Saving --- */

async function save(said) {
  state("sending");
  discard.hidden = true;
  const answers = { another: said.includes("another"), seated: said.includes("seated") };
  const kept = await keepHere(gathered({ state: "unsent", ...answers }));
  const record = await send(kept.client_key, { first: !since });
  const isReady = isComplete() && unanswered() === undefined;
  await steps[stepAfterSaving(record, { isReady })](record, said);
}

const steps = {
  async receipt(record) {
    location.assign(record.receipt);
    await new Promise(() => {});
  },
  async page(record, said) {
    await draftAgain(record.client_key);
    submitPlainly(said);
    await new Promise(() => {});
  },
  async draft(record) {
    await draftAgain(record.client_key);
    state(isComplete() ? "unanswered" : "incomplete", { name: unanswered() });
    discard.hidden = false;
  },
  panel: showPanel,
};

/* The server's page shows the errors with links to the fields. */
function submitPlainly(said) {
  form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "do", value: said }));
  form.submit();
}

async function submitted(event) {
  const { name, value } = event.submitter ?? {};
  if (name !== "do" || !/^(save|another|seated|another seated)$/.test(value)) {
    return;
  }
  event.preventDefault();
  if (busy) {
    return;
  }
  busy = true;
  clearTimeout(timer);
  try {
    await save(value);
  } catch {
    submitPlainly(value);
  }
  busy = false;
}

/* --- While a result waits --- */

function showPanel(record) {
  const { summary } = record;
  panel?.remove();
  panel = copyOf("kept", { title: summary.title });
  const lines = summary.seats.map((seat) => copyOf("kept-seat", seat));
  panel.querySelector("[data-seats]").append(...lines);
  panel.addEventListener("click", (event) => pressed(event, record.client_key));
  form.hidden = true;
  form.after(panel);
  updatePanel(record);
  panel.querySelector("h2").focus();
}

function updatePanel(record) {
  const name = record.state === "sent" && record.differs ? "differs" : wordFor(record);
  state(name);
  panel.dataset.state = name;
  panel.querySelector("h2").textContent = word(name);
  panel.querySelector('[data-slot="round"]').textContent = roundOf(record);
  showRound(roundOf(record));
  panel.querySelector("[data-why]").textContent = word(`${name}_why`);
  panel.querySelector("[data-message]").textContent = record.message;
  for (const [action, isShown] of Object.entries(actionsInPanel(record))) {
    panel.querySelector(`[data-${action}]`).hidden = !isShown;
  }
  // Where nothing more can be entered, the code for another phone is the way on.
  panel.querySelector("[data-hand]").classList.toggle("quiet", record.state !== "ended");
  panel.querySelector("[data-receipt]").href = record.receipt;
}

async function pressed(event, name) {
  const button = event.target.closest("button");
  if (button?.matches("[data-next]")) {
    next();
  } else if (button?.matches("[data-send], [data-another], [data-seated]")) {
    button.setAttribute("aria-busy", "true");
    if (button.matches("[data-another]")) {
      await note(name, { another: true });
    } else if (button.matches("[data-seated]")) {
      await note(name, { seated: true });
    }
    await send(name);
    button.removeAttribute("aria-busy");
  } else if (button?.matches("[data-hand]")) {
    const { show } = await import("./handover-send.js");
    show(await get(name), button);
  }
}

function next() {
  panel.remove();
  panel = null;
  form.hidden = false;
  clear();
  const round = form.elements.round;
  if (round.value) {
    round.value = Number(round.value) + 1;
  }
  state("");
  refilled();
  countAnew();
  focusFirst();
}

outbox.addEventListener("change", (event) => {
  const record = event.detail;
  if (panel && record?.client_key === key.value) {
    updatePanel(record);
  } else if (!busy) {
    count();
  }
});

/* --- At first --- */

function hidden(name, value) {
  form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
}

async function begin() {
  hidden("device", device());
  await open();
  const isFresh = entryContext.dataset.fresh === "1";
  const found = isFresh ? await wanted() : null;
  if (found) {
    restore(found);
  } else if (isFresh) {
    // A page from the phone's own store carries the key of an earlier visit.
    key.value = newKey();
  }
  await count();
  form.addEventListener("submit", submitted);
  addEventListener("pagehide", keepDraft);
}

for (const link of form.querySelectorAll("[data-saved-one]")) {
  link.addEventListener("click", () => {
    // The page that goes must not keep it once more, however long the network takes.
    isLeft = true;
    dropDraft(key.value).catch(() => {});
  });
}

addEventListener("pageshow", (event) => {
  if (event.persisted) {
    // Back on a saved page: new input is another result.
    location.reload();
  }
});

begin()
  .catch(() => state("keeps_nothing"))
  .finally(() => (entryContext.dataset.ready = "1"));

/* Takes over a result that another phone showed as a code. Nothing is sent before a person has looked at it. */

import { receive, send, wordFor } from "./outbox.js";
import { EMPTY, parseScore, shownScore } from "./scores.js";
import { copyOf, moment, roundOf, word } from "./i18n.js";

const TABLE = /^(?:\/en)?\/(?:e\/[\w-]+\/|l\/[\w-]+\/sessions\/\d+\/enter\/(?:\?table=\d+)?)$/;
const STATE = /^(?:\/en)?\/(?:e\/[\w-]+\/state\/|l\/[\w-]+\/sessions\/\d+\/enter\/state\/(?:\?table=\d+)?)$/;
const OF_SCORER = /^(?:\/en)?\/l\//;
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FIELD = /^[a-z_]{1,20}(?:_\d){0,3}(?:_[a-z]{1,8}(?:_\d)?)?$/;

const place = document.getElementById("handed");
const status = document.getElementById("hand-state");

/* The record in an address, or an error for anything that no phone of ours has written. */
function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const [format, key, url, entered, another, fields, [title, round, seats], stateUrl] = JSON.parse(
    new TextDecoder("utf-8", { fatal: true }).decode(bytes),
  );
  const isField = ([name, value]) => FIELD.test(name) && typeof value === "string" && value.length <= 500;
  if (format !== 1 || !KEY.test(key) || !TABLE.test(url) || !fields.every(isField) || Number.isNaN(Date.parse(entered))) {
    throw new Error("unreadable");
  }
  return {
    client_key: key,
    url,
    state_url: STATE.test(stateUrl) ? stateUrl : "",
    entered_at: new Date(entered).toISOString(),
    another: another === 1,
    fields: fields.map(([name, value]) => [name, value]),
    summary: {
      title: String(title),
      round: String(round),
      seats: seats.map(([name, score]) => ({ name: String(name), score: String(score) })),
    },
    photo: null,
    receipt: "",
    message: "",
  };
}

function offer(record) {
  const { title, round } = record.summary;
  const card = copyOf("handed-card", { title, round, moment: moment(record.entered_at) });
  card.querySelector("[data-seats]").append(...seatsOf(record).map((seat) => copyOf("kept-seat", seat)));
  if (OF_SCORER.test(record.url)) {
    const open = card.querySelector("[data-open]");
    open.href = filled(record);
    open.hidden = false;
    card.querySelector("[data-take]").hidden = true;
  }
  const button = card.querySelector("[data-take]");
  button.addEventListener("click", async () => {
    button.setAttribute("aria-busy", "true");
    tell(card, await deliver(record));
    button.removeAttribute("aria-busy");
  });
  place.replaceChildren(card);
}

/* Who holds what. The scores are those that would be sent, whatever the other phone calls them. */
function seatsOf(record) {
  const typed = new Map(record.fields);
  return record.summary.seats.map(({ name }, seat) => {
    const points = parseScore(typed.get(`raw_${seat}`) ?? "");
    return { name, score: points === EMPTY || Number.isNaN(points) ? "…" : shownScore(points, place.dataset.minus) };
  });
}

/* A scorer's own page, filled in: somebody who is logged in sees the site's names before anything is saved. */
function filled(record) {
  const address = new URL(record.url, location.origin);
  for (const [name, value] of [...record.fields, ["client_key", record.client_key]]) {
    if (name !== "table") {
      address.searchParams.append(name, value);
    }
  }
  return address.pathname + address.search;
}

async function deliver(record) {
  try {
    await receive(record);
    return await send(record.client_key);
  } catch {
    return { ...record, state: "keeps_nothing", message: "" };
  }
}

function tell(card, record) {
  const name = wordFor(record);
  const asScorer = record.state === "ended" && Boolean(record.desk);
  const link = card.querySelector("[data-receipt]");
  status.textContent = word(name);
  card.querySelector('[data-slot="round"]').textContent = roundOf(record);
  card.querySelector("[data-why]").textContent = word(asScorer ? "scorer_why" : `${name}_why`);
  card.querySelector("[data-message]").textContent = record.message;
  card.querySelector("[data-take]").hidden = asScorer || ["sent", "held"].includes(record.state);
  const open = card.querySelector("[data-open]");
  open.hidden = !asScorer;
  open.href = `${record.desk}#mend=${record.client_key}`;
  link.hidden = !record.receipt.startsWith("/");
  link.href = record.receipt;
}

function read() {
  status.textContent = "";
  try {
    offer(unpacked(location.hash.slice(1)));
  } catch {
    place.replaceChildren(copyOf(location.hash.length > 1 ? "unreadable" : "nothing-handed"));
  }
}

addEventListener("hashchange", read);
read();

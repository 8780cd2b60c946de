/* Takes over a result shown as a code by another phone, after the user has checked it. */

import { scorersPage, seatsOf, unpack } from "./handover-code.js";
import { copyOf, moment, roundOf, word } from "./i18n.js";
import { isForScorer, wordFor } from "./outbox-states.js";
import { receive, send } from "./outbox.js";

const place = document.getElementById("handover");
const status = document.getElementById("handover-state");

function offer(record) {
  const { title, round } = record.summary;
  const card = copyOf("handover-card", { title, round, moment: moment(record.entered_at) });
  const seats = seatsOf(record, place.dataset.minus).map((seat) => copyOf("kept-seat", seat));
  card.querySelector("[data-seats]").append(...seats);
  const page = scorersPage(record, location.origin);
  if (page) {
    const open = card.querySelector("[data-open]");
    open.href = page;
    open.hidden = false;
    card.querySelector("[data-take]").hidden = true;
  }
  const button = card.querySelector("[data-take]");
  button.addEventListener("click", async () => {
    button.setAttribute("aria-busy", "true");
    show(card, await deliver(record));
    button.removeAttribute("aria-busy");
  });
  place.replaceChildren(card);
}

async function deliver(record) {
  try {
    await receive(record);
    return await send(record.client_key);
  } catch {
    return { ...record, state: "keeps_nothing", message: "" };
  }
}

/* Says on the card what became of the result. */
function show(card, record) {
  const name = wordFor(record);
  const asScorer = isForScorer(record);
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
    offer(unpack(location.hash.slice(1)));
  } catch {
    place.replaceChildren(copyOf(location.hash.length > 1 ? "unreadable" : "no-handover"));
  }
}

addEventListener("hashchange", read);
read();

/* The number of the hanchan on the entry page: the next one by the server's count, after what still waits on this phone. */

import { form } from "./entry.js";
import { isUnsent, records } from "./outbox.js";
import { word } from "./i18n.js";

const desk = document.getElementById("desk");
const title = document.getElementById("round");

let next = Number(title.dataset.round);
/* When the server was asked last; what was sent before then is in its count. */
let asked = 0;

/* Whether a result is of this table. Language is not part of where a table is. */
export function isHere(record) {
  return place(record.url) === place(desk.dataset.url);
}

function place(url) {
  return url.replace(/^\/en(?=\/)/, "");
}

export function showRound(text) {
  if (title.textContent !== text) {
    title.textContent = text;
  }
}

/* Counts anew. While a card stands in place of the form, the number is that of the card. */
export async function count() {
  const kept = await records().catch(() => []);
  if (form.hidden) {
    return;
  }
  const others = kept.filter((record) => isHere(record) && record.client_key !== form.elements.client_key.value);
  const sent = others.filter((record) => record.state === "sent" && record.standing !== "voided");
  const after = sent.filter((record) => Date.parse(record.sent_at) >= asked).map((record) => (record.round ?? 0) + 1);
  // An equal result may be no other hanchan: a person decides.
  const waiting = others.filter((record) => isUnsent(record) && record.state !== "same");
  const number = Number(form.elements.round.value) || Math.max(next, ...after) + waiting.length;
  showRound(word("round", { round: number }));
}

/* Takes in the next number by the server, as it was asked at `moment`. */
export function heard(number, moment) {
  next = number;
  asked = moment;
  return count();
}

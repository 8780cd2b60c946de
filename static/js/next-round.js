/* The number of the hanchan on the entry page: the next one by the server's count, after what still waits on this phone.
   What is typed belongs to the number that stood there when it was begun, whatever is saved elsewhere meanwhile. */

import { form, hasScores } from "./entry.js";
import { word } from "./i18n.js";
import { isOfTable, nextRound } from "./outbox-states.js";
import { records } from "./outbox.js";

const { url } = document.getElementById("entry-context").dataset;
const title = document.getElementById("round");

let next = Number(title.dataset.round);
/* The number that is typed for, and since when: both go with the draft and to the server. */
const { for_round: meant, begun_at: begun } = form.elements;
let isTyped = hasScores();

form.addEventListener("input", () => {
  if (hasScores() && !isTyped) {
    begun.value = new Date().toISOString();
  }
  isTyped = hasScores();
});

/* When the server was asked last; what was sent before then is in its count. */
let asked = 0;

/* Whether a result is of this table. */
export function isHere(record) {
  return isOfTable(record, url);
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
  if (!hasScores() || !meant.value) {
    meant.value = nextRound(others, next, asked);
  }
  showRound(word("round", { round: Number(form.elements.round.value) || meant.value }));
}

/* Takes in the next number by the server, as it was asked at `moment`. */
export function countFrom(number, moment) {
  next = number;
  asked = moment;
  return count();
}

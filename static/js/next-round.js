/* The round number and players of the entry page: the server's next round, after results waiting on this
   phone. Both come from one plan and change together. Input belongs to the number shown when typing began,
   whatever is saved since. */

import { form, hasScores, seat } from "./entry.js";
import { word } from "./i18n.js";
import { isOfTable, nextRound } from "./outbox-states.js";
import { records } from "./outbox.js";

const { url } = document.getElementById("entry-context").dataset;
const title = document.getElementById("round");

let next = Number(title.dataset.round);
/* Planned players by round, with names; empty if the same people stay. */
let planned = JSON.parse(document.getElementById("seats-by-round").textContent);
let seated = seating(next);
/* The number that is typed for, and since when: both go with the draft and to the server. */
const { for_round: meant, begun_at: begun } = form.elements;
let isTyped = hasScores();
/* Whether the user chose players other than planned: those stay too. */
let isChosen = false;

form.addEventListener("input", () => {
  if (hasScores() && !isTyped) {
    begun.value = new Date().toISOString();
  }
  isTyped = hasScores();
});

form.addEventListener("change", ({ target }) => {
  isChosen ||= /^(player|guest)_/.test(target.name);
  if (target === form.elements.round) {
    count();
  }
});

/* Time of the last poll; results sent before it are counted there. */
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

/* Recalculates. While a card replaces the form, the number is the card's. */
export async function count() {
  const kept = await records().catch(() => []);
  if (form.hidden) {
    return;
  }
  const others = kept.filter((record) => isHere(record) && record.client_key !== form.elements.client_key.value);
  const isBegun = hasScores() || isChosen;
  if (!isBegun || !meant.value) {
    meant.value = nextRound(others, next, asked);
  }
  const number = Number(form.elements.round.value) || Number(meant.value);
  if (!isBegun) {
    seatFor(number);
  }
  showRound(word("round", { round: number }));
}

/* Counts for a hanchan that has not been begun. */
export function countAnew() {
  meant.value = "";
  isChosen = false;
  seated = "";
  return count();
}

function seating(number) {
  return JSON.stringify([number, planned[number]?.map(([key]) => key)]);
}

function seatFor(number) {
  if (!Object.keys(planned).length || seating(number) === seated) {
    return;
  }
  seated = seating(number);
  const people = planned[number];
  seat(people ?? []);
  document.getElementById("planned").textContent = word(people ? "seats_planned" : "seats_unknown");
}

/* Takes in the next number and the plan by the server, as it was asked at `moment`. */
export function countFrom({ round, seats }, moment) {
  next = round;
  planned = seats;
  asked = moment;
  const waits = document.getElementById("played-out");
  if (waits && planned[next]) {
    // The table had nothing left to play when the page was opened.
    waits.remove();
    document.getElementById("further").open = true;
  }
  return count();
}

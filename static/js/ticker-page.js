/* The ticker page: fields and display. */

import { word } from "./i18n.js";
import { shownScore } from "./scores.js";
import { dealerOf, withoutRiichi } from "./ticker-hands.js";

export const form = document.querySelector("[data-ticker]");
export const { url, minus, title } = form.dataset;
export const rules = JSON.parse(form.dataset.rules);
export const plans = JSON.parse(form.dataset.plans);
export const shown = JSON.parse(form.dataset.told);
const names = new Map(Object.values(plans).flat());
export const rows = [...form.querySelectorAll("[data-seat]")];
export const fields = rows.map((_, seat) => form.elements[`raw_${seat}`]);
export const state = document.getElementById("ticker-state");
export const handover = document.querySelector("[data-handover]");
export const enterUrl = handover.getAttribute("action");

/* Server-rendered parts need no update; their names also have a script. */
let drawnSeats = String(shown.players);

export function nameOf(hand) {
  return [...form.elements.hand.options].find((option) => option.value === hand)?.text ?? hand;
}

export function lineOf({ hand, honba, sticks }) {
  return form.dataset.line.replace("{hand}", nameOf(hand)).replace("{honba}", honba).replace("{sticks}", sticks);
}

/* The hand that is played, and each seat in it. */
export function drawTable(current) {
  const dealer = dealerOf(current);
  form.querySelector("[data-now]").textContent = lineOf(current);
  rows.forEach((row, seat) => {
    row.classList.toggle("deals", seat === dealer);
    row.querySelector("[data-mark]").textContent = rules.marks[(seat - dealer + rules.players) % rules.players];
    row.querySelector("[data-score]").textContent = shownScore(current.scores[seat], minus);
    row.querySelector("[data-riichi]").setAttribute("aria-pressed", current.riichi.includes(seat));
  });
}

export function drawRound(round) {
  form.elements.round.value = round;
  document.querySelector("[data-round-label]").textContent = word("round", { round });
}

/* Names change only if someone else sits there: a choice in progress stays. */
export function drawSeats(players) {
  for (const part of [form, handover]) {
    part.hidden = !players;
  }
  document.getElementById("ticker-waits").hidden = Boolean(players);
  if (!players || drawnSeats === String(players)) {
    return;
  }
  drawnSeats = String(players);
  players.forEach((player, seat) => {
    const name = names.get(player) ?? "";
    rows[seat].dataset.name = name;
    rows[seat].querySelector("label").textContent = form.dataset.label.replace("{name}", name);
    document.querySelectorAll(`[data-who="${seat}"]`).forEach((place) => (place.textContent = name));
    const options = players.map((other) => new Option(names.get(other) ?? "", other));
    form.elements[`player_${seat}`].replaceChildren(...options);
    form.elements[`player_${seat}`].value = player;
    handover.elements[`player_${seat}`].value = player;
  });
}

export function drawCourse(ticks) {
  const body = document.getElementById("course");
  const line = document.getElementById("course-line").content.firstElementChild;
  body.replaceChildren(
    ...[...ticks].reverse().map((tick) => {
      const row = line.cloneNode(true);
      row.querySelector("th").textContent = nameOf(tick.hand);
      row.querySelectorAll("td").forEach((cell, seat) => (cell.textContent = shownScore(withoutRiichi(tick)[seat], minus)));
      return row;
    }),
  );
}

export function fillHandover(current) {
  current.scores.forEach((score, seat) => (handover.elements[`raw_${seat}`].value = (score / 1000).toFixed(1)));
  handover.elements.sticks_left.value = current.sticks;
  handover.querySelector("button").value = `sticks-${current.sticks}`;
}

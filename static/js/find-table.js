/* Find my table: filters while one types. The form does the same without script. */

import { folded } from "./folded.js";

const field = document.getElementById("q");
const nobody = document.getElementById("find-nobody");
const MAX_ANSWERS = 6;

function find() {
  const asked = folded(field.value);
  const found = new Set();
  for (const line of document.querySelectorAll("#find-answers > li")) {
    const fits = asked !== "" && line.dataset.keys.split("|").some((key) => key.includes(asked));
    if (fits) {
      found.add(line.dataset.player);
    }
    line.hidden = !fits || found.size > MAX_ANSWERS;
  }
  nobody.textContent = nobody.dataset.sentence;
  nobody.hidden = asked === "" || found.size > 0;
  for (const seat of document.querySelectorAll("[data-seat]")) {
    seat.classList.toggle("found", found.has(seat.dataset.seat));
  }
}

if (field) {
  field.addEventListener("input", find);
  if (field.value) {
    find();
  }
}

/* Choosing rules and starting a league: finds rules while one types, and suggests the time zone of the device. */

import { folded } from "./folded.js";

const field = document.getElementById("find-rules");
const nothing = document.getElementById("no-rules");
const more = document.querySelector(".new-league fieldset details");
const zone = document.querySelector("[name=time_zone]");

function find() {
  const asked = folded(field.value);
  const cards = [...document.querySelectorAll("[data-names]")];
  const found = cards.filter((card) => folded(card.dataset.names).includes(asked));
  for (const card of cards) {
    // The chosen card stays in sight.
    card.hidden = !found.includes(card) && !card.querySelector(":checked");
  }
  more.open = asked !== "" && cards.some((card) => !card.hidden && more.contains(card));
  nothing.hidden = found.length > 0;
}

field.parentElement.hidden = false;
field.addEventListener("input", find);
// Return would send the form.
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
  }
});

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && here && zone.value === zone.defaultValue) {
  zone.value = here;
}

/* Choosing rules and starting a league: finds rules while one types, and suggests the time zone of the device. */

import { folded } from "./folded.js";

const field = document.getElementById("find-rules");
const nothing = document.getElementById("no-rules");
const more = document.querySelector(".new-league fieldset details");
const chosen = document.getElementById("chosen-rules");
const zone = document.querySelector("[name=time_zone]");

function find() {
  const asked = folded(field.value);
  const cards = [...document.querySelectorAll("[data-names]")];
  const found = cards.filter((card) => folded(card.dataset.names).includes(asked));
  for (const card of cards) {
    card.hidden = !found.includes(card);
  }
  more.hidden = !cards.some((card) => !card.hidden && more.contains(card));
  more.open = asked !== "" && !more.hidden;
  nothing.hidden = found.length > 0;
}

function name() {
  const card = document.querySelector(".rule-card:has(:checked) .rule-card-name");
  chosen.hidden = card === null;
  chosen.lastElementChild.textContent = card?.firstChild.textContent.trim() ?? "";
}

name();
document.addEventListener("change", name);
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

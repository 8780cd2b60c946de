/* The score table on a phone: a tap on a row shows its raw scores and placements. The switch above does it for all. */

import "./print.js";

document.addEventListener("click", (event) => {
  const row = event.target.closest(".sheet tbody tr");
  if (row && !event.target.closest("a, button")) {
    row.toggleAttribute("data-open");
  }
});

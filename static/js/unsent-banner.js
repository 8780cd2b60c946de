/* One line that says how many results wait on this phone, and sends them meanwhile. Nothing is said where nothing waits. */

import { isLate, isUnsent, outbox, records, start } from "./outbox.js";
import { word } from "./i18n.js";

const line = document.querySelector("[data-outbox-line]");

async function show() {
  const waiting = (await records()).filter(isUnsent);
  const late = waiting.filter(isLate).length;
  const text = waiting.length ? word(late ? "count_late" : "count", { count: waiting.length }) : "";
  const place = line.querySelector("[role=status]");
  if (place.textContent !== text) {
    place.textContent = text;
  }
  line.classList.toggle("has-unsent", waiting.length > 0);
  line.classList.toggle("is-late", late > 0);
}

if (line) {
  outbox.addEventListener("change", show);
}
start().catch(() => {
  /* A browser that keeps nothing has nothing to send. */
});

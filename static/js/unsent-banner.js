/* A banner with the number of results waiting on this phone; it sends them. Hidden without any. */

import { word } from "./i18n.js";
import { isLate, isUnsent } from "./outbox-states.js";
import { outbox, records, start } from "./outbox.js";

const banner = document.querySelector("[data-unsent-banner]");

async function show() {
  const waiting = (await records()).filter(isUnsent);
  const late = waiting.filter((record) => isLate(record, Date.now())).length;
  const text = waiting.length ? word(late ? "count_late" : "count", { count: waiting.length }) : "";
  const place = banner.querySelector("[role=status]");
  if (place.textContent !== text) {
    place.textContent = text;
  }
  banner.classList.toggle("has-unsent", waiting.length > 0);
  banner.classList.toggle("is-late", late > 0);
}

if (banner) {
  outbox.addEventListener("change", show);
}
start().catch(() => {
  /* A browser that keeps nothing has nothing to send. */
});

/* The last hand's meaning: requested on every key, not stored. */

import { isLast } from "./ticker-hands.js";
import { form, rules, url } from "./ticker-page.js";

const PAUSE = 200;

const lastHands = document.getElementById("last-hands");

let looking = null;
let asked = 0;

/* `fields` builds the form of the table `after` the hand. */
export function look(after, fields) {
  clearTimeout(looking);
  if (!isLast(after.hand, rules)) {
    lastHands.replaceChildren();
    return;
  }
  looking = setTimeout(ask, PAUSE, fields);
}

async function ask(fields) {
  const number = (asked += 1);
  const sent = new FormData();
  for (const [name, value] of [...fields(), ["do", "look"]]) {
    sent.append(name, value);
  }
  const token = form.elements.csrfmiddlewaretoken?.value;
  const headers = { Accept: "application/json", ...(token ? { "X-CSRFToken": token } : {}) };
  try {
    const answer = await fetch(url, { method: "POST", body: sent, headers, redirect: "error" });
    const { html } = await answer.json();
    if (answer.ok && number === asked) {
      const found = new DOMParser().parseFromString(html, "text/html");
      lastHands.replaceChildren(...found.body.childNodes);
    }
  } catch {
    /* Offline, the last answer stays. */
  }
}

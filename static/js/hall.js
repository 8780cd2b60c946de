/* Calls and timer on a phone: polls and replaces changed parts without moving the rest. */

import { about, impatient } from "./pace.js";
import { setClock } from "./round-timer.js";

const PAUSE = 4000;
const LONG_PAUSE = 15000;

let timer = null;

const places = [...document.querySelectorAll("[data-renewed]")];
const address = places[0]?.dataset.renewed || location.href.split("#")[0];

function renew(html, { evenFocused = false } = {}) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const place of places) {
    const news = page.getElementById(place.id);
    const known = place.dataset.known ?? plain(place);
    if (news && plain(news) !== known && (evenFocused || !place.contains(document.activeElement))) {
      place.replaceChildren(...news.childNodes);
      place.dataset.known = plain(place);
    }
  }
}

/* A part's content without form tokens, which always differ. */
function plain(place) {
  const copy = place.cloneNode(true);
  for (const token of copy.querySelectorAll("[name=csrfmiddlewaretoken]")) {
    token.remove();
  }
  for (const face of copy.querySelectorAll(".clock-face")) {
    face.textContent = "";
  }
  for (const timer of copy.querySelectorAll("[data-timer]")) {
    timer.classList.remove("is-over");
  }
  return copy.innerHTML;
}

async function ask() {
  clearTimeout(timer);
  let wait = PAUSE;
  if (!document.hidden) {
    const asked = Date.now();
    try {
      const answer = await fetch(address, { cache: "no-store" });
      if (!answer.ok) {
        throw new Error(String(answer.status));
      }
      setClock(answer.headers.get("Tenbo-Now"), asked);
      renew(await answer.text());
      wait = hurried(answer, PAUSE);
    } catch {
      wait = LONG_PAUSE;
    }
  }
  clearTimeout(timer);
  timer = setTimeout(ask, about(wait));
}

/* A call keeps the page's input. */
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-quiet]")) {
    return;
  }
  event.preventDefault();
  try {
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form) });
    renew(await answer.text(), { evenFocused: true });
  } catch {
    form.submit();
  }
});

const hurried = impatient();
if (places.length) {
  ask();
}

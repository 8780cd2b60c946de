/* One tap says that the result is correct, and the page stays where it is. Without this the form does the same. */

import { device } from "./device.js";

const PARTS = "[data-confirm]";

for (const part of document.querySelectorAll(PARTS)) {
  named(part);
}

document.addEventListener("submit", (event) => {
  const part = event.target.closest(PARTS);
  if (part && event.submitter?.name === "say") {
    event.preventDefault();
    const said = new FormData(event.target, event.submitter);
    said.set("part", "1");
    say(event.target, event.submitter, said);
  }
});

function named(part) {
  for (const field of part.querySelectorAll("[data-device]")) {
    field.value = device();
  }
}

async function say(form, button, said) {
  if (button.getAttribute("aria-busy") === "true") {
    return;
  }
  button.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: said, credentials: "same-origin" });
    const text = answer.ok && !answer.redirected ? await answer.text() : "";
    if (text.includes("data-confirm")) {
      show(form.closest(PARTS), text, button.value);
    } else {
      // Logged out, or something is wrong: the page that the server sends says what.
      sendPlainly(form, button);
    }
  } catch {
    wait(form, button, said);
  }
}

function show(part, text, tapped) {
  const parsed = new DOMParser().parseFromString(text, "text/html").querySelector(PARTS);
  part.replaceWith(parsed);
  named(parsed);
  const [verdict, who] = tapped.split("-");
  const note = verdict === "disputes" ? parsed.querySelector(`#dispute-note${who}`) : null;
  // The phone goes round: the next one who has not said anything yet comes next.
  (note ?? parsed.querySelector(".confirm-button") ?? parsed.querySelector("button"))?.focus({ preventScroll: true });
}

function sendPlainly(form, button) {
  const hidden = document.createElement("input");
  hidden.type = "hidden";
  hidden.name = button.name;
  hidden.value = button.value;
  form.append(hidden);
  form.submit();
}

/* No network: the tap is not lost while the page is open. */
function wait(form, button, said) {
  const note = form.closest(PARTS).querySelector("[data-waiting]");
  if (note) {
    note.hidden = false;
  }
  const again = () => {
    globalThis.removeEventListener("online", again);
    clearTimeout(timer);
    button.removeAttribute("aria-busy");
    if (note) {
      note.hidden = true;
    }
    if (form.isConnected) {
      say(form, button, said);
    }
  };
  const timer = setTimeout(again, 10_000);
  globalThis.addEventListener("online", again);
}

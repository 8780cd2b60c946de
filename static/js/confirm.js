/* One tap confirms a result without leaving the page. Without script the form does the same. */

import { device } from "./device.js";

const PARTS = "[data-confirm]";

for (const part of document.querySelectorAll(PARTS)) {
  fillDevice(part);
}

document.addEventListener("submit", (event) => {
  const part = event.target.closest(PARTS);
  // An organiser's decision changes the history below, too: the whole page comes again.
  const isDecision = event.target.matches(".form") && document.querySelector(".hanchan-history");
  if (part && event.submitter?.name === "say" && !isDecision) {
    event.preventDefault();
    const fields = new FormData(event.target, event.submitter);
    fields.set("part", "1");
    send(event.target, event.submitter, fields);
  }
});

function fillDevice(part) {
  for (const field of part.querySelectorAll("[data-device]")) {
    field.value = device();
  }
}

async function send(form, button, fields) {
  if (button.getAttribute("aria-busy") === "true") {
    return;
  }
  button.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, credentials: "same-origin" });
    const text = answer.ok && !answer.redirected ? await answer.text() : "";
    if (text.includes("data-confirm")) {
      showAnswer(form.closest(PARTS), text, button.value);
    } else {
      // Logged out, or something is wrong: the page that the server sends says what.
      sendPlainly(form, button);
    }
  } catch {
    sendLater(form, button, fields);
  }
}

function showAnswer(part, text, tapped) {
  const answer = new DOMParser().parseFromString(text, "text/html");
  const parsed = answer.querySelector(PARTS);
  part.replaceWith(parsed);
  document.getElementById("standing").replaceWith(answer.getElementById("standing"));
  fillDevice(parsed);
  if (part.querySelector(".fold:has(.confirm-rows)")?.open) {
    parsed.querySelector(".fold:has(.confirm-rows)")?.setAttribute("open", "");
  }
  const [verdict, who] = tapped.split("-");
  const note = verdict === "disputes" ? parsed.querySelector(`#dispute-note${who}`) : null;
  // The phone is passed around: the next player without an answer follows.
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
function sendLater(form, button, fields) {
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
      send(form, button, fields);
    }
  };
  const timer = setTimeout(again, 10_000);
  globalThis.addEventListener("online", again);
}

/* Share button: the phone's share sheet, else the page's own list. */

import "./copy.js";

const ways = document.querySelector("[data-share]");

if (ways && navigator.share) {
  ways.querySelector("summary").addEventListener("click", offer);
}

async function offer(event) {
  if (ways.open) return;
  event.preventDefault();
  try {
    await navigator.share({ text: ways.dataset.text, url: ways.dataset.url });
  } catch (error) {
    ways.open = error.name !== "AbortError";
  }
}

/* Share button: the phone's share sheet, else the page's own list. A reminder is copied instead. */

import "./copy.js";

const ways = document.querySelector("[data-share]");

if (ways && navigator.share) {
  ways.querySelector("summary").addEventListener("click", offer);
}

ways?.addEventListener("toggle", () => {
  if (ways.open) ways.querySelector(".share-ways").scrollIntoView({ block: "nearest" });
});

async function offer(event) {
  if (ways.open) return;
  event.preventDefault();
  try {
    await navigator.share({ text: ways.dataset.text, url: ways.dataset.url });
  } catch (error) {
    ways.open = error.name !== "AbortError";
  }
}

for (const link of document.querySelectorAll("[data-remind]")) {
  link.addEventListener("click", (event) => {
    if (link.dataset.remind) {
      event.preventDefault();
      remind(link);
    }
  });
}

async function remind(link) {
  const { copied, remind: text } = link.dataset;
  try {
    if (navigator.share) {
      await navigator.share({ text });
    } else {
      await navigator.clipboard.writeText(text);
      link.parentElement.querySelector("[role=status]").textContent = copied;
    }
  } catch (error) {
    if (error.name !== "AbortError") location.assign(link.href);
  }
}

/* Copies the text of a field. The button is there only where the browser can. */

for (const button of document.querySelectorAll("[data-copy]")) {
  if (navigator.clipboard) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
  const label = button.textContent;
  button.textContent = button.dataset.copied;
  document.querySelector("[data-copy-status]").textContent = button.dataset.copied;
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

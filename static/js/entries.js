/* Entering players: counts those chosen, and selects all or none without a new page. */

const form = document.getElementById("entering");
const said = form.querySelector("output");

function count() {
  const typed = form.elements.names.value.split("\n").filter((line) => line.trim());
  const chosen = form.querySelectorAll("[name=players]:checked").length + typed.length;
  const { text, entered } = said.dataset;
  said.textContent = chosen ? text.replace("[n]", chosen).replace("[all]", Number(entered) + chosen) : "";
}

function take(event) {
  const link = event.target.closest("[data-take]");
  if (link) {
    event.preventDefault();
    for (const box of form.querySelectorAll("[name=players]")) {
      box.checked = link.dataset.take === "all";
    }
    count();
  }
}

form.addEventListener("input", count);
form.addEventListener("click", take);
count();

/* Seats of a session: ticks change without reloading, and a seat changed by hand shows in its table. */

const form = document.querySelector("[data-seats]");
const ticks = [...form.querySelectorAll("[name=people]")];
const guests = form.querySelector("[name=guests]");
const show = (name, figure) => (form.querySelector(`[data-${name}]`).textContent = figure);
const count = () => {
  const names = ticks.filter((tick) => tick.checked).map((tick) => tick.parentElement.textContent.trim());
  const pasted = guests.value.split("\n").map((name) => name.trim());
  const people = new Set([...names, ...pasted.filter(Boolean)]).size;
  const size = Number(form.dataset.seats);
  show("count", people);
  show("full", Math.floor(people / size));
  show("out", people < size ? 0 : people % size);
  show("short", size - (people % size));
};

form.addEventListener("click", (event) => {
  const wish = event.target.closest("button[name=do]")?.value;
  if (wish === "all" || wish === "none") {
    event.preventDefault();
    ticks.forEach((tick) => (tick.checked = wish === "all"));
    count();
  }
});

form.addEventListener("change", ({ target }) => {
  const seat = form.querySelector(`[data-at="${target.name}"]`);
  if (seat) {
    seat.textContent = target.selectedOptions[0].text;
  }
  count();
});

/* もしも: standings and chances follow while places are chosen, scores typed, and names dragged into their order. */

const PAUSE = 350;

const form = document.querySelector("[data-what-if]");
const tables = [...(form?.querySelectorAll(".what-if-table") ?? [])];
let waiting = 0;
let asked = new AbortController();

/* Filled fields in the address, kept short for sharing. */
function query() {
  const filled = [...new FormData(form)].filter(([, value]) => value.trim());
  return new URLSearchParams(filled).toString();
}

function follow() {
  clearTimeout(waiting);
  waiting = setTimeout(show, PAUSE);
}

async function show() {
  asked.abort();
  asked = new AbortController();
  const address = `${location.pathname}?${query()}`;
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { signal: asked.signal });
    if (!answer.ok) {
      throw new Error(String(answer.status));
    }
    putIn(new DOMParser().parseFromString(await answer.text(), "text/html"));
    history.replaceState(null, "", address);
  } catch (error) {
    if (error.name === "AbortError") {
      return;
    }
    // The button of the form still asks for the page itself.
  }
  form.removeAttribute("aria-busy");
}

/* Fields stay, as the user may be typing; only texts around them are updated. */
function putIn(page) {
  for (const place of document.querySelectorAll("[data-follows]")) {
    const news = page.getElementById(place.id);
    if (news) {
      place.replaceChildren(...news.childNodes);
      place.hidden = news.hidden;
    }
  }
  for (const field of form.querySelectorAll("input[inputmode]")) {
    const news = page.getElementById(field.id);
    for (const name of ["placeholder", "aria-invalid", "aria-describedby"]) {
      if (news?.hasAttribute(name)) {
        field.setAttribute(name, news.getAttribute(name));
      } else {
        field.removeAttribute(name);
      }
    }
  }
}

// --- Names that are dragged into their order

const rowsOf = (table) => [...table.querySelectorAll(".what-if-seat")];
const placeOf = (row) => row.querySelector("select");

/* Row order is placement order; earlier input of this table is replaced. */
function settle(table) {
  for (const [index, row] of rowsOf(table).entries()) {
    placeOf(row).value = String(index + 1);
    row.querySelector("input").value = "";
  }
  table.querySelector("[type=checkbox]").checked = false;
  follow();
}

/* If an address chooses all placements, names appear in that order. */
function sort(table) {
  const rows = rowsOf(table);
  const places = rows.map((row) => placeOf(row).value);
  if (new Set(places).size === rows.length && !places.includes("")) {
    rows.sort((one, other) => Number(placeOf(one).value) - Number(placeOf(other).value));
    table.querySelector(".what-if-seat").before(...rows);
  }
}

function move(row, steps) {
  const table = row.closest(".what-if-table");
  const rows = rowsOf(table);
  const to = rows[rows.indexOf(row) + steps];
  if (to) {
    to[steps < 0 ? "before" : "after"](row);
    settle(table);
  }
}

function drag(row, grip, down) {
  const table = row.closest(".what-if-table");
  let isMoved = false;
  grip.setPointerCapture(down.pointerId);
  row.classList.add("is-dragged");

  const moved = (event) => {
    const over = rowsOf(table).find((other) => {
      const box = other.getBoundingClientRect();
      return other !== row && event.clientY >= box.top && event.clientY <= box.bottom;
    });
    if (over) {
      const comesAfter = row.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING;
      // The others make room: a row that is taken out of the page would slip from the finger.
      row[comesAfter ? "before" : "after"](over);
      isMoved = true;
    }
  };
  const letGo = new AbortController();
  const ended = () => {
    letGo.abort();
    row.classList.remove("is-dragged");
    if (isMoved) {
      settle(table);
    }
  };
  for (const [name, happens] of Object.entries({ pointermove: moved, pointerup: ended, pointercancel: ended })) {
    grip.addEventListener(name, happens, { signal: letGo.signal });
  }
}

function makeGrip(row) {
  const name = row.querySelector(".what-if-name");
  const grip = document.createElement("button");
  grip.type = "button";
  grip.className = "what-if-name what-if-grip";
  grip.textContent = name.textContent;
  grip.title = form.dataset.whatIf;
  grip.addEventListener("pointerdown", (event) => drag(row, grip, event));
  grip.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (steps) {
      event.preventDefault();
      move(row, steps);
      grip.focus();
    }
  });
  name.replaceWith(grip);
}

if (form) {
  form.addEventListener("input", follow);
  for (const table of tables) {
    sort(table);
    rowsOf(table).forEach(makeGrip);
  }
}

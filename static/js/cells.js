/* A table of fields by keyboard: Enter moves down, arrows around, pasted rectangles land at the cursor.
   Untouched fields are not sent. */

const form = document.querySelector("[data-cells]");
const said = form.querySelector("[data-said]");
const rows = [...form.querySelectorAll("[data-row]")];
const cells = rows.map((row) => [...row.querySelectorAll("input:not([type=hidden])")]);

let before = "";

/* --- Going about --- */

function find(field) {
  const row = rows.indexOf(field.closest("[data-row]"));
  return [row, cells[row].indexOf(field)];
}

function go(row, column) {
  const field = cells[row]?.[column];
  field?.focus();
  if (field?.type === "text") {
    field.select();
  }
  return Boolean(field);
}

function below(row, down) {
  const shown = rows.filter((line) => !line.hidden);
  return rows.indexOf(shown[shown.indexOf(rows[row]) + down]);
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function mayLeave(field, key) {
  if (field.type !== "text" || (field.selectionStart === 0 && field.selectionEnd === field.value.length)) {
    return true;
  }
  return key === "ArrowLeft" ? field.selectionEnd === 0 : field.selectionStart === field.value.length;
}

form.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.isComposing || !field.closest("[data-row]")) {
    return;
  }
  const [row, column] = find(field);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("[value=save]"));
  } else if (event.key === "Enter") {
    event.preventDefault();
    go(below(row, event.shiftKey ? -1 : 1), column);
  } else if (event.key === "Escape" && field.type === "text") {
    field.value = before;
    field.select();
    mark(row);
  } else if (event.key === "F2" && field.type === "text") {
    field.setSelectionRange(field.value.length, field.value.length);
  } else if (ARROWS[event.key] && !event.shiftKey && !event.altKey) {
    const [down, right] = ARROWS[event.key];
    if ((down || mayLeave(field, event.key)) && go(below(row, down), column + right)) {
      event.preventDefault();
    }
  }
});

form.addEventListener("focusin", (event) => {
  if (event.target.closest("[data-row]")) {
    before = event.target.value;
  }
});

/* --- Changes --- */

function differs(field) {
  return field.type === "text" ? field.value !== field.defaultValue : field.checked !== field.defaultChecked;
}

function isChanged(row) {
  return rows[row].dataset.row === "sent" || cells[row].some(differs);
}

function mark(row) {
  rows[row].toggleAttribute("data-changed", isChanged(row));
}

form.addEventListener("input", (event) => {
  if (event.target.closest("[data-row]")) {
    mark(find(event.target)[0]);
  }
});

/* --- Finding --- */

const wanted = document.querySelector("[data-find]");
wanted.hidden = false;
wanted.addEventListener("input", () => {
  const text = wanted.value.normalize("NFKC").replace(/\s/g, "").toLowerCase();
  rows.forEach((row, number) => {
    const written = cells[number].map((field) => `${field.value}${field.placeholder}`).join("\n");
    row.hidden = !written.normalize("NFKC").replace(/[^\S\n]/g, "").toLowerCase().includes(text);
  });
  said.textContent = rows.every((row) => row.hidden) ? form.dataset.none : "";
});

/* --- Pasting --- */

form.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain");
  const field = event.target;
  if (!field.closest("[data-row]") || !/[\t\n]/.test(text.trimEnd())) {
    return;
  }
  event.preventDefault();
  const block = text.replace(/\r/g, "").replace(/\n+$/, "").split("\n").map((line) => line.split("\t"));
  const [row, column] = find(field);
  let left = 0;
  block.forEach((line, down) =>
    line.forEach((value, right) => {
      const cell = cells[below(row, down)]?.[column + right];
      if (cell?.type === "text") {
        cell.value = value.trim();
        mark(find(cell)[0]);
      } else {
        left += 1;
      }
    })
  );
  said.textContent = left ? `${form.dataset.left} ${left}` : "";
});

/* --- Sending --- */

function send(isSent, isAll = false) {
  rows.forEach((row, number) => {
    row.querySelectorAll("input").forEach((field) => {
      field.disabled = isSent && !isAll && !isChanged(number);
    });
  });
}

let isLeaving = false;
form.addEventListener("submit", () => {
  isLeaving = true;
});
addEventListener("beforeunload", (event) => {
  if (!isLeaving && rows.some((_row, number) => isChanged(number))) {
    event.preventDefault();
  }
});
form.addEventListener("submit", (event) => send(true, event.submitter?.value === "guesses"));
form.addEventListener("formdata", () => send(false));
addEventListener("pageshow", () => {
  isLeaving = false;
  send(false);
  rows.forEach((_row, number) => mark(number));
});
form.querySelector("[aria-invalid]")?.focus();

/* Two people at one sheet: rows saved by others appear in place. Conflicting input is kept, both are shown,
   and the user chooses. */

import { columnsByPlayer, fieldAt, form, go, hidden, placeOf, rowCount, valueAt } from "./grid-cells.js";
import { close, forget } from "./grid-history.js";
import { addRow, empty, isTouched, placeName, showStored } from "./grid-rows.js";
import { total } from "./grid-sums.js";
import { copyOf, word } from "./i18n.js";
import { about } from "./pace.js";
import { newKey } from "./store.js";

const { live } = form.dataset;
const isPart = "part" in form.dataset;
const PAUSE = Number(form.dataset.seconds) * 1000;
const MOST = 15 * 60 * 1000;

let tag = null;
let failures = 0;
let timer = null;

/* By the hanchan that a row shows, by the key under which it was sent, by the round and table that waits there. */
function rowOf(game, taken) {
  const rows = [...Array(rowCount()).keys()].filter((row) => !taken.has(row));
  const shows = (row) => hidden(row, "hanchan").value;
  const waits = (row) => fieldAt(row, 0).value === game.round && (fieldAt(row, 1).value || "1") === game.table;
  return (
    rows.find((row) => shows(row) === game.hanchan) ??
    rows.find((row) => !shows(row) && hidden(row, "key").value === game.key) ??
    rows.find((row) => !shows(row) && waits(row) && (!isTouched(row) || haveScores(row, game)))
  );
}

/* Whether a row has scores of just the people of a hanchan. */
function haveScores(row, { people }) {
  const columns = columnsByPlayer();
  const typed = [...columns.keys()].filter((key) => fieldAt(row, columns.get(key)).value.trim());
  return typed.length === people.length && people.every(({ key }) => typed.includes(key));
}

/* `game.people` as texts by column; null if empty. */
function textsOf(game) {
  const columns = columnsByPlayer();
  const texts = new Map(game.people.map(({ key, text }) => [columns.get(key), text]));
  return texts.has(undefined) ? null : texts;
}

function meet(games) {
  close();
  const taken = new Set();
  const news = [];
  for (const game of games) {
    let row = rowOf(game, taken);
    if (row === undefined && (isPart || isAsked(game))) {
      continue;
    }
    const texts = textsOf(game);
    if (row === undefined && texts && addRow()) {
      row = rowCount() - 1;
    }
    if (row !== undefined) {
      taken.add(row);
    }
    const isKnown = row !== undefined && hidden(row, "hanchan").value === game.hanchan;
    if (isKnown && Number(hidden(row, "version").value) >= Number(game.version)) {
      continue;
    }
    const mine = row === undefined ? null : hidden(row, "key").value === game.key && !isKnown;
    if (row === undefined || !texts) {
      tell("elsewhere", game);
    } else if (isTouched(row) && !mine) {
      ask(row, game, texts);
    } else {
      fill(row, game, texts);
      news.push(game);
    }
  }
  const gone = takenBack(new Set(games.map((game) => game.hanchan)));
  if (news.length) {
    say("saved_by_other", news.map((game) => word("place", game)));
  }
  if (gone.length) {
    say("taken_back", gone.map((place) => word("place", place)));
  }
}

function fill(row, game, texts) {
  const focus = document.activeElement;
  showStored(row, game, texts);
  forget(row);
  total(row);
  if (placeOf(focus)?.row === row) {
    focus.select();
  }
  withdraw(row);
}

/* Voided hanchan: their rows are free again, or their new input becomes another hanchan. */
function takenBack(standing) {
  const gone = [...Array(rowCount()).keys()].filter((row) => {
    const shown = hidden(row, "hanchan").value;
    return shown && !standing.has(shown);
  });
  for (const row of gone) {
    if (isTouched(row)) {
      hidden(row, "hanchan").value = "";
      hidden(row, "version").value = "0";
      hidden(row, "key").value = newKey();
    } else {
      empty(row);
    }
    forget(row);
  }
  return gone.map(placeName);
}

/* --- Messages --- */

function news() {
  return form.querySelector("[data-news]");
}

function say(name, places) {
  const text = word(name, { places: [...new Set(places)].join(" · ") });
  const place = news().querySelector("[data-saved]");
  place.textContent = text;
}

function said(people) {
  return people.map(({ name, text }) => `${name} ${text}`).join(" · ");
}

function typed(row) {
  const columns = [...columnsByPlayer().values()].filter((column) => fieldAt(row, column).value.trim());
  return said(columns.map((column) => ({ name: valueAt(-1, column).trim(), text: fieldAt(row, column).value })));
}

function keyOf(game) {
  return `${game.hanchan}.${game.version}`;
}

function isAsked(game) {
  return Boolean(news().querySelector(`[data-game="${keyOf(game)}"]`));
}

function withdraw(row) {
  news().querySelectorAll(`[data-of="${row}"]`).forEach((each) => each.remove());
}

function tell(template, game, facts = {}) {
  if (isAsked(game)) {
    return null;
  }
  const place = word("place", game);
  const note = copyOf(template, { place, theirs: said(game.people), ...facts });
  note.dataset.game = keyOf(game);
  news().append(note);
  return note;
}

/* Both versions of a row. Mine builds on the stored one: saving changes it, with a message. */
function ask(row, game, texts) {
  const mine = typed(row);
  if (!isAsked(game)) {
    withdraw(row);
  }
  const note = tell("both", game, { mine });
  if (!note) {
    return;
  }
  note.dataset.of = row;
  note.querySelector("[data-theirs]").addEventListener("click", () => {
    fill(row, game, texts);
    note.remove();
    go(row, 2);
  });
  note.querySelector("[data-mine]").addEventListener("click", () => {
    hidden(row, "hanchan").value = game.hanchan;
    hidden(row, "version").value = game.version;
    note.remove();
    go(row, 2);
  });
  note.querySelector("[data-two]").addEventListener("click", () => {
    note.remove();
    if (addRow()) {
      fill(rowCount() - 1, game, texts);
    }
    go(row, 2);
  });
}

/* --- Asking now and then --- */

async function look() {
  clearTimeout(timer);
  if (!document.hidden) {
    try {
      const answer = await fetch(live, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      if (answer.status === 200) {
        tag = answer.headers.get("ETag");
        meet((await answer.json()).rows);
      }
      failures = answer.ok || answer.status === 304 ? 0 : failures + 1;
    } catch {
      failures += 1;
    }
  }
  timer = setTimeout(look, about(Math.min(PAUSE * 2 ** failures, MOST)));
}

export function watch() {
  document.addEventListener("visibilitychange", look);
  timer = setTimeout(look, about(PAUSE));
}

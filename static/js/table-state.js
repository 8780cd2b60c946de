/* Other phones at the same table: live typing and saved hanchan. */

import { device } from "./device.js";
import { form } from "./entry.js";
import { copyOf, word } from "./i18n.js";
import { countFrom } from "./next-round.js";
import { records, update } from "./outbox.js";
import { about } from "./pace.js";

const PAUSE = 6_000;
const LONG_PAUSE = 30_000;

const entryContext = document.getElementById("entry-context");
const elsewhere = document.getElementById("elsewhere");
const news = document.getElementById("news");

let newest = null;
let timer = null;

async function refresh() {
  const moment = Date.now();
  const url = new URL(entryContext.dataset.stateUrl, location.href);
  url.searchParams.set("device", device());
  url.searchParams.set("round", form.elements.round.value || form.elements.for_round.value);
  const answer = await fetch(url, { cache: "no-store", headers: { Accept: "application/json" }, redirect: "error" });
  if (!answer.ok) {
    throw new Error(String(answer.status));
  }
  const state = await answer.json();
  showTyping(state.typing);
  await showSaved(state.hanchan);
  showSince(state.hanchan);
  await countFrom(state, moment);
  document.getElementById("kept-page")?.remove();
  await update(state.hanchan).catch(() => {});
}

/* Only the fact is announced; the digits may change with every answer. */
function showTyping(typing) {
  const text = typing ? word("typing") : "";
  const [status, scores] = elsewhere.children;
  if (status.textContent !== text) {
    status.textContent = text;
  }
  const seats = typing ? typing.names.map((name, seat) => copyOf("typed", { name, score: typing.scores[seat] || "…" })) : [];
  scores.replaceChildren(...seats.flatMap((seat) => [seat, " "]));
}

async function showSaved(hanchan) {
  const known = newest;
  newest = Math.max(0, newest ?? 0, ...hanchan.map((each) => each.id));
  if (known === null) {
    return;
  }
  const own = new Set((await records().catch(() => [])).map((record) => record.client_key));
  const others = hanchan.filter((each) => each.id > known && !own.has(each.client_key) && each.standing !== "voided");
  if (others.length) {
    const [last] = others;
    const item = copyOf("news-line", { text: word("saved_elsewhere", { round: last.round }) });
    item.querySelector("a").href = last.receipt;
    item.dataset.hanchan = last.id;
    news.replaceChildren(item);
  }
}

/* News may have been undone or disputed since. */
function showSince(hanchan) {
  const shown = news.querySelector("[data-hanchan]");
  const now = shown && hanchan.find((each) => String(each.id) === shown.dataset.hanchan);
  if (now?.standing === "voided") {
    news.replaceChildren(copyOf("news-undone", { text: word("undone_elsewhere", { round: now.round }) }));
  } else if (now?.standing === "disputed" && shown.dataset.standing !== now.standing) {
    const item = copyOf("news-disputed", { text: `${word("round", { round: now.round })}: ${word("disputed")}` });
    item.querySelector("a").href = now.receipt;
    Object.assign(item.dataset, { hanchan: now.id, standing: now.standing });
    news.replaceChildren(item);
  }
}

async function ask() {
  clearTimeout(timer);
  let pause = PAUSE;
  if (!document.hidden) {
    try {
      await refresh();
    } catch {
      pause = LONG_PAUSE;
    }
  }
  clearTimeout(timer);
  timer = setTimeout(ask, about(pause));
}

document.addEventListener("visibilitychange", () => document.hidden || ask());
addEventListener("online", ask);
ask();

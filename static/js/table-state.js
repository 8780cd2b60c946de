/* What other phones do at the same table: somebody types there, or has saved a hanchan. */

import { device } from "./device.js";
import { learn, records } from "./outbox.js";
import { heard } from "./next-round.js";
import { copyOf, word } from "./i18n.js";

const PAUSE = 6_000;
const LONG_PAUSE = 30_000;

const desk = document.getElementById("desk");
const elsewhere = document.getElementById("elsewhere");
const news = document.getElementById("news");

let newest = null;
let timer = null;

async function look() {
  const moment = Date.now();
  const url = new URL(desk.dataset.stateUrl, location.href);
  url.searchParams.set("device", device());
  const answer = await fetch(url, { cache: "no-store", headers: { Accept: "application/json" }, redirect: "error" });
  if (!answer.ok) {
    throw new Error(String(answer.status));
  }
  const said = await answer.json();
  typing(said.typing);
  await saved(said.hanchan);
  takenBack(said.hanchan);
  await heard(said.round, moment);
  await learn(said.hanchan).catch(() => {});
}

/* Only the fact is announced; the digits may change with every look. */
function typing(said) {
  const text = said ? word("typing") : "";
  const [status, scores] = elsewhere.children;
  if (status.textContent !== text) {
    status.textContent = text;
  }
  const lines = said ? said.names.map((name, seat) => `${name} ${said.scores[seat] || "…"}`) : [];
  scores.replaceChildren(...lines.flatMap((line) => [Object.assign(document.createElement("span"), { textContent: line }), " "]));
}

async function saved(hanchan) {
  const known = newest;
  newest = Math.max(0, newest ?? 0, ...hanchan.map((each) => each.id));
  if (known === null) {
    return;
  }
  const own = new Set((await records().catch(() => [])).map((record) => record.client_key));
  const others = hanchan.filter((each) => each.id > known && !own.has(each.client_key) && each.standing !== "voided");
  if (others.length) {
    const [last] = others;
    const line = copyOf("news-line", { text: word("saved_elsewhere", { round: last.round }) });
    line.querySelector("a").href = last.receipt;
    line.dataset.hanchan = last.id;
    news.replaceChildren(line);
  }
}

/* What the line of news tells may have been undone since. */
function takenBack(hanchan) {
  const told = news.querySelector("[data-hanchan]")?.dataset.hanchan;
  const undone = hanchan.find((each) => String(each.id) === told && each.standing === "voided");
  if (undone) {
    news.replaceChildren(copyOf("news-undone", { text: word("undone_elsewhere", { round: undone.round }) }));
  }
}

async function ask() {
  clearTimeout(timer);
  let pause = PAUSE;
  if (!document.hidden) {
    try {
      await look();
    } catch {
      pause = LONG_PAUSE;
    }
  }
  clearTimeout(timer);
  timer = setTimeout(ask, pause);
}

document.addEventListener("visibilitychange", () => document.hidden || ask());
addEventListener("online", ask);
ask();

/* The wall: asks again and again, keeps the last figures when the network is gone, and says how old they are. */

import { about, impatient } from "./pace.js";
import { setClock } from "./round-timer.js";

const PATIENCE = 8000;
const AFTER_FAILURE = 2000;
const HIDDEN = 20000;
const KEEP_EVERY = 10000;
const TURN = 12000;
const DRIFT = 60000;
const STILL = 4000;

const projector = document.getElementById("projector");
const screens = document.getElementById("screens");
const aside = document.getElementById("aside");
const badge = document.getElementById("badge");
const moment = document.getElementById("moment");
const kept = `tenbo-wall:${document.documentElement.lang}:${projector.dataset.url}`;

let etag = projector.dataset.etag || null;
let renewed = new Date(moment.dateTime);
let timer = null;
let shown = 0;
let keptAt = 0;
let pause = Number(projector.dataset.pause);
const hurried = impatient();

function writeWord() {
  const word = badge.dataset.state === "live" ? projector.dataset.textLive : projector.dataset.textLost;
  badge.querySelector(".projector-word").textContent = word;
}

function say(state) {
  if (badge.dataset.state !== state) {
    badge.dataset.state = state;
    writeWord();
  }
  moment.dateTime = renewed.toISOString();
  moment.textContent = new Intl.DateTimeFormat("ja", {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: projector.dataset.zone,
  }).format(renewed);
}

function fill(place, html) {
  place.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
}

function show(news) {
  fill(screens, news.html);
  fill(aside, news.aside);
  turn(0);
}

/* The director may have chosen another language since. */
function speak(news) {
  document.documentElement.lang = news.language;
  projector.dataset.textLive = news.words.live;
  projector.dataset.textLost = news.words.lost;
  writeWord();
}

function turn(step) {
  const all = [...screens.querySelectorAll("[data-screen]")];
  shown = all.length ? (shown + step) % all.length : 0;
  all.forEach((screen, number) => {
    screen.hidden = number !== shown;
  });
}

function keep(isNew) {
  if (!isNew && Date.now() - keptAt < KEEP_EVERY) {
    return;
  }
  keptAt = Date.now();
  try {
    localStorage.setItem(kept, JSON.stringify({ html: screens.innerHTML, aside: aside.innerHTML, heard: renewed.toISOString(), etag }));
  } catch {
    /* Without storage the page still shows what it has. */
  }
}

function recall() {
  try {
    const last = JSON.parse(localStorage.getItem(kept));
    if (last && new Date(last.heard) > renewed) {
      renewed = new Date(last.heard);
      etag = last.etag;
      show(last);
    }
  } catch {
    /* Nothing was kept. */
  }
}

async function refresh() {
  const asked = Date.now();
  const answer = await fetch(projector.dataset.url, {
    headers: etag ? { "If-None-Match": etag } : {},
    cache: "no-store",
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (answer.status !== 304) {
    if (!answer.ok) {
      throw new Error(String(answer.status));
    }
    const news = await answer.json();
    show(news);
    speak(news);
    pause = news.pause;
  }
  etag = answer.headers.get("ETag") ?? etag;
  renewed = new Date();
  setClock(answer.headers.get("Tenbo-Now"), asked);
  return answer;
}

async function ask() {
  clearTimeout(timer);
  let wait = 0;
  try {
    const answer = await refresh();
    const isNew = answer.status !== 304;
    say("live");
    keep(isNew);
    wait = hurried(answer, document.hidden ? HIDDEN : pause);
  } catch {
    say("lost");
    wait = AFTER_FAILURE;
  }
  clearTimeout(timer);
  timer = setTimeout(ask, about(wait));
}

async function stayAwake() {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    /* The screen then sleeps as the machine is set. */
  }
}

let resting = null;
function wake() {
  document.documentElement.classList.remove("quiet-cursor");
  clearTimeout(resting);
  resting = setTimeout(() => document.documentElement.classList.add("quiet-cursor"), STILL);
}

let drifted = 0;
function drift() {
  document.documentElement.classList.remove(`shift-${drifted}`);
  drifted = (drifted + 1) % 5;
  document.documentElement.classList.add(`shift-${drifted}`);
}

addEventListener("offline", () => say("lost"));
addEventListener("online", ask);
addEventListener("pointermove", wake);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    stayAwake();
    ask();
  }
});

recall();
turn(0);
document.documentElement.classList.add("quiet-cursor");
stayAwake();
setInterval(() => turn(1), TURN);
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
  setInterval(drift, DRIFT);
}
ask();

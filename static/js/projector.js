/* The projector: asks every few seconds, keeps the last figures when the network is gone, and says so. */

const PAUSE = 4000;
const PATIENCE = 8000;
const TURN = 12000;
const DRIFT = 60000;
const STILL = 4000;

const projector = document.getElementById("projector");
const screens = document.getElementById("screens");
const badge = document.getElementById("badge");
const moment = document.getElementById("moment");
const kept = `tenbo-wall:${document.documentElement.lang}:${projector.dataset.url}`;

let etag = projector.dataset.etag || null;
let renewed = new Date(moment.dateTime);
let timer = null;
let shown = 0;

function say(state) {
  if (badge.dataset.state !== state) {
    badge.dataset.state = state;
    badge.querySelector(".projector-word").textContent = state === "live" ? projector.dataset.textLive : projector.dataset.textLost;
  }
  moment.dateTime = renewed.toISOString();
  moment.textContent = new Intl.DateTimeFormat("ja", {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: projector.dataset.zone,
  }).format(renewed);
}

function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  screens.replaceChildren(...page.body.childNodes);
  turn(0);
}

function turn(step) {
  const all = [...screens.querySelectorAll("[data-screen]")];
  shown = all.length ? (shown + step) % all.length : 0;
  all.forEach((screen, number) => {
    screen.hidden = number !== shown;
  });
}

function keep() {
  try {
    localStorage.setItem(kept, JSON.stringify({ html: screens.innerHTML, heard: renewed.toISOString(), etag }));
  } catch {
    /* A browser that stores nothing still shows what it has. */
  }
}

function recall() {
  try {
    const last = JSON.parse(localStorage.getItem(kept));
    if (last && new Date(last.heard) > renewed) {
      renewed = new Date(last.heard);
      etag = last.etag;
      show(last.html);
    }
  } catch {
    /* Nothing was kept. */
  }
}

async function refresh() {
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
    show(news.html);
  }
  etag = answer.headers.get("ETag") ?? etag;
  renewed = new Date();
}

async function ask() {
  clearTimeout(timer);
  try {
    await refresh();
    say("live");
    keep();
  } catch {
    say("lost");
  }
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
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
wake();
stayAwake();
setInterval(() => turn(1), TURN);
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
  setInterval(drift, DRIFT);
}
ask();

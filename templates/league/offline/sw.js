/* The service worker: the pages of a table open without the network.

   Files of the site come from the phone first, kept pages from the network first. A kept page says since when the phone has
   it. What is kept of people's pages is dropped whenever somebody logs in or out. Nothing but pages and files is ever kept: no results, no states, no posts. */

const SAID = {% autoescape off %}{{ said }}{% endautoescape %};
const STATIC = new URL("{{ static }}", location.href);

const SHELL = "tenbo-shell-";
const SHELL_NOW = SHELL + SAID.version;
const PEOPLE = "tenbo-pages-2";
const PATIENCE = 3000;
const MAX_PAGES = 40;
const SINCE = "Tenbo-Kept";
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

const KEPT = /^(?:\/en)?\/(?:e\/[^/]+\/(?:ticker\/)?|l\/[^/]+\/sessions\/\d+\/(?:enter|ticker)\/|l\/[^/]+\/standings\/[^/]+\/|l\/[^/]+\/t\/[^/]+\/wall\/)$/;
const DOORS = /\/(?:accounts|admin)\/(?:login|logout|password_change)\//;
const LOOSE = { ignoreVary: true };

/* Counts how often kept pages were dropped: a page that was asked for before then is not kept. */
let dropped = 0;

/* --- Coming and going --- */

self.addEventListener("install", (event) => {
  event.waitUntil(fill().then(() => self.skipWaiting()));
});

async function fill() {
  const cache = await caches.open(SHELL_NOW);
  const fresh = (url) => new Request(url, { cache: "no-cache", credentials: "omit" });
  await cache.addAll([...SAID.shell, ...SAID.pages].map(fresh));
}

self.addEventListener("activate", (event) => {
  event.waitUntil(tidy().then(() => self.clients.claim()));
});

/* The last version's files stay: pages that are open, and kept ones, were drawn with them. */
async function tidy() {
  const ours = (await caches.keys()).filter((name) => name.startsWith("tenbo-"));
  const before = ours.filter((name) => name.startsWith(SHELL) && name !== SHELL_NOW).at(-1);
  const stays = new Set([SHELL_NOW, PEOPLE, before]);
  await Promise.all(ours.filter((name) => !stays.has(name)).map((name) => caches.delete(name)));
}

/* --- Answering --- */

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method === "GET" && isFile(url)) {
    event.respondWith(file(request));
    return;
  }
  if (url.origin !== location.origin) {
    return;
  }
  if (request.method === "POST" && DOORS.test(url.pathname)) {
    event.respondWith(forget().then(() => fetch(request)));
  } else if (request.method === "GET" && request.mode === "navigate") {
    event.respondWith(page(event, url));
  }
});

self.addEventListener("message", (event) => {
  // A page that was on its way while the worker began has none yet.
  event.waitUntil(self.clients.claim());
  const url = new URL(event.data?.keep ?? "/", location.href);
  if (url.origin === location.origin && isKept(url)) {
    event.waitUntil(visit(url));
  }
});

/* The picture that pages draw parts of is the site's own, wherever the other files come from. */
function isFile(url) {
  return [STATIC.origin, location.origin].includes(url.origin) && url.pathname.startsWith(STATIC.pathname);
}

async function file(request) {
  const known = await (await caches.open(SHELL_NOW)).match(request, LOOSE);
  if (known) {
    return known;
  }
  const answer = await fetch(request).catch(() => caches.match(request, LOOSE));
  if (!answer) {
    return Response.error();
  }
  if (answer.ok && ["basic", "cors"].includes(answer.type)) {
    const cache = await caches.open(SHELL_NOW);
    await cache.put(request, answer.clone());
  }
  return answer;
}

async function page(event, url) {
  const known = await found(url);
  const asked = isKept(url) ? ask(event, url) : fetch(event.request);
  if (!known) {
    return asked.catch(() => instead(url));
  }
  event.waitUntil(asked.catch(() => {}));
  const answer = await Promise.race([asked.catch(() => null), pause()]);
  return answer && answer.status < 500 ? answer : known;
}

function pause() {
  return new Promise((done) => {
    setTimeout(done, PATIENCE, null);
  });
}

async function found(url) {
  if (isKept(url)) {
    const answer = await (await caches.open(PEOPLE)).match(nameOf(url), LOOSE);
    return answer && dated(answer);
  }
  return SAID.pages.includes(url.pathname) ? (await caches.open(SHELL_NOW)).match(url.pathname, LOOSE) : undefined;
}

/* The kept page with its age on top, until its own script has heard how things are now. The wall tells its age itself. */
async function dated(answer) {
  const html = await answer.text();
  const language = html.match(/<html lang="(\w+)/)?.[1] ?? "ja";
  const since = new Date(Number(answer.headers.get(SINCE)));
  const isToday = since.toDateString() === new Date().toDateString();
  const time = since.toLocaleString(language, { ...(isToday ? {} : { month: "short", day: "numeric" }), ...CLOCK });
  const note = SAID.kept[language].replace("{time}", time);
  const marked = html.replace(/<main id="main"[^>]*>/, (main) => `${main}<p id="kept-page" class="notice warning" role="status">${note}</p>`);
  return new Response(marked, { status: answer.status, headers: answer.headers });
}

async function instead(url) {
  const name = SAID.pages.find((each) => each.startsWith("/en/") === url.pathname.startsWith("/en/"));
  return (await (await caches.open(SHELL_NOW)).match(name, LOOSE)) ?? Response.error();
}

/* --- Keeping pages --- */

function isKept(url) {
  return KEPT.test(url.pathname) && !SAID.pages.includes(url.pathname);
}

/* With these the page comes filled in: a result is nothing to be kept here. */
const FILLED_IN = ["again", "held", "raw_0"];

/* How the seats were to be filled is no part of where a table is. */
function nameOf(url) {
  const name = new URL(url);
  name.hash = "";
  name.searchParams.delete("seats");
  name.searchParams.delete("draw");
  return name.href;
}

async function ask(event, url) {
  const then = dropped;
  const answer = await fetch(event.request);
  await keep(url, answer.clone(), then);
  return answer;
}

async function visit(url) {
  const then = dropped;
  await keep(url, await fetch(url, { credentials: "same-origin", redirect: "manual" }), then);
}

async function keep(url, answer, then) {
  if (FILLED_IN.some((name) => url.searchParams.has(name))) {
    return;
  }
  const cache = await caches.open(PEOPLE);
  if (answer.status === 200 && answer.headers.get("Content-Type")?.startsWith("text/html")) {
    if (then === dropped && !(url.searchParams.has("seats") && (await cache.match(nameOf(url), LOOSE)))) {
      const headers = new Headers(answer.headers);
      headers.set(SINCE, Date.now());
      await cache.put(nameOf(url), new Response(answer.body, { status: answer.status, headers }));
      await trim(cache);
    }
  } else if (answer.type === "opaqueredirect" || [401, 403, 404, 410].includes(answer.status)) {
    // Whoever reads now may not see this page any more, nor a copy of it.
    await cache.delete(nameOf(url), LOOSE);
  }
}

async function trim(cache) {
  const names = await cache.keys();
  await Promise.all(names.slice(0, Math.max(0, names.length - MAX_PAGES)).map((name) => cache.delete(name)));
}

async function forget() {
  dropped += 1;
  await caches.delete(PEOPLE);
}

/* Live pages: ask politely whether there is something new, and say so. Nothing moves until the reader asks for it. */

import { about, ANSWERED, impatient, isOlder } from "./pace.js";

const MAX_PAUSE = 15 * 60 * 1000;

for (const bar of document.querySelectorAll("[data-live]")) {
  watch(bar);
}

function watch(bar) {
  const parts = bar.dataset.live.split(" ");
  const address = bar.dataset.liveUrl || location.href;
  const pause = Number(bar.dataset.liveSeconds || 20) * 1000;
  // Same for all: requested without cookies, so that an edge may respond.
  const isEverybodys = bar.dataset.liveEverybodys !== undefined;
  const hurried = impatient();
  let etag = bar.dataset.liveEtag || null;
  let failures = 0;
  let timer = null;

  const usual = () => Math.min(pause * 2 ** failures, MAX_PAUSE);

  const plan = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(ask, about(wait));
  };

  const ask = async () => {
    let answer = null;
    if (!document.hidden) {
      try {
        answer = await refresh();
        failures = 0;
      } catch {
        failures += 1;
      }
      report(failures ? "lost" : "live");
    }
    plan(answer ? hurried(answer, usual()) : usual());
  };

  const refresh = async () => {
    const answer = await fetch(address, {
      headers: etag ? { "If-None-Match": etag } : {},
      cache: "no-store",
      credentials: isEverybodys ? "omit" : "same-origin",
    });
    if (answer.status === 304 || answer.status === 204) {
      document.getElementById("kept-page")?.remove();
      return answer;
    }
    if (!answer.ok) {
      throw new Error(String(answer.status));
    }
    const known = etag;
    etag = answer.headers.get("ETag");
    if (known && known !== etag && (await isNews(answer.clone(), parts))) {
      bar.hidden = false;
    }
    return answer;
  };

  const take = async (event) => {
    event.preventDefault();
    try {
      let answer = await fetch(location.href, { cache: "no-store" });
      if (isOlder(answer)) {
        await new Promise((done) => setTimeout(done, ANSWERED));
        answer = await fetch(location.href, { cache: "no-store" });
      }
      show(new DOMParser().parseFromString(await answer.text(), "text/html"), parts);
      bar.hidden = true;
    } catch {
      location.reload();
    }
  };

  bar.querySelector("a").addEventListener("click", take);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) {
      ask();
    }
  });
  plan(usual());
}

/* A page has another tag after any change in the league: it is news where a part says something else. */
async function isNews(answer, parts) {
  if (!answer.headers.get("Content-Type")?.startsWith("text/html")) {
    return true;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return parts.some((id) => said(page, id) !== said(document, id));
}

function said(page, id) {
  return page.getElementById(id)?.textContent.replace(/\s+/g, " ").trim();
}

function show(page, parts) {
  document.getElementById("kept-page")?.remove();
  for (const { id } of document.querySelectorAll("details[open][id]")) {
    page.getElementById(id)?.setAttribute("open", "");
  }
  for (const id of parts) {
    document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  }
  const first = document.getElementById(parts[0]);
  if (!first.hasAttribute("tabindex")) {
    first.tabIndex = -1;
  }
  first.focus({ preventScroll: true });
}

function report(state) {
  const dot = document.querySelector("[data-live-dot]");
  if (dot && dot.dataset.state !== state) {
    dot.dataset.state = state;
    dot.textContent = state === "live" ? dot.dataset.textLive : dot.dataset.textLost;
  }
}

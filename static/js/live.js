/* Live pages: ask politely whether there is something new, and say so. Nothing moves until the reader asks for it. */

const MOVED_AWAY = 15 * 60 * 1000;

for (const bar of document.querySelectorAll("[data-live]")) {
  watch(bar);
}

function watch(bar) {
  const target = document.getElementById(bar.dataset.live);
  const pause = Number(bar.dataset.liveSeconds || 20) * 1000;
  let etag = bar.dataset.liveEtag || null;
  let fresh = null;
  let failures = 0;
  let timer = null;

  const plan = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, Math.min(pause * 2 ** failures, MOVED_AWAY));
  };

  const report = (state) => {
    const dot = document.querySelector("[data-live-dot]");
    if (dot && dot.dataset.state !== state) {
      dot.dataset.state = state;
      dot.textContent = state === "live" ? dot.dataset.textLive : dot.dataset.textLost;
    }
  };

  const ask = async () => {
    if (!document.hidden) {
      try {
        await look();
        failures = 0;
        report("live");
      } catch {
        failures += 1;
        report("lost");
      }
    }
    plan();
  };

  const look = async () => {
    const headers = etag ? { "If-None-Match": etag } : {};
    const answer = await fetch(bar.dataset.liveUrl || location.href, { headers, cache: "no-store" });
    if (answer.status === 304 || answer.status === 204) {
      return;
    }
    if (!answer.ok) {
      throw new Error(String(answer.status));
    }
    const known = etag;
    etag = answer.headers.get("ETag");
    if (known && known !== etag) {
      fresh = await answer.text();
      bar.hidden = false;
    }
  };

  const take = (event) => {
    const page = fresh && new DOMParser().parseFromString(fresh, "text/html");
    const replacement = page?.getElementById(bar.dataset.live);
    if (!target || !replacement) {
      return; // The link reloads the page.
    }
    event.preventDefault();
    target.replaceChildren(...replacement.childNodes);
    if (!target.hasAttribute("tabindex")) {
      target.tabIndex = -1;
    }
    target.focus({ preventScroll: true });
    fresh = null;
    bar.hidden = true;
  };

  bar.querySelector("a")?.addEventListener("click", take);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) {
      ask();
    }
  });
  plan();
}

/* On every page: closes menus, lets the phone keep the pages of a table (sw.js), and sends what still waits on it. */

const { serviceWorker } = navigator;

/* The worker fetches everything else; the page's own files come first. */
function register() {
  // A page that the worker has not brought itself is kept as soon as it runs, so that one visit is enough.
  const isFirst = !serviceWorker.controller;
  serviceWorker
    .register("/sw.js")
    .then(() => serviceWorker.ready)
    .then(({ active }) => isFirst && active.postMessage({ keep: location.href.split("#")[0] }))
    .catch(() => {
      /* Without a worker every page needs the network, as before. */
    });
}

if (serviceWorker && document.readyState === "complete") {
  register();
} else if (serviceWorker) {
  addEventListener("load", register);
}

/* An open menu closes with a tap elsewhere or Escape. */
for (const kind of ["click", "keydown"]) {
  document.addEventListener(kind, ({ key, target }) => {
    for (const menu of document.querySelectorAll(".menu[open]")) {
      if (key === "Escape" || (!key && !menu.contains(target))) {
        menu.open = false;
      }
    }
  });
}

try {
  if (Number(localStorage.getItem("tenbo-unsent")) > 0) {
    const { start } = await import("./outbox.js");
    await start();
  }
} catch {
  /* A browser that keeps nothing has nothing to send. */
}

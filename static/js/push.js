/* Hears from an edge that there is something new, and has it asked for a moment later, not by all pages at once. Whoever is told
   asks rarely without being told; where nothing can be heard, pages ask as they would without this. docs/adr/0068. */

const PATIENCE = 10_000;
const FIRST = 2_000;
const AGAIN = 20_000;
const MOST = 10 * 60_000;
const TRIES = 2;

/* An edge hands out what it had before while it asks, and for two seconds what it was answered: so it is asked again after these, too. */
const ECHOES = [2_100, 3_200];

/* Whatever is found so long after the last word was not told. */
const UNTOLD = 10_000;

/* Calls `ask` within 1/1000 seconds after each word. `pause` says how long to wait until asking without one, at least `rest`
   while words are heard; `found` is to be called when asking brought something new. */
export function listen(address, ask, { within = 1_000, rest = 90_000 } = {}) {
  if (!address || !globalThis.EventSource) {
    return { pause: (usual) => usual, found: () => {} };
  }

  let source = null;
  let isOpen = false;
  let isTrusted = false;
  let failures = 0;
  let heard = 0;
  let last = "";
  let waiting = null;
  let next = null;
  let later = [];

  /* However many words come meanwhile: nobody is put off by the next one. */
  const soon = (spread = within) => {
    next ??= setTimeout(() => {
      next = null;
      ask();
    }, Math.random() * spread);
  };

  const askLater = () => {
    later.forEach(clearTimeout);
    const late = Math.random() * within;
    later = ECHOES.map((pause) => setTimeout(ask, pause + late));
  };

  const stop = () => {
    clearTimeout(waiting);
    source?.close();
    source = null;
    isOpen = false;
  };

  const fail = () => {
    stop();
    failures += 1;
    if (failures === TRIES) {
      soon(5 * within);
    }
    const pause = failures < TRIES ? FIRST : Math.min(AGAIN * 2 ** (failures - TRIES), MOST);
    waiting = setTimeout(start, pause * (0.5 + Math.random()));
  };

  const start = () => {
    stop();
    if (document.hidden) {
      return;
    }
    waiting = setTimeout(fail, PATIENCE);
    source = new EventSource(address);
    source.addEventListener("open", () => {
      clearTimeout(waiting);
      failures = 0;
      isOpen = isTrusted = true;
      heard = Date.now();
      /* What was told before anybody listened. */
      askLater();
    });
    source.addEventListener("error", fail);
    source.addEventListener("message", ({ data }) => {
      isTrusted = true;
      heard = Date.now();
      if (data !== last) {
        last = data;
        soon();
        askLater();
      }
    });
  };

  document.addEventListener("visibilitychange", () => {
    failures = 0;
    start();
  });
  start();

  return {
    pause: (usual) => (isOpen && isTrusted ? Math.max(usual, rest) : usual),
    found: () => {
      isTrusted &&= Date.now() - heard < UNTOLD;
    },
  };
}

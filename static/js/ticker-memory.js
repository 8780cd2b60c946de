/* What the ticker keeps on this phone besides unsent facts: the server's facts, and half-typed
   input. The cached page may be older than both. */

const NAME = "tenbo-ticker";
const MOST = 8;

function kept() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) ?? [];
  } catch {
    return [];
  }
}

function isOf(url, round) {
  return (each) => each.url === url && each.round === round;
}

/* Stored for a hanchan: `ticks` and `players` from the server, `typed` with its `number`. */
export function recalled(url, round) {
  return kept().find(isOf(url, round)) ?? {};
}

export function remember(url, round, facts) {
  const all = kept();
  const known = all.find(isOf(url, round)) ?? { url, round };
  const others = all.filter((each) => each !== known);
  try {
    localStorage.setItem(NAME, JSON.stringify([{ ...known, ...facts }, ...others].slice(0, MOST)));
  } catch {
    /* Then the page's data is all there is. */
  }
}

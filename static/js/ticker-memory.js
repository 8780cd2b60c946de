/* What the ticker of a table keeps on this phone besides what waits to be sent: what the server told of the hanchan, and what
   is half typed. The page in the phone's own store may be older than both. */

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

/* What is kept of a hanchan: `ticks` and `players` as the server told them, `typed` with the `number` it is typed after. */
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
    /* What the page has is then all there is. */
  }
}

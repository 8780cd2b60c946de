/* How long to wait before asking again: never quite the same, or all phones of a hall ask in step after it was away. */

const SPREAD = 0.2;

/* By then an edge has refreshed what it served stale. */
export const ANSWERED = 2_200;

/* Returns about this many 1/1000 seconds: a fifth more or less. */
export function about(pause) {
  return pause * (1 - SPREAD + 2 * SPREAD * Math.random());
}

/* Returns whether an edge served a stale response. */
export function isOlder(answer) {
  return ["STALE", "UPDATING"].includes(answer.headers.get("X-Cache"));
}

/* Returns a function from a response and a pause to a pause, shorter after a stale response. */
export function impatient() {
  let times = 0;
  return (answer, pause) => {
    times = isOlder(answer) ? times + 1 : 0;
    return times ? Math.min(pause, ANSWERED * 2 ** (times - 1)) : pause;
  };
}

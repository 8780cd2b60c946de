/* How long to wait before asking again: never quite the same, or all phones of a hall ask in step after it was away. */

const SPREAD = 0.2;

/* By then an edge has been answered what it asked when it handed out what it had, and does not hand out that any more. */
export const ANSWERED = 2_200;

/* Returns about this many 1/1000 seconds: a fifth more or less. */
export function about(pause) {
  return pause * (1 - SPREAD + 2 * SPREAD * Math.random());
}

/* Returns whether an edge handed out what it had while it asked. */
export function isOlder(answer) {
  return ["STALE", "UPDATING"].includes(answer.headers.get("X-Cache"));
}

/* Returns a function of an answer and a pause: the pause, or less where an edge handed out what it had while it asked. */
export function impatient() {
  let times = 0;
  return (answer, pause) => {
    times = isOlder(answer) ? times + 1 : 0;
    return times ? Math.min(pause, ANSWERED * 2 ** (times - 1)) : pause;
  };
}

/* How long to wait before asking again: never quite the same, or all phones of a hall ask in step after it was away. */

const SPREAD = 0.2;

/* Returns about this many 1/1000 seconds: a fifth more or less. */
export function about(pause) {
  return pause * (1 - SPREAD + 2 * SPREAD * Math.random());
}

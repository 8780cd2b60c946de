/* How soon a page asks again: at its usual pace, and sooner where an edge handed out what it had while it asked. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { about, impatient } from "../../static/js/pace.js";

const said = (cache) => new Response("", { headers: cache ? { "X-Cache": cache } : {} });

test("nobody waits as long as the others", () => {
  const pauses = Array.from({ length: 200 }, () => about(1_000));
  assert.ok(Math.min(...pauses) >= 800 && Math.max(...pauses) <= 1_200);
  assert.ok(new Set(pauses).size > 100);
});

test("what an edge knows, and a site without one, is asked for at the usual pace", () => {
  const pause = impatient();
  for (const cache of ["", "HIT", "MISS", "REVALIDATED", "PAST"]) {
    assert.equal(pause(said(cache), 20_000), 20_000);
  }
});

test("what is older is asked for soon, ever later while the site is slow, and never later than usual", () => {
  const pause = impatient();
  const pauses = ["STALE", "UPDATING", "STALE", "STALE", "STALE"].map((cache) => pause(said(cache), 20_000));
  assert.deepEqual(pauses, [2_200, 4_400, 8_800, 17_600, 20_000]);
  assert.equal(pause(said("HIT"), 20_000), 20_000);
  assert.equal(pause(said("STALE"), 20_000), 2_200);
  assert.equal(impatient()(said("STALE"), 1_000), 1_000);
});

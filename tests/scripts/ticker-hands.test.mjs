/* From hand to hand as the server does it: the cases in hands.json are tried in tests/tournaments/test_ticking.py too. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { afterHand, atFirst, dealerOf, filled, isLast, standing, sticksAfter, turned, withoutRiichi } from "../../static/js/ticker-hands.js";

const CASES = JSON.parse(readFileSync(new URL("hands.json", import.meta.url)));
const RULES = { players: 4, start: 25000, last: 7, notenPool: 3000, honbaOnDraw: true, keeps: { E: "tenpai", S: "tenpai" } };

for (const each of CASES) {
  test(`the next hand follows from points: ${each.name}`, () => {
    const keeps = each.keeps ? { E: each.keeps, S: each.keeps } : RULES.keeps;
    const rules = { ...RULES, keeps, honbaOnDraw: !each.no_honba_on_draw };
    const before = { scores: each.scores, hand: each.hand, honba: each.honba ?? 0, sticks: each.sticks ?? 0, riichi: each.riichi ?? [] };
    const sticks = sticksAfter(before, each.typed, rules);
    assert.equal(sticks, each.left);
    if (each.left !== null) {
      const scores = filled(each.typed, sticks, rules);
      const after = afterHand(before, scores, sticks, rules);
      assert.deepEqual([after.hand, after.honba, after.riichi], [each.after, each.honba_after ?? 0, []]);
      assert.equal(scores.reduce((sum, score) => sum + score, 0) + 1000 * sticks, 100000);
    }
  });
}

test("a riichi goes on the table and comes back", () => {
  const first = atFirst(RULES);
  const declared = turned(first, 2);
  assert.deepEqual([declared.scores, declared.sticks, declared.riichi], [[25000, 25000, 24000, 25000], 1, [2]]);
  assert.deepEqual(withoutRiichi(declared), first.scores);
  assert.deepEqual(turned(declared, 2), first);
  assert.equal(dealerOf({ hand: "S3" }), 2);
  assert.deepEqual([isLast("S3", RULES), isLast("S4", RULES), isLast("W1", RULES)], [false, true, true]);
});

test("what stands is the same in any order, twice, and with an undo before its slip", () => {
  const tick = (key, number) => ({ key, number, scores: [number] });
  const facts = [{ key: "u", number: 2, takes_back: "b" }, tick("c", 2), tick("a", 1), tick("b", 2), tick("a", 1)];
  assert.deepEqual(standing(facts).map(({ key }) => key), ["a", "c"]);
});

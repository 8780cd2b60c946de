/* Raw scores: the page reads them as the server does. The cases stand in tests/league/entry/test_entry_text.py too. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { EMPTY, readScores } from "../../static/js/scores.js";

const CASES = [
  [["60000", "-1000", "31700", "9300"], [60000, -1000, 31700, 9300], "all in points"],
  [["600", "-10", "317", "93"], [60000, -1000, 31700, 9300], "all in hundreds"],
  [["60000", "-10", "31.7", "9300"], [60000, -1000, 31700, 9300], "each in another unit"],
  [["1150", "-350", "100", "100"], [115000, -35000, 10000, 10000], "hundreds in four digits"],
  [["46200", "32400", "2000", "19400"], [46200, 32400, 2000, 19400], "an example in points"],
  [["60000", "-1000", "31700", "9400"], [60000, -1000, 31700, 9400], "off by a hundred"],
  [["60000", "▲1000", "", ""], [60000, -1000, EMPTY, EMPTY], "while it is typed"],
  [["８６００", "317", "", ""], [8600, 31700, EMPTY, EMPTY], "more than there is at the table"],
  [["900", "317", "", ""], [90000, 31700, EMPTY, EMPTY], "hundreds as long as they may be"],
  [["500+500", "60000", "", ""], [1000, 60000, EMPTY, EMPTY], "a sum beside points"],
  [["57,2", "８，４", "１２．５", "21·9"], [57200, 8400, 12500, 21900], "decimal commas"],
  [["31,700", "31'300", "25 500", "1.1.5"], [31700, 31300, 25500, NaN], "thousands marks"],
  [["31 7", "0,300", "1,23,456", "1.234,5"], [NaN, 300, NaN, 1234500], "marks that divide no thousands"],
  [["0", "abc", "31750", "250+80-39"], [0, NaN, NaN, 29100], "no score at all"],
];

for (const [texts, points, name] of CASES) {
  test(`scores of a table are read in the unit in which they add up: ${name}`, () => {
    assert.deepEqual(readScores(texts, 100_000).map((score) => score.points), points);
  });
}

test("a score that is read in points gets no zeros behind it", () => {
  assert.deepEqual(
    readScores(["60000", "-1000", "317", "9300"], 100_000).map((score) => score.isHundreds),
    [false, false, true, false],
  );
});

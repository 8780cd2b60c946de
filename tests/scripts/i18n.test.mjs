/* The words of a page as its scripts put them together. */

import assert from "node:assert/strict";
import { test } from "node:test";

/* The words as a page in that language brings them along. */
async function wordsOf(lang) {
  const texts = { round: lang === "ja" ? "{round}回戦" : "Round {round}" };
  const find = (selector) => {
    const [, name] = /^\[data-word="(\w+)"\]$/.exec(selector);
    return name in texts ? { textContent: ` ${texts[name]}\n` } : null;
  };
  globalThis.document = {
    documentElement: { lang },
    getElementById: (id) => (id === "words" ? { content: { querySelector: find } } : null),
  };
  return import(`../../static/js/i18n.js?${lang}`);
}

const MOMENTS = { ja: "2025/11/02(日) 00:12", en: "Sun 2 Nov 2025 00:12" };

for (const [lang, written] of Object.entries(MOMENTS)) {
  test(`a moment is written as other pages do (${lang})`, async () => {
    const { moment } = await wordsOf(lang);
    assert.equal(moment(new Date(2025, 10, 2, 0, 12).toISOString()), written);
    assert.equal(moment("yesterday"), "");
  });
}

test("the number of a hanchan is the server's once it has one", async () => {
  const { roundOf } = await wordsOf("ja");
  assert.equal(roundOf({ summary: { round: "2回戦" } }), "2回戦");
  assert.equal(roundOf({ round: 4, summary: { round: "2回戦" } }), "4回戦");
});

test("a word has its facts filled in, and is empty where the page has none", async () => {
  const { word } = await wordsOf("en");
  assert.equal(word("round", { round: 3 }), "Round 3");
  assert.equal(word("round"), "Round ");
  assert.equal(word("nonsense"), "");
});

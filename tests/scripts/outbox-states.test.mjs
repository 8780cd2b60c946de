/* What an answer means, and what a person may do with a result in each state. */

import assert from "node:assert/strict";
import { test } from "node:test";

import * as states from "../../static/js/outbox-states.js";
import { DAY, EVENING, SECOND, answerOf, typed } from "./phones.mjs";

const SENT = { state: "saved", receipt: "/e/CODE/done/1/", round: 2, standing: "recorded", new: true, differs: false };

const ANSWERS = [
  [answerOf(200, SENT), "sent"],
  [answerOf(409, { state: "same", receipt: "/e/CODE/done/1/" }), "same"],
  [answerOf(422, { state: "refused", message: "The sum is off." }), "refused"],
  [answerOf(422, { state: "held", message: "The session is closed." }), "held"],
  [answerOf(410, { state: "ended", message: "" }), "ended"],
  [answerOf(404, { state: "unknown" }), "ended"],
  [answerOf(403, { state: "login" }), "login"],
  [answerOf(403), "login"],
  [answerOf(400), "refused"],
  [answerOf(413), "refused"],
  [answerOf(429, { state: "busy" }, 5), "unsent"],
  [answerOf(503, { state: "away", message: "Later." }, 5), "unsent"],
  [answerOf(500), "unsent"],
  [answerOf(502), "unsent"],
  [answerOf(404), "unsent"],
  // A hotel's log-in page: everything is fine, but no word of ours.
  [answerOf(200), "unsent"],
  [answerOf(0), "unsent"],
  // The word alone, without the status that belongs to it.
  [{ ...answerOf(500, SENT) }, "unsent"],
];

for (const [answer, expected] of ANSWERS) {
  test(`${answer.status} ${answer.body.state ?? "without a word"} means ${expected}`, () => {
    assert.equal(states.meaningOf(answer).state, expected);
  });
}

test("the sentence of an ended link is the page's own", () => {
  assert.equal(states.meaningOf(answerOf(410, { state: "ended", message: "The link has ended." })).message, "");
  assert.equal(states.meaningOf(answerOf(422, { state: "refused", message: "The sum is off." })).message, "The sum is off.");
});

const STEPS = [
  [{ state: "sent", receipt: "/e/CODE/done/1/" }, true, "receipt"],
  [{ state: "sent", receipt: "" }, true, "panel"],
  [{ state: "sent", receipt: "https://elsewhere.example/" }, true, "panel"],
  [{ state: "sent", receipt: "/e/CODE/done/1/", differs: true }, true, "panel"],
  [{ state: "refused", tries: 1 }, true, "page"],
  [{ state: "refused", tries: 2 }, true, "panel"],
  [{ state: "same", tries: 1 }, true, "page"],
  [{ state: "same", tries: 2 }, true, "panel"],
  [{ state: "unsent", tries: 1 }, true, "panel"],
  [{ state: "unsent", tries: 1 }, false, "draft"],
  [{ state: "held" }, false, "panel"],
  [{ state: "ended" }, true, "panel"],
  [{ state: "login" }, true, "panel"],
];

for (const [record, isReady, expected] of STEPS) {
  test(`after saving: ${JSON.stringify(record)}, ${isReady ? "" : "not "}ready → ${expected}`, () => {
    assert.equal(states.stepAfterSaving({ receipt: "", ...record }, { isReady }), expected);
  });
}

function shown(actions) {
  return Object.keys(actions)
    .filter((name) => actions[name])
    .sort()
    .join(" ");
}

const IN_PANEL = {
  unsent: "hand next send",
  sending: "hand next send",
  login: "hand login next send",
  held: "hand next",
  same: "another hand next send",
  refused: "hand next send",
  ended: "hand send",
  sent: "next",
};

for (const [state, expected] of Object.entries(IN_PANEL)) {
  test(`in the panel of the entry page, ${state} offers: ${expected}`, () => {
    assert.equal(shown(states.actionsInPanel({ state, receipt: "" })), expected);
    assert.equal(states.actionsInPanel({ state, receipt: "/e/CODE/done/1/" }).receipt, true);
  });
}

const IN_LIST = {
  draft: "mend remove",
  unsent: "hand mend send",
  sending: "hand",
  login: "hand mend send",
  held: "hand mend remove",
  same: "another hand mend remove",
  refused: "hand mend send",
  ended: "hand send",
  sent: "remove",
};

for (const [state, expected] of Object.entries(IN_LIST)) {
  test(`in the list, ${state} offers: ${expected}`, () => {
    assert.equal(shown(states.actionsInList({ state, receipt: "" })), expected);
    assert.equal(states.actionsInList({ state, receipt: "", handed: true }).remove, true);
  });
}

test("a scorer may mend what an ended link has refused", () => {
  const record = { state: "ended", receipt: "", desk: "/l/camarade/sessions/1/enter/?table=1" };
  assert.equal(states.isForScorer(record), true);
  assert.equal(states.actionsInList(record).mend, true);
  assert.equal(states.isForScorer({ ...record, desk: "" }), false);
  assert.equal(states.isForScorer({ ...record, state: "sent" }), false);
});

const WORDS = [
  [{ state: "unsent" }, "unsent"],
  [{ state: "sent", standing: "recorded" }, "sent"],
  [{ state: "sent" }, "sent"],
  [{ state: "sent", standing: "recorded", asked: true }, "awaiting"],
  [{ state: "sent", standing: "confirmed", asked: true }, "confirmed"],
  [{ state: "sent", standing: "disputed" }, "disputed"],
  [{ state: "sent", standing: "voided" }, "voided"],
  [{ state: "held", standing: "voided" }, "held"],
];

for (const [record, expected] of WORDS) {
  test(`the word for ${JSON.stringify(record)} is ${expected}`, () => {
    assert.equal(states.wordFor(record), expected);
  });
}

test("after a day what waits is late, and nothing else", () => {
  const record = typed();
  assert.equal(states.isLate(record, EVENING + DAY), false);
  assert.equal(states.isLate(record, EVENING + DAY + SECOND), true);
  for (const state of ["draft", "sent", "held"]) {
    assert.equal(states.isLate({ ...record, state }, EVENING + 2 * DAY), false);
  }
});

test("what is sent carries the key and the moment, whatever the fields say", () => {
  const record = typed({ fields: [["raw_0", "317"], ["client_key", "another"], ["unsent", "0"], ["bust_3_who", "0"], ["bust_3_who", "1"]] });
  assert.deepEqual(states.fieldsToSend(record, { device: "f00d", isFirst: false }), [
    ["raw_0", "317"],
    ["bust_3_who", "0"],
    ["bust_3_who", "1"],
    ["do", "save"],
    ["client_key", record.client_key],
    ["entered_at", record.entered_at],
    ["device", "f00d"],
    ["unsent", "1"],
  ]);
});

test("a result that arrived leaves its photo to the server", () => {
  const claim = states.claimed(typed({ photo: "a picture" }), EVENING, true);
  const refused = states.settled(claim, claim, { state: "refused", message: "no" }, EVENING);
  assert.equal(refused.photo, "a picture");
  const sent = states.settled(claim, claim, { state: "sent", receipt: "" }, EVENING);
  assert.deepEqual([sent.photo, sent.sent_at], [null, new Date(EVENING).toISOString()]);
});

test("an answer that comes after another tab's claim changes nothing", () => {
  const claim = states.claimed(typed(), EVENING, false);
  const later = states.claimed(claim, EVENING + 21 * SECOND, false);
  assert.equal(states.settled(later, claim, { state: "sent" }, EVENING + 22 * SECOND), undefined);
  assert.equal(states.settled(undefined, claim, { state: "sent" }, EVENING), undefined);
});

test("a claim without locks lapses with the patience for its answer", () => {
  const claim = states.claimed(typed(), EVENING, false);
  assert.equal(states.claimed(claim, EVENING + 20 * SECOND, false), undefined);
  assert.equal(states.claimed(claim, EVENING + 20 * SECOND + 1, false).tries, 2);
  assert.equal(states.claimed(claim, EVENING, true).tries, 2);
});

for (const state of ["draft", "sent"]) {
  test(`nobody sends what is ${state}`, () => {
    assert.equal(states.claimed(typed({ state }), EVENING, true), undefined);
    assert.deepEqual(states.queueOf([typed({ state })]), []);
  });
}

test("a result of the same table is one in the other language too", () => {
  assert.equal(states.isOfTable({ url: "/en/e/CODE/" }, "/e/CODE/"), true);
  assert.equal(states.isOfTable({ url: "/e/OTHER/" }, "/e/CODE/"), false);
});

test("the next hanchan is counted after what the server has not counted yet", () => {
  const sent = { state: "sent", round: 3, standing: "recorded", sent_at: new Date(EVENING).toISOString() };
  assert.equal(states.nextRound([], 2, EVENING), 2);
  assert.equal(states.nextRound([sent], 2, EVENING), 4);
  assert.equal(states.nextRound([sent], 4, EVENING + SECOND), 4);
  assert.equal(states.nextRound([{ ...sent, standing: "voided" }], 2, EVENING), 2);
  assert.equal(states.nextRound([{ state: "unsent" }, { state: "same" }, { state: "held" }, { state: "draft" }], 2, EVENING), 3);
});

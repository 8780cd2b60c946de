/* Results on a phone with the network cut at every step: nothing is lost, and exactly one hanchan arrives. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { nextRound, stepAfterSaving } from "../../static/js/outbox-states.js";
import { DAY, EVENING, OTHER, SECOND, answerOf, makePhone, makeServer, typed } from "./phones.mjs";

const WAYS = [
  { way: "https", hasLocks: true },
  { way: "plain http", hasLocks: false },
];

/* Keeps a result and sends it, as the button of the entry page does. */
async function save(tab, record) {
  const { client_key: key } = await tab.keep({ ...record, state: "unsent" });
  return tab.send(key, { first: true });
}

async function keepOne(more = {}, options = {}) {
  const server = makeServer();
  const phone = makePhone(server, options);
  const tab = phone.openTab();
  phone.cut = "before";
  const record = await save(tab, typed(more));
  assert.equal(record.state, "unsent");
  assert.equal(server.hanchan.length, 0);
  return { server, phone, tab, record };
}

/* The network is back, and the phone notices. */
async function mend(phone, tab) {
  phone.cut = "";
  await tab.flush({ now: true });
}

test("a result that arrives at once is sent, with the way to its receipt", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const record = await save(phone.openTab(), typed());
  assert.deepEqual([record.state, record.round, record.receipt], ["sent", 2, "/e/CODE/done/1/"]);
  assert.equal(stepAfterSaving(record, { isReady: true }), "receipt");
  assert.equal(server.hanchan.length, 1);
  assert.equal("unsent" in phone.requests[0], false);
});

test("a send that dies on the way is repeated", async () => {
  const { server, phone, tab } = await keepOne();
  assert.deepEqual(phone.states(), ["unsent"]);
  await mend(phone, tab);
  assert.deepEqual(phone.states(), ["sent"]);
  assert.equal(server.hanchan.length, 1);
  assert.equal(phone.requests[1].unsent, "1");
});

for (const { way, hasLocks } of WAYS) {
  test(`a lost answer makes no second hanchan (${way})`, async () => {
    const server = makeServer();
    const phone = makePhone(server, { hasLocks });
    const tab = phone.openTab();
    phone.cut = "after";
    const { client_key: key, state } = await save(tab, typed());
    assert.equal(state, "unsent");
    await tab.send(key);
    assert.deepEqual(phone.statuses, [200, 200]);
    assert.deepEqual(phone.states(), ["unsent"]);
    await mend(phone, tab);
    const [record] = await tab.records();
    assert.deepEqual([record.state, record.receipt], ["sent", "/e/CODE/done/1/"]);
    assert.equal(server.hanchan.length, 1);
  });

  test(`a reload while it is sent makes no second one (${way})`, async () => {
    const server = makeServer();
    const phone = makePhone(server, { hasLocks });
    const gone = phone.openTab();
    phone.cut = "stuck";
    const record = typed();
    await gone.keep(record);
    gone.send(record.client_key, { first: true });
    await new Promise(setImmediate);
    assert.equal(server.hanchan.length, 1);
    assert.deepEqual(phone.states(), ["sending"]);
    const tab = phone.openTab();
    // While the other tab may live nobody sends beside it.
    await mend(phone, tab);
    assert.deepEqual(phone.states(), ["sending"]);
    assert.equal(phone.requests.length, 1);
    gone.close();
    // Without locks nobody knows that the other page is gone: its claim lapses.
    phone.now += 21 * SECOND;
    await mend(phone, tab);
    assert.deepEqual(phone.states(), ["sent"]);
    assert.equal(server.hanchan.length, 1);
  });

  test(`the evening goes on without network, and arrives in its order (${way})`, async () => {
    const { server, phone, tab } = await keepOne({}, { hasLocks });
    await save(tab, typed({ raw: OTHER, entered_at: new Date(EVENING + 60 * SECOND).toISOString() }));
    assert.deepEqual(phone.states(), ["unsent", "unsent"]);
    await mend(phone, tab);
    assert.deepEqual(phone.states(), ["sent", "sent"]);
    assert.deepEqual(
      server.hanchan.map((hanchan) => hanchan.raw_0),
      ["317", "400"],
    );
  });
}

test("without a network one attempt is enough to know it", async () => {
  const { phone, tab } = await keepOne();
  await save(tab, typed({ raw: OTHER }));
  const before = phone.requests.length;
  await tab.flush({ now: true });
  assert.equal(phone.requests.length, before + 1);
});

test("what waits is tried again later and later, and at once when there is reason for hope", async () => {
  const { phone, tab, record } = await keepOne();
  const pauses = [record.next_at - phone.now];
  for (let tries = 0; tries < 8; tries++) {
    await tab.flush({ now: true });
    pauses.push(phone.pause);
  }
  assert.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * SECOND));
  const attempts = phone.requests.length;
  await tab.flush();
  assert.equal(phone.requests.length, attempts);
  await mend(phone, tab);
  assert.deepEqual(phone.states(), ["sent"]);
  assert.equal(phone.pause, null);
});

test("a server that asks for patience gets it", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  server.answer = () => answerOf(429, { state: "busy", message: "later" }, 90);
  const record = await save(phone.openTab(), typed());
  assert.deepEqual([record.state, record.message, record.next_at - phone.now], ["unsent", "later", 90 * SECOND]);
});

test("two presses are one result", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const tab = phone.openTab();
  const record = typed();
  await Promise.all([save(tab, record), save(tab, record), save(tab, record)]);
  assert.deepEqual(phone.states(), ["sent"]);
  assert.equal(server.hanchan.length, 1);
});

test("a draft that another tab has saved is not discarded", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const [tab, other] = [phone.openTab(), phone.openTab()];
  const draft = await tab.keep(typed({ state: "draft" }));
  assert.deepEqual(
    (await other.records()).map(({ client_key: key, state }) => [key, state]),
    [[draft.client_key, "draft"]],
  );
  phone.cut = "before";
  assert.equal((await save(tab, draft)).state, "unsent");
  await other.dropDraft(draft.client_key);
  assert.deepEqual(phone.states(), ["unsent"]);
});

test("a draft is discarded, and never sent", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const tab = phone.openTab();
  const draft = await tab.keep(typed({ state: "draft" }));
  await tab.flush({ now: true });
  assert.deepEqual(phone.states(), ["draft"]);
  assert.equal(server.hanchan.length, 0);
  await tab.dropDraft(draft.client_key);
  assert.deepEqual(phone.states(), []);
});

test("two tabs with one draft lose nothing", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const [tab, other] = [phone.openTab(), phone.openTab()];
  const draft = await tab.keep(typed({ state: "draft" }));
  for (const each of [tab, other]) {
    const record = await save(each, draft);
    assert.equal(stepAfterSaving(record, { isReady: true }), "receipt");
  }
  assert.equal(server.hanchan.length, 1);
  // The same again, but the second tab goes on with another result under what was one draft.
  const second = await tab.keep(typed({ state: "draft", raw: OTHER }));
  assert.equal(stepAfterSaving(await save(tab, second), { isReady: true }), "receipt");
  const another = await save(other, typed({ client_key: second.client_key, raw: ["500", "200", "200", "100"] }));
  assert.notEqual(another.client_key, second.client_key);
  assert.equal(stepAfterSaving(another, { isReady: true }), "receipt");
  assert.equal(server.hanchan.length, 3);
  assert.deepEqual(phone.states(), ["sent", "sent", "sent"]);
});

test("a draft under a key that another tab has used goes on under its own", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const tab = phone.openTab();
  const record = await save(tab, typed());
  const draft = await tab.keep(typed({ client_key: record.client_key, state: "draft", raw: OTHER }));
  assert.notEqual(draft.client_key, record.client_key);
  assert.deepEqual(phone.states(), ["draft", "sent"]);
});

test("a replay after a week is still one", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const tab = phone.openTab();
  phone.cut = "after";
  assert.equal((await save(tab, typed())).state, "unsent");
  assert.equal(server.hanchan.length, 1);
  phone.now += 7 * DAY;
  server.answer = (sent) => server.saved(sent, { receipt: "" });
  const later = phone.openTab();
  await later.dropOutdated();
  await mend(phone, later);
  assert.deepEqual(phone.states(), ["sent"]);
  assert.equal(server.hanchan.length, 1);
  assert.equal(phone.requests[1].entered_at, new Date(EVENING).toISOString());
});

test("an ended link still takes what was typed, and has no receipt to open", async () => {
  const { server, phone, tab } = await keepOne();
  server.answer = (sent) => server.saved(sent, { receipt: "" });
  await mend(phone, tab);
  const [record] = await tab.records();
  assert.deepEqual([record.state, record.receipt], ["sent", ""]);
  assert.equal(stepAfterSaving(record, { isReady: true }), "panel");
  assert.equal(server.hanchan.length, 1);
});

test("what a revoked link refuses stays on the phone, and is sent on request only", async () => {
  const { server, phone, tab, record } = await keepOne();
  server.answer = () => answerOf(410, { state: "ended", message: "The link has ended.", desk: "/l/camarade/sessions/1/enter/" });
  await mend(phone, tab);
  await mend(phone, tab);
  assert.deepEqual(phone.states(), ["ended"]);
  assert.equal(phone.requests.length, 2);
  assert.equal(phone.stored.get(record.client_key).desk, "/l/camarade/sessions/1/enter/");
  await tab.send(record.client_key);
  assert.equal(phone.requests.length, 3);
});

test("a result that is held is sent once somebody has completed it", async () => {
  const { server, phone, tab, record } = await keepOne();
  server.answer = () => answerOf(422, { state: "held", message: "The session is closed." });
  await mend(phone, tab);
  assert.deepEqual(phone.states(), ["held"]);
  assert.equal(server.hanchan.length, 0);
  await tab.update([{ client_key: record.client_key, round: 2, standing: "recorded", asked: true }]);
  const [known] = await tab.records();
  assert.deepEqual([known.state, known.round, known.standing, known.asked, known.message], ["sent", 2, "recorded", true, ""]);
});

test("what the table says of a result is noted, and only of what was sent", async () => {
  const { phone, tab, record } = await keepOne();
  await tab.update([{ client_key: record.client_key, round: 2, standing: "voided" }, { client_key: "of another phone", round: 3 }]);
  assert.deepEqual(phone.states(), ["unsent"]);
  await mend(phone, tab);
  await tab.update([{ client_key: record.client_key, round: 3, standing: "disputed" }]);
  const known = phone.stored.get(record.client_key);
  assert.deepEqual([known.state, known.round, known.standing, known.asked], ["sent", 3, "disputed", false]);
  assert.equal(phone.stored.size, 1);
});

test("whoever was logged out meanwhile sends after logging in", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const tab = phone.openTab();
  server.answer = () => answerOf(403, { state: "login", message: "Log in." });
  assert.equal((await save(tab, typed())).state, "login");
  assert.equal(server.hanchan.length, 0);
  server.answer = (sent) => server.saved(sent);
  await phone.openTab().flush({ now: true });
  assert.deepEqual(phone.states(), ["sent"]);
  assert.equal(server.hanchan.length, 1);
});

test("an equal result waits for a person, and goes as another one on request", async () => {
  const { server, phone, tab, record } = await keepOne();
  server.answer = () => answerOf(409, { state: "same", receipt: "/e/CODE/done/1/", message: "" });
  await mend(phone, tab);
  await mend(phone, tab);
  assert.deepEqual(phone.states(), ["same"]);
  assert.equal(phone.requests.length, 2);
  server.answer = (sent) => server.saved(sent);
  await tab.note(record.client_key, { another: true });
  await tab.send(record.client_key);
  assert.equal(phone.requests.at(-1).do, "another");
  assert.deepEqual(phone.states(), ["sent"]);
});

test("what was refused to somebody at the table is refused again, and never delivered late", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const tab = phone.openTab();
  server.answer = (sent) => answerOf(422, { state: sent.unsent ? "held" : "refused", message: "The sum is off." });
  const record = await save(tab, typed());
  assert.equal(stepAfterSaving(record, { isReady: true }), "page");
  const draft = await tab.draftAgain(record.client_key);
  assert.deepEqual([draft.state, draft.since], ["draft", null]);
  // The list leads to it too: it does not lie there, it is being typed.
  assert.equal((await tab.mend(record.client_key)).since, null);
  // The page keeps what stands on it, and goes by `since`.
  const again = await save(tab, typed({ client_key: record.client_key }));
  assert.deepEqual([again.state, again.tries], ["refused", 1]);
  assert.equal(stepAfterSaving(again, { isReady: true }), "page");
});

test("a result that lay on the phone is mended as one of the moment when it was typed", async () => {
  const { phone, tab, record } = await keepOne();
  phone.now += DAY;
  const draft = await tab.mend(record.client_key);
  assert.deepEqual([draft.state, draft.since], ["draft", record.entered_at]);
  assert.equal((await tab.mend(record.client_key)).since, record.entered_at);
  assert.equal((await tab.draftAgain(record.client_key)).since, record.entered_at);
  assert.equal(await tab.mend("no such key"), undefined);
});

test("two phones with one result are one", async () => {
  const { server, phone, tab, record } = await keepOne();
  const other = makePhone(server);
  const receiver = other.openTab();
  const { state: _state, tries: _tries, tried_at: _tried, next_at: _next, unheard: _unheard, ...handed } = record;
  await receiver.receive(handed);
  assert.deepEqual(other.states(), ["unsent"]);
  await receiver.send(record.client_key);
  assert.deepEqual(other.states(), ["sent"]);
  assert.equal(server.hanchan.length, 1);
  // Scanned once more: what is known stays as it is.
  assert.equal((await receiver.receive(handed)).state, "sent");
  await mend(phone, tab);
  assert.deepEqual(phone.states(), ["sent"]);
  assert.equal(server.hanchan.length, 1);
});

test("what waits on the phone counts as played", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const tab = phone.openTab();
  const asked = phone.now;
  phone.cut = "before";
  const round = async () => nextRound(await tab.records(), 2, asked);
  assert.equal(await round(), 2);
  await save(tab, typed());
  assert.equal(await round(), 3);
  const second = await save(tab, typed({ raw: OTHER, entered_at: new Date(EVENING + SECOND).toISOString() }));
  // Somebody else is quicker: the server numbers what it gets.
  server.hanchan.push({ client_key: "of another phone", round: 2 });
  await mend(phone, tab);
  assert.equal(phone.stored.get(second.client_key).round, 4);
  assert.equal(await round(), 5);
  assert.deepEqual(
    (await tab.records()).map((record) => record.round),
    [4, 3],
  );
});

test("what was sent long ago leaves the phone, what waits never does", async () => {
  const server = makeServer();
  const phone = makePhone(server);
  const tab = phone.openTab();
  await save(tab, typed());
  phone.cut = "before";
  await save(tab, typed({ raw: OTHER }));
  await tab.keep(typed({ state: "draft" }));
  phone.now += 30 * DAY;
  await tab.dropOutdated();
  assert.deepEqual(phone.states(), ["draft", "sent", "unsent"]);
  phone.now += SECOND;
  await tab.dropOutdated();
  assert.deepEqual(phone.states(), ["unsent"]);
});

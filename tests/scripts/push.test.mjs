/* Hearing that there is something new: when a page asks, when it rests, and how it goes on where nothing can be heard. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { listen } from "../../static/js/push.js";

let sources = [];
let seen = () => {};

class Source extends EventTarget {
  constructor(address) {
    super();
    this.address = address;
    this.isClosed = false;
    sources.push(this);
  }

  close() {
    this.isClosed = true;
  }

  say(kind, data) {
    this.dispatchEvent(Object.assign(new Event(kind), { data }));
  }
}

function page(options) {
  const asked = mock.fn();
  return { asked, ...listen("/push/a", asked, { within: 1000, rest: 90_000, ...options }) };
}

const times = (asked) => asked.mock.callCount();
const latest = () => sources.at(-1);

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  mock.method(Math, "random", () => 0.5);
  sources = [];
  globalThis.EventSource = Source;
  globalThis.document = { hidden: false, addEventListener: (_kind, listener) => (seen = listener) };
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
  delete globalThis.EventSource;
});

test("without an address, and in a browser that cannot listen, a page asks as ever", () => {
  const asked = mock.fn();
  assert.equal(listen("", asked).pause(20_000), 20_000);
  delete globalThis.EventSource;
  assert.equal(listen("/push/a", asked).pause(20_000), 20_000);
  assert.equal(sources.length, 0);
});

test("whoever is told asks within a moment, and again when no edge has anything older", () => {
  const { asked, pause } = page();
  assert.equal(pause(20_000), 20_000);
  latest().say("open");
  assert.equal(pause(20_000), 90_000);
  assert.equal(pause(120_000), 120_000);
  mock.timers.tick(3_700);
  assert.equal(times(asked), 2, "what was told before it listened");
  latest().say("message", "1");
  mock.timers.tick(499);
  assert.equal(times(asked), 2);
  mock.timers.tick(1);
  assert.equal(times(asked), 3);
  mock.timers.tick(3_200);
  assert.equal(times(asked), 5);
  latest().say("message", "1");
  mock.timers.tick(60_000);
  assert.equal(times(asked), 5, "the same word twice");
});

test("words in a row put no question off, and the last is followed by two more", () => {
  const { asked } = page();
  latest().say("open");
  for (let version = 0; version < 20; version += 1) {
    latest().say("message", String(version));
    mock.timers.tick(100);
  }
  assert.equal(times(asked), 4, "one every half a second");
  mock.timers.tick(60_000);
  assert.equal(times(asked), 6);
});

test("who fails twice asks as ever, tries again ever more rarely, and rests once it hears again", () => {
  const { asked, pause } = page();
  latest().say("open");
  mock.timers.tick(4_000);
  latest().say("error");
  assert.equal(pause(20_000), 20_000);
  mock.timers.tick(2_000);
  assert.equal(times(asked), 2);
  assert.equal(sources.length, 2);
  latest().say("error");
  mock.timers.tick(2_500);
  assert.equal(times(asked), 3, "now it asks by itself");
  mock.timers.tick(17_500);
  assert.equal(sources.length, 3);
  latest().say("error");
  mock.timers.tick(39_999);
  assert.equal(sources.length, 3);
  mock.timers.tick(1);
  assert.equal(sources.length, 4);
  assert.equal(times(asked), 3);
  latest().say("open");
  assert.equal(pause(20_000), 90_000);
  mock.timers.tick(60_000);
  assert.equal(sources.length, 4);
  assert.ok(sources.slice(0, 3).every((source) => source.isClosed));
});

test("one that neither opens nor fails has failed after a while", () => {
  page();
  mock.timers.tick(10_000);
  mock.timers.tick(2_000);
  assert.equal(sources.length, 2);
  assert.ok(sources[0].isClosed);
});

test("who finds what nobody told asks as ever until somebody tells again", () => {
  const { found, pause } = page();
  latest().say("open");
  latest().say("message", "1");
  mock.timers.tick(9_000);
  found();
  assert.equal(pause(20_000), 90_000);
  mock.timers.tick(2_000);
  found();
  assert.equal(pause(20_000), 20_000);
  latest().say("message", "2");
  assert.equal(pause(20_000), 90_000);
});

test("a page that nobody sees does not listen", () => {
  const { pause } = page();
  latest().say("open");
  document.hidden = true;
  seen();
  assert.ok(latest().isClosed);
  assert.equal(pause(20_000), 20_000);
  mock.timers.tick(60_000);
  assert.equal(sources.length, 1);
  document.hidden = false;
  seen();
  assert.equal(sources.length, 2);
});

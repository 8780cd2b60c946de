/* A result as a code: short, complete, and nothing that a stranger's code could do. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { pack, scorersPage, seatsOf, unpack } from "../../static/js/handover-code.js";
import { typed } from "./phones.mjs";

/* A code with other contents than a phone of ours would write. */
function forged(record, change) {
  const text = atob(pack(record).replaceAll("-", "+").replaceAll("_", "/"));
  const contents = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (sign) => sign.charCodeAt(0))));
  change(contents);
  const bytes = new TextEncoder().encode(JSON.stringify(contents));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

test("what is handed over is what was typed", () => {
  const record = typed({ another: true, fields: [["raw_0", "317"], ["note", ""], ["guest_3", "大西"]] });
  const found = unpack(pack(record));
  assert.deepEqual(found.fields, [["raw_0", "317"], ["guest_3", "大西"]]);
  for (const name of ["client_key", "url", "state_url", "entered_at", "another", "summary", "photo", "receipt", "message"]) {
    assert.deepEqual(found[name], record[name], name);
  }
});

test("a code is short enough to be scanned", () => {
  assert.ok(`https://tenbo.example/e/hand/#${pack(typed())}`.length < 1200);
});

test("the format of a code stays: phones with another version of the page read it", () => {
  const record = typed({ client_key: "00000000-0000-4000-8000-000000000000", fields: [["raw_0", "317"]] });
  const [format, key, url, entered, another, fields, summary, stateUrl] = JSON.parse(
    new TextDecoder().decode(Buffer.from(pack(record), "base64url")),
  );
  assert.deepEqual([format, key, another, fields], [1, record.client_key, 0, [["raw_0", "317"]]]);
  assert.deepEqual([url, entered, stateUrl], ["/e/CODE/", record.entered_at, "/e/CODE/state/"]);
  assert.deepEqual(summary, ["11/21", "2回戦", [["青木", "317"], ["石田", "313"], ["上野", "255"], ["江口", "115"]]]);
});

const UNREADABLE = {
  "another place than a table": (contents) => (contents[2] = "/accounts/logout/"),
  "another site": (contents) => (contents[2] = "https://elsewhere.example/e/CODE/"),
  "another format": (contents) => (contents[0] = 2),
  "no key": (contents) => (contents[1] = "nonsense"),
  "no moment": (contents) => (contents[3] = "yesterday"),
  "a field that no page has": (contents) => contents[5].push(["<script>", "1"]),
  "a field that is no text": (contents) => contents[5].push(["raw_0", 317]),
  "a field without end": (contents) => contents[5].push(["note", "あ".repeat(501)]),
};

for (const [name, change] of Object.entries(UNREADABLE)) {
  test(`a code with ${name} is not read`, () => {
    assert.throws(() => unpack(forged(typed(), change)));
  });
}

test("half a code is not read, nor is nonsense", () => {
  for (const text of [pack(typed()).slice(0, -20), "nonsense", ""]) {
    assert.throws(() => unpack(text));
  }
});

test("a state is asked for at tables only", () => {
  assert.equal(unpack(forged(typed(), (contents) => (contents[7] = "/accounts/logout/"))).state_url, "");
});

test("a code shows the scores that it would send", () => {
  const lie = (contents) => (contents[6][2] = contents[6][2].map(([name]) => [name, "25,000"]));
  const seats = seatsOf(unpack(forged(typed(), lie)), "▲");
  assert.deepEqual(
    seats.map(({ name, score }) => `${name} ${score}`),
    ["青木 31,700", "石田 31,300", "上野 25,500", "江口 11,500"],
  );
  const unclear = unpack(pack(typed({ raw: ["▲15", "", "abc", "317"] })));
  assert.deepEqual(
    seatsOf(unclear, "▲").map(({ score }) => score),
    ["▲1,500", "…", "…", "31,700"],
  );
});

test("a result of a table link is sent as it is", () => {
  assert.equal(scorersPage(unpack(pack(typed())), "https://tenbo.example"), null);
});

test("a result of a scorer's page opens on that page, filled in", () => {
  const url = "/l/camarade/sessions/1/enter/?table=1";
  const record = unpack(forged(typed(), (contents) => (contents[2] = url)));
  const page = scorersPage(record, "https://tenbo.example");
  assert.ok(page.startsWith(`${url}&`));
  const sent = new URL(page, "https://tenbo.example").searchParams;
  assert.deepEqual([sent.get("raw_0"), sent.get("client_key"), sent.getAll("table")], ["317", record.client_key, ["1"]]);
});

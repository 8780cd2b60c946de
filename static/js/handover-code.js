/* The code by which one phone hands a result to another: a record as text, and back. The format is read by phones with an
   older or newer page, so it stays. */

import { EMPTY, readScores, shownScore } from "./scores.js";

const FORMAT = 1;

const TABLE = /^(?:\/en)?\/(?:e\/[\w-]+\/|l\/[\w-]+\/sessions\/\d+\/enter\/(?:\?table=\d+)?)$/;
const STATE = /^(?:\/en)?\/(?:e\/[\w-]+\/state\/|l\/[\w-]+\/sessions\/\d+\/enter\/state\/(?:\?table=\d+)?)$/;
const OF_SCORER = /^(?:\/en)?\/l\//;
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FIELD = /^[a-z_]{1,20}(?:_\d){0,3}(?:_[a-z]{1,8}(?:_\d)?)?$/;

/* A record as short as it can be written. */
export function pack(record) {
  const { title, round, seats } = record.summary;
  const contents = [
    FORMAT,
    record.client_key,
    record.url,
    record.entered_at,
    record.another ? 1 : 0,
    record.fields.filter(([, value]) => value),
    [title, round, seats.map(({ name, score }) => [name, score])],
    record.state_url,
  ];
  const bytes = new TextEncoder().encode(JSON.stringify(contents));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/* The record in a code, or an error for anything that no phone of ours has written. */
export function unpack(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const [format, key, url, entered, another, fields, [title, round, seats], stateUrl] = JSON.parse(
    new TextDecoder("utf-8", { fatal: true }).decode(bytes),
  );
  const isField = ([name, value]) => FIELD.test(name) && typeof value === "string" && value.length <= 500;
  if (format !== FORMAT || !KEY.test(key) || !TABLE.test(url) || !fields.every(isField) || Number.isNaN(Date.parse(entered))) {
    throw new Error("unreadable");
  }
  return {
    client_key: key,
    url,
    state_url: STATE.test(stateUrl) ? stateUrl : "",
    entered_at: new Date(entered).toISOString(),
    another: another === 1,
    fields: fields.map(([name, value]) => [name, value]),
    summary: {
      title: String(title),
      round: String(round),
      seats: seats.map(([name, score]) => ({ name: String(name), score: String(score) })),
    },
    photo: null,
    receipt: "",
    message: "",
  };
}

/* Players' scores as they would be sent, whatever the other phone calls them. */
export function seatsOf(record, minus) {
  const typed = new Map(record.fields);
  const texts = record.summary.seats.map((_, seat) => typed.get(`raw_${seat}`) ?? "");
  return readScores(texts, NaN).map(({ points }, seat) => {
    const { name } = record.summary.seats[seat];
    return { name, score: points === EMPTY || Number.isNaN(points) ? "…" : shownScore(points, minus) };
  });
}

/* A prefilled scorer's page: logged-in users see the site's names before saving. Null for a table link's
   result, which is sent unchanged. */
export function scorersPage(record, origin) {
  if (!OF_SCORER.test(record.url)) {
    return null;
  }
  const address = new URL(record.url, origin);
  for (const [name, value] of [...record.fields, ["client_key", record.client_key]]) {
    if (name !== "table") {
      address.searchParams.append(name, value);
    }
  }
  return address.pathname + address.search;
}

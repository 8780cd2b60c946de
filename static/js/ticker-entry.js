/* From the ticker to the entry page: the scores go there as a draft of this phone, so that no network is needed. */

import { isDraft, isOfTable } from "./outbox-states.js";
import { keep, records } from "./outbox.js";
import { newKey } from "./store.js";

/* The ticker's own fields; other input of the entry page stays. */
const TOLD = /^(player|guest|raw|bust)_\d$|^(sticks_left|auto|for_round|round|begun_at)$/;

/* Keeps a draft for the entry page at `url`, replacing an earlier one. `seats`: player (primary
   key), name, raw (as typed) and score (as shown), first dealer first. `since`: time of the first hand,
   to recognise a result that others saved since. */
export async function handOver({ url, title, round, roundText, seats, sticks, since }) {
  const drafts = (await records()).filter((record) => isDraft(record) && isOfTable(record, url));
  const before = drafts.find(({ fields }) => fields.some(([name, value]) => name === "for_round" && Number(value) === round));
  const moment = new Date().toISOString();
  await keep({
    since: null,
    photo: null,
    state_url: "",
    ...before,
    client_key: before?.client_key ?? newKey(),
    url,
    fields: [
      ...(before?.fields ?? []).filter(([name]) => !TOLD.test(name)),
      ["for_round", String(round)],
      ["begun_at", since ?? moment],
      ["sticks_left", String(sticks)],
      ...seats.flatMap(({ player, raw }, seat) => [
        [`player_${seat}`, String(player)],
        [`raw_${seat}`, raw],
      ]),
    ],
    summary: { title, round: roundText, seats: seats.map(({ name, score }) => ({ name, score })) },
    entered_at: moment,
    another: false,
    receipt: "",
    message: "",
    came: "from_ticker",
    state: "draft",
  });
}

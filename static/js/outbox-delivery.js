/* Keeps results and sends them one by one until a response settles each.

   Dependencies: `store` keeps records (store.js), `request` sends one and rejects without a response, `locks`

   separates tabs (navigator.locks; undefined over plain http), `clock` returns milliseconds, `changed` receives a

   record and all records, `wakeIn` schedules `flush` after milliseconds, or never (null). */

import * as states from "./outbox-states.js";

export function createOutbox({ store, request, locks, clock, changed, wakeIn }) {
  const { all, get, change, remove, newKey } = store;
  let flushing = null;

  async function announce(record) {
    changed(record, await all());
    return record;
  }

  async function records() {
    return states.latestFirst(await all());
  }

  /* --- Keeping --- */

  /* Keeps a result; under a new key if another tab has used its key. */
  async function keep(record) {
    return announce((await stored(record)) ?? (await stored({ ...record, client_key: newKey() })));
  }

  function stored(record) {
    return change(record.client_key, (known) => states.kept(known, record));
  }

  /* Takes in what another phone handed over. */
  async function receive(record) {
    await change(record.client_key, (known) => states.received(known, record));
    return announce(await get(record.client_key));
  }

  async function draftAgain(key) {
    return announce(await change(key, states.draftedAgain));
  }

  async function mend(key) {
    return announce(await change(key, states.mended));
  }

  async function note(key, facts) {
    return announce(await change(key, (known) => known && { ...known, ...facts }));
  }

  async function drop(key) {
    await remove(key);
    return announce(null);
  }

  /* Drops a draft, never a result saved since, here or in another tab. */
  async function dropDraft(key) {
    await remove(key, states.isDraft);
    return announce(null);
  }

  async function dropOutdated() {
    for (const record of await all()) {
      if (states.isOutdated(record, clock())) {
        await remove(record.client_key);
      }
    }
  }

  /* --- Sending --- */

  /* Sends one result and returns its record afterwards. `first`: from the page itself, before anything could go wrong. */
  async function send(key, { first = false } = {}) {
    const taken = await alone(key, async () => {
      const claim = await change(key, (known) => states.claimed(known, clock(), Boolean(locks)));
      return claim ? deliver(await announce(claim), first && claim.tries === 1) : null;
    });
    return taken ?? get(key);
  }

  /* One tab at a time. */
  function alone(key, work) {
    return locks ? locks.request(`tenbo-${key}`, { ifAvailable: true }, (lock) => (lock ? work() : null)) : work();
  }

  async function deliver(claim, isFirst) {
    const meaning = await request(claim, isFirst).then(states.meaningOf, () => states.NO_ANSWER);
    await change(claim.client_key, (known) => states.settled(known, claim, meaning, clock()));
    return announce(await get(claim.client_key));
  }

  /* Sends everything that is due; `now`: also what would wait. In the order in which it was played. */
  function flush({ now = false } = {}) {
    flushing ??= sendQueue(now).finally(async () => {
      flushing = null;
      wakeIn(states.pauseBefore(states.queueOf(await all()), clock()));
    });
    return flushing;
  }

  async function sendQueue(now) {
    for (const record of states.queueOf(await all())) {
      if (now || states.isDue(record, clock())) {
        const after = await send(record.client_key);
        if (after?.unheard) {
          return;
        }
      }
    }
  }

  /* Stores the server's state of a table's last hanchan. */
  async function update(hanchan) {
    for (const each of hanchan) {
      const after = await change(each.client_key, (known) => states.updated(known, each));
      if (after) {
        await announce(after);
      }
    }
  }

  return { announce, records, keep, receive, draftAgain, mend, note, drop, dropDraft, dropOutdated, send, flush, update };
}

/* Phones and a server for the tests of scripts: the outbox as pages use it, with a store, a network and a clock in memory. */

import { createOutbox } from "../../static/js/outbox-delivery.js";
import { fieldsToSend } from "../../static/js/outbox-states.js";

export const EVENING = Date.parse("2025-11-21T11:30:00Z");
export const SECOND = 1000;
export const DAY = 24 * 60 * 60 * SECOND;

/* Stores a hanchan under each key once, as docs/entry-protocol.md says; `answer` may be replaced. */
export function makeServer() {
  const hanchan = [];
  const server = {
    hanchan,
    answer: (sent) => saved(sent),
    saved,
  };

  function saved(sent, more = {}) {
    const known = hanchan.find((each) => each.client_key === sent.client_key);
    const found = known ?? { ...sent, round: hanchan.length + 2 };
    if (!known) {
      hanchan.push(found);
    }
    const differs = Boolean(known) && known.raw_0 !== sent.raw_0;
    const receipt = `/e/CODE/done/${hanchan.indexOf(found) + 1}/`;
    return answerOf(200, { state: "saved", round: found.round, standing: "recorded", receipt, new: !known, differs, ...more });
  }

  return server;
}

export function answerOf(status, body = {}, retryAfter = 0) {
  return { ok: status === 200, status, retryAfter, body };
}

/* A phone with its store. `hasLocks` is false for pages that came over plain http. */
export function makePhone(server, { hasLocks = true } = {}) {
  const stored = new Map();
  const locked = new Set();
  const phone = {
    now: EVENING,
    /* How the network is cut: "before" a result arrives, "after" it did, or "stuck" without an answer. */
    cut: "",
    statuses: [],
    requests: [],
    pause: undefined,
    openTab,
    states: () => [...stored.values()].map(({ state }) => state).sort(),
    stored,
  };

  const change = async (key, how) => {
    const changed = how(structuredClone(stored.get(key)));
    if (changed) {
      stored.set(key, structuredClone(changed));
    }
    return changed || undefined;
  };

  const store = {
    all: async () => structuredClone([...stored.values()]),
    get: async (key) => structuredClone(stored.get(key)),
    change,
    remove: async (key, may = () => true) => {
      if (stored.has(key) && may(stored.get(key))) {
        stored.delete(key);
      }
    },
    newKey: () => crypto.randomUUID(),
  };

  async function request(record, isFirst) {
    const sent = Object.fromEntries(fieldsToSend(record, { device: "f00d", isFirst }));
    phone.requests.push(sent);
    if (phone.cut === "before") {
      throw new Error("no network");
    }
    const answer = server.answer(sent);
    phone.statuses.push(answer.status);
    if (phone.cut === "stuck") {
      await new Promise(() => {});
    }
    if (phone.cut === "after") {
      throw new Error("the answer is lost");
    }
    return answer;
  }

  /* A tab of the phone's browser: an outbox on the one store. `close` lets go of its locks, as a browser does. */
  function openTab() {
    const own = new Set();
    const locks = {
      async request(name, _options, work) {
        if (locked.has(name)) {
          return work(null);
        }
        locked.add(name);
        own.add(name);
        try {
          return await work({ name });
        } finally {
          locked.delete(name);
        }
      },
    };
    const outbox = createOutbox({
      store,
      request,
      locks: hasLocks ? locks : undefined,
      clock: () => phone.now,
      changed: () => {},
      wakeIn: (pause) => (phone.pause = pause),
    });
    return { ...outbox, close: () => own.forEach((name) => locked.delete(name)) };
  }

  return phone;
}

/* A result as the entry page gathers it. */
export function typed(more = {}) {
  const raw = more.raw ?? ["317", "313", "255", "115"];
  const names = ["青木", "石田", "上野", "江口"];
  const record = {
    client_key: crypto.randomUUID(),
    state: "unsent",
    url: "/e/CODE/",
    state_url: "/e/CODE/state/",
    fields: [["player_0", "1"], ["sticks_left", "0"], ...raw.map((score, seat) => [`raw_${seat}`, score])],
    photo: null,
    summary: { title: "11/21", round: "2回戦", seats: names.map((name, seat) => ({ name, score: raw[seat] })) },
    entered_at: new Date(EVENING).toISOString(),
    since: null,
    another: false,
    receipt: "",
    message: "",
    ...more,
  };
  delete record.raw;
  return record;
}

export const OTHER = ["400", "300", "200", "100"];

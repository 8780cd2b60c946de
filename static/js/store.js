/* What this phone keeps: results in IndexedDB, each under the key by which the server knows it. */

const NAME = "tenbo";
const RESULTS = "results";

let opening = null;

/* Rejected where the browser keeps nothing, as in some private windows. */
export function open() {
  opening ??= new Promise((done, fail) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(RESULTS, { keyPath: "client_key" });
    request.onerror = () => fail(request.error);
    request.onsuccess = () => {
      const database = request.result;
      database.onversionchange = () => database.close();
      database.onclose = () => (opening = null);
      done(database);
    };
  });
  return opening;
}

/* Runs `work` in one transaction; its result, or what it passes to `give`, is returned once stored. */
async function within(mode, work) {
  const database = await open();
  return new Promise((done, fail) => {
    const transaction = database.transaction(RESULTS, mode, { durability: "strict" });
    let given;
    transaction.oncomplete = () => done(given);
    transaction.onabort = () => fail(transaction.error);
    work(transaction.objectStore(RESULTS), (value) => (given = value));
  });
}

export function all() {
  return within("readonly", (results, give) => {
    results.getAll().onsuccess = (event) => give(event.target.result);
  });
}

export function get(key) {
  return within("readonly", (results, give) => {
    results.get(key).onsuccess = (event) => give(event.target.result);
  });
}

/* Stores what `how` makes of a record and returns it; nothing is stored if it makes nothing. No tab comes between. */
export function change(key, how) {
  return within("readwrite", (results, give) => {
    results.get(key).onsuccess = (event) => {
      const changed = how(event.target.result);
      if (changed) {
        results.put(changed);
        give(changed);
      }
    };
  });
}

/* Removes a record if `may` agrees, and returns it, atomically across tabs. */
export function remove(key, may = () => true) {
  return within("readwrite", (results, give) => {
    results.get(key).onsuccess = (event) => {
      const known = event.target.result;
      if (known && may(known)) {
        results.delete(key);
        give(known);
      }
    };
  });
}

/* A name for a new result; pages that came over plain http have no randomUUID. */
export function newKey() {
  if (crypto.randomUUID) {
    return crypto.randomUUID();
  }
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

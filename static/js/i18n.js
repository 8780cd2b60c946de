/* The words of the page for its scripts: the server wrote them, in the page's language. */

const WORDS = document.getElementById("words")?.content;

/* The text called `name`; {places} in it are filled from `facts`. Empty where the page has none. */
export function word(name, facts = {}) {
  const text = WORDS?.querySelector(`[data-word="${name}"]`)?.textContent.trim() ?? "";
  return text.replace(/\{(\w+)\}/g, (_, place) => facts[place] ?? "");
}

/* A copy of a template, with the texts of `facts` in its slots. Returns its first element. */
export function copyOf(id, facts = {}) {
  const copy = document.getElementById(id).content.firstElementChild.cloneNode(true);
  for (const place of copy.querySelectorAll("[data-slot]")) {
    place.textContent = facts[place.dataset.slot] ?? "";
  }
  return copy;
}

/* The number that the server gave a result; until then the one that this phone counted. */
export function roundOf(record) {
  return record.round ? word("round", { round: record.round }) : record.summary.round;
}

const IS_JAPANESE = document.documentElement.lang === "ja";

const MOMENT = new Intl.DateTimeFormat(IS_JAPANESE ? "ja" : "en-US", {
  weekday: "short",
  year: "numeric",
  month: IS_JAPANESE ? "2-digit" : "short",
  day: IS_JAPANESE ? "2-digit" : "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/* Day and time as the server writes them: 2025/11/21(金) 21:34, Fri 21 Nov 2025 21:34. */
export function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) {
    return "";
  }
  const parts = MOMENT.formatToParts(date).map(({ type, value }) => [type, value]);
  const { weekday, year, month, day, hour, minute } = Object.fromEntries(parts);
  const written = IS_JAPANESE ? `${year}/${month}/${day}(${weekday})` : `${weekday} ${day} ${month} ${year}`;
  return `${written} ${hour}:${minute}`;
}

// Days as numbers since 1970, and dates as people write them.

const DAY = 86400000;

export const today = () => Math.floor(Date.now() / DAY);
export const dayOf = (iso) => Math.floor(Date.parse(iso) / DAY);
export const isoOf = (day) => new Date(day * DAY).toISOString().slice(0, 10);

const inWords = (iso, form) => new Date(iso).toLocaleDateString("en-GB", { ...form, timeZone: "UTC" });

/** "5 March 2021" */
export const told = (iso) => (iso ? inWords(iso, { day: "numeric", month: "long", year: "numeric" }) : "now");

/** The last instant before the end of a time. */
export const lastOf = (until) => new Date(Date.parse(until) - 1).toISOString();

/** "March 2021" */
export const monthOf = (iso) => inWords(iso, { month: "long", year: "numeric" });

/** A date that a document states: its day, month or year, whichever it names; else its own words. */
export function stated(time) {
  if (!time) return "undated";
  const { text, from, until } = time;
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return told(text.slice(0, 10));
  if (/^\d{4}-\d{2}$/.test(text)) return monthOf(text);
  const days = from && until ? (Date.parse(until) - Date.parse(from)) / DAY : Infinity;
  return days <= 1 ? told(from) : text;
}

/** A day, so many months later. */
export function monthsLater(day, months) {
  const date = new Date(day * DAY);
  const wanted = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(wanted, last));
  return Math.floor(date.getTime() / DAY);
}

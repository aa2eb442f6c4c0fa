// Days as numbers since 1970, and how they are told.

const DAY = 86400000;

export const today = () => Math.floor(Date.now() / DAY);
export const dayOf = (iso) => Math.floor(Date.parse(iso) / DAY);
export const isoOf = (day) => new Date(day * DAY).toISOString().slice(0, 10);

/** "5 March 2021" */
export function told(iso) {
  if (!iso) return "now";
  return new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
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

// Instants of the server (ISO 8601, UTC) as days.

/** "5 March 2021" */
export function told(instant: string): string {
  return new Date(instant).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
}

/** The day (2021-03-05) so many years later; of 29 February the 28th where there is none. */
export function yearsLater(day: string, years: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  const month = date.getUTCMonth();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  if (date.getUTCMonth() !== month) date.setUTCDate(0);
  return date.toISOString().slice(0, 10);
}

/** A time in its own words, an instant by its day. */
export const inWords = (time: { text: string } | null): string =>
  time ? time.text.replace(/^(\d{4}-\d{2}-\d{2})T.*/, "$1") : "undated";

/** The day of an instant. */
export const dayOf = (instant: string): string => instant.slice(0, 10);

// Asking the server. A newer question of the same kind ends the one under way.

const running = new Map();

export class Refused extends Error {}

/** The server asks for a key. */
export class KeyNeeded extends Refused {}

const STORED = "asof-key"; // for this tab alone

export const keepKey = (key) => sessionStorage.setItem(STORED, key);

function headers() {
  const key = sessionStorage.getItem(STORED);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

/** The JSON answer of a verb; null where a newer question of `kind` has taken its place. */
export async function ask(verb, parameters, kind = verb) {
  running.get(kind)?.abort();
  const control = new AbortController();
  running.set(kind, control);
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value != null));
  try {
    const reply = await fetch(`/api/v1/${verb}?${query}`, { signal: control.signal, headers: headers() });
    return await read(reply);
  } catch (error) {
    if (error.name === "AbortError") return null;
    if (error instanceof Refused) throw error;
    throw new Refused("The server cannot be reached. Is asof serve still running?");
  } finally {
    if (running.get(kind) === control) running.delete(kind);
  }
}

async function read(reply) {
  const value = await reply.json().catch(() => null);
  if (reply.ok && value !== null) return value;
  if (reply.status === 401) throw new KeyNeeded(value?.error?.message);
  throw new Refused(value?.error?.message ?? `The server replied ${reply.status}.`);
}

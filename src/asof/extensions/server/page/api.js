// Asking the server. A newer question of the same kind ends the one under way.

const running = new Map();

export class Refused extends Error {}

/** The server asks for a key. */
export class KeyNeeded extends Refused {}

const STORED = "asof-key"; // for this tab alone

export const keepKey = (key) => sessionStorage.setItem(STORED, key);

/** True if the server was told a key: links that the browser follows by itself do not carry it. */
export const keyed = () => Boolean(sessionStorage.getItem(STORED));

function headers() {
  const key = sessionStorage.getItem(STORED);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

/** The JSON answer of a verb; null where a newer question of `kind` has taken its place. */
export const ask = (verb, parameters, kind = verb) => asked(verb, parameters, kind, read);

/** The same, with what a model has written so far given to `onText` on the way. */
export const stream = (verb, parameters, onText) => asked(`${verb}/stream`, parameters, verb, (reply) => readEvents(reply, onText));

/** A link that saves the answer of a verb as a table; none where a key is needed, which no link carries. */
export const savedAs = (verb, parameters) => (keyed() ? null : `/api/v1/${verb}?${queryOf({ ...parameters, format: "csv" })}`);

const queryOf = (parameters) => new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value != null));

async function asked(path, parameters, kind, read) {
  running.get(kind)?.abort();
  const control = new AbortController();
  running.set(kind, control);
  try {
    const reply = await fetch(`/api/v1/${path}?${queryOf(parameters)}`, { signal: control.signal, headers: headers() });
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

/** The answer at the end of server-sent events. */
async function readEvents(reply, onText) {
  if (!reply.ok) return read(reply);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let left = "", text = "";
  for (;;) {
    const { done, value } = await reader.read();
    left += value ?? "";
    const events = left.split("\n\n");
    left = events.pop();
    for (const event of events) {
      const [, kind, data] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? [];
      if (kind === "answer") return JSON.parse(data);
      if (kind === "error") throw new Refused(JSON.parse(data).error.message);
      if (kind === "text") onText((text += JSON.parse(data).text));
    }
    if (done) throw new Refused("The reply broke off.");
  }
}

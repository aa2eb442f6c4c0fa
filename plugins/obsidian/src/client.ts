// Asking `asof serve`. Every request is a GET: the plugin reads, and writes nothing.

import { requestUrl, type RequestUrlResponse } from "obsidian";
import type { Replies } from "./replies.ts";

/** A question without an answer; the message says why, and what to do. */
export class Refused extends Error {}

/** Where the server is, and the key that it asks for ("": none). */
export interface Access {
  address: string;
  key: string;
}

export type Parameters = Record<string, string | number>;

/** Seconds that each verb may take: a language model may write an answer. */
const SECONDS: Record<keyof Replies, number> = {
  search: 20,
  ask: 180,
  document: 20,
  documents: 20,
  stale: 60,
};

/** The keys that tell that a reply is of asof. */
const EXPECTED: { [V in keyof Replies]: (keyof Replies[V])[] } = {
  search: ["query", "hits"],
  ask: ["answer", "citations"],
  document: ["text", "characters"],
  documents: ["documents", "next"],
  stale: ["stale", "more"],
};

/** The reply of a verb within so many seconds. Raises Refused. A parameter that is "" is left out. */
export async function ask<V extends keyof Replies>(
  access: Access,
  verb: V,
  parameters: Parameters,
  seconds = SECONDS[verb],
): Promise<Replies[V]> {
  const base = apiAddress(access);
  const query = new URLSearchParams(
    Object.entries(parameters)
      .filter(([, value]) => value !== "")
      .map(([key, value]) => [key, String(value)]),
  );
  const headers: Record<string, string> = access.key ? { Authorization: `Bearer ${access.key}` } : {};
  const request = requestUrl({ url: `${base}/api/v1/${verb}?${query}`, headers, throw: false });
  return read(await within(seconds, request, access.address), verb, access.address);
}

/** The address without a slash at its end. Raises Refused where it is none, or others could see the key. */
function apiAddress({ address, key }: Access): string {
  const url = parsedAddress(address);
  if (
    !url ||
    !["http:", "https:"].includes(url.protocol) ||
    url.username ||
    url.password ||
    url.search ||
    url.hash
  ) {
    throw new Refused(
      `“${address}” is no address of a server; accepted: http://127.0.0.1:8421, https://notes.example`,
    );
  }
  if (key && url.protocol === "http:" && !["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) {
    throw new Refused(
      `The key would go unencrypted to ${url.host}: use an address that begins with https://`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function parsedAddress(address: string): URL | null {
  try {
    return new URL(address);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** `requestUrl` cannot be cancelled: what comes later than this is ignored. */
async function within(
  seconds: number,
  request: Promise<RequestUrlResponse>,
  address: string,
): Promise<RequestUrlResponse> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Refused(`No reply from ${address} within ${seconds} seconds.`)),
      seconds * 1000,
    );
  });
  const unreachable = (error: unknown) => {
    throw new Refused(
      `No server can be reached at ${address} (${error instanceof Error ? error.message : String(error)}).` +
        " Start it in the folder of the index: asof serve",
    );
  };
  try {
    return await Promise.race([request.catch(unreachable), late]);
  } finally {
    clearTimeout(timer);
  }
}

function read<V extends keyof Replies>(reply: RequestUrlResponse, verb: V, address: string): Replies[V] {
  const value = parsed(reply.text);
  const error = value?.["error"] as { message?: unknown } | undefined;
  if (typeof error?.message === "string") {
    const remedy =
      reply.status === 401
        ? " – make one with: asof key add obsidian, and choose it in the settings of asof"
        : "";
    throw new Refused(error.message + remedy);
  }
  if (reply.status !== 200 || !value || !EXPECTED[verb].every((key) => key in value)) {
    throw new Refused(
      `What answers at ${address} is not asof serve, or another version of it (status ${reply.status}).`,
    );
  }
  return value as unknown as Replies[V];
}

/** The object that a text is as JSON; null where it is none. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown> | null)
      : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

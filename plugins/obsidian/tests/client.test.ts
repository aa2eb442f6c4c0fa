import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, test } from "node:test";
import type { AddressInfo } from "node:net";
import { ask, Refused } from "../src/client.ts";

/** What the server of these tests says next: a status and a body; null: nothing at all. */
let says: [number, string] | null = [200, "{}"];
let asked: { url: string; authorization: string | undefined } | null = null;
let server: Server;
let address = "";

before(async () => {
  server = createServer((request, response) => {
    asked = { url: request.url ?? "", authorization: request.headers.authorization };
    if (says) response.writeHead(says[0]).end(says[1]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

const refused = (message: RegExp) => (error: unknown) =>
  error instanceof Refused && message.test(error.message);

test("parameters are encoded, empty ones left out, the key is sent", async () => {
  says = [200, '{"query": {"as_of": "2019-06-01T00:00:00Z"}, "hits": []}'];
  const found = await ask({ address: `${address}/`, key: "asof_x" }, "search", {
    q: "ferry & fares",
    as_of: "",
    k: 3,
  });
  assert.deepEqual(found.hits, []);
  assert.deepEqual(asked, { url: "/api/v1/search?q=ferry+%26+fares&k=3", authorization: "Bearer asof_x" });
  await ask({ address, key: "" }, "search", { q: "x" });
  assert.equal(asked?.authorization, undefined);
});

test("a server behind a path is asked there", async () => {
  await ask({ address: `${address}/notes/`, key: "" }, "search", { q: "x" });
  assert.equal(asked?.url, "/notes/api/v1/search?q=x");
});

test("where no server runs, the message says how one is started", async () => {
  await assert.rejects(
    ask({ address: "http://127.0.0.1:9", key: "" }, "search", { q: "x" }),
    refused(/127\.0\.0\.1:9 .*asof serve/),
  );
});

test("a server that is silent is given up", async () => {
  says = null;
  await assert.rejects(
    ask({ address, key: "" }, "search", { q: "x" }, 0.05),
    refused(/within 0\.05 seconds/),
  );
});

test("the words of the server are those that are shown", async () => {
  says = [422, '{"error": {"kind": "BadTime", "message": "\'soon\' is no time", "request": "1"}}'];
  await assert.rejects(ask({ address, key: "" }, "search", { q: "x" }), refused(/^'soon' is no time$/));
  says = [401, '{"error": {"kind": "KeyNeeded", "message": "a key is needed", "request": "1"}}'];
  await assert.rejects(
    ask({ address, key: "" }, "search", { q: "x" }),
    refused(/^a key is needed – make one with: asof key add/),
  );
});

test("what is not asof is called so", async () => {
  for (const reply of [
    [200, "<html>"],
    [200, "[]"],
    [200, "null"],
    [200, '{"hits": []}'],
    [502, ""],
  ] as [number, string][]) {
    says = reply;
    await assert.rejects(
      ask({ address, key: "" }, "search", { q: "x" }),
      refused(/is not asof serve/),
      String(reply),
    );
  }
});

test("an address that is none is refused before anything is sent", async () => {
  for (const bad of [
    "",
    "notes",
    "ftp://notes.example",
    "https://me:word@notes.example",
    "https://notes.example?x=1",
  ]) {
    await assert.rejects(
      ask({ address: bad, key: "" }, "search", { q: "x" }),
      refused(/is no address of a server/),
      bad,
    );
  }
});

test("a key goes over the network only encrypted", async () => {
  await assert.rejects(
    ask({ address: "http://notes.example", key: "asof_x" }, "search", { q: "x" }),
    refused(/https:/),
  );
});

// The pane on a real `asof serve` with the example notes.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import AsofPlugin from "../src/main.ts";
import { App, DomEvent, seen, TFile } from "./obsidian.ts";
import { Served } from "./served.ts";

const SCRIPT = "<img src=x onerror='alert(1)'>";
const HARBOUR = "Who is the harbour master?";

const served = new Served();
let address = "";

before(async () => {
  served.write("ferry/Scrapped.md", "---\ndate: 2024-08-01\nsupersedes: Prudence\n---\n# Prudence is scrapped\n\nShe is sold.\n");
  served.write(
    "capsule/Scripted.md",
    `---\ndate: 2022-02-02\ntitle: "${SCRIPT}"\n---\nThe scripted pier \`${SCRIPT}\` is closed.\n`,
  );
  served.write(
    "capsule/Gone.md",
    "---\ndate: 2018-03-01\n---\nThe gangway of the old lighter is rotten and shall not be used.\n",
  );
  const head = "---\ndate: 2018-05-01\n---\n# Crane\n\n## Loads\n\n";
  served.write("capsule/Crane.md", `${head}The steam crane lifts at most four tons of wet herring.\n`);
  served.asof("index", "notes");
  rmSync(`${served.vault}/capsule/Gone.md`);
  served.write("capsule/Crane.md", `${head}It was sold.\n`);
  served.asof("index", "notes");
  address = await served.serve();
});

after(() => served.end());

afterEach(() => Object.assign(seen, { notices: [], modals: [], opened: [], focused: null }));

/** A plugin in an app whose vault is the folder that is indexed, and its pane. */
async function opened() {
  const app = new App(served.vault);
  const plugin = new (AsofPlugin as unknown as new (app: App, manifest: unknown) => AsofPlugin & Commands)(
    app,
    {},
  );
  await plugin.onload();
  plugin.tab.display();
  plugin.tab.fields.get("Address")?.set(address);
  const view = await (plugin as unknown as { pane(): Promise<{ contentEl: HTMLElement }> }).pane();
  app.workspace.ensureSideLeaf = (async () => ({ view, loadIfDeferred: async () => {} })) as never;
  return { app, plugin, pane: new Pane(view.contentEl) };
}

interface Commands {
  commands: Map<
    string,
    {
      callback?(): unknown;
      checkCallback?(checking: boolean): boolean;
      editorCheckCallback?(checking: boolean, editor: unknown): boolean;
    }
  >;
  tab: { display(): void; fields: Map<string, { value: string; set(value: string): unknown }> };
}

/** What a user does in the pane, and reads there. */
class Pane {
  constructor(readonly element: HTMLElement) {}

  field(label: string): HTMLInputElement {
    return this.element.querySelector(`input[aria-label="${label}"]`)!;
  }

  get text(): string {
    return this.element.textContent ?? "";
  }

  async search(question: string, as_of = ""): Promise<void> {
    this.field("Question").value = question;
    this.field("As of").value = as_of;
    this.element.querySelector("form")!.dispatchEvent(new DomEvent("submit", { cancelable: true }));
    await this.shows(/\d+ passages? as of/);
  }

  click(text: string, within: ParentNode = this.element, event: object = {}): void {
    const found = [...within.querySelectorAll("button")].find((each) => each.textContent === text);
    assert.ok(found, `no button ${text} in: ${this.text}`);
    found.dispatchEvent(Object.assign(new DomEvent("click"), event));
  }

  passages(): string[] {
    return [...this.element.querySelectorAll(".asof-passage")].map((each) => each.textContent ?? "");
  }

  /** The first passage with these words. */
  hit(words: string): Element {
    const found = [...this.element.querySelectorAll(".asof-passage")].find((each) =>
      each.textContent?.includes(words),
    );
    assert.ok(found, `no passage with ${words} in: ${this.text}`);
    return found;
  }

  status(): string {
    return this.element.querySelector("[role=status]")?.textContent ?? "";
  }

  /** Wait until the status, or with `all` the pane, fits. */
  async shows(pattern: RegExp, all = false): Promise<void> {
    await until(
      () => pattern.test(all ? this.text : this.status()),
      () => `${pattern} in: ${this.text}`,
    );
  }
}

async function until(holds: () => boolean, what: () => string): Promise<void> {
  for (let tries = 0; tries < 1500; tries++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`not within thirty seconds: ${what()}`);
}

test("a search as of 2019 finds what held then, and marks what was superseded by then", async () => {
  const { pane } = await opened();
  await pane.search(HARBOUR, "2019-06-01");
  assert.equal(pane.status(), "10 passages as of 1 June 2019");
  assert.match(pane.passages()[0]!, /^Harbour office notice 2019.*Runa Osterby/s);
  const earlier = pane.passages().find((each) => each.startsWith("Harbour office notice 2016"));
  assert.match(earlier!, /Ebbe Calloway.*superseded on 14 January 2019 by Harbour office notice 2019/s);
  assert.doesNotMatch(pane.text, /202[0-9]|Jesper Quant/, "nothing later shows");
});

test("the same question as of 2017 shows no mark: nothing had superseded it", async () => {
  const { pane } = await opened();
  await pane.search(HARBOUR, "2017");
  assert.match(pane.passages()[0]!, /Ebbe Calloway/);
  assert.doesNotMatch(pane.text, /superseded|Runa Osterby/);
});

test("words for a time are read by the server, and steps go on from the day that they mean", async () => {
  const { pane } = await opened();
  await pane.search(HARBOUR, "spring 2021");
  assert.equal(pane.status(), "10 passages as of 31 May 2021");
  pane.click("−1 y");
  pane.click("−1 y");
  await pane.shows(/31 May 2019/); // of both steps, in one request
  assert.equal(pane.field("As of").value, "2019-05-31");
  pane.click("Now");
  await pane.shows(new RegExp(`${new Date().getUTCFullYear()}$`));
});

test("a mark leads to the day, and to what superseded", async () => {
  const { pane } = await opened();
  await pane.search(HARBOUR, "2019-06-01");
  const earlier = pane.hit("superseded on");
  pane.click("Harbour office notice 2019", earlier.querySelector(".asof-mark")!);
  await until(
    () => seen.opened.length === 1,
    () => "a note is opened",
  );
  assert.deepEqual(seen.opened[0], {
    path: "harbour/Harbour office notice 2019.md",
    line: undefined,
    pane: false,
  });
  pane.click("14 January 2019", earlier);
  await pane.shows(/as of 14 January 2019/);
});

test("an answer quotes what held then, with its marks, and opens the sentence", async () => {
  const { pane } = await opened();
  pane.field("Question").value = HARBOUR;
  pane.field("As of").value = "2019-06-01";
  pane.click("Ask");
  await pane.shows(/Answer as of 1 June 2019/, true);
  const quote = pane.element.querySelector("blockquote")!;
  assert.equal(quote.querySelector("strong")?.textContent, "Harbour master: Runa Osterby.");
  assert.match(pane.text, /quoted, no model/);
  pane.click("Harbour office notice 2019", quote, { ctrlKey: true });
  await until(
    () => seen.opened.length === 1,
    () => "a note is opened",
  );
  const line = 7; // the frontmatter has lines 0 to 4, the heading is 5
  assert.deepEqual(seen.opened[0], { path: "harbour/Harbour office notice 2019.md", line, pane: "tab" });
});

test("an answer that is refused says why", async () => {
  const { pane } = await opened();
  pane.field("Question").value = "What does the zeppelin weigh?";
  pane.click("Ask");
  await pane.shows(/No answer/, true);
});

test("a note that no longer says it opens at its heading; its text as it stood is a click away", async () => {
  const { pane } = await opened();
  await pane.search("How much does the steam crane lift?", "2019");
  const hit = pane.hit("wet herring");
  pane.click("Crane", hit);
  await until(
    () => seen.opened.length === 1,
    () => "a note is opened",
  );
  assert.deepEqual(seen.opened[0], { path: "capsule/Crane.md", line: 5, pane: false }); // "## Loads"
  assert.match(seen.notices[0]!, /^Crane no longer says this/);
  pane.click("as it stood", hit);
  await until(
    () => seen.modals.length === 1,
    () => "a text as it stood",
  );
  const [{ contentEl }] = seen.modals as [(typeof seen.modals)[0]];
  assert.match(contentEl.textContent!, /As it stood on 31 December 2019/);
  assert.match(contentEl.querySelector("mark")!.textContent!, /four tons of wet herring/);
  assert.doesNotMatch(contentEl.textContent!, /sold/);
});

test("a note that is gone is shown as it stood", async () => {
  const { pane } = await opened();
  await pane.search("gangway of the old lighter", "2019");
  pane.click("Gone");
  await until(
    () => seen.modals.length === 1,
    () => "a text as it stood",
  );
  assert.match(seen.modals[0]!.contentEl.textContent!, /There is no such note in this vault.*rotten/s);
  assert.deepEqual(seen.opened, []);
});

test("markup in notes is shown as text", async () => {
  const { pane } = await opened();
  await pane.search("scripted pier");
  assert.ok(pane.text.includes(SCRIPT));
  assert.equal(pane.element.querySelector("img"), null);
  pane.click("as it stood", pane.hit("The scripted pier"));
  await until(
    () => seen.modals.length === 1,
    () => "a text as it stood",
  );
  assert.ok(seen.modals[0]!.titleEl.textContent!.includes(SCRIPT));
  assert.ok(seen.modals[0]!.contentEl.textContent!.includes(SCRIPT));
  assert.equal(seen.modals[0]!.contentEl.querySelector("img"), null);
});

test("what the server refuses is shown in its words", async () => {
  const { pane } = await opened();
  pane.field("Question").value = HARBOUR;
  pane.field("As of").value = "someday";
  pane.element.querySelector("form")!.dispatchEvent(new DomEvent("submit", { cancelable: true }));
  await pane.shows(/'someday' is not a time/, true);
  pane.click("+1 y");
  assert.equal(pane.field("As of").value, "someday", "no step from what is no time");
});

test("a reply that was overtaken is not shown", async () => {
  const { pane } = await opened();
  const slow = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    if (String(given[0]).includes("2017")) await new Promise((resolve) => setTimeout(resolve, 400));
    return slow(...given);
  };
  try {
    pane.field("Question").value = HARBOUR;
    pane.field("As of").value = "2017";
    pane.click("Ask");
    await pane.search(HARBOUR, "2019-06-01");
    await new Promise((resolve) => setTimeout(resolve, 800));
    assert.equal(pane.status(), "10 passages as of 1 June 2019");
    assert.doesNotMatch(pane.text, /Answer as of/);
  } finally {
    globalThis.fetch = slow;
  }
});

test("commands ask the selection, choose the date of a note, show its stale statements", async () => {
  const { app, plugin, pane } = await opened();
  assert.equal(plugin.commands.get("stale")!.checkCallback!(true), false, "no note is open");
  assert.equal(
    plugin.commands.get("ask-selection")!.editorCheckCallback!(true, { getSelection: () => " " }),
    false,
  );
  plugin.commands.get("ask-selection")!.editorCheckCallback!(false, { getSelection: () => HARBOUR });
  await pane.shows(/Jesper Quant/, true);
  app.active = new TFile("harbour/Harbour office notice 2016.md");
  assert.equal(plugin.commands.get("date-of-note")!.checkCallback!(false), true);
  await pane.shows(/as of 11 January 2016/);
  app.active = new TFile("capsule/Crane.md"); // it was edited since
  plugin.commands.get("date-of-note")!.checkCallback!(false);
  await pane.shows(/as of 1 May 2018/);
  app.active = new TFile("harbour/The Churn.md"); // of 2017: it is found from the end of that year
  plugin.commands.get("date-of-note")!.checkCallback!(false);
  await pane.shows(/as of 31 December 2017/);
  pane.field("As of").value = "";
  app.active = new TFile("bollard/The bell is found.md");
  plugin.commands.get("stale")!.checkCallback!(false);
  await pane.shows(/^bollard\/The bell is found\.md: 1 statement no longer so/);
  assert.match(pane.passages()[0]!, /The bell of Prudence has been found\..*superseded by 'Prudence is scrapped'/s);
  pane.click("The bell of Prudence has been found.");
  await until(
    () => seen.opened.length === 1,
    () => "a note is opened",
  );
  assert.equal(seen.opened[0]!.path, "bollard/The bell is found.md");
  assert.equal(seen.opened[0]!.line, 9);
});

test("a note without a date says so", async () => {
  const { app, plugin } = await opened();
  app.active = new TFile("kitchen/Glossary.md");
  plugin.commands.get("date-of-note")!.checkCallback!(false);
  await until(
    () => seen.notices.length === 1,
    () => "a notice",
  );
  assert.equal(seen.notices[0], "kitchen/Glossary.md has no date.");
});

test("the settings find the folders, and are kept on this device", async () => {
  const { app, plugin } = await opened();
  await plugin.tab.fields.get("Check")!.set("");
  assert.match(seen.notices[0]!, /^asof serve answers. “notes\/” in the index is “\/” in the vault/);
  plugin.tab.fields.get("Folder in the index")!.set("/elsewhere/ ");
  assert.deepEqual(app.loadLocalStorage("asof-settings"), {
    address,
    secret: "",
    inIndex: "elsewhere",
    inVault: "",
  });
  plugin.tab.fields.get("Key")!.set("asof key");
  await plugin.tab.fields.get("Check")!.set("");
  assert.match(seen.notices[1]!, /no secret “asof key” on this device/);
});

test("notes of a vault that is not indexed are shown as they stood, until it is", async () => {
  const { app, plugin, pane } = await opened();
  await pane.search(HARBOUR, "2019-06-01");
  const files = app.vault.getFiles;
  app.vault.getFiles = () => [new TFile("elsewhere.md")];
  pane.click("Harbour office notice 2019");
  await until(
    () => seen.modals.length === 1,
    () => "a text as it stood",
  );
  assert.match(
    seen.modals[0]!.contentEl.textContent!,
    /does not hold the notes of this vault.*Runa Osterby/s,
  );
  app.active = new TFile("elsewhere.md");
  plugin.commands.get("stale")!.checkCallback!(false);
  await pane.shows(/does not hold the notes of this vault/, true);
  app.vault.getFiles = files;
  await pane.search(HARBOUR, "2019-06-01");
  pane.click("Harbour office notice 2019");
  await until(
    () => seen.opened.length === 1,
    () => "a note is opened",
  );
});

test("a server that needs a key is asked with the one of the settings", async () => {
  const secret = served.asof("key", "add", "obsidian").trim();
  const own = await served.serve("--need-key");
  const { app, plugin, pane } = await opened();
  plugin.tab.fields.get("Address")!.set(own);
  pane.field("Question").value = HARBOUR;
  pane.element.querySelector("form")!.dispatchEvent(new DomEvent("submit", { cancelable: true }));
  await pane.shows(/a key is needed.*asof key add obsidian/, true);
  app.secrets.set("asof-key", secret);
  plugin.tab.fields.get("Key")!.set("asof-key");
  await pane.search(HARBOUR);
  assert.match(pane.passages()[0]!, /Jesper Quant/);
});

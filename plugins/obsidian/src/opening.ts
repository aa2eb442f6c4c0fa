// Opening what was found: the note at the place, or its text as it stood.

import { Modal, Notice, type App, type PaneType, type TFile } from "obsidian";
import { inWords, told } from "./dates.ts";
import { lineAt, locate, pathOf, type Folders } from "./places.ts";
import type { PastDocument } from "./replies.ts";
import type { Place } from "./results.ts";

/** Open the note of a document at a place; false where the vault has no such file. */
export async function openNote(
  app: App,
  place: Place,
  folders: Folders,
  pane: PaneType | boolean,
): Promise<boolean> {
  const path = pathOf(place.document, folders);
  const file = path === null ? null : app.vault.getFileByPath(path);
  if (!file) return false;
  if (file.extension === "pdf") {
    const page = place.headings.find((heading) => /^Page \d+$/.test(heading));
    await app.workspace.openLinkText(page ? `${file.path}#page=${page.slice(5)}` : file.path, "", pane);
    return true;
  }
  const line = file.extension === "md" ? await lineOf(app, file, place) : null;
  await app.workspace.getLeaf(pane).openFile(file, { active: true, eState: line === null ? {} : { line } });
  return true;
}

/** The line, from 0, of the passage, else of the lowest heading above it; null: neither is there any more. */
async function lineOf(app: App, file: TFile, place: Place): Promise<number | null> {
  if (!place.text) return null;
  const note = await app.vault.cachedRead(file);
  const found = locate(note, place.text);
  if (found) return lineAt(note, found[0]);
  new Notice(`${file.basename} no longer says this. “As it stood” shows what it said.`);
  const headings = app.metadataCache.getFileCache(file)?.headings ?? [];
  const above = [...place.headings].reverse().map((name) => headings.find(({ heading }) => heading === name));
  return above.find((heading) => heading)?.position.start.line ?? null;
}

const counted = (count: number): string => count.toLocaleString("en");

/** The text of a document as it stood, with the passage marked. */
export class PastNote extends Modal {
  constructor(
    app: App,
    private readonly past: PastDocument,
    private readonly place: Place,
    private readonly remark: string,
  ) {
    super(app);
  }

  override onOpen(): void {
    const { past, contentEl } = this;
    this.titleEl.setText(past.title || past.document);
    contentEl.createEl("p", {
      cls: "asof-meta",
      text: `As it stood on ${told(past.as_of)} · ${past.document} · ${inWords(past.published)}`,
    });
    if (this.remark) contentEl.createEl("p", { cls: "asof-meta", text: this.remark });
    const length = [...past.text].length;
    if (length < past.characters) {
      contentEl.createEl("p", {
        cls: "asof-meta",
        text: `The first ${counted(length)} of ${counted(past.characters)} characters.`,
      });
    }
    const body = contentEl.createEl("pre", { cls: "asof-past" });
    const [from, to] = locate(past.text, this.place.text) ?? [0, 0];
    body.appendText(past.text.slice(0, from));
    if (to > from)
      body.createEl("mark", { text: past.text.slice(from, to) }).scrollIntoView({ block: "center" });
    body.appendText(past.text.slice(to));
  }

  override onClose(): void {
    this.contentEl.empty();
  }
}

// The pane: a question, a moment, and what the server answers.

import { debounce, ItemView, Keymap, Notice, type PaneType, type WorkspaceLeaf } from "obsidian";
import { ask, Refused, type Parameters } from "./client.ts";
import { dayOf, told, yearsLater } from "./dates.ts";
import { openNote, PastNote } from "./opening.ts";
import { idOf } from "./places.ts";
import type { Replies } from "./replies.ts";
import { showAnswer, showHits, showStale, type Actions, type Place } from "./results.ts";
import type { Settings } from "./settings.ts";

export const VIEW = "asof";

const HITS = 10;
const STALE = 50;
const PAUSE = 300; // ms after the last of several steps in time

/** What is asked; `path`: the note that is looked through for what is stale. */
type Asked = { kind: "search" | "ask" } | { kind: "stale"; path: string };

/** Results, the moment that they are of, and a line on them. */
interface Shown {
  element: HTMLElement;
  as_of: string;
  line: string;
}

export class AsofView extends ItemView implements Actions {
  private question!: HTMLInputElement;
  private moment!: HTMLInputElement;
  private status!: HTMLElement;
  private results!: HTMLElement;
  private asked: Asked = { kind: "search" };
  /** A moment as it was typed, and the day as which the server read it. */
  private read = { typed: "", day: dayOf(new Date().toISOString()) };
  private run = 0; // what an earlier run finds is not shown: requests cannot be cancelled
  private readonly showSoon = debounce(() => this.show(), PAUSE, true);

  constructor(
    leaf: WorkspaceLeaf,
    private readonly settings: Settings,
  ) {
    super(leaf);
    this.icon = "history";
  }

  override getViewType(): string {
    return VIEW;
  }

  override getDisplayText(): string {
    return "asof";
  }

  override async onOpen(): Promise<void> {
    this.contentEl.empty();
    this.contentEl.addClass("asof");
    const form = this.contentEl.createEl("form");
    this.question = form.createEl("input", {
      type: "search",
      placeholder: "Who is the harbour master?",
      attr: { "aria-label": "Question", maxlength: 5000 },
    });
    const moments = form.createDiv({ cls: "asof-row" });
    this.moment = moments.createEl("input", {
      type: "text",
      placeholder: "now, or spring 2021",
      attr: { "aria-label": "As of", maxlength: 100 },
    });
    this.button(moments, "−1 y", "A year earlier", () => this.step(-1));
    this.button(moments, "+1 y", "A year later", () => this.step(1));
    this.button(moments, "Now", "As of now", () => this.moveTo(""));
    const actions = form.createDiv({ cls: "asof-row" });
    actions.createEl("button", { text: "Search", cls: "mod-cta", attr: { type: "submit" } });
    this.button(actions, "Ask", "Search, and answer from the passages", () => this.show({ kind: "ask" }));
    this.status = this.contentEl.createEl("p", { cls: "asof-meta", attr: { role: "status" } });
    this.results = this.contentEl.createDiv();
    this.registerDomEvent(form, "submit", (event) => {
      event.preventDefault();
      void this.show({ kind: "search" });
    });
    this.registerDomEvent(this.moment, "change", () => this.showSoon());
  }

  override async onClose(): Promise<void> {
    this.run++;
    this.showSoon.cancel();
  }

  private button(parent: HTMLElement, text: string, label: string, onClick: () => void): void {
    const made = parent.createEl("button", { text, attr: { type: "button", "aria-label": label } });
    this.registerDomEvent(made, "click", onClick);
  }

  focus(): void {
    this.question.focus();
    this.question.select();
  }

  /** Ask a question as of the moment that is chosen. */
  askFor(question: string): Promise<void> {
    this.question.value = question;
    return this.show({ kind: "ask" });
  }

  /** Show what a note of the vault says that is no longer so. */
  showStaleOf(path: string): Promise<void> {
    return this.show({ kind: "stale", path });
  }

  moveTo(day: string): void {
    this.moment.value = day;
    this.showSoon();
  }

  /** Choose the day from which a note of the vault can be found: its own date, not that of a later edit. */
  async moveToNote(path: string): Promise<void> {
    await this.tried(async () => {
      const { versions } = await this.ask("document", { document: await this.idOf(path), characters: 1 });
      const [first] = versions;
      if (!first?.published) throw new Refused(`${path} has no date.`);
      this.moveTo(dayOf(first.visible));
    });
  }

  private async step(years: number): Promise<void> {
    const typed = this.moment.value.trim();
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(typed);
    if (!isDay && typed !== this.read.typed) await this.show(); // the server reads the words
    if (isDay || typed === this.read.typed) this.moveTo(yearsLater(isDay ? typed : this.read.day, years));
  }

  /** Ask the server, the same as before if nothing is said, and show what it finds. */
  private async show(asked: Asked = this.asked): Promise<void> {
    this.showSoon.cancel();
    this.asked = asked;
    const q = this.question.value.trim();
    const typed = this.moment.value.trim();
    if (!q && asked.kind !== "stale") return;
    const own = ++this.run;
    const overtaken = () => own !== this.run;
    this.status.setText("Loading …");
    try {
      const shown = await (asked.kind === "stale"
        ? this.stale(asked.path, typed)
        : this.found(q, typed, asked.kind === "ask", overtaken));
      if (overtaken()) return;
      this.results.empty();
      this.results.append(shown.element);
      this.read = { typed, day: dayOf(shown.as_of) };
      this.status.setText(shown.line);
    } catch (error) {
      if (overtaken()) return;
      this.results.empty();
      this.results.createEl("p", { cls: "asof-problem", text: refusal(error) });
      this.status.setText("");
    }
  }

  /** The passages of a question. Its answer comes into its place above them later: a model may take long. */
  private async found(
    q: string,
    as_of: string,
    withAnswer: boolean,
    overtaken: () => boolean,
  ): Promise<Shown> {
    const element = createDiv();
    const place = element.createDiv({ attr: { "aria-live": "polite" } });
    if (withAnswer) void this.answer(place, { q, as_of }, overtaken);
    const found = await this.ask("search", { q, as_of, k: HITS });
    const nothing = "Nothing was found. Try other words, or another moment.";
    if (!found.hits.length) element.createEl("p", { text: nothing });
    showHits(element, found, q, this);
    return {
      element,
      as_of: found.query.as_of,
      line: `${counted(found.hits.length, "passage")} as of ${told(found.query.as_of)}`,
    };
  }

  private async answer(place: HTMLElement, parameters: Parameters, overtaken: () => boolean): Promise<void> {
    place.addClass("asof-answer");
    place.createEl("p", { cls: "asof-meta", text: "The answer is being written …" });
    try {
      const answer = await this.ask("ask", parameters);
      place.empty();
      if (!overtaken()) showAnswer(place, answer, this);
    } catch (error) {
      place.empty();
      place.createEl("p", { cls: "asof-problem", text: refusal(error) });
    }
  }

  private async stale(path: string, as_of: string): Promise<Shown> {
    const found = await this.ask("stale", { path: await this.idOf(path), as_of, k: STALE });
    const element = createDiv();
    showStale(element, found, this);
    const count = counted(found.stale.length + found.more, "statement");
    return { element, as_of: found.as_of, line: `${path}: ${count} no longer so as of ${told(found.as_of)}` };
  }

  private ask<V extends keyof Replies>(verb: V, parameters: Parameters): Promise<Replies[V]> {
    return ask(this.settings.access(), verb, parameters);
  }

  private async idOf(path: string): Promise<string> {
    const id = idOf(path, await this.settings.folders());
    if (id === null) throw new Refused(`${path} lies outside the folder that is indexed.`);
    return id;
  }

  open(place: Place, event: MouseEvent): void {
    void this.tried(() => this.opened(place, Keymap.isModEvent(event)));
  }

  asItStood(place: Place): void {
    void this.tried(() => this.stood(place, ""));
  }

  private async opened(place: Place, pane: PaneType | boolean): Promise<void> {
    const folders = await this.settings.folders().catch(refusal);
    if (typeof folders === "string") return this.stood(place, folders);
    if (await openNote(this.app, place, folders, pane)) return;
    await this.stood(place, "There is no such note in this vault.");
  }

  private async stood(place: Place, remark: string): Promise<void> {
    const past = await this.ask("document", { document: place.document, as_of: place.as_of });
    new PastNote(this.app, past, place, remark).open();
  }

  /** Do something; why it was refused is a notice. */
  private async tried(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      new Notice(refusal(error));
    }
  }
}

/** Why something was refused. Raises any other error again. */
function refusal(error: unknown): string {
  if (error instanceof Refused) return error.message;
  throw error;
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

// Replies as elements. Text goes in as text, never as markup.

import { dayOf, inWords, told } from "./dates.ts";
import type {
  Amendment,
  Answer,
  Citation,
  Found,
  Hit,
  Passage,
  SourcedTime,
  Stale,
  StaleFound,
  Superseded,
} from "./replies.ts";

/** A passage to open, as of a moment: words that find its line, and the headings above it. */
export interface Place {
  document: string;
  as_of: string;
  text: string;
  headings: string[];
}

/** What a click does. `event`: whose modifier keys say where a note opens. */
export interface Actions {
  open(place: Place, event: MouseEvent): void;
  asItStood(place: Place): void;
  moveTo(day: string): void;
}

const SHOWN = 300; // characters of a passage

/** Passages, best first. */
export function showHits(parent: HTMLElement, found: Found, question: string, actions: Actions): void {
  for (const hit of found.hits)
    showHit(parent.createEl("article", { cls: "asof-passage" }), hit, question, found.query.as_of, actions);
}

function showHit(parent: HTMLElement, hit: Hit, question: string, moment: string, actions: Actions): void {
  const place = { document: hit.document, as_of: moment, text: hit.text, headings: hit.location.headings };
  showTitle(parent, hit, place, actions);
  showMarked(parent.createEl("p"), shortened(hit.text, SHOWN), question);
  showMarks(parent, hit, moment, actions);
}

/** An answer with its quotes, or why there is none. */
export function showAnswer(parent: HTMLElement, answer: Answer, actions: Actions): void {
  parent.createEl("h4", { text: answer.refused ? "No answer" : `Answer as of ${told(answer.as_of)}` });
  if (answer.refused) parent.createEl("p", { text: `${answer.reason}.` });
  const written = !answer.refused && (answer.by !== "extractive" || answer.mode === "global");
  if (written) showWritten(parent.createEl("p", { cls: "asof-written" }), answer, actions);
  if (!written || answer.mode === "local") {
    for (const citation of answer.citations)
      showQuote(parent.createEl("blockquote", { cls: "asof-passage" }), citation, answer.as_of, actions);
  }
  for (const note of answer.notes) parent.createEl("p", { cls: "asof-meta", text: note });
  if (!answer.refused)
    parent.createEl("p", {
      cls: "asof-meta",
      text: answer.by === "extractive" ? "quoted, no model" : `written by ${answer.by}`,
    });
}

/** A text whose numbers in brackets open what they cite. */
function showWritten(parent: HTMLElement, answer: Answer, actions: Actions): void {
  for (const part of answer.answer.split(/(\[\d+\])/)) {
    const cited = answer.citations.find((each) => part === `[${each.n}]`);
    if (cited) button(parent, part, (event) => actions.open(placeOf(cited, answer.as_of), event));
    else parent.appendText(part);
  }
}

function showQuote(parent: HTMLElement, citation: Citation, moment: string, actions: Actions): void {
  const [from, to] = citation.emphasis ?? [0, 0];
  const said = parent.createEl("p");
  const quote = [...citation.quote]; // emphasis counts characters, not UTF-16 units
  said.appendText(quote.slice(0, from).join(""));
  if (to > from) said.createEl("strong", { text: quote.slice(from, to).join("") });
  said.appendText(quote.slice(to).join(""));
  showTitle(parent, citation, placeOf(citation, moment), actions);
  showMarks(parent, citation, moment, actions);
}

function placeOf(citation: Citation, as_of: string): Place {
  const [from, to] = citation.emphasis ?? [0, Infinity];
  return {
    document: citation.document,
    as_of,
    text: [...citation.quote].slice(from, to).join(""),
    headings: citation.headings,
  };
}

/** What notes say that is no longer so, each with what changed. */
export function showStale(parent: HTMLElement, found: StaleFound, actions: Actions): void {
  for (const each of found.stale)
    showStatement(parent.createEl("article", { cls: "asof-passage" }), each, found.as_of, actions);
  if (found.more) parent.createEl("p", { cls: "asof-meta", text: `${found.more} more in asof stale` });
}

function showStatement(parent: HTMLElement, stale: Stale, as_of: string, actions: Actions): void {
  const place = { document: stale.document, as_of, text: stale.quote, headings: [] };
  button(parent.createEl("p"), stale.quote, (event) => actions.open(place, event));
  parent.createEl("p", { cls: "asof-mark", text: `since ${told(stale.since)}: ${stale.change}` });
  parent.createEl("p", { cls: "asof-meta", text: stale.why });
  const { by } = stale;
  if (!by) return;
  const source = parent.createEl("p", { cls: "asof-meta", text: `${by.quote} – ` });
  button(source, by.title || by.document, (event) =>
    actions.open({ document: by.document, as_of, text: by.quote, headings: [] }, event),
  );
}

function showTitle(parent: HTMLElement, one: Passage, place: Place, actions: Actions): void {
  button(parent.createDiv({ cls: "asof-title" }), one.title || one.document, (event) =>
    actions.open(place, event),
  );
  const meta = parent.createEl("p", { cls: "asof-meta" });
  const heading = place.headings.at(-1) ?? one.title;
  if (heading !== one.title) meta.appendText(`${heading} · `);
  meta.appendText(`${inWords(one.published)} · `);
  button(meta, "as it stood", () => actions.asItStood(place)).setAttribute(
    "aria-label",
    `${one.title || one.document} as it stood`,
  );
}

/** What became of a passage: superseded, in force or not, amended. */
function showMarks(parent: HTMLElement, one: Passage, moment: string, actions: Actions): void {
  if (one.superseded_by)
    showSuperseded(parent.createEl("p", { cls: "asof-mark" }), one.superseded_by, moment, actions);
  const force = one.superseded_by ? "" : inForce(one.in_force, moment);
  if (force) parent.createEl("p", { cls: "asof-mark", text: force });
  for (const each of one.amended_by)
    showAmendment(parent.createEl("p", { cls: "asof-mark" }), each, moment, actions);
}

function showSuperseded(parent: HTMLElement, later: Superseded, as_of: string, actions: Actions): void {
  parent.appendText("superseded on ");
  button(parent, told(later.visible), () => actions.moveTo(dayOf(later.visible)));
  parent.appendText(" by ");
  button(parent, later.title || later.document, (event) =>
    actions.open({ document: later.document, as_of, text: "", headings: [] }, event),
  );
}

/** When a passage holds at a moment, where that is stated; "" where it is not. */
export function inForce(time: SourcedTime | null, moment: string): string {
  if (!time || (time.by === "published" && !time.until)) return "";
  if (time.by === "status") return `not in force: ${time.text}`;
  if (time.from && Date.parse(time.from) > Date.parse(moment)) return `takes effect on ${told(time.from)}`;
  const last = time.until && new Date(Date.parse(time.until) - 1).toISOString();
  if (last && Date.parse(last) < Date.parse(moment)) return `ended on ${told(last)}`;
  return ["in force", time.from && `since ${told(time.from)}`, last && `until ${told(last)}`]
    .filter(Boolean)
    .join(" ");
}

const DID: Record<string, string> = { amends: "amended", corrects: "corrected" };

function showAmendment(parent: HTMLElement, by: Amendment, as_of: string, actions: Actions): void {
  parent.appendText(
    `${[by.part, DID[by.kind] ?? "replaced"].filter(Boolean).join(" ")} since ${told(by.since)} by `,
  );
  if (by.document)
    button(parent, by.title || by.document, (event) =>
      actions.open({ document: by.document, as_of, text: "", headings: [] }, event),
    );
  else parent.appendText(by.title);
}

function button(parent: HTMLElement, text: string, onClick: (event: MouseEvent) => void): HTMLButtonElement {
  const made = parent.createEl("button", { cls: "asof-link", text, attr: { type: "button" } });
  made.addEventListener("click", onClick);
  return made;
}

/** A text with the words of a question marked. */
function showMarked(parent: HTMLElement, text: string, question: string): void {
  const stems = (question.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) =>
    word.slice(0, Math.max(3, word.length - 2)),
  );
  for (const part of text.split(/([\p{L}\p{N}]+)/u)) {
    const fits = part.length > 2 && stems.some((stem) => part.toLowerCase().startsWith(stem));
    if (fits) parent.createEl("mark", { text: part });
    else parent.appendText(part);
  }
}

/** A passage in one line, at most so many characters. */
function shortened(text: string, most: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > most ? `${flat.slice(0, most).replace(/\s\S*$/, "")} …` : flat;
}

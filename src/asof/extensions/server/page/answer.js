// The answer: quotes with what answers in bold, values over time as a table; a click opens the document there.

import { stated, told } from "./dates.js";
import { clear, el, table } from "./dom.js";
import { documentLink, joined, originals, placeOf, status, versionOf } from "./hits.js";
import { state } from "./state.js";
import { placesIn, shortened } from "./text.js";

const BEFORE = 90, AFTER = 260; // characters of a long quote around what answers

export function answerView(answer, heading = "Answer") {
  const quotes = answer.citations.map((citation) => quoteView(citation, answer));
  if (answer.refused) {
    return el("section", { class: "answer", "aria-label": heading }, el("h2", {}, "No answer"),
      el("p", {}, `${answer.reason}.`), quotes.length ? [el("p", { class: "meta" }, "Nearest:"), quotes] : null, notesOf(answer.notes));
  }
  const written = answer.by !== "extractive";
  const body = answer.mode === "global" && !written ? periods(answer) : quotes;
  const then = heading === "Answer" && answer.as_of.slice(0, 10) < (state().as_of || new Date().toISOString()).slice(0, 10) ? ` as of ${told(answer.as_of)}` : "";
  return el("section", { class: "answer", "aria-label": heading }, el("h2", {}, heading + then),
    written ? el("p", {}, answer.answer) : null, valuesTable(answer.values), body, notesOf(answer.notes),
    el("p", { class: "actions" }, el("span", { class: "meta" }, written ? `written by ${answer.by}` : "quoted, no model"), copyButton(answer)));
}

/** How the question was read, what was left out or contradicted. */
export const notesOf = (notes) => (notes.length ? el("ul", { class: "notes" }, notes.map((note) => el("li", {}, note))) : null);

/** Copies the question and the answer with its sources, as text. */
function copyButton(answer) {
  const text = `${answer.question}\n\n${answer.answer}\n\nas of ${told(answer.as_of)}\n`;
  const copy = async (event) => {
    const button = event.currentTarget;
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  };
  return el("button", { type: "button", onclick: copy }, "Copy");
}

/** Values by what they measure (rows) and by period (columns). */
function valuesTable(values) {
  if (!values.length) return null;
  const periods = [...new Set(values.map((each) => each.period))], names = new Map();
  for (const each of values) {
    const name = [each.name, each.measure].filter(Boolean).join(": ");
    names.set(name, { ...names.get(name), [each.period]: each });
  }
  const cell = (value) => (value?.value ? [value.value, " ", value.citation ? el("sup", {}, `[${value.citation}]`) : ""] : el("span", { class: "meta" }, "not found"));
  return table("Values", ["", ...periods], [...names].map(([name, found]) => [name, ...periods.map((period) => cell(found[period]))]));
}

function quoteView(citation, answer) {
  const several = answer.citations.length > 1;
  return el("blockquote", { class: "quote" }, quoted(citation),
    el("p", { class: "meta" }, joined([several ? `[${citation.n}] ` : "", documentLink(citation)], placeOf(citation, citation.headings), stated(citation.published), versionOf(citation.version)), originals(citation, citation.headings)),
    status(citation));
}

/** The quote with what answers in bold; of a long one what stands around that, and the rest on demand. */
function quoted({ quote, emphasis }) {
  const [from, to] = (emphasis ?? [0, 0]).map(placesIn(quote));
  const start = from > BEFORE + 40 ? wordEdge(quote, from - BEFORE) : 0;
  const end = quote.length > to + AFTER + 60 ? wordEdge(quote, to + AFTER) : quote.length;
  const shown = (left, right) => [left ? "… " : "", quote.slice(left, from), to > from ? el("strong", {}, quote.slice(from, to)) : null, quote.slice(to, right), right < quote.length ? " …" : ""];
  const text = el("p", {}, shown(start, end));
  if (!start && end === quote.length) return text;
  const more = el("button", { type: "button", class: "plain", onclick: () => clear(text, ...shown(0, quote.length).filter((each) => each !== null)) }, "more");
  text.append(" ", more);
  return text;
}

/** The beginning of the word after this place. */
function wordEdge(text, at) {
  const space = text.slice(at).search(/\s/);
  return space < 0 ? at : at + space + 1;
}

/** An answer over a long time: a heading for each period, its points below. */
function periods(answer) {
  const byNumber = new Map(answer.citations.map((each) => [each.n, each]));
  return answer.answer.split("\n\n").map((block) => {
    const [heading, ...lines] = block.split("\n");
    const points = lines.map((line) => {
      const numbers = [...line.matchAll(/\[(\d+)\]/g)].map((match) => byNumber.get(Number(match[1]))).filter(Boolean);
      const text = shortened(line.replace(/^- /, "").replace(/(\s*\[\d+\])+$/, ""), 600);
      return el("li", {}, text, " ", el("span", { class: "meta" }, joined(...numbers.slice(0, 3).map(documentLink))));
    });
    return [el("h3", {}, heading), el("ul", {}, points)];
  });
}

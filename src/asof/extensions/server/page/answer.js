// The answer: quotes with what answers in bold; a click opens the document as it stood.

import { told } from "./dates.js";
import { el, marked, shortened } from "./dom.js";
import { amended, documentLink, inForce, superseded } from "./hits.js";
import { address, state } from "./state.js";

export function answerView(answer, heading = "Answer") {
  const quotes = answer.citations.map((citation) => quoteView(citation, answer));
  if (answer.refused) {
    return el("section", { class: "answer", "aria-label": heading }, el("h2", {}, "No answer"),
      el("p", {}, `${answer.reason}.`), quotes.length ? el("p", { class: "meta" }, "Nearest:") : null, quotes);
  }
  const written = answer.by !== "extractive" ? el("p", {}, answer.answer) : null;
  const body = answer.mode === "global" && !written ? overview(answer) : quotes;
  const then = answer.as_of.slice(0, 10) < (state().as_of || new Date().toISOString()).slice(0, 10) ? ` as of ${told(answer.as_of)}` : "";
  return el("section", { class: "answer", "aria-label": heading }, el("h2", {}, heading + then), written, body,
    el("p", { class: "meta" }, answer.by === "extractive" ? "quoted, no model" : `written by ${answer.by}`, " · ", copyButton(answer)));
}

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

function quoteView(citation, answer) {
  const [from, to] = citation.emphasis ?? [0, 0];
  const quote = citation.quote;
  const text = citation.emphasis
    ? [clean(quote.slice(0, from)), el("strong", {}, clean(quote.slice(from, to))), clean(quote.slice(to))]
    : marked(clean(quote), answer.question);
  return el("blockquote", { class: "quote" }, el("p", {}, text),
    el("p", { class: "meta" }, documentLink(citation), ` · ${citation.published?.text ?? "undated"}`),
    inForce(citation, answer.as_of), superseded(citation.superseded_by), citation.amended_by.map(amended));
}

const clean = (text) => {
  const [before, , after] = text.match(/^(\s*)[\s\S]*?(\s*)$/) ?? ["", "", ""];
  const core = shortened(text, 10000);
  return core ? `${text.match(/^\s*/)[0]}${core}${after}` : before;
};

/** A global answer: a heading for each period, its points below. */
function overview(answer) {
  const parts = [];
  const byNumber = new Map(answer.citations.map((each) => [each.n, each]));
  for (const block of answer.answer.split("\n\n")) {
    const [heading, ...lines] = block.split("\n");
    const points = lines.map((line) => {
      const numbers = [...line.matchAll(/\[(\d+)\]/g)].map((match) => byNumber.get(Number(match[1]))).filter(Boolean);
      const text = shortened(line.replace(/^- /, "").replace(/(\s*\[\d+\])+$/, ""), 600);
      return el("li", {}, text, " ", numbers.slice(0, 3).map((each) => [documentLink(each), " "]));
    });
    parts.push(el("h3", {}, heading), el("ul", {}, points));
  }
  return parts;
}

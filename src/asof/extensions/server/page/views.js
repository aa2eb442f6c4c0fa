// The views: each asks what it needs and returns what is shown, and a line on it.

import { answerView } from "./answer.js";
import { ask } from "./api.js";
import { told } from "./dates.js";
import { el, shortened } from "./dom.js";
import { graphView } from "./graph.js";
import { documentLink, hitView, whyNotView } from "./hits.js";
import { address, go, moments, state } from "./state.js";
import { wordDiff } from "./words.js";

export const VIEWS = {
  search: ["Search", search], compare: ["Two dates", compare], timeline: ["Timeline", timeline], facts: ["Facts", facts],
  reports: ["Reports", reports], graph: ["Graph", graph], overview: ["Overview", overview], document: [null, documentView],
};

const empty = (...words) => el("p", {}, ...words);
const count = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;

const PATIENCE = 400; // ms that hits wait for the answer above them; a model may write for longer

async function search() {
  const { q } = state();
  if (!q) return { parts: [empty("Ask something, then move the slider: what was true then is shown, and nothing later.")], line: "Nothing is asked yet." };
  const answering = ask("ask", { q, ...moments() }).catch(() => null);
  const found = await ask("search", { q, ...moments(), k: 10 });
  if (!found) return null;
  const place = el("div", { "aria-busy": "true" }, el("p", { class: "meta" }, "The answer is being written …"));
  const answered = answering.then((answer) => {
    place.removeAttribute("aria-busy");
    place.replaceChildren(...(answer ? [answerView(answer)] : []));
  });
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  const hits = found.hits.map((hit) => hitView(hit, q));
  const parts = [place, el("h2", {}, "Passages"),
    ...(hits.length ? hits : [empty("Nothing was found. Try other words, or another moment.")]), el("h2", {}, "Something is missing?"), whyNotView()];
  return { parts, line: `${count(hits.length, "hit")} as of ${told(state().as_of ? found.query.as_of : "")}`, as_of: found.query.as_of };
}

async function compare() {
  const { q } = state();
  const a = state().a || "2019", b = state().b || "2023";
  const fields = form({ q: ["Question", q], a: ["One date", a], b: ["Another date", b] }, "Compare");
  if (!q) return { parts: [fields, empty("Ask something as of two dates.")], line: "Nothing is asked yet." };
  const [difference, before, after] = await Promise.all([
    ask("diff", { q, a, b }), ask("ask", { q, as_of: a }, "ask a"), ask("ask", { q, as_of: b }, "ask b"),
  ]);
  if (!difference) return null;
  return {
    parts: [fields, el("div", { class: "columns" }, answerView(before, `As of ${told(before.as_of)}`), answerView(after, `As of ${told(after.as_of)}`)),
      el("h2", {}, "What was said between"), ...entriesOf(difference)],
    line: `${count(difference.entries.length, "statement")}, oldest first`,
  };
}

function entriesOf(line) {
  return line.entries.map((entry, at) => el("article", { class: "entry" },
    el("h3", {}, el("a", { href: address({ view: "search", as_of: entry.valid.from.slice(0, 10) }) }, told(entry.valid.from)), ` – ${entry.valid.until ? told(entry.valid.until) : "now"}`),
    el("p", {}, at ? wordDiff(shortened(line.entries[at - 1].sentence), shortened(entry.sentence)) : shortened(entry.sentence)),
    el("p", { class: "meta" }, documentLink(entry))));
}

async function timeline() {
  const { q } = state();
  if (!q) return { parts: [empty("Ask something to see how its answer changed.")], line: "Nothing is asked yet." };
  const line = await ask("timeline", { q, ...moments(), k: 50 });
  if (!line) return null;
  const entries = entriesOf(line);
  return { parts: entries.length ? [el("h2", {}, "How the answer changed"), ...entries] : [empty("Nothing was found.")], line: `${count(entries.length, "statement")}, oldest first` };
}

async function facts() {
  const subject = state().subject || state().q;
  const fields = form({ subject: ["Subject", subject] }, "Show");
  if (!subject) return { parts: [fields, empty("Name somebody or something.")], line: "Nothing is asked yet." };
  const line = await ask("facts", { subject, ...moments(), k: 200 });
  if (!line) return null;
  const all = line.groups.flatMap((group) => group.facts);
  if (!all.length) {
    const near = line.similar_names.map((name) => [el("a", { href: address({ subject: name }) }, name), " "]);
    return { parts: [fields, empty("No fact is known. ", near.length ? "Similar names: " : "", ...near.flat())], line: "Nothing is asked yet." };
  }
  const starts = all.map((fact) => Date.parse(fact.valid.from ?? fact.visible)).filter(Number.isFinite);
  const first = Math.min(...starts), last = Math.max(Date.now(), ...starts);
  const groups = line.groups.map((group) => el("section", {}, el("h2", {}, `${group.subject} · ${group.relation}`),
    el("div", { class: "bars" }, group.facts.flatMap((fact) => factRow(fact, first, last)))));
  return { parts: [fields, line.names.length > 1 ? el("p", { class: "meta" }, `also called ${line.names.filter((name) => name !== line.subject).join(", ")}`) : null, ...groups], line: count(all.length, "fact") };
}

function factRow(fact, first, last) {
  const from = Date.parse(fact.valid.from ?? fact.visible), until = fact.valid.until ? Date.parse(fact.valid.until) : last;
  const bar = el("div", { class: "bar" }), share = (time) => (100 * (time - first)) / Math.max(1, last - first);
  bar.style.left = `${Math.max(0, share(from))}%`;
  bar.style.width = `${Math.max(0.5, share(Math.min(until, last)) - share(from))}%`;
  const since = fact.valid.from ? told(fact.valid.from) : "?";
  const when = fact.valid.until ? `${since} – ${told(fact.valid.until)}` : `since ${since}`;
  return [el("a", { href: address({ view: "document", document: fact.document, passage: fact.id }), title: fact.sentence }, fact.object || "source"),
    el("div", { class: "track", role: "img", "aria-label": when, title: when }, bar),
    el("span", { class: "number" }, (fact.valid.from ?? fact.visible).slice(0, 4))];
}

async function reports() {
  const period = state().period || String(new Date().getUTCFullYear() - 2);
  const fields = form({ period: ["Year, quarter or month", period] }, "Show");
  const answer = await ask("report", { period, ...moments() });
  if (!answer) return null;
  const made = answer.reports.map((report) => el("section", {}, el("h2", {}, report.title), el("p", { class: "meta" }, report.summary),
    el("ul", {}, report.points.map((point) => el("li", {}, shortened(point.text, 400), point.changes.map((change) => el("div", { class: "meta" }, change)),
      " ", point.citations.slice(0, 2).map((each) => [documentLink(each), " "])))),
    el("p", { class: "actions" }, report.children.map((child) => el("a", { href: address({ period: child }) }, child)))));
  return { parts: [fields, ...(made.length ? made : [empty("Nothing is known of that time.")])], line: count(made.length, "report") };
}

async function graph() {
  const around = state().around || state().q;
  const fields = form({ around: ["Around", around] }, "Show");
  if (!around) return { parts: [fields, empty("Name somebody or something.")], line: "Nothing is asked yet." };
  const answer = await ask("graph", { around, ...moments(), k: 30 });
  if (!answer) return null;
  if (!answer.edges.length) return { parts: [fields, empty("No fact connects it with anything.")], line: "Nothing is asked yet." };
  return { parts: [fields, ...graphView(answer)], line: `${count(answer.nodes.length, "name")}, ${count(answer.edges.length, "fact")}` };
}

async function overview() {
  const status = await ask("status", {});
  if (!status) return null;
  const rows = [["Documents", status.documents], ["Versions", status.versions], ["Current passages", status.current_passages], ["Removed", status.removed],
    ["From", told(status.first)], ["To", told(status.last)], ["Undated", status.undated], ["Languages", status.settings.languages.join(", ")]];
  const list = (pairs) => el("dl", { class: "figures" }, pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "number" ? value.toLocaleString("en") : value)]));
  return {
    parts: [list(rows), el("h2", {}, "How documents are dated"), list(Object.entries(status.dated_by)), el("h2", {}, "Sources"),
      list(status.sources.map((source) => [source.name, `${source.kind}, ${count(source.documents, "document")}`]))],
    line: count(status.documents, "document"),
  };
}

async function documentView() {
  const { document: name, passage, as_of } = state();
  const shown = await ask("document", { document: name, ...moments(), characters: 1000000 });
  if (!shown) return null;
  const past = shown.versions.filter((version) => !version.deletion);
  const before = past[past.findIndex((version) => version.current) - 1];
  const older = before && as_of ? await ask("document", { document: shown.document, as_of: before.visible, characters: 1000000 }, "older").catch(() => null) : null;
  const strip = el("div", { class: "strip", role: "group", "aria-label": "Versions" }, past.map((version) =>
    el("button", { type: "button", "aria-pressed": String(version.current), onclick: () => go({ as_of: version.visible.slice(0, 10) }) }, told(version.visible))));
  const text = older ? wordDiff(older.text, shown.text) : await withPassage(shown.text, passage);
  const body = el("pre", { class: "text", tabindex: "0", "aria-label": "Text" }, text);
  setTimeout(() => body.querySelector("mark, ins, del")?.scrollIntoView({ block: "center" }));
  return {
    parts: [el("h2", {}, shown.title || shown.document), el("p", { class: "meta" }, `${shown.document} · ${shown.published?.text ?? "undated"}`), strip,
      older ? el("p", { class: "meta" }, `Changes since ${told(before.visible)} are marked.`) : null, body],
    line: `as it stood on ${told(shown.as_of)}, ${count(past.length, "version")} until then`,
  };
}

/** The text with the cited passage marked, where it still stands in it. */
async function withPassage(text, passage) {
  if (!passage) return text;
  const { q } = state();
  const found = q ? await ask("search", { q, ...moments(), k: 100 }, "passage").catch(() => null) : null;
  const own = found?.hits.find((hit) => hit.id === passage);
  const at = own ? text.indexOf(own.text.trim()) : -1;
  if (at < 0) return text;
  const end = at + own.text.trim().length;
  return [text.slice(0, at), el("mark", {}, text.slice(at, end)), text.slice(end)];
}

/** A form whose fields are keys of the state. */
function form(fields, button) {
  const inputs = Object.entries(fields).map(([key, [label, value]]) => [key, label, el("input", { name: key, value, maxlength: 1000 })]);
  return el("form", { class: "fields", onsubmit: (event) => {
    event.preventDefault();
    go(Object.fromEntries(inputs.map(([key, , input]) => [key, input.value.trim()])));
  } }, inputs.map(([, label, input]) => el("label", {}, label, input)), el("button", {}, button));
}

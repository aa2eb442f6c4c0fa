// The views on a question: each asks what it needs and returns what is shown, and a line on it.

import { answerView, notesOf } from "./answer.js";
import { ask, savedAs, stream } from "./api.js";
import { years } from "./clock.js";
import { lastOf, stated, told } from "./dates.js";
import { el, saving } from "./dom.js";
import { documentLink, hitView, joined, nameOf, placeOf, whyNotView } from "./hits.js";
import { address, go, moments, state } from "./state.js";
import { changed } from "./words.js";

const PATIENCE = 400; // ms that hits wait for the answer above them; a model may write for longer
const NEWEST = 200; // documents whose titles give examples of what can be asked

/** What went wrong, in the words of the server. */
export const problem = (error) => el("p", { class: "problem" }, error.message);
export const empty = (...words) => el("p", {}, words);
export const count = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;

/** A form whose fields are keys of the state. */
export function form(fields, button) {
  const inputs = Object.entries(fields).map(([key, [label, value]]) => [key, label, el("input", { name: key, value, maxlength: 1000 })]);
  return el("form", { class: "fields", onsubmit: (event) => {
    event.preventDefault();
    go(Object.fromEntries(inputs.map(([key, , input]) => [key, input.value.trim()])));
  } }, inputs.map(([, label, input]) => el("label", {}, label, input)), el("button", {}, button));
}

/** A button that shows more of a list. */
export const more = (shown, step) => el("p", { class: "actions" }, el("button", { type: "button", onclick: () => go({ k: String(shown + step) }, true) }, "Show more"));

export async function search() {
  const { q } = state(), list = filtersAlone(q);
  if (!q) return start();
  if (list) return go({ view: "documents", q: "", ...list }, true);
  const place = el("div", { "aria-busy": "true" }, el("p", { class: "meta" }, "The answer is being written …"));
  const answered = stream("ask", { q, ...moments() }, (text) => place.firstChild.replaceChildren(text)).then((answer) => (answer ? answerView(answer) : ""), problem).then((shown) => {
    place.removeAttribute("aria-busy");
    place.replaceChildren(shown);
  });
  const k = Number(state().k) || 10;
  const found = await ask("search", { q, ...moments(), k });
  if (!found) return null;
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  const hits = found.hits.map((hit) => hitView(hit, found.query));
  return {
    parts: [place, el("h2", {}, "Passages"), filtersOf(found.query),
      ...(hits.length ? hits : [empty("Nothing was found. Try other words, or another moment.")]), hits.length === k && k < 100 ? more(k, 20) : null, saving(savedAs("search", { q, ...moments(), k })),
      el("h2", {}, "Something is missing?"), whyNotView()],
    line: `${count(hits.length, "hit")} as of ${told(state().as_of ? found.query.as_of : "")}`, as_of: found.query.as_of,
  };
}

const LISTED = { tag: "tag", path: "path", after: "since", before: "until" };

/** The filters of a list of documents, if a question has nothing else; null for another. */
function filtersAlone(q) {
  const pairs = q.trim().split(/\s+/).map((word) => /^(tag|path|after|before):(\S+)$/.exec(word));
  const keys = pairs.map((pair) => pair && LISTED[pair[1]]);
  if (!q || keys.includes(null) || new Set(keys).size < keys.length) return null;
  return Object.fromEntries(pairs.map((pair) => [LISTED[pair[1]], pair[2]]));
}

/** What the search box was read as, beside its words. */
function filtersOf(query) {
  const words = [...query.tags.map((tag) => `tag ${tag}`), ...query.no_tags.map((tag) => `not tag ${tag}`), ...query.paths.map((path) => `in ${path}`),
    query.source && `from ${query.source}`, query.since && `published since ${told(query.since)}`, query.until && `published until ${told(query.until)}`,
    query.about && `about ${told(query.about.from)} to ${told(query.about.until)}`, ...query.without.map((each) => `without ${each}`),
    ...query.any_of.map((each) => each.join(" or ")), ...query.meta].filter(Boolean);
  return words.length ? el("p", { class: "meta" }, `Only: ${words.join("; ")}`) : null;
}

/** The first page: what can be asked here, and the newest documents. */
async function start() {
  const list = await ask("list", { ...moments(), k: NEWEST });
  if (!list) return null;
  const examples = examplesOf(list.documents);
  const newest = list.documents.slice(0, 12).map((each) => el("li", {}, joined(documentLink(each), each.published ? stated(each.published) : `added ${told(each.visible)}`)));
  return {
    parts: [el("p", {}, "Ask something, then move the slider: what was true then is shown, and nothing later."),
      examples.length ? el("p", { class: "examples" }, "For example: ", examples.map((q) => [el("a", { class: "tag", href: address({ q }) }, q), " "])) : null,
      newest.length ? [el("h2", {}, "Newest documents"), el("ul", { class: "plain" }, newest)] : empty("There is nothing here yet: asof index adds documents.")],
    line: count(list.documents.length + list.left_out, "document"),
  };
}

/** Some titles of this corpus without their dates and numbers: first those of documents that come again and again. */
export function examplesOf(documents) {
  const dated = /\b(?:\d[\w.,:/-]*|q[1-4]|jan\w*|feb\w*|mar(?:ch)?|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*)\b/giu;
  const times = new Map();
  for (const { title } of documents) {
    const words = title.replace(dated, " ").replace(/\b(?:from|of|on|in|until)\s*$/iu, " ").replace(/[^\p{L}\p{N}'’ -]+/gu, " ").replace(/\s+/g, " ").trim();
    if (words.length >= 5 && words.length <= 45 && words.includes(" ")) times.set(words, (times.get(words) ?? 0) + 1);
  }
  return [...times].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([words]) => words);
}

export async function compare() {
  const { q } = state(), year = Number(years()[0] ?? new Date().getUTCFullYear());
  const a = state().a || String(year - 2), b = state().b || String(year);
  const fields = form({ q: ["Question", q], a: ["One date", a], b: ["Another date", b] }, "Compare");
  if (!q) return { parts: [fields, empty("Ask something as of two dates.")], line: "Nothing is asked yet." };
  const [difference, before, after] = await Promise.all([
    ask("diff", { q, a, b }), ask("ask", { q, as_of: a }, "ask a"), ask("ask", { q, as_of: b }, "ask b"),
  ]);
  if (!difference) return null;
  return {
    parts: [fields, el("div", { class: "columns" }, answerView(before, `As of ${told(before.as_of)}`), answerView(after, `As of ${told(after.as_of)}`)),
      el("h2", {}, "What was said between"), ...entriesOf(difference), saving(savedAs("diff", { q, a, b }))],
    line: `${count(difference.entries.length, "statement")}, oldest first`,
  };
}

/** Statements over time, each with what it changed. */
function entriesOf(line) {
  return line.entries.map((entry, at) => {
    const before = entry.words_removed.length ? line.entries[at - 1]?.sentence : null;
    const { from, until } = entry.valid, coming = !until && from > line.as_of, told_on = entry.published?.from ?? from;
    const seen = told_on > from ? told_on : from;  // it holds since then, but could be seen only when it was published
    const since = from ? el("a", { href: address({ view: "", as_of: seen.slice(0, 10) }) }, told(from)) : "undated";
    return el("article", { class: "entry" },
      el("h3", {}, coming ? "from " : "", since, coming ? "" : ` – ${until ? told(lastOf(until)) : "now"}`),
      before || at ? changed(before, entry.sentence) : el("p", {}, entry.sentence),
      el("p", { class: "meta" }, joined(documentLink(entry), entry.reworded ? `said again in other words ${count(entry.reworded, "time")}` : null)));
  });
}

export async function timeline() {
  const { q } = state();
  if (!q) return { parts: [empty("Ask something to see how its answer changed.")], line: "Nothing is asked yet." };
  const line = await ask("timeline", { q, ...moments(), k: 50 });
  if (!line) return null;
  const entries = entriesOf(line);
  return { parts: entries.length ? [el("h2", {}, "How the answer changed"), notesOf(line.notes), ...entries, saving(savedAs("timeline", { q, ...moments(), k: 50 }))] : [empty("Nothing was found."), notesOf(line.notes)], line: `${count(entries.length, "statement")}, oldest first` };
}

const KINDS = { new: "new", changed: "changed", removed: "removed", moved: "moved" };

export async function changes() {
  const { q, since } = state(), k = Number(state().k) || 20, last = years()[0];
  const from = since || (last ? `${last}-01-01` : "30 days ago");
  const fields = form({ since: ["Since", from], q: ["About", q] }, "Show");
  const found = await ask("changes", { q, since: from, ...moments(), k });
  if (!found) return null;
  const shown = found.documents.map((each) => el("article", { class: "entry" },
    el("h3", {}, each.kind === "removed" ? nameOf(each) : documentLink(each)),
    el("p", { class: "meta" }, joined(KINDS[each.kind] ?? each.kind, told(each.at), each.reworded ? count(each.reworded, "rewording") : null)),
    each.edits.map((edit) => [placed(edit), changed(edit.before?.text ?? null, edit.after?.text ?? null)]),
    each.left_out ? el("p", { class: "meta" }, `and ${count(each.left_out, "more change")}`) : null));
  return {
    parts: [fields, el("h2", {}, "What changed"), notesOf(found.notes), ...(shown.length ? shown : [empty("Nothing changed in that time.")]), shown.length === k ? more(k, 20) : null, saving(savedAs("changes", { q, since: from, ...moments(), k }))],
    line: `${count(shown.length, "document")} since ${told(found.since)}`,
  };
}

/** The section that an edit stands in. */
function placed(edit) {
  const one = edit.after ?? edit.before, place = one && placeOf(one, one.headings);
  return place ? el("p", { class: "meta place" }, place) : null;
}

export async function stale() {
  const k = Number(state().k) || 20;
  const found = await ask("stale", { ...moments(), k });
  if (!found) return null;
  const shown = found.stale.map((each) => el("article", { class: "entry" },
    el("h3", {}, documentLink({ ...each, id: "" })),
    el("p", {}, each.quote),
    el("p", { class: "status" }, `${each.change}, since ${told(each.since)}`),
    each.by ? el("p", { class: "meta" }, "see ", documentLink({ ...each.by, id: "" }), `: ${each.by.quote}`) : null));
  return {
    parts: shown.length ? [el("h2", {}, "What may be out of date"), ...shown, found.more ? more(k, 20) : null, saving(savedAs("stale", { ...moments(), k }))] : [empty("Nothing that the current documents say is known to be out of date.")],
    line: `${count(shown.length + found.more, "statement")}, worst first`,
  };
}

// Documents: a list by time, tag and folder; one with its versions; what the index holds.

import { ask, savedAs } from "./api.js";
import { stated, told } from "./dates.js";
import { el, saving, table } from "./dom.js";
import { documentLink, joined, nameOf, originals, tagLink } from "./hits.js";
import { address, go, moments, state } from "./state.js";
import { placesIn, rendered } from "./text.js";
import { count, empty, form, more } from "./views.js";
import { lineDiff } from "./words.js";

const WHOLE = 1000000; // characters of a document that are shown

export async function documents() {
  const { tag, path, since, until } = state(), k = Number(state().k) || 50;
  const fields = form({ tag: ["Tag", tag], path: ["Folder or pattern", path], since: ["Published since", since], until: ["Until", until] }, "Show");
  const found = await ask("list", { tag, path, since, until, ...moments(), k });
  if (!found) return null;
  const rows = found.documents.map((each) => [documentLink(each), stated(each.published), el("span", {}, each.tags.map((one) => [tagLink(one), " "]))]);
  return {
    parts: [fields, rows.length ? table("Documents, the newest first", ["Title", "Published", "Tags"], rows) : empty("No document is like that."), found.left_out ? more(k, 100) : null, saving(savedAs("list", { tag, path, since, until, ...moments(), k }))],
    line: count(found.documents.length + found.left_out, "document"),
  };
}

export async function documentView() {
  const { document: name, passage, against, side } = state();
  const [shown, around] = await Promise.all([
    ask("document", { document: name, ...moments(), characters: WHOLE }), ask("links", { document: name, ...moments() }).catch(() => null),
  ]);
  if (!shown) return null;
  const past = shown.versions.filter((version) => !version.deletion);
  const older = past.find((version) => version.visible === against && !version.current);
  const before = older ? await ask("document", { document: shown.document, as_of: older.visible, known_at: state().known_at, characters: WHOLE }, "older") : null;
  const cited = shown.passages.find((each) => each.id === passage);
  const body = before ? lineDiff(before.text, shown.text, side)
    : el("div", { class: "document text" }, rendered(withoutTitle(shown), { headings: shown.headings, links: linksOf(shown), cited: cited && [cited.start, cited.end] }));
  setTimeout(() => body.querySelector(".cited, .added, .removed")?.scrollIntoView({ block: "center" }));
  return {
    parts: [el("h2", {}, nameOf(shown)),
      el("p", { class: "meta" }, joined(stated(shown.published), shown.document === nameOf(shown) ? null : shown.document), originals(shown)),
      shown.tags.length || Object.keys(shown.meta).length ? el("p", { class: "meta" }, shown.tags.map((tag) => [tagLink(tag), " "]), metaOf(shown)) : null,
      past.length > 1 ? versionsView(past, older, side) : null,
      passage && !cited && !before ? el("p", { class: "status" }, "What was cited stands no longer in this version.") : null,
      shown.characters > WHOLE ? el("p", { class: "status" }, `The first ${WHOLE.toLocaleString("en")} of ${shown.characters.toLocaleString("en")} characters are shown.`) : null,
      body, linkedFrom(around)],
    line: `as it stood on ${told(shown.as_of)}, ${count(past.length, "version")} until then`,
  };
}

/** The text with its first heading blanked where it repeats the title above it; places stay as they are. */
function withoutTitle({ text, title, headings: [first] }) {
  if (!first || first.title !== title) return text;
  const start = placesIn(text)(first.offset), end = (text + "\n").indexOf("\n", start);
  return text.slice(0, start) + text.slice(start, end).replace(/[^]/gu, " ") + text.slice(end);
}

const linksOf = (shown) => shown.links.map((link) => ({
  text: link.text, href: link.document === null ? "" : address({ view: "document", document: link.document }),
}));

/** Metadata that the text does not name. */
const metaOf = ({ meta, text }) => joined(...Object.entries(meta).map(([key, value]) => `${key}: ${typeof value === "object" ? JSON.stringify(value) : value}`).filter((line) => !text.includes(line)));

/** The versions, and what is compared with the one that is shown. */
function versionsView(past, older, side) {
  const at = past.findIndex((version) => version.current);
  const strip = el("div", { class: "strip", role: "group", "aria-label": "Versions" }, past.map((version) =>
    el("button", { type: "button", "aria-pressed": String(version.current), onclick: () => go({ as_of: version.visible.slice(0, 10), against: "", passage: "" }) }, told(version.visible))));
  const choice = el("select", { onchange: (event) => go({ against: event.target.value }) },
    el("option", { value: "" }, "nothing"),
    past.slice(0, at).reverse().map((version) => el("option", { value: version.visible, selected: version === older }, told(version.visible))));
  const beside = older ? el("button", { type: "button", "aria-pressed": String(Boolean(side)), onclick: () => go({ side: side ? "" : "1" }) }, "Side by side") : null;
  return el("section", { "aria-label": "Versions" }, strip, at ? el("p", { class: "actions" }, el("label", {}, "Compare with ", choice), beside) : null);
}

/** The documents that link to this one, and what acts on it. */
function linkedFrom(around) {
  const into = (around?.neighbours ?? []).filter((each) => each.distance === 1 && each.direction !== "out");
  if (!into.length) return null;
  return el("section", {}, el("h2", {}, "Linked from"), el("ul", {}, into.map((each) => el("li", {}, documentLink({ ...each, id: "" })))));
}

export async function overview() {
  const status = await ask("status", {});
  if (!status) return null;
  const list = (pairs) => el("dl", { class: "figures" }, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "number" ? value.toLocaleString("en") : value)]));
  return {
    parts: [list([["Documents", status.documents], ["Versions", status.versions], ["Current passages", status.current_passages], ["Removed", status.removed],
      ["From", told(status.first)], ["To", told(status.last)], ["Undated", status.undated], ["Languages", status.settings.languages.join(", ")]]),
      el("h2", {}, "How documents are dated"), list(Object.entries(status.dated_by)),
      el("h2", {}, "Sources"), list(status.sources.map((source) => [source.name, joined(source.kind, count(source.documents, "document"), source.vault && `vault ${source.vault}`)])),
      status.problems.length ? [el("h2", {}, "Problems of the last run"), el("ul", {}, status.problems.slice(0, 50).map((each) => el("li", {}, joined(each.file, each.message, each.remedy)))),
        status.problems.length > 50 ? el("p", { class: "meta" }, `and ${(status.problems.length - 50).toLocaleString("en")} more: asof status lists them`) : null] : null],
    line: count(status.documents, "document"),
  };
}

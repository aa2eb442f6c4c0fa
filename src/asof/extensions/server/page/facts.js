// Facts of a subject over time, and reports of periods.

import { ask } from "./api.js";
import { years } from "./clock.js";
import { stated, told } from "./dates.js";
import { el } from "./dom.js";
import { documentLink, joined, nameOf } from "./hits.js";
import { address, moments, state } from "./state.js";
import { shortened } from "./text.js";
import { count, empty, form } from "./views.js";

export async function facts() {
  const subject = state().subject || state().q;
  const fields = form({ subject: ["Subject", subject] }, "Show");
  if (!subject) return { parts: [fields, empty("Name somebody or something.")], line: "Nothing is asked yet." };
  const line = await ask("facts", { subject, ...moments(), k: 200 });
  if (!line) return null;
  const all = line.groups.flatMap((group) => group.facts);
  if (!all.length) {
    const near = line.similar_names.map((name) => [el("a", { href: address({ subject: name }) }, name), " "]);
    return { parts: [fields, empty(`No fact is known of ${subject}. `, near.length ? "Similar names: " : "", near)], line: "No facts" };
  }
  const starts = all.map((fact) => Date.parse(fact.valid.from ?? fact.visible)).filter(Number.isFinite);
  const first = Math.min(...starts), last = Math.max(Date.now(), ...starts);
  const groups = line.groups.map((group) => el("section", {}, el("h2", {}, `${group.subject} · ${group.relation}`),
    el("div", { class: "bars" }, group.facts.map((fact) => factRow(fact, first, last)))));
  const others = line.names.filter((name) => name !== line.subject);
  return { parts: [fields, others.length ? el("p", { class: "meta" }, `also called ${others.join(", ")}`) : null, ...groups], line: count(all.length, "fact") };
}

function factRow(fact, first, last) {
  const from = Date.parse(fact.valid.from ?? fact.visible), until = fact.valid.until ? Date.parse(fact.valid.until) : last;
  const bar = el("div", { class: "bar" }), share = (time) => (100 * (time - first)) / Math.max(1, last - first);
  bar.style.left = `${Math.max(0, share(from))}%`;
  bar.style.width = `${Math.max(0.5, share(Math.min(until, last)) - share(from))}%`;
  const since = fact.time ? stated(fact.time) : told(fact.visible);
  const when = fact.valid.until ? `${since} – ${told(fact.valid.until)}` : `since ${since}`;
  return [el("a", { href: address({ view: "document", document: fact.document, passage: fact.id }), title: fact.sentence }, fact.object || shortened(fact.sentence, 80)),
    el("div", { class: "track", role: "img", "aria-label": when, title: when }, bar),
    el("span", { class: "number" }, (fact.valid.from ?? fact.visible).slice(0, 4))];
}

export async function reports() {
  const { period } = state();
  const fields = form({ period: ["Year, quarter or month", period] }, "Show");
  const known = el("p", { class: "examples" }, years().slice(0, 12).map((year) => [el("a", { class: "tag", href: address({ period: year }) }, year), " "]));
  if (!period) return { parts: [fields, empty("What happened in a year, a quarter or a month, from the documents of that time."), known], line: "Nothing is asked yet." };
  const answer = await ask("report", { period, ...moments() });
  if (!answer) return null;
  const made = answer.reports.map((report) => el("section", {}, el("h2", {}, report.title), el("p", { class: "meta" }, report.summary),
    el("ul", {}, report.points.map((point) => el("li", {}, shortened(point.text, 400), point.changes.map((change) => el("div", { class: "meta" }, change)),
      el("div", { class: "meta" }, joined(...sourcesOf(point)))))),
    report.children.length ? el("p", { class: "actions" }, report.children.map((child) => el("a", { class: "tag", href: address({ period: child }) }, child))) : null));
  return { parts: [fields, known, ...(made.length ? made : [empty("Nothing is known of that time.")])], line: `Report of ${period}` };
}

/** The documents that a point is from, each once. */
const sourcesOf = (point) => [...new Map(point.citations.map((each) => [nameOf(each), each])).values()].slice(0, 2).map(documentLink);

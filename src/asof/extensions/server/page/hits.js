// Hits: what was found, why it ranks there, what superseded it.

import { ask } from "./api.js";
import { told } from "./dates.js";
import { clear, el, marked, shortened } from "./dom.js";
import { address, go, moments, state } from "./state.js";

const BY = { metadata: "its metadata", frontmatter: "its frontmatter", filename: "its file name", git: "git", content: "its text", edit: "an edit", mtime: "the file's time", none: "nothing" };

/** One hit. */
export function hitView(hit, question) {
  const published = hit.published ? hit.published.text : "undated";
  const why = el("div");
  return el("article", { class: "hit", "aria-label": hit.title || hit.document },
    el("h3", {}, documentLink(hit)),
    el("p", { class: "meta" }, `${hit.document} · ${published} · dated by ${BY[hit.dated_by] ?? hit.dated_by}`, about(hit)),
    el("p", {}, marked(shortened(hit.text), question)),
    inForce(hit, state().as_of ?? ""), superseded(hit.superseded_by), hit.amended_by.map(amended),
    el("p", { class: "actions" },
      el("button", { type: "button", "aria-expanded": "false", onclick: (event) => showWhy(event.currentTarget, why, hit) }, "Why here?")),
    why);
}

export function documentLink(one) {
  return el("a", { href: address({ view: "document", document: one.document, passage: one.id }) }, one.title || one.document);
}

/** "superseded on … by …", a link to that day. */
export function superseded(later) {
  if (!later) return null;
  const day = later.visible.slice(0, 10);
  return el("p", { class: "meta" }, "superseded on ",
    el("a", { href: address({ as_of: day }) }, told(day)), ` by ${later.title || later.document}`);
}

/** When it is in force, if that is stated: "takes effect on …", "ended on …". `moment`: that was asked, or "" for now. */
export function inForce(one, moment) {
  const time = one.in_force;
  if (!time || one.superseded_by || (time.by === "published" && !time.until)) return null;
  if (time.by === "status") return el("p", { class: "meta" }, `not in force: ${time.text}`);
  const now = moment || new Date().toISOString();
  const last = time.until && new Date(Date.parse(time.until) - 1).toISOString();
  const words = time.from > now ? `takes effect on ${told(time.from)}` : last && last < now ? `ended on ${told(last)}`
    : `in force ${time.from ? `since ${told(time.from)}` : ""} ${last ? `until ${told(last)}` : ""}`;
  return el("p", { class: "meta" }, words);
}

/** "Article 4 amended since … by …", a link to what amends it. */
export function amended(by) {
  const verb = { amends: "amended", corrects: "corrected" }[by.kind] ?? "replaced";
  const name = by.title || by.document;
  return el("p", { class: "meta" }, `${by.part} ${verb} since ${told(by.since)} by `,
    by.document ? el("a", { href: address({ view: "document", document: by.document }) }, name) : name);
}

function about(hit) {
  const times = [...new Set(hit.about.map((each) => each.text))].slice(0, 4);
  return times.length ? ` · about ${times.join(", ")}` : "";
}

async function showWhy(button, place, hit) {
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  if (open) return clear(place);
  const answer = await ask("search", { q: state().q, ...moments(), k: Math.max(10, hit.rank), explain: true }, "why");
  const own = answer?.hits.find((each) => each.id === hit.id);
  if (own?.why) clear(place, bars(own.why), tree(own.why, true));
}

/** The parts of a score as bars. */
function bars(why) {
  const parts = why.parts ?? [why];
  const most = Math.max(...parts.map((part) => Math.abs(part.value)), 1e-9);
  const rows = parts.flatMap((part) => {
    const bar = el("div", { class: "bar" });
    bar.style.width = `${(100 * Math.abs(part.value)) / most}%`;
    return [el("span", {}, part.label), bar, el("span", { class: "number" }, number(part.value))];
  });
  return el("div", { class: "bars" }, rows);
}

/** The tree of a score; it recomputes from its leaves. */
function tree(why, open = false) {
  const head = `${why.label} = ${number(why.value)}${why.op === "given" ? "" : ` (${why.op})`}`;
  if (!why.parts?.length) return el("p", { class: "meta" }, head);
  return el("details", { class: "why", open }, el("summary", {}, head), why.parts.map((part) => tree(part)));
}

const number = (value) => (Number.isInteger(value) ? String(value) : value.toPrecision(4));

/** "Why is … not here?" */
export function whyNotView() {
  const name = el("input", { required: true, maxlength: 1000 });
  const told = el("p", { role: "status" });
  return el("form", { class: "fields", onsubmit: async (event) => {
    event.preventDefault();
    const asked = { q: state().q, document: name.value, ...moments() };
    told.textContent = await ask("why-not", asked).then((answer) => answer?.reason ?? "", (error) => error.message);
  } }, el("label", {}, "A document that you miss", name), el("button", {}, "Why not?"), told);
}

export { go };

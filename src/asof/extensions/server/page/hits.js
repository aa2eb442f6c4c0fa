// Hits: what was found and where it stands, why it ranks there, what superseded it.

import { ask, keyed } from "./api.js";
import { stated, told } from "./dates.js";
import { clear, el, toggle, webLink } from "./dom.js";
import { address, moments, state } from "./state.js";
import { bodyOf, marker, rendered } from "./text.js";

const LONG = 600; // characters of a passage that are shown at once
const DOUBTFUL = { mtime: "dated by the time of its file", content: "dated by its text", edit: "dated by its last edit", git: "dated by git" };

/** One hit. `query`: as it was run. */
export function hitView(hit, query) {
  const why = el("div");
  const text = bodyOf(hit.text, hit.location.headings);
  return el("article", { class: "hit", "aria-label": nameOf(hit) },
    el("h3", {}, documentLink(hit)),
    el("p", { class: "meta" }, joined(placeOf(hit, hit.location.headings), stated(hit.published), versionOf(hit.version), DOUBTFUL[hit.dated_by], folderOf(hit.document), about(hit))),
    clamped(text, (shown) => el("div", { class: "text" }, rendered(shown, { marks: marker(query.stems), level: 4 }))),
    status(hit),
    el("p", { class: "actions" }, hit.tags.map(tagLink), originals(hit, hit.location.headings), toggle("Why here?", why, () => explained(hit))),
    why);
}

/** A text, of which what is beyond LONG characters is shown on demand. */
function clamped(text, show) {
  if (text.length <= LONG + 200) return show(text);
  const cut = text.lastIndexOf("\n", LONG) > LONG / 2 ? text.lastIndexOf("\n", LONG) : text.lastIndexOf(" ", LONG);
  const place = el("div", {}, show(`${text.slice(0, cut > 0 ? cut : LONG)} …`));
  place.append(el("p", { class: "actions" }, el("button", { type: "button", onclick: () => clear(place, show(text)) }, "Whole passage")));
  return place;
}

/** What stands between dots; nothing for what is empty. */
export const joined = (...parts) => parts.filter(Boolean).flatMap((part, at) => (at ? [" · ", part] : [part]));

/** The name of a document as people say it: its title, else the name of its file, else of its site. */
export function nameOf(one) {
  if (one.title) return one.title;
  const id = one.document ?? "", site = /^https?:\/\/([^/]+)/.exec(id)?.[1];
  const last = id.split(/[?#]/)[0].split("/").filter(Boolean).at(-1) ?? id;
  return site ? (last === site ? site : `${last} (${site})`) : last.replace(/\.[a-z]{1,5}$/i, "") || id;
}

/** "version 2 of 3", counted until the moment that was asked; nothing of the only one. */
export const versionOf = (version) => (version && version.of > 1 ? `version ${version.number} of ${version.of}` : null);

export function documentLink(one) {
  return el("a", { href: address({ view: "document", document: one.document, passage: one.id }) }, nameOf(one));
}

/** Where in the document: its page, slide, sheet or section. */
export function placeOf(one, headings) {
  const path = headings.filter((each) => each !== one.title && !each.includes(" | "));
  return path.length ? path.join(" › ") : null;
}

const folderOf = (id) => (/^[a-z][a-z0-9+.-]*:/i.test(id) || !id.includes("/") ? null : `in ${id.split("/").slice(0, -1).join(" / ")}`);

export const tagLink = (tag) => el("a", { class: "tag", href: address({ view: "documents", tag }) }, `#${tag}`);

let sources = Promise.resolve([]);

/** The sources of the index, of which some are vaults of Obsidian, once they are known. */
export const knowSources = (known) => { sources = known; };

/** Links to where the document comes from; they appear when the sources are known. */
export function originals(one, headings = []) {
  const place = el("span", { class: "origin" });
  sources.then((known) => place.append(...linksTo(one, headings, known)));
  return place;
}

/** The note in its vault, the file, the page of the web. */
export function linksTo(one, headings, known) {
  const source = known.find(({ name }) => name === "." || one.document === name || one.document.startsWith(`${name}/`));
  const web = one.uri && /^https?:/i.test(one.uri) ? [webLink(one.uri, "On the web")] : [];
  if (!source || !["folder", "file", "history"].includes(source.kind)) return web;
  const note = [source.folder, source.name === "." ? one.document : one.document.slice(source.name.length + 1)].filter(Boolean).join("/");
  if (source.vault && one.document.endsWith(".md"))
    return [...web, el("a", { href: `obsidian://open?vault=${encodeURIComponent(source.vault)}&file=${encodeURIComponent(note)}` }, "In Obsidian")];
  if (keyed()) return web;
  const page = /(\d+)$/.exec(headings.find((each) => /^\p{L}+ \d+$/u.test(each)) ?? "")?.[1];
  const there = page && /\.pdf$/i.test(one.document) ? `#page=${page}` : "";
  return [...web, el("a", { href: `/file?document=${encodeURIComponent(one.document)}${there}`, target: "_blank", rel: "noopener", title: "the file as it is today" }, "Open the file")];
}

/** What is said of the time of a passage: superseded, in force, amended. */
export const status = (one) => [inForce(one), one.amended_by.map(amended)];

/** "superseded on … by …", a link to that day. */
function superseded(later) {
  return el("p", { class: "status" }, "superseded on ",
    el("a", { href: address({ as_of: later.visible.slice(0, 10) }) }, told(later.visible)), " by ", later.document ? documentLink(later) : nameOf(later));
}

/** What supersedes it, or when it is in force at the date that was asked for, if that is stated. */
function inForce(one) {
  if (one.status.length === one.amended_by.length) return null;
  return one.status[0].startsWith("superseded on ") ? superseded(one.superseded_by) : el("p", { class: "status" }, one.status[0]);
}

/** "Article 4 amended since … by …", a link to what amends it. */
function amended(by) {
  const verb = { amends: "amended", corrects: "corrected" }[by.kind] ?? "replaced";
  return el("p", { class: "status" }, `${by.part} ${verb} since ${told(by.since)} by `, by.document ? documentLink(by) : nameOf(by));
}

function about(hit) {
  const times = [...new Set(hit.about.map((each) => stated(each)))].slice(0, 3);
  return times.length ? `about ${times.join(", ")}` : null;
}

async function explained(hit) {
  const answer = await ask("search", { q: state().q, ...moments(), k: Math.max(10, hit.rank), explain: true }, "why");
  const own = answer?.hits.find((each) => each.id === hit.id);
  return own?.why ? [bars(own.why), tree(own.why, true)] : [];
}

/** The parts of a score as bars. */
function bars(why) {
  const parts = why.parts ?? [why];
  const most = Math.max(...parts.map((part) => Math.abs(part.value)), 1e-9);
  const rows = parts.map((part) => {
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
  const words = el("p", { role: "status" });
  return el("form", { class: "fields", onsubmit: async (event) => {
    event.preventDefault();
    const asked = { q: state().q, document: name.value, ...moments() };
    words.textContent = await ask("why-not", asked).then((answer) => answer?.reason ?? "", (error) => error.message);
  } }, el("label", {}, "A document that you miss", name), el("button", {}, "Why not?"), words);
}

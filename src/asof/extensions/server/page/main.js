// The page: from the state in the address to what is shown, and from keys and clicks to the state.

import { ask, KeyNeeded, keepKey } from "./api.js";
import { goTo, listen, moveYears, showClock, startClock } from "./clock.js";
import { documents, documentView, overview } from "./documents.js";
import { clear, el } from "./dom.js";
import { facts, reports } from "./facts.js";
import { knowSources } from "./hits.js";
import { address, follow, go, onChange, state } from "./state.js";
import { changes, compare, problem, search, stale, timeline } from "./views.js";

/** The views by their name in the address: how each is called, and what makes it. */
const VIEWS = {
  search: ["Search", search], timeline: ["Timeline", timeline], compare: ["Two dates", compare], changes: ["Changes", changes],
  documents: ["Documents", documents], stale: ["Out of date", stale], facts: ["Facts", facts], reports: ["Reports", reports],
  overview: ["Index", overview], document: [null, documentView],
};
const ON_A_QUESTION = ["compare", "timeline", "changes"]; // another question stays there

const $ = (id) => document.getElementById(id);
const PATIENCE = 300; // ms
let shown = 0, last = "";

async function show() {
  const own = ++shown, { view, q } = state();
  const name = Object.hasOwn(VIEWS, view) ? view : "search", [title, make] = VIEWS[name];
  if (document.activeElement !== $("q")) $("q").value = q;
  document.title = q ? `${q} · asof` : "asof";
  showViews(name);
  showClock();
  const slow = setTimeout(() => tell("Loading …"), 250);
  try {
    const made = await make();
    if (own !== shown || !made) return;
    clear($("content"), ...made.parts.flat(Infinity).filter(Boolean));
    tell(made.line);
    showClock(made.as_of);
    if (last && last !== name && !$("q").matches(":focus")) $("content").focus({ preventScroll: true });
    last = name;
  } catch (error) {
    if (own !== shown) return;
    clear($("content"), error instanceof KeyNeeded ? keyForm() : problem(error));
    tell("That did not work.");
  } finally {
    clearTimeout(slow);
  }
  return title;
}

/** Asks for the key of this server, and tries again. */
function keyForm() {
  const key = el("input", { type: "password", required: true, autocomplete: "off" });
  const submit = (event) => { event.preventDefault(); keepKey(key.value.trim()); begin(); };
  return el("form", { class: "fields", onsubmit: submit }, el("label", {}, "This server needs a key (asof key add)", key), el("button", {}, "Continue"));
}

const tell = (line) => { $("status").textContent = line; };

function showViews(current) {
  clear($("views"), ...Object.entries(VIEWS).filter(([, [title]]) => title).map(([name, [title]]) =>
    el("a", { href: address({ view: name === "search" ? "" : name }), "aria-current": name === current ? "page" : null }, title)));
}

function onKey(event) {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const typing = event.target.matches?.("input:not([type=range]), textarea");
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing || $("keys").open) return;
  const does = { j: () => step(1), k: () => step(-1), "/": () => $("q").focus(), "[": () => moveYears(-1), "]": () => moveYears(1), n: () => goTo(""), "?": () => $("keys").showModal() }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

/** To the next result, or to the one before. */
function step(by) {
  const all = [...$("content").querySelectorAll("article h3 a")], at = all.indexOf(document.activeElement);
  all[Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const { view } = state();
  const q = $("q").value.trim();
  go(ON_A_QUESTION.includes(view) ? { q } : { q, view: "" });
});
$("help").addEventListener("click", () => $("keys").showModal());
document.addEventListener("click", follow);
document.addEventListener("keydown", onKey);
onChange(show);
listen();
begin();

/** Shows what is asked once the axis is known, or soon after. */
async function begin() {
  if (!state().q && !state().view) $("q").focus();
  await Promise.race([startClock(), new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  knowSources(ask("status", {}, "sources").then((status) => status?.sources ?? [], () => []));
  show();
}

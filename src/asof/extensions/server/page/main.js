// The page: from the state in the address to what is shown, and from keys and clicks to the state.

import { KeyNeeded, keepKey } from "./api.js";
import { goTo, listen, moveYears, showClock, startClock } from "./clock.js";
import { clear, el } from "./dom.js";
import { address, follow, go, onChange, state } from "./state.js";
import { VIEWS } from "./views.js";

const $ = (id) => document.getElementById(id);
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
    clear($("content"), ...made.parts.filter(Boolean));
    tell(made.line);
    showClock(made.as_of);
    if (last && last !== name && !$("q").matches(":focus")) $("content").focus({ preventScroll: true });
    last = name;
  } catch (error) {
    if (own !== shown) return;
    clear($("content"), error instanceof KeyNeeded ? keyForm() : el("p", { class: "problem" }, error.message));
    tell("That did not work.");
  } finally {
    clearTimeout(slow);
  }
  return title;
}

/** Asks for the key of this server, and tries again. */
function keyForm() {
  const key = el("input", { type: "password", required: true, autocomplete: "off" });
  const submit = (event) => { event.preventDefault(); keepKey(key.value.trim()); startClock().then(show); };
  return el("form", { class: "fields", onsubmit: submit }, el("label", {}, "This server needs a key (asof key add)", key), el("button", {}, "Continue"));
}

const tell = (line) => { $("status").textContent = line; };

function showViews(current) {
  clear($("views"), ...Object.entries(VIEWS).filter(([, [title]]) => title).map(([name, [title]]) =>
    el("a", { href: address({ view: name === "search" ? "" : name, document: "", passage: "" }), "aria-current": name === current ? "page" : null }, title)));
}

function onKey(event) {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const typing = event.target.matches?.("input:not([type=range]), textarea");
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing || $("keys").open) return;
  const does = { "/": () => $("q").focus(), "[": () => moveYears(-1), "]": () => moveYears(1), n: () => goTo(""), "?": () => $("keys").showModal() }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const { view } = state();
  const keeps = ["compare", "timeline"].includes(view);
  go({ q: $("q").value.trim(), view: keeps ? view : "", document: "", passage: "" });
});
$("help").addEventListener("click", () => $("keys").showModal());
document.addEventListener("click", follow);
document.addEventListener("keydown", onKey);
onChange(show);
listen();
await startClock();
show();

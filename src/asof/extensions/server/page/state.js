// What is shown stands in the address, whole: it can be shared, and the back button works.

const SHARED = ["view", "q", "as_of", "known_at"]; // what all views look at; the others belong to one of them
const KEYS = [...SHARED, "a", "b", "document", "passage", "against", "side", "subject", "period", "since", "until", "tag", "path", "k"];
const listeners = [];

export function state() {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(KEYS.map((key) => [key, query.get(key) ?? ""]));
}

/** The address of the state with some keys changed; of another view, without what belongs to this one. */
export function address(changes) {
  const kept = "view" in changes ? Object.entries(state()).filter(([key]) => SHARED.includes(key)) : Object.entries(state());
  const next = { ...Object.fromEntries(kept), ...changes };
  const query = new URLSearchParams(Object.entries(next).filter(([, value]) => value));
  return query.size ? `/?${query}` : "/";
}

/** Change the state; `replace`: without a step for the back button (while a slider moves). */
export function go(changes, replace = false) {
  const next = address(changes);
  if (next === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", next);
  listeners.forEach((listener) => listener());
}

export function onChange(listener) {
  listeners.push(listener);
  addEventListener("popstate", listener);
}

/** A link that changes the state without loading the page anew. */
export function follow(event) {
  const link = event.target.closest?.("a[href^='/?'], a[href='/']");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  listeners.forEach((listener) => listener());
}

export const moments = () => ({ as_of: state().as_of, known_at: state().known_at });

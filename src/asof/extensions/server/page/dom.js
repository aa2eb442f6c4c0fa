// Elements from data. Text always goes in as text, never as markup.

/** An element with properties and children (elements or texts, in lists of any depth; null is left out). */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  return fill(node, children);
}

/** Append children, in lists of any depth and length; null is left out. */
export function fill(node, children) {
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function svg(tag, attributes = {}) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

export function clear(node, ...children) {
  node.replaceChildren(...children);
  return node;
}

/** A link to another site, in a tab of its own; only to the web, whatever a document says. */
export const webLink = (address, ...words) =>
  /^https?:\/\//i.test(address) ? el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, words.length ? words : address) : el("span", {}, words);

/** A link that saves a list as a table. */
export const saving = (address) => (address ? el("p", { class: "actions" }, el("a", { href: address, download: "" }, "Save as CSV")) : null);

/** A table with its columns named. */
export function table(caption, columns, rows) {
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, el("table", {},
    el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, first), rest.map((cell) => el("td", {}, cell)))))));
}

/** A button that shows what it controls, or hides it again. */
export function toggle(words, place, show) {
  return el("button", { type: "button", "aria-expanded": "false", onclick: async (event) => {
    const button = event.currentTarget, open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) clear(place);
    else clear(place, ...[await show()].flat().filter(Boolean));
  } }, words);
}

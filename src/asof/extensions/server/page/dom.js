// Elements from data. Text always goes in as text, never as markup.

/** An element with properties and children (elements or texts; null is left out). */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

export function clear(node, ...children) {
  node.replaceChildren(...children);
  return node;
}

/** A text with the words of a question marked. */
export function marked(text, question) {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const stems = [...new Set(words)].map((word) => word.slice(0, Math.max(3, word.length - 2)));
  const parts = text.split(/([\p{L}\p{N}]+)/u);
  return parts.map((part) => {
    const low = part.toLowerCase();
    return stems.some((stem) => low.startsWith(stem)) && low.length > 2 ? el("mark", {}, part) : part;
  });
}

/** A passage in one line, shortened. */
export function shortened(text, most = 420) {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > most ? `${flat.slice(0, most).replace(/\s\S*$/, "")} …` : flat;
}

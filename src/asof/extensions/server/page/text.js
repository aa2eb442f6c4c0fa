// The text of documents as it is read: headings, lists, tables, code, quotations, links. asof stores texts in
// one plain form (asof.sources.blocks): "- " before items, "| a | b |" for rows, "> " before what is quoted.

import { el, fill, webLink } from "./dom.js";

const ITEM = /^(\s*)(- |\d{1,4}[.)] )(.*)$/;
const BOX = /^\[([ xX])\] /;
const MOST = { blocks: 3000, cells: 200, depth: 12, links: 500 }; // of a text that are rendered: of the rest the words
const ADDRESS = /(https?:\/\/[^\s<>"'`|]*[^\s<>"'`|.,;:!?)\]}])/;

/** A function from offsets of a text as the server counts them, in characters, to those of JavaScript. */
export function placesIn(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (offset) => offset;
  const starts = [];
  for (let at = 0; at <= text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) starts.push(at);
  return (offset) => starts[Math.min(offset, starts.length - 1)];
}

/**
 * Elements of a text. `headings`: those of its lines that are one, by offset and level. `links`: their words
 * and where they lead (`href`), in order. `marks`: gives the elements of a stretch of plain words.
 * `cited`: [start, end) of what is to be marked. `level`: of its first headings on the page.
 */
export function rendered(text, { headings = [], links = [], marks = (words) => [words], cited = null, level = 3 } = {}) {
  const inline = inlineOf(links, marks), place = placesIn(text);
  const levels = new Map(headings.map((each) => [place(each.offset), each.level]));
  const parts = [], open = [];
  let group = null;
  for (const block of fewer(blocksOf(text), text)) {
    const within = cited && block.offset < place(cited[1]) && block.offset + block.length > place(cited[0]);
    if (within && !group) parts.push((group = el("div", { class: "cited" })));
    if (!within) group = null;
    const node = levels.has(block.offset) && block.lines.length === 1
      ? el(`h${Math.min(6, level + depth(open, levels.get(block.offset)))}`, {}, inline(block.lines[0]))
      : blockOf(block, inline);
    (group ?? { append: (each) => parts.push(each) }).append(node);
  }
  return parts;
}

/** The first blocks, and one with all that follows as it stands. */
function fewer(blocks, text) {
  const lines = blocks.reduce((sum, each) => sum + each.lines.length, 0);
  if (blocks.length <= MOST.blocks && lines <= 20 * MOST.blocks) return blocks;
  let kept = 0;
  const first = blocks.slice(0, MOST.blocks).filter((each) => (kept += each.lines.length) <= 20 * MOST.blocks);
  const offset = first.length ? first.at(-1).offset + first.at(-1).length : 0;
  return [...first, { kind: "plain", offset, length: text.length - offset, lines: [text.slice(offset)] }];
}

/** How deep a heading lies below those that are open: no level is left out, as screen readers expect. */
function depth(open, level) {
  while (open.length && open.at(-1) >= level) open.pop();
  open.push(level);
  return open.length - 1;
}

/** The blocks of a text, each with its lines, its offset and its length. */
function blocksOf(text) {
  const blocks = [];
  let offset = 0, block = null, fence = "", before = "";
  for (const line of text.split("\n")) {
    const kind = fence ? "code" : kindOf(line, before);
    if (kind === "") block = null;
    else if (block?.kind === kind && (fence || !/^\s*```/.test(line) || kind === "code")) {
      block.lines.push(line);
      block.length = offset + line.length - block.offset;
    } else blocks.push((block = { kind, offset, length: line.length, lines: [line] }));
    const ticks = /^\s*(`{3,})/.exec(line)?.[1];
    if (fence) {
      if (ticks && ticks.length >= fence.length && line.trim() === ticks) [fence, block] = ["", null];
    } else if (ticks) fence = ticks;
    before = kind;
    offset += line.length + 1;
  }
  return blocks;
}

function kindOf(line, before) {
  if (!line.trim()) return "";
  if (/^\s*```/.test(line)) return "code";
  if (/^\s*\|.*\|\s*$/.test(line)) return "table";
  if (/^> ?/.test(line)) return "quotation";
  if (ITEM.test(line) || (before === "list" && /^\s{2,}/.test(line))) return "list";
  return "paragraph";
}

function blockOf({ kind, lines }, inline, deep = 0) {
  if (kind === "plain" || deep > MOST.depth) return el("p", { class: "line" }, lines.join("\n"));
  if (kind === "code") return el("pre", { tabindex: "0", role: "region", "aria-label": "code" }, el("code", {}, lines.slice(1, lines.length > 1 && /^\s*`{3,}\s*$/.test(lines.at(-1)) ? -1 : undefined).join("\n")));
  if (kind === "table") return tableOf(lines, inline);
  if (kind === "list") return listOf(lines, inline);
  if (kind === "quotation") {
    const inner = lines.map((line) => line.replace(/^> ?/, "")).join("\n");
    return el("blockquote", {}, blocksOf(inner).map((each) => blockOf(each, inline, deep + 1)));
  }
  return el("p", {}, brokenLines(lines, inline));
}

const brokenLines = (lines, inline) => lines.flatMap((line, at) => (at ? [el("br"), inline(line)] : [inline(line)]));

/** Items with those that lie deeper below them. */
function listOf(lines, inline) {
  const roots = [], open = []; // the lists that are open, with their indent
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (!item) {
      if (open.length) fill(open.at(-1).node.lastChild, [el("br"), inline(line.trim())]);
      continue;
    }
    const [, indent, mark, rest] = item, ordered = mark !== "- ";
    while (open.length && indent.length < open.at(-1).indent) open.pop();
    if (!open.length || (indent.length > open.at(-1).indent && open.length < MOST.depth) || open.at(-1).ordered !== ordered) {
      if (open.length && indent.length === open.at(-1).indent) open.pop();
      const node = el(ordered ? "ol" : "ul", ordered && parseInt(mark, 10) !== 1 ? { start: parseInt(mark, 10) } : {});
      const parent = open.at(-1)?.node.lastChild;
      if (parent) parent.append(node);
      else roots.push(node);
      open.push({ node, indent: indent.length, ordered });
    }
    const box = BOX.exec(rest);
    open.at(-1).node.append(el("li", box ? { class: "box" } : {}, box ? `${box[1] === " " ? "☐" : "☑"} ` : null, inline(box ? rest.slice(4) : rest)));
  }
  return roots.length === 1 ? roots[0] : el("div", {}, roots);
}

function tableOf(lines, inline) {
  const rows = lines.map((line) => line.trim().replace(/^\| ?| ?\|$/g, "").split("|").map((cell) => cell.trim())).map(narrow);
  const rule = rows[1]?.every((cell) => /^:?-{3,}:?$/.test(cell.trim()));
  const [head, body] = rule ? [rows[0], rows.slice(2)] : [null, rows.filter((row) => !row.every((cell) => /^-{3,}$/.test(cell.trim())))];
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "table" }, el("table", {},
    head ? el("thead", {}, el("tr", {}, head.map((cell) => el("th", { scope: "col" }, inline(cell))))) : null,
    el("tbody", {}, body.map((row) => el("tr", {}, row.map((cell) => el("td", {}, inline(cell))))))));
}

/** A row of at most MOST.cells cells; the last one has what is beyond. */
const narrow = (row) => (row.length <= MOST.cells ? row : [...row.slice(0, MOST.cells - 1), row.slice(MOST.cells - 1).join(" | ")]);

/** What is inside of a line: addresses of the web and the document's own links, each once and in order. */
function inlineOf(links, marks) {
  const left = links.filter((link) => link.text).slice(0, MOST.links);
  const linked = (words) => {
    const parts = [];
    for (let rest = words; rest; ) {
      const found = left.slice(0, 40).map((link) => [wordAt(rest, link.text), link]).filter(([at]) => at >= 0);
      if (!found.length) return [...parts, marks(rest)];
      const [at, link] = found.reduce((best, each) => (each[0] < best[0] ? each : best));
      left.splice(left.indexOf(link), 1);
      const target = link.href ? el("a", { href: link.href }, link.text) : el("span", { class: "broken", title: "no document of this name" }, link.text);
      parts.push(marks(rest.slice(0, at)), target);
      rest = rest.slice(at + link.text.length);
    }
    return parts;
  };
  return (line) => line.split(ADDRESS).map((part, at) => (at % 2 ? webLink(part) : part ? linked(part) : []));
}

/** Where a text has these words, not as a part of longer ones; -1: nowhere. */
function wordAt(text, words) {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const edges = text[at - 1] + words[0], ends = words.at(-1) + text[at + words.length];
    if (!/^[\p{L}\p{N}]{2}$/u.test(edges) && !/^[\p{L}\p{N}]{2}$/u.test(ends)) return at;
  }
  return -1;
}

/** A function that marks the words of a question: those that begin with one of its stems. */
export function marker(stems) {
  const wanted = stems.map((stem) => stem.replace(/[iy]$/, "")).filter((stem) => stem.length > 1 || /\p{Lo}/u.test(stem));
  if (!wanted.length) return (words) => [words];
  return (words) => words.split(/([\p{L}\p{N}]+)/u).map((part, at) => {
    const low = part.toLowerCase();
    return at % 2 && wanted.some((stem) => low.startsWith(stem) && low.length <= stem.length + 4) ? el("mark", {}, part) : part;
  });
}

/** A passage without the lines of its headings, which stand above it. */
export function bodyOf(text, headings) {
  const lines = text.split("\n");
  let at = 0;
  while (at < lines.length && (!lines[at].trim() || headings.includes(lines[at].trim()))) at++;
  return at < lines.length ? lines.slice(at).join("\n") : text;
}

/** A text in one line, shortened. */
export function shortened(text, most = 420) {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > most ? `${flat.slice(0, most).replace(/\s\S*$/, "")} …` : flat;
}

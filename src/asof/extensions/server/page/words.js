// What changed between two texts: line by line, and word by word inside of a line.

import { el } from "./dom.js";

const MOST = 1500; // words, or lines, that are compared; of more, the old ones are removed and the new ones added
const ALIKE = 0.4; // with fewer words in common, two lines have nothing to do with each other
const AROUND = 2; // unchanged lines that are shown on either side of a change

/** The elements of a removed and of an added text, each with the words that differ. */
export function wordDiff(before, after) {
  const a = before.split(/(?<=\s)/), b = after.split(/(?<=\s)/);
  if (common(a, b) < ALIKE) return [[before], [after]];
  const left = [], right = [];
  for (const { kind, items } of compared(a, b)) {
    const text = items.join("");
    if (kind !== "added") left.push(kind ? el("del", {}, text) : text);
    if (kind !== "removed") right.push(kind ? el("ins", {}, text) : text);
  }
  return [left, right];
}

/** The share of words of the shorter text that the other one has. */
function common(a, b) {
  const words = new Set(a.map((word) => word.trim()));
  return b.filter((word) => words.has(word.trim())).length / Math.max(1, Math.min(a.length, b.length));
}

/** "− what was said" above "+ what is said", or the one alone. */
export function changed(before, after) {
  const [left, right] = before && after ? wordDiff(before, after) : [[before], [after]];
  return [before ? el("p", { class: "line removed" }, sign("−", "removed"), left) : null,
    after ? el("p", { class: "line added" }, sign("+", "added"), right) : null];
}

const sign = (shown, said) => [el("span", { class: "sign", "aria-hidden": "true" }, shown), el("span", { class: "hidden" }, `${said}: `)];

/** Two texts as lines of one, or `side` by side. */
export function lineDiff(before, after, side) {
  const runs = compared(before.split("\n"), after.split("\n"));
  const rows = runs.flatMap(({ kind, items }, at) => {
    if (kind === "removed" && runs[at + 1]?.kind === "added") return paired(items, runs[at + 1].items);
    if (kind === "added" && runs[at - 1]?.kind === "removed") return [];
    if (kind) return items.map((line) => (kind === "removed" ? [line, null] : [null, line]));
    return folded(items, at > 0, at < runs.length - 1);
  });
  if (!side) return el("div", { class: "diff" }, rows.map(unified));
  return el("div", { class: "diff" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Before"), el("th", { scope: "col" }, "After"))),
    el("tbody", {}, rows.map(beside))));
}

/** Lines that were removed and added at one place, each beside the one that it became. */
function paired(removed, added) {
  const rows = Math.max(removed.length, added.length);
  return Array.from({ length: rows }, (_, at) => [removed[at] ?? null, added[at] ?? null]).filter((row) => row.some((line) => line?.trim()));
}

/** Unchanged lines; of many only those near a change, and how many are left out. */
function folded(lines, after, before) {
  const head = after ? AROUND : 0, tail = before ? AROUND : 0;
  if (lines.length <= head + tail + 2) return lines.map((line) => ({ line }));
  return [...lines.slice(0, head).map((line) => ({ line })), { hidden: lines.slice(head, lines.length - tail) }, ...lines.slice(lines.length - tail).map((line) => ({ line }))];
}

const count = (lines) => `${lines.length.toLocaleString("en")} unchanged line${lines.length === 1 ? "" : "s"}`;
const unchanged = (lines) => el("details", {}, el("summary", {}, count(lines)), el("p", { class: "line" }, lines.join("\n")));

function unified(row) {
  if (row.hidden) return unchanged(row.hidden);
  return row.line !== undefined ? el("p", { class: "line" }, row.line || "\u00a0") : changed(row[0], row[1]);
}

function beside(row) {
  if (row.hidden) return el("tr", {}, el("td", { colspan: "2" }, unchanged(row.hidden)));
  if (row.line !== undefined) return el("tr", {}, el("td", {}, row.line), el("td", {}, row.line));
  const [left, right] = row[0] !== null && row[1] !== null ? wordDiff(row[0], row[1]) : [[row[0]], [row[1]]];
  return el("tr", {}, el("td", row[0] === null ? {} : { class: "removed" }, left.filter((each) => each !== null)), el("td", row[1] === null ? {} : { class: "added" }, right.filter((each) => each !== null)));
}

/** Runs of items that both have (kind ""), that were removed, and that were added, in order. */
function compared(a, b) {
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const left = a.slice(start, a.length - end), right = b.slice(start, b.length - end);
  const middle = left.length > MOST || right.length > MOST
    ? [{ kind: "removed", items: left }, { kind: "added", items: right }] : steps(left, right);
  return [{ kind: "", items: a.slice(0, start) }, ...middle, { kind: "", items: a.slice(a.length - end) }].filter((run) => run.items.length);
}

/** The longest common subsequence, told as runs. */
function steps(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const runs = [];
  const add = (kind, item) => (runs.at(-1)?.kind === kind ? runs.at(-1).items.push(item) : runs.push({ kind, items: [item] }));
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add("", a[i]); i++; j++; }
    else if (i < a.length && (j === b.length || table[i + 1][j] >= table[i][j + 1])) add("removed", a[i++]);
    else add("added", b[j++]);
  }
  return runs;
}

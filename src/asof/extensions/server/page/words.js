// What changed between two texts, word by word.

import { el } from "./dom.js";

const MOST = 1500;
const ALIKE = 0.4; // with fewer words in common, the new text says more than what changed

/** Elements of `after` with what was added and removed since `before`. */
export function wordDiff(before, after) {
  const a = before.split(/(?<=\s)/), b = after.split(/(?<=\s)/);
  if (common(a, b) < ALIKE) return [after];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const left = a.slice(start, a.length - end), right = b.slice(start, b.length - end);
  const middle = left.length > MOST || right.length > MOST
    ? [el("del", {}, left.join("")), el("ins", {}, right.join(""))]
    : steps(left, right);
  return [b.slice(0, start).join(""), ...middle, end ? b.slice(b.length - end).join("") : ""];
}

/** The share of words of the shorter text that the other one has. */
function common(a, b) {
  const words = new Set(a.map((word) => word.trim()));
  return b.filter((word) => words.has(word.trim())).length / Math.max(1, b.length);
}

/** The longest common subsequence, told as runs. */
function steps(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const runs = [];
  const add = (kind, word) => (runs.at(-1)?.kind === kind ? (runs.at(-1).text += word) : runs.push({ kind, text: word }));
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add("", a[i]); i++; j++; }
    else if (i < a.length && (j === b.length || table[i + 1][j] >= table[i][j + 1])) add("del", a[i++]);
    else add("ins", b[j++]);
  }
  return runs.map((run) => (run.kind ? el(run.kind, {}, run.text) : run.text));
}

// Where a passage lies: the file of a document in the vault, and the characters of a text.

/** What lies below the folder `inIndex` in the index is below `inVault` in the vault; "" is all of it. */
export interface Folders {
  inIndex: string;
  inVault: string;
}

/**
 * The file of a document: "!/" stands before the name of a document in it. File systems write accents in two
 * ways, Obsidian in one.
 */
const fileOf = (document: string): string => (document.split("!/")[0] ?? document).normalize("NFC");

/** The path in the vault of a document; null where it is outside. */
export function pathOf(document: string, folders: Folders): string | null {
  return moved(fileOf(document), folders.inIndex, folders.inVault);
}

/** The id in the index of a file of the vault; null where it is outside. */
export function idOf(path: string, folders: Folders): string | null {
  return moved(path, folders.inVault, folders.inIndex);
}

function moved(path: string, from: string, to: string): string | null {
  if (from && !path.startsWith(`${from}/`)) return null;
  const rest = from ? path.slice(from.length + 1) : path;
  return to ? `${to}/${rest}` : rest;
}

/**
 * The folders by which most of these ids are files of the vault; null where fewer than half of the ids, or of
 * the files if they are fewer, would be. Of equal ones the shortest.
 */
export function likeliestFolders(ids: Iterable<string>, paths: Iterable<string>): Folders | null {
  const files = [...new Set([...ids].map(fileOf))].map((id) => id.split("/"));
  const notes = [...paths].map((path) => path.split("/"));
  const byName = grouped(notes, (parts) => parts.at(-1) ?? "");
  const pairs = files.flatMap((id) =>
    (byName.get(id.at(-1) ?? "") ?? []).flatMap((path) => correspondences(id, path)),
  );
  const found = [...grouped(pairs, (folders) => JSON.stringify(folders)).values()];
  const [best] = found.sort((a, b) => b.length - a.length || size(a) - size(b));
  return best && 2 * best.length >= Math.min(files.length, notes.length) ? (best[0] ?? null) : null;
}

const size = ([folders]: Folders[]) => (folders ? folders.inIndex.length + folders.inVault.length : 0);

/** All folders by which an id is a path: one for each number of parts that both end with. */
function correspondences(id: string[], path: string[]): Folders[] {
  const found: Folders[] = [];
  for (
    let alike = 1;
    alike <= Math.min(id.length, path.length) && id.at(-alike) === path.at(-alike);
    alike++
  ) {
    found.push({ inIndex: id.slice(0, -alike).join("/"), inVault: path.slice(0, -alike).join("/") });
  }
  return found;
}

function grouped<T>(values: Iterable<T>, key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}

interface Word {
  text: string;
  start: number;
  end: number;
}

const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;
const FRONTMATTER = /^---\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/;
const LINK_TARGETS = /\[\[[^\]|\n]*\||\]\([^)\n]*\)/g;

/** So many words in a row are a passage that was found again, though it was edited. */
const ENOUGH = 5;

/**
 * The characters [from, to) of a note that say what a passage says; null where nothing does any more.
 *
 * A passage is text without markup, and the note may have been edited since: the longest run of words that
 * both have counts, if it is the whole passage or at least ENOUGH words.
 */
export function locate(note: string, passage: string): [number, number] | null {
  const hidden = (part: string) => " ".repeat(part.length);
  const there = words(note.replace(FRONTMATTER, hidden).replace(LINK_TARGETS, hidden));
  const wanted = words(passage);
  const places = grouped(there.keys(), (at) => there[at]?.text ?? "");
  let best = { at: 0, length: 0 };
  for (let start = 0; start + best.length < wanted.length; start++) {
    for (const at of places.get(wanted[start]?.text ?? "") ?? []) {
      let length = 1;
      while (start + length < wanted.length && wanted[start + length]?.text === there[at + length]?.text)
        length++;
      if (length > best.length) best = { at, length };
    }
  }
  const first = there[best.at],
    last = there[best.at + best.length - 1];
  if (!first || !last || best.length < Math.min(ENOUGH, wanted.length)) return null;
  return [first.start, last.end];
}

function words(text: string): Word[] {
  return [...text.matchAll(WORD)].map((match) => ({
    text: match[0].toLowerCase().normalize("NFC"),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The number from 0 of the line of a character. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length - 1;
}

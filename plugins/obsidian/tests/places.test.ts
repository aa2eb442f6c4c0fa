import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, likeliestFolders, lineAt, locate, pathOf } from "../src/places.ts";

const folders = (inIndex: string, inVault: string) => ({ inIndex, inVault });

test("an id and a path are the same but for the folders before them", () => {
  for (const [id, path, both] of [
    ["harbour/Mole.md", "harbour/Mole.md", folders("", "")],
    ["notes/harbour/Mole.md", "harbour/Mole.md", folders("notes", "")],
    ["Mole.md", "work/harbour/Mole.md", folders("", "work/harbour")],
    ["harbour/Mole.md", "work/harbour/Mole.md", folders("harbour", "work/harbour")],
  ] as const) {
    assert.equal(pathOf(id, both), path);
    assert.equal(idOf(path, both), id);
  }
  assert.equal(pathOf("notes2/Mole.md", folders("notes", "")), null, "a folder whose name only begins alike");
  assert.equal(idOf("private/Diary.md", folders("harbour", "work/harbour")), null);
  assert.equal(
    pathOf("mail/inbox.mbox!/<1@host>", folders("", "")),
    "mail/inbox.mbox",
    "the file of a document in it",
  );
  assert.equal(
    pathOf("Pru\u0308fung.md", folders("", "")),
    "Pr\u00fcfung.md",
    "an accent of its own, and a letter with one",
  );
});

test("the folders are those by which most documents are notes", () => {
  const vault = ["a/Minutes.md", "b/Minutes.md", "Mole.md"];
  assert.deepEqual(likeliestFolders(vault, vault), folders("", ""));
  assert.deepEqual(
    likeliestFolders(
      vault.map((path) => `notes/${path}`),
      vault,
    ),
    folders("notes", ""),
  );
  assert.deepEqual(likeliestFolders(["Minutes.md"], ["work/b/Minutes.md"]), folders("", "work/b"));
  const code = ["code/README.md", "code/x/README.md"];
  assert.deepEqual(likeliestFolders([...code, ...vault], [...vault, "README.md"]), folders("", ""));
});

test("no folders where fewer than half of the smaller side agree", () => {
  assert.equal(
    likeliestFolders(["x/README.md", "x/a.py", "x/b.py"], ["README.md", "Mole.md", "Quay.md"]),
    null,
  ); // 1 of 3
  assert.equal(likeliestFolders([], ["Mole.md"]), null);
});

const NOTE = `---
title: The harbour master of today is somebody
---
# Harbour

The [[Runa Osterby|harbour master]] of **today** is
[somebody](https://notes.example/x) from a dredger.

## Hours

Ruhezeit: 12 bis 14 Uhr.
`;

test("a passage is found in its note through markup, after the frontmatter", () => {
  const found = locate(NOTE, "The harbour master of today is somebody from a dredger.");
  assert.ok(found);
  assert.equal(lineAt(NOTE, found[0]), 5);
  assert.equal(NOTE.slice(...found).startsWith("The [[Runa Osterby|harbour master]]"), true);
  assert.equal(NOTE.slice(...found).endsWith("from a dredger"), true);
});

test("of an edited passage the longest run of words counts", () => {
  const found = locate(NOTE, "Harbour\n\nThe old harbour master of today is somebody who left");
  assert.ok(found);
  assert.equal(lineAt(NOTE, found[0]), 5); // "harbour master of today is somebody": 6 words
  assert.equal(locate(NOTE, "The harbour master of 2019 is another one"), null); // 4 words in a row
  assert.equal(locate(NOTE, ""), null);
});

test("a short passage has to be there whole", () => {
  const found = locate(NOTE, "ruhezeit 12 BIS 14");
  assert.ok(found);
  assert.equal(lineAt(NOTE, found[0]), 10);
  assert.equal(locate(NOTE, "Ruhezeit: 13"), null);
});

test("texts without blanks are compared by characters", () => {
  const found = locate("港の門限は午後十一時です。", "門限は午後十一時");
  assert.deepEqual(found, [2, 10]); // 港 の | 門 限 は 午 後 十 一 時
});

test("a long note is searched quickly", () => {
  const filler = "the old pier and the new pier of the town ".repeat(5_000); // 50,000 words
  const started = performance.now();
  const found = locate(
    `${filler}\nThe tide waits for nobody here.`,
    "the pier of the old town The tide waits for nobody here",
  );
  assert.ok(found);
  assert.ok(performance.now() - started < 2_000);
});

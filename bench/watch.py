"""How fast a saved note is found: `python bench/watch.py FOLDER [--notes 6500] [--changes 500]`.

Generates notes in a new folder, follows them with a `Watcher`, and changes them at random (edits, new notes,
moves, deletions, bursts) while searches run. Prints the time from a save to when it is found, whether the end
is the state of a fresh index, and memory and descriptors at the beginning and the end.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import threading
import time
from pathlib import Path

import numpy as np

import asof
from asof.watch.watch import Notice, Watcher

WORDS = [f"word{number}" for number in range(3_000)]


def note(chance: random.Random, mark: str) -> str:
    return f"---\ndate: 20{chance.randint(10, 24)}-01-01\n---\n{mark} " + " ".join(
        chance.choices(WORDS, k=120)
    )


def state(corpus: asof.Corpus) -> dict[str, str]:
    then, after = corpus.at(), ""
    found: dict[str, str] = {}
    while page := then.documents(after, 1_000):
        found |= {each.id: then.text(each.id) or "" for each in page}
        after = page[-1].id
    return found


def resources() -> str:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    size = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return f"{size:.0f} MiB, {len(os.listdir('/proc/self/fd'))} descriptors"  # noqa: PTH208


def change(chance: random.Random, vault: Path, step: int) -> str:
    """Change a note; the word by which the change is found, "" for one that removes or moves."""
    path, kind, mark = chance.choice(list(vault.glob("*/*.md"))), chance.random(), f"zebra{step}"
    if kind < 0.15:
        path.rename(path.with_name(f"moved{step}.md"))
        return ""
    if kind < 0.25:
        path.unlink()
        return ""
    if kind < 0.5:
        path = path.with_name(f"new{step}.md")
    for _ in range(20 if kind > 0.9 else 1):  # a burst: the last text holds
        path.write_text(note(chance, mark))
    return mark


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--notes", type=int, default=6_500)
    options.add_argument("--changes", type=int, default=500)
    asked = options.parse_args()
    chance, vault = random.Random(3), asked.folder / "vault"
    shutil.rmtree(asked.folder, ignore_errors=True)
    for number in range(asked.notes):
        path = vault / f"f{number % 40}" / f"n{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note(chance, "first"))
    ready, stop, took = threading.Event(), threading.Event(), list[float]()

    def notice(one: Notice) -> None:
        if one.text:
            print(one.text)
        ready.set()

    with asof.open(asked.folder / "index") as corpus:
        thread = threading.Thread(target=Watcher(corpus, [vault], notice).run, args=(stop,))
        thread.start()
        ready.wait()
        time.sleep(1)
        before = resources()
        for step in range(asked.changes):
            mark, started = change(chance, vault, step), time.perf_counter()
            while mark and not any(mark in hit.text for hit in corpus.at().search(mark, 1).hits):
                time.sleep(0.01)
            if mark:
                took.append(time.perf_counter() - started)
        time.sleep(3)
        after, end = resources(), state(corpus)
        stop.set()
        thread.join()
    with asof.open(asked.folder / "fresh") as fresh:
        fresh.add(vault)
        same = state(fresh) == end
    median, late = np.median(took), np.percentile(took, 95)
    print(
        f"{len(took)} saves found after {median:.2f} s (median), {late:.2f} s (95%);"
        f" the end is {'' if same else 'NOT '}that of a fresh index; {before} -> {after}"
    )


if __name__ == "__main__":
    main()

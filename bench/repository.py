"""A git repository of notes, made by `git fast-import`; the same numbers give the same repository.

Notes of about 200 words are added, edited, renamed and deleted, and every commit adds to a journal, which is
begun anew every 200 commits.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

START, STEP = 1_420_070_400, 40_000
"""2015, and the seconds between two commits."""
FOLDERS, JOURNAL, PARAGRAPHS = 40, 200, 4
GIT_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Notes:
    """The notes, and the commands of `git fast-import` that change them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.words = ["".join(rng.choices("abdeiklmnorstu", k=rng.randint(3, 9))) for _ in range(20_000)]
        self.weights = list(accumulate(1 / (rank + 10) for rank in range(len(self.words))))
        self.texts: dict[str, list[str]] = {}
        self.made = 0

    def paragraph(self) -> str:
        words = self.rng.choices(self.words, cum_weights=self.weights, k=self.rng.randint(35, 65))
        if self.rng.random() < 0.5:
            day, month = self.rng.randint(1, 28), self.rng.choice(["January", "May", "October"])
            words.insert(10, f"on {day} {month} {self.rng.randint(2005, 2025)}")
        return " ".join(words).capitalize() + "."

    def add(self) -> str:
        self.made += 1
        return self.write(
            f"notes {self.made % FOLDERS}/note {self.made}.md", [self.paragraph() for _ in range(PARAGRAPHS)]
        )

    def edit(self, path: str) -> str:
        texts = [*self.texts[path]]
        texts[self.rng.randrange(len(texts))] = self.paragraph()
        return self.write(path, texts)

    def rename(self, path: str) -> str:
        self.texts[path.replace(".md", " renamed.md")] = self.texts.pop(path)
        return f'R "{path}" "{path.replace(".md", " renamed.md")}"\n'

    def delete(self, path: str) -> str:
        del self.texts[path]
        return f'D "{path}"\n'

    def write(self, path: str, texts: list[str]) -> str:
        self.texts[path] = texts
        text = f"# {Path(path).stem}\n\n" + "\n\n".join(texts) + "\n"
        return f'M 100644 inline "{path}"\ndata {len(text.encode())}\n{text}\n'


def fast_import(commits: int, notes: int, edits: int, seed: int = 3) -> Iterator[str]:
    """The input of `git fast-import`."""
    rng = random.Random(seed)
    state = Notes(rng)
    for number in range(1, commits + 1):
        lines = [f"commit refs/heads/main\nmark :{number}\n"]
        lines.append(f"committer A <a@example.org> {START + STEP * number} +0200\ndata 1\nx\n")
        lines.append(f"from :{number - 1}\n" if number > 1 else "")
        journal = f"journal {number // JOURNAL}.md"
        lines.append(state.write(journal, [*state.texts.get(journal, []), state.paragraph()]))
        lines += [state.add() for _ in range(notes * number // commits - state.made)]
        paths = [path for path in state.texts if path.startswith("notes")]
        lines += [state.edit(path) for path in rng.sample(paths, min(len(paths), edits))]
        if len(paths) > 50:
            renamed, deleted = rng.sample(paths, 2)
            lines += [state.rename(renamed)] if number % 10 == 3 else []
            lines += [state.delete(deleted)] if number % 10 == 5 else []
        yield "".join([*lines, "\n"])


def repository(folder: Path, commits: int, notes: int, edits: int) -> None:
    """Make the repository."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "fast-import", "--quiet", stdin="".join(fast_import(commits, notes, edits)).encode())
    git(folder, "reset", "-q", "--hard", "main")


def git(folder: Path, *words: str, stdin: bytes = b"") -> None:
    environment = {**os.environ, **GIT_ENVIRONMENT}
    subprocess.run(["git", "-C", str(folder), *words], input=stdin, check=True, env=environment)

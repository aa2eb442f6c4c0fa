"""A git history of notes: `asof index --history` the first time, again, after one more commit; its memory.

python bench/history.py [--commits 2000] [--notes 6500] [--edits 8] [--keep FOLDER]

The repository is made by `git fast-import`: notes of about 200 words that are added, edited, renamed and
deleted, a journal that every commit of the main line adds to (begun anew every 200 commits), and a branch
that is merged every 25 commits. The same numbers give the same repository.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path

START = int(datetime(2015, 1, 1, tzinfo=UTC).timestamp())
STEP = 40_000
"""Seconds between two commits."""
BRANCH = 25
"""Every so many commits three are made on a branch, which is merged."""
FOLDERS = 40
JOURNAL = 200
PARAGRAPHS = 4
GIT_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Notes:
    """The notes of a branch, and the commands of `git fast-import` that change them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.words = ["".join(rng.choices("abdeiklmnorstu", k=rng.randint(3, 9))) for _ in range(20_000)]
        self.weights = list(accumulate(1 / (rank + 10) for rank in range(len(self.words))))
        self.texts: dict[str, list[str]] = {}
        self.journal: dict[str, list[str]] = {}
        self.made = 0

    def paragraph(self) -> str:
        words = self.rng.choices(self.words, cum_weights=self.weights, k=self.rng.randint(35, 65))
        if self.rng.random() < 0.5:
            day, month = self.rng.randint(1, 28), self.rng.choice(["January", "May", "October"])
            words.insert(10, f"on {day} {month} {self.rng.randint(2005, 2025)}")
        return " ".join(words).capitalize() + "."

    def add(self) -> str:
        path = f"notes {self.made % FOLDERS}/note {self.made}.md"
        self.texts[path] = [self.paragraph() for _ in range(PARAGRAPHS)]
        self.made += 1
        return self.written(path)

    def edit(self, path: str) -> str:
        self.texts[path][self.rng.randrange(PARAGRAPHS)] = self.paragraph()
        return self.written(path)

    def rename(self, path: str) -> str:
        renamed = path.replace(".md", " renamed.md")
        self.texts[renamed] = self.texts.pop(path)
        return f'R "{path}" "{renamed}"\n'

    def delete(self, path: str) -> str:
        del self.texts[path]
        return f'D "{path}"\n'

    def log(self, number: int) -> str:
        """A paragraph more in the journal."""
        path = f"journal {number // JOURNAL}.md"
        self.journal[path] = [*self.journal.get(path, []), self.paragraph()]
        return self.written(path)

    def written(self, path: str) -> str:
        text = f"# {Path(path).stem}\n\n" + "\n\n".join(self.texts.get(path) or self.journal[path]) + "\n"
        return f'M 100644 inline "{path}"\ndata {len(text.encode())}\n{text}\n'


def fast_import(commits: int, notes: int, edits: int, seed: int = 3) -> Iterator[str]:
    """The input of `git fast-import`."""
    rng = random.Random(seed)
    state = Notes(rng)
    tips: dict[str, int] = {}
    changed: set[str] = set()  # by the branch that is not merged yet
    for number in range(1, commits + 1):
        place = number % BRANCH
        branch = "side" if place in (20, 21, 22) else "main"
        parent = tips.get("main" if place == 20 else branch)
        lines = [f"commit refs/heads/{branch}\nmark :{number}\n"]
        lines.append(f"committer A <a@example.org> {START + STEP * number} +0200\ndata 1\nx\n")
        lines.append(f"from :{parent}\n" if parent else "")
        if place == 24 and "side" in tips:
            # fast-import begins with the first parent's tree: the side's notes are written again
            lines.append(f"merge :{tips['side']}\n")
            lines += [state.written(path) for path in sorted(changed) if path in state.texts]
        if place == 20:
            changed.clear()
        if branch == "main":
            lines.append(state.log(number))
        while state.made < notes * number // commits:
            lines.append(state.add())
            if branch == "side":
                changed.add(list(state.texts)[-1])
        paths = list(state.texts)
        # A branch and the main line edit notes of their own, so that what is merged is what both hold.
        own = [path for path in rng.sample(paths, min(len(paths), 3 * edits)) if _of_branch(path, branch)]
        for path in own[:edits]:
            lines.append(state.edit(path))
            if branch == "side":
                changed.add(path)
        if branch == "main" and not 20 <= place <= 24 and len(paths) > 50:
            renamed, deleted = rng.sample(paths, 2)
            lines += [state.rename(renamed)] if number % 10 == 3 else []
            lines += [state.delete(deleted)] if number % 10 == 5 else []
        tips[branch] = number
        yield "".join(lines) + "\n"


def _of_branch(path: str, branch: str) -> bool:
    return (len(path) % 3 == 0) == (branch == "side")


def repository(folder: Path, commits: int, notes: int, edits: int) -> int:
    """Make the repository; returns how many versions of notes its commits hold."""
    git(folder, "init", "-q", "-b", "main")
    stream = "".join(fast_import(commits, notes, edits)).encode()
    git(folder, "fast-import", "--quiet", stdin=stream)
    git(folder, "reset", "-q", "--hard", "main")
    return stream.count(b"M 100644")


def git(folder: Path, *words: str, stdin: bytes = b"") -> None:
    subprocess.run(
        ["git", "-C", str(folder), *words], input=stdin, check=True, env={**os.environ, **GIT_ENVIRONMENT}
    )


def measured(*words: str) -> str:
    """Runs asof; what it printed, and its processor time, time and largest memory."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "asof", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = process.stdout.read().strip().splitlines()[-1]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    taken = time.perf_counter() - begin
    busy = usage.ru_utime + usage.ru_stime
    return f"{busy:7.1f} s processor, {taken:7.1f} s, {usage.ru_maxrss / 1024:5.0f} MB   {printed}"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=2_000)
    parser.add_argument("--notes", type=int, default=6_500)
    parser.add_argument("--edits", type=int, default=8, help="edited notes a commit")
    parser.add_argument("--keep", type=Path, help="make the repository and the index here, and leave them")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() if arguments.keep is None else nullcontext(arguments.keep) as where:
        folder, index = Path(where) / "repository", Path(where) / "index"
        for each in (folder, index):
            each.mkdir(parents=True, exist_ok=True)
        versions = 0
        if not (folder / ".git").exists():
            versions = repository(folder, arguments.commits, arguments.notes, arguments.edits)
        print(f"{arguments.commits:,} commits, {versions or 'kept'} versions")
        run = ("index", str(folder), "--history", "--index", str(index))
        for what in ("first", "again", "again"):
            print(f"{what:10} {measured(*run)}", flush=True)
        note = folder / "notes 0" / "one more.md"
        note.write_text(f"# One more\n\nThe ferry leaves at {time.time_ns()}.\n", encoding="utf-8")
        git(folder, "add", "-A")
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        git(folder, *who, "commit", "-q", "-m", "one more")
        print(f"{'one more':10} {measured(*run)}", flush=True)


if __name__ == "__main__":
    main()

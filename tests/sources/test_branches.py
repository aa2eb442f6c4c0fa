"""Random histories with merges: as of a moment the corpus is the tree that the branch had."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st
from tests.support.sources import stated

from asof.documents import Document, Ended
from asof.sources.history import open_source

START = 1_600_000_000
FILES = ("a.md", "b.md", "sub/c.md")

Edits = dict[str, str | None]
"""Files with their new content, None for a deletion."""


class FastImport:
    """Makes a repository with one process: commits on branches by name, with the committer's date in seconds
    after START."""

    def __init__(self) -> None:
        self.stream: list[str] = []
        self.count = 0

    def commit(self, branch: str, at: int, edits: Edits, *, parents: Sequence[int] = ()) -> int:
        """The number of the commit, whose parents are numbers, the first one first."""
        self.count += 1
        self.stream.append(f"commit refs/heads/{branch}\nmark :{self.count}")
        self.stream.append(f"committer a <a@b> {START + at} +0000\ndata 1\nx")
        self.stream += [f"{'merge' if number else 'from'} :{each}" for number, each in enumerate(parents)]
        for path, text in edits.items():
            inline = (
                f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}"
                if text is not None
                else f"D {path}"
            )
            self.stream.append(inline)
        return self.count

    def write(self, folder: Path, branch: str) -> None:
        git(folder, "init", "-q", "-b", branch)
        git(folder, "fast-import", "--quiet", stdin="\n".join(self.stream) + "\n")
        git(folder, "reset", "-q", "--hard")


def git(folder: Path, *words: str, stdin: str = "", check: bool = True) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *words], cwd=folder, input=stdin, text=True, check=check, capture_output=True, env=environment
    )
    return done.stdout


@st.composite
def merges(draw: st.DrawFn) -> FastImport:
    """Commits on `main` and two branches, with edits, deletions and merges in both directions."""
    made = FastImport()
    at, words = 0, itertools.count()
    tips: dict[str, int] = {}

    def edits(least: int) -> Edits:
        chosen = draw(st.lists(st.sampled_from(FILES), min_size=least, unique=True))
        return {path: draw(st.sampled_from((None, f"{path} {next(words)}"))) for path in chosen}

    tips["main"] = made.commit("main", at, dict.fromkeys(FILES, "base"))
    for _ in range(draw(st.integers(1, 9))):
        at += draw(st.sampled_from((10, 1, 0, -7)))
        branch = draw(st.sampled_from(("main", "near", "far")))
        other = draw(st.sampled_from(("main", "near", "far")))
        before = tips.get(branch, tips["main"])
        merged = [tips[other]] if other != branch and other in tips else []
        tips[branch] = made.commit(branch, at, edits(not merged), parents=(before, *merged))
    return made


@given(merges())
def test_as_of_a_moment_the_corpus_is_the_tree_of_the_branch(made):
    with TemporaryDirectory() as name:
        folder = Path(name)
        made.write(folder, "main")
        changes = [
            (when.span.first if when else 0, item)
            for item in stated(open_source(folder, root=folder, history=True))
            if isinstance(item, Document | Ended)
            for when in [item.published if isinstance(item, Document) else item.at]
        ]
        late = -1
        chain = git(folder, "log", "--first-parent", "--reverse", "--format=%ct %H").splitlines()
        dates = [int(line.split()[0]) for line in chain]
        for number, line in enumerate(chain):
            late = max(late, dates[number])  # a clock that went back
            if any(late >= later for later in dates[number + 1 :]):
                continue  # the last commit of its second counts
            state = {item.id: item for when, item in changes if when <= late * 10**6}
            commit = line.split()[1]
            if dates == sorted(dates):
                assert (
                    git(folder, "rev-list", "-1", "--first-parent", f"--before={late}", "HEAD").strip()
                    == commit
                )
            for path in FILES:
                item = state.get(path)
                shown = item.text if isinstance(item, Document) else ""
                assert shown == git(folder, "show", f"{commit}:{path}", check=False)

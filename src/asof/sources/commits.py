"""A repository's history as one line of time: which files changed at which second.

Commits are taken in the order of their effective dates: the committer's date, or the latest of the
parents' where that is later (a clock that went back). So parents come first, and what is told as of a
moment is what had been committed by then, on all branches that HEAD has merged since. A merge sets every
file to what it is in the merge, whatever the branches (also those that are still apart) had before.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from asof.sources.git import Git, Layout, tree

Blob = str | None
"""The id of a file's content; None: there is no such file."""


@dataclass(frozen=True, slots=True)
class GitCommit:
    """`when` is the effective date, in seconds since 1970."""

    id: str
    parents: tuple[str, ...]
    when: int


@dataclass(frozen=True, slots=True)
class CommitMoment:
    """All that changed in one second: the last state of each file, and the commit that set it."""

    when: int
    files: Mapping[str, tuple[Blob, str]]


def commits(git: Git, layout: Layout) -> tuple[list[GitCommit], int]:
    """All ancestors of HEAD in order, and how many were dated before a parent. Raises GitFailed."""
    listed = git.ask("rev-list", "--topo-order", "--reverse", "--parents", "--timestamp", layout.head)
    effective: dict[str, int] = {}
    history: list[GitCommit] = []
    clamped = 0
    for line in listed.decode().splitlines():
        stamp, commit, *parents = line.split()
        own = int(stamp)
        when = max([own, *(effective[parent] for parent in parents)])
        clamped += when > own
        effective[commit] = when
        history.append(GitCommit(commit, tuple(parents), when))
    return sorted(history, key=lambda commit: commit.when), clamped  # stable: parents stay first


def differences(git: Git, history: Iterable[GitCommit]) -> dict[str, dict[str, Blob]]:
    """For each commit the files that differ from any of its parents. Raises GitFailed."""
    commit_ids = "".join(f"{commit.id}\n" for commit in history).encode()
    answer = git.ask(
        "diff-tree", "--stdin", "-r", "-z", "-m", "--root", "--no-renames", "--relative", stdin=commit_ids
    )
    by_commit: dict[str, dict[str, Blob]] = {}
    files: dict[str, Blob] = {}
    tokens = iter(answer.split(b"\0"))
    for token in tokens:
        if token.startswith(b":"):
            _, mode, _, blob, _ = token.split()
            # A link or a submodule is no file.
            files[os.fsdecode(next(tokens))] = blob.decode() if mode.startswith(b"100") else None
        elif token:
            files = by_commit.setdefault(token.decode().strip(), {})
    return by_commit


def moments(git: Git, history: list[GitCommit]) -> Iterator[CommitMoment]:
    """What changed when, oldest first. Raises GitFailed."""
    return _Replay(history, differences(git, history), lambda commit: tree(git, commit)).run()


@dataclass(slots=True)
class _Replay:
    history: list[GitCommit]
    differences: dict[str, dict[str, Blob]]
    tree: Callable[[str], dict[str, str]]
    state: dict[str, Blob] = field(default_factory=dict)
    owner: dict[str, int] = field(default_factory=dict)  # which commit (by number) set a file last

    def run(self) -> Iterator[CommitMoment]:
        before: dict[str, Blob] = {}
        for number, (commit, ancestors) in enumerate(self._with_ancestors()):
            files = dict(self.differences.get(commit.id, {}))
            if len(commit.parents) > 1:
                files = self._apart(number, commit, ancestors) | files
            for path, blob in files.items():
                if self.state.get(path) != blob:
                    before.setdefault(path, self.state.get(path))
                    self.state[path] = blob
                self.owner[path] = number
            last = number + 1 == len(self.history)
            if before and (last or self.history[number + 1].when != commit.when):
                changed = {
                    path: (self.state[path], self.history[self.owner[path]].id)
                    for path, blob in before.items()
                    if self.state[path] != blob
                }
                before = {}
                if changed:
                    yield CommitMoment(commit.when, changed)

    def _apart(self, number: int, commit: GitCommit, ancestors: int) -> dict[str, Blob]:
        """The files that a branch outside this merge has set last, as they are in the merge."""
        apart = ((1 << number) - 1) & ~ancestors
        if not apart:
            return {}
        paths = [path for path, owner in self.owner.items() if apart >> owner & 1]
        files = self.tree(commit.id) if paths else {}
        return {path: files.get(path) for path in paths}

    def _with_ancestors(self) -> Iterator[tuple[GitCommit, int]]:
        """Each commit with its ancestors as the bits of a number, which is kept while a child needs it."""
        needed = Counter(parent for commit in self.history for parent in commit.parents)
        known: dict[str, int] = {}
        for number, commit in enumerate(self.history):
            ancestors = 1 << number
            for parent in commit.parents:
                ancestors |= known[parent]
                needed[parent] -= 1
                if not needed[parent]:
                    del known[parent]
            if needed[commit.id]:
                known[commit.id] = ancestors
            yield commit, ancestors

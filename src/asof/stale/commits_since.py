"""What changed since a revision of git: the seconds of the commits after it, and all that is newer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from asof.errors import UsageError
from asof.sources.commits import commits
from asof.sources.git import Git, GitFailed, in_work_tree

SECOND = 1_000_000
"""Microseconds."""
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class CommitsSince:
    """The commits that HEAD has and a revision has not: their times, and that of HEAD, in seconds since 1970.

    Times are in no order (a branch can be older than what it is merged into), so each one counts by itself;
    both as git has it, and as a history is read (`asof.sources.commits`: no commit is older than its parent).
    """

    times: frozenset[int]
    head: int

    def made(self, instant: int) -> bool:
        """Whether a change that is seen since an instant is of one of these commits, or of none yet."""
        second = instant // SECOND
        return second in self.times or second > self.head


def commits_since(folder: Path, revision: str) -> CommitsSince:
    """The commits since a revision of the repository that a folder lies in. Raises UsageError, which says
    what is accepted."""
    if revision.startswith("-"):
        raise UsageError(f"--since {revision!r} begins with -; {_ACCEPTED}")
    if not in_work_tree(folder):
        raise UsageError(f"--since {revision!r} is no time, and {folder} is in no git work tree; {_ACCEPTED}")
    git = Git(folder)
    try:
        since = _commit(git, revision)
        listed = git.ask("rev-list", "--timestamp", f"{since}..HEAD", "--").decode().splitlines()
        all_commits, _ = commits(git, git.layout())
    except GitFailed as wrong:
        raise UsageError(
            f"--since {revision!r} is no time, and no commit of the repository of {folder} ({wrong.message});"
            f" {_ACCEPTED}; a clone that is not whole lacks older ones: git fetch --unshallow"
        ) from None
    dates = {commit: int(date) for date, commit in map(str.split, listed)}
    times = {each.when for each in all_commits if each.id in dates}
    return CommitsSince(frozenset(times.union(dates.values())), all_commits[-1].when)


_ACCEPTED = "accepted: a date or a period (2024-03, yesterday), or in a git work tree a revision (HEAD~1)"


def _commit(git: Git, revision: str) -> str:
    output = git.ask("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    commit = output.decode("ascii", "replace").split()[-1:]
    if not commit or not _COMMIT.fullmatch(commit[0]):
        raise GitFailed("git rev-parse: it is no name of a commit")
    return commit[0]

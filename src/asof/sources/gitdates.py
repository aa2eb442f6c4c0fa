"""The commit dates of the files of a folder."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field

from asof.data import SourcedTime
from asof.errors import BadTime
from asof.sources.dates import second
from asof.sources.git import Git, GitFailed, tree


@dataclass(frozen=True, slots=True)
class GitDates:
    """For each committed file its blob, and the time of the last commit that touched it."""

    blobs: dict[str, str] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)

    def of(self, relative: str, raw: bytes) -> SourcedTime | None:
        """The date of a file's last commit; None when it is not tracked, or is not as it was committed."""
        blob, when = self.blobs.get(relative), self.times.get(relative)
        if blob is None or when is None or not same_content(raw, blob):
            return None
        try:
            return second(when, "git")
        except BadTime:
            return None


def same_content(raw: bytes, blob: str) -> bool:
    """Whether a file holds what a blob holds, line ends aside.

    Hashed here and not asked of git, whose `status` runs the filters that a repository names.
    """
    return _blob(raw, blob) == blob or (b"\r\n" in raw and _blob(raw.replace(b"\r\n", b"\n"), blob) == blob)


def _blob(raw: bytes, like: str) -> str:
    digest = hashlib.sha256() if len(like) == 64 else hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(raw))
    digest.update(raw)
    return digest.hexdigest()


def git_dates(git: Git) -> GitDates:
    """Asks git about a folder. Raises GitFailed, also for a shallow clone, whose dates are not true."""
    layout = git.layout()
    if layout.shallow:
        raise GitFailed(
            "this is a shallow clone: its first commit seems to touch all files", "git fetch --unshallow"
        )
    if not layout.head:
        return GitDates()
    which = ("--topo-order", "-c", "--no-renames", layout.head, "--", ".")
    log = git.ask(
        "log", "-z", "--no-color", "--no-show-signature", "--name-only", "--format=tformat:/%ct", *which
    )
    return GitDates(tree(git, layout.head), _last_touched(log, layout.prefix))


def _last_touched(log: bytes, prefix: str) -> dict[str, int]:
    """Newest first: `/` and a time, then the paths from the repository's top."""
    times: dict[str, int] = {}
    when = 0
    for token in log.split(b"\0"):
        piece = token.lstrip(b"\n")
        if piece.startswith(b"/"):
            when = int(piece[1:])
        elif piece:
            path = os.fsdecode(piece)
            if path.startswith(prefix):
                times.setdefault(path[len(prefix) :], when)
    return times

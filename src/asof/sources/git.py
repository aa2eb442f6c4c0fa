"""git, asked for what it knows: no shell, no hooks, no filters, no network, no locks, an end to waiting."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from asof.errors import SourceError
from asof.sources.inherited import inherited

TIMEOUT = 300
"""How long git may take for one question about the whole history."""

_INHERITED = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")
_HARDENED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotepath=off",
    "log.showSignature=false",
    "log.follow=false",
    "diff.renames=false",
    "protocol.allow=never",  # a partial clone would fetch what it lacks
)
_SKIP = 2**20


class GitFailed(SourceError):
    """git failed; `remedy` says what to do, when that is known."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} ({remedy})" if remedy else message)
        self.message = message
        self.remedy = remedy


def in_work_tree(folder: Path) -> bool:
    """Whether a `.git` lies in the folder or above; git itself is not asked."""
    folder = folder.resolve()
    return any((place / ".git").exists() for place in (folder, *folder.parents))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a folder lies in its repository: the path from the top (ends in a slash, or empty)."""

    prefix: str
    shallow: bool
    head: str  # the commit's id; empty before the first commit


@dataclass(frozen=True, slots=True)
class Git:
    """The git that is asked about one folder. Every method raises GitFailed."""

    folder: Path

    def layout(self) -> Layout:
        output = self.ask("rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix")
        inside, shallow, prefix = os.fsdecode(output).split("\n")[:3]
        if inside != "true":
            raise GitFailed("it lies in a git repository, but in no work tree")
        try:
            head = self.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
        except GitFailed:
            head = ""
        return Layout(prefix, shallow == "true", head)

    def ask(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """The output of a git command, which reads `stdin`."""
        try:
            done = subprocess.run(  # noqa: S603
                self._command(arguments),
                input=stdin,
                capture_output=True,
                timeout=TIMEOUT,
                env=_environment(),
                check=False,
            )
        except OSError as wrong:
            raise GitFailed(f"git cannot be run: {wrong.strerror}", "install git") from None
        except subprocess.TimeoutExpired:
            raise GitFailed(f"git {arguments[0]} took more than {TIMEOUT} seconds") from None
        if done.returncode:
            raise self._failed(arguments[0], done.stderr)
        return done.stdout

    @contextmanager
    def blobs(self) -> Iterator[Blobs]:
        """A process that hands out the content of blobs."""
        process = subprocess.Popen(  # noqa: S603
            self._command(("cat-file", "--batch")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        try:
            yield Blobs(process)
        finally:
            process.kill()
            process.communicate()

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        folder = str(self.folder.absolute())
        return ["git", "--no-optional-locks", "--no-pager", "-C", folder, *settings, *arguments]

    def _failed(self, command: str, stderr: bytes) -> GitFailed:
        lines = stderr.decode("utf-8", "replace").strip().splitlines()
        if any("dubious ownership" in line for line in lines):
            return GitFailed(
                "git does not trust this repository: it belongs to another user",
                f"git config --global --add safe.directory {self.folder.resolve()}",
            )
        return GitFailed(f"git {command}: {lines[0] if lines else 'failed without a word'}")


class Blobs:
    """Reads blobs through one `git cat-file --batch`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None  # noqa: S101  both are pipes
        assert process.stdout is not None  # noqa: S101
        self._ask, self._answer = process.stdin, process.stdout

    def read(self, blob: str, largest: int) -> bytes | int:
        """The content of a blob, or its size when that is more than `largest`. Raises GitFailed."""
        try:
            self._ask.write(blob.encode() + b"\n")
            self._ask.flush()
        except BrokenPipeError:
            raise GitFailed("git cat-file ended early") from None
        header = self._answer.readline().split()
        if len(header) != 3:
            raise GitFailed(
                f"blob {blob[:12]} is not in the repository", "fetch it: git fetch --refetch --no-filter"
            )
        left = size = int(header[2])
        content = self._answer.read(size) if size <= largest else None
        while content is None and left:
            left -= len(self._answer.read(min(left, _SKIP)))
        self._answer.read(1)
        return size if content is None else content


def _environment() -> dict[str, str]:
    """Of the caller's only where programs and the user's git settings are; not the GIT_DIR of a hook."""
    return inherited(_INHERITED) | _HARDENED


def tree(git: Git, commit: str) -> dict[str, str]:
    """The regular files of a commit below the folder: path from the folder -> blob."""
    files: dict[str, str] = {}
    for entry in git.ask("ls-tree", "-r", "-z", commit).split(b"\0"):
        about, _, path = entry.partition(b"\t")
        if about.startswith(b"100"):
            files[os.fsdecode(path)] = about.split()[2].decode()
    return files

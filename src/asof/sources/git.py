"""Runs git without shell, hooks, filters, network or locks, with a timeout; dates of files, and commits.

The history of a branch is its first parents: as of a moment its state is the tree that the branch had, so
what another branch did counts from its merge. Commits are taken in the order of their effective dates: the
committer's date, or the latest of the parents' where that is later (a clock that went back). A file that was
moved goes on living under its new path, by what `git diff -M` finds between a commit and its parent.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from asof.documents import SourcedTime
from asof.errors import BadTime, SourceError
from asof.sources.dates import second

# -- environment of subprocesses -----------------------------------------------------------------------


def inherited(names: Iterable[str]) -> dict[str, str]:
    """The variables of these names, as far as they are set."""
    return {name: os.environ[name] for name in names if name in os.environ}


# -- git -----------------------------------------------------------------------------------------------

TIMEOUT = 300
"""The timeout of one git command about the whole history."""

_INHERITED = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")
_HARDENED = {
    "GIT_ALLOW_PROTOCOL": "",  # a partial clone would fetch what it lacks
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
    "protocol.allow=never",
)
_SKIP = 2**20


class GitFailed(SourceError):
    """git failed; `remedy`: what to do, if known."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} ({remedy})" if remedy else message)
        self.message = message
        self.remedy = remedy


def in_work_tree(folder: Path) -> bool:
    """True if a `.git` exists in the folder or above; git itself is not run."""
    folder = folder.resolve()
    return any((place / ".git").exists() for place in (folder, *folder.parents))


class Layout(Struct, frozen=True):
    """The position of a folder in its repository: the path from the top (ends in a slash, or empty)."""

    prefix: str
    shallow: bool
    head: str  # the commit's id; empty before the first commit


class Git(Struct, frozen=True):
    """Runs git for one folder. Every method raises GitFailed."""

    folder: Path

    def layout(self, branch: str = "") -> Layout:
        """The layout, with the last commit of a branch (empty: HEAD)."""
        output = self.ask("rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix")
        inside, shallow, prefix = os.fsdecode(output).split("\n")[:3]
        if inside != "true":
            raise GitFailed("it lies in a git repository, but in no work tree")
        try:
            name = f"{branch or 'HEAD'}^{{commit}}"
            head = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", name).decode().strip()
        except GitFailed:
            if branch:
                raise GitFailed(f"there is no branch {branch!r}", "git branch --all lists them") from None
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

    def pipe(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A git command that is asked and answers as long as it is open."""
        return subprocess.Popen(  # noqa: S603
            self._command(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )

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
    """Reads blobs through one `git cat-file --batch`, which ends where a partial clone lacks one: which these
    are is asked then."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None
        self._missing: set[str] | None = None

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def read(self, blob: str, largest: int) -> bytes | int | None:
        """The content of a blob, or its size when that is more than `largest`; None for one that is not in
        the repository. Raises GitFailed."""
        if blob in (self._missing or ()):
            return None
        header = self._header(blob)
        if not header and self._missing is None:
            listed = self._git.ask("rev-list", "--objects", "--missing=print", "--all", "HEAD").split()
            self._missing = {name[1:].decode() for name in listed if name.startswith(b"?")}
            self.close()
            return self.read(blob, largest)
        if header[1:] == [b"missing"]:
            return None
        if len(header) != 3:
            raise GitFailed("git cat-file ended early")
        return self._content(int(header[2]), largest)

    def _header(self, blob: str) -> list[bytes]:
        """What git says of a blob before its content; nothing where it has ended."""
        if self._process is None:
            self._process = self._git.pipe("cat-file", "--batch")
        ask, answer = self._process.stdin, self._process.stdout
        assert ask is not None  # noqa: S101  both are pipes
        assert answer is not None  # noqa: S101
        with suppress(BrokenPipeError):
            ask.write(blob.encode() + b"\n")
            ask.flush()
        return answer.readline().split()

    def _content(self, size: int, largest: int) -> bytes | int:
        answer = self._process and self._process.stdout
        assert answer  # noqa: S101  it has answered
        content = answer.read(size) if size <= largest else None
        left = size if content is None else 0
        while left:
            left -= len(answer.read(min(left, _SKIP))) or left  # all of it where git has ended
        answer.read(1)
        return size if content is None else content


def _environment() -> dict[str, str]:
    """The environment of git: variables for programs and the user's git settings; no GIT_DIR of a hook."""
    return inherited(_INHERITED) | _HARDENED


def tree(git: Git, commit: str) -> dict[str, str]:
    """The regular files of a commit below the folder: path from there -> blob."""
    files: dict[str, str] = {}
    for entry in git.ask("ls-tree", "-r", "-z", commit).split(b"\0"):
        about, _, path = entry.partition(b"\t")
        if about.startswith(b"100"):
            files[os.fsdecode(path)] = about.split()[2].decode()
    return files


# -- commit dates of files -----------------------------------------------------------------------------


class GitDates(Struct, frozen=True):
    """For each committed file its blob, and the time of the last commit that changed it."""

    blobs: dict[str, str] = msgspec.field(default_factory=dict)
    times: dict[str, int] = msgspec.field(default_factory=dict)

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
    """True if a file has the content of a blob, line ends aside.

    Hashed here, as git's `status` runs the filters that a repository names.
    """
    return _blob(raw, blob) == blob or (b"\r\n" in raw and _blob(raw.replace(b"\r\n", b"\n"), blob) == blob)


def _blob(raw: bytes, like: str) -> str:
    digest = hashlib.sha256() if len(like) == 64 else hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(raw))
    digest.update(raw)
    return digest.hexdigest()


def git_dates(git: Git) -> GitDates:
    """Reads the commit dates of a folder. Raises GitFailed, also for a shallow clone (wrong dates)."""
    layout = git.layout()
    if layout.shallow:
        raise GitFailed(
            "this is a shallow clone: its first commit seems to touch all files", "git fetch --unshallow"
        )
    if not layout.head:
        return GitDates()
    which = ("--first-parent", "-m", "--no-renames", layout.head, "--", ".")
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


# -- commits in order, and what they did to files ------------------------------------------------------

Blob = str | None
"""The id of a file's content; None: the file does not exist."""


class GitCommit(Struct, frozen=True):
    """A commit, its first parent ("": none), and its effective date, in seconds since 1970."""

    id: str
    parent: str
    when: int


def commits(git: Git, head: str) -> tuple[list[GitCommit], int]:
    """A commit and its first parents, oldest first, and how many were dated before their parent. Raises
    GitFailed."""
    listed = git.ask("rev-list", "--first-parent", "--reverse", "--parents", "--timestamp", head)
    history: list[GitCommit] = []
    clamped, when = 0, -inf
    for line in listed.decode().splitlines():
        stamp, commit, *parents = line.split()
        clamped += when > int(stamp)
        when = max(int(stamp), when)
        history.append(GitCommit(commit, parents[0] if parents else "", int(when)))
    return history, clamped


class CommitChanges(Struct):
    """The files that differ from a parent's, by path from the repository's top, and moved ones: new path ->
    old one."""

    files: dict[str, Blob] = msgspec.field(default_factory=dict)
    moved: dict[str, str] = msgspec.field(default_factory=dict)


def differences(
    git: Git, history: Iterable[GitCommit], accepted: Callable[[str], bool]
) -> tuple[dict[str, CommitChanges], str]:
    """The changes of each commit to accepted files, and why files that were moved and changed at once are not
    known to be the same, "" where they are. Raises GitFailed."""
    pairs = "".join(f"{each.id} {each.parent}\n" for each in history)
    command = ("diff-tree", "--stdin", "-r", "-z", "--root", "-l2000")
    try:
        answer, unknown = git.ask(*command, "-M", stdin=pairs.encode()), ""
    except GitFailed as wrong:  # in a partial clone, say: no content is read then
        answer, unknown = git.ask(*command, "-M100%", stdin=pairs.encode()), wrong.message
    by_commit: dict[str, CommitChanges] = {}
    changes = CommitChanges()
    tokens = iter(answer.split(b"\0"))
    for token in tokens:
        if token.startswith(b":"):
            _, mode, _, blob, status = token.split()
            path = old = os.fsdecode(next(tokens))
            if status.startswith(b"R"):
                path = os.fsdecode(next(tokens))
                changes.moved.setdefault(path, old)
                if accepted(old):
                    changes.files[old] = None
            if accepted(path):  # a link or a submodule is no file
                changes.files[path] = blob.decode() if mode.startswith(b"100") else None
        elif token:
            changes = by_commit.setdefault(token.decode().split()[0], CommitChanges())
    return by_commit, unknown


class FileChange(NamedTuple):
    """The state of a file at a commit (`blob` None: it was deleted), `when` in seconds since 1970; `header`:
    the blob of the file that holds its header, if there is one."""

    path: str
    blob: Blob
    commit: str
    when: int
    header: Blob = None

    def token(self, before: bytes) -> bytes:
        """The token of this state of the file and all `before`; the commit's id is not part of it."""
        state = f"{self.blob} {self.header} {self.when} {self.path}".encode(errors="surrogateescape")
        return hashlib.blake2b(state, digest_size=16, key=before).digest()


class FileLife(Struct):
    """A file from its first commit to its deletion, at whatever paths. `owner`: the number of the commit that
    set it last."""

    path: str
    blob: Blob = None
    owner: int = 0
    changes: list[FileChange] = msgspec.field(default_factory=list)


class Replay(Struct):
    """The commits of a history, applied one after the other."""

    git: Git
    history: list[GitCommit]
    differences: dict[str, CommitChanges]
    living: dict[str, FileLife] = msgspec.field(default_factory=dict)

    def lives(self) -> list[FileLife]:
        """All files of the history, each with its changes, oldest first; of one second the last state, and
        the commit that set it. Raises GitFailed."""
        every: list[FileLife] = []
        touched: dict[int, FileLife] = {}
        for number, commit in enumerate(self.history):
            changes = self.differences.get(commit.id, CommitChanges())
            self._move(changes.files, changes.moved)
            for path, blob in changes.files.items():
                life = self.living.get(path)
                if life is None:
                    if blob is None:
                        continue
                    life = self.living[path] = FileLife(path)
                    every.append(life)
                elif blob is None:
                    del self.living[path]
                life.path, life.blob, life.owner = path, blob, number
                touched[id(life)] = life
            if number + 1 == len(self.history) or self.history[number + 1].when != commit.when:
                for life in touched.values():
                    self._settle(life, commit.when)
                touched.clear()
        return [life for life in every if life.changes]

    def _move(self, files: Mapping[str, Blob], moved: Mapping[str, str]) -> None:
        """Files that are gone from one path and new at another go on there."""
        pairs = [
            (new, old)
            for new, old in moved.items()
            if files.get(new) and new not in self.living and old in self.living and not files.get(old, "here")
        ]
        for new, life in [(new, self.living.pop(old)) for new, old in pairs]:
            self.living[new] = life

    def _settle(self, life: FileLife, when: int) -> None:
        before = life.changes[-1][:2] if life.changes else (life.path, None)
        if before != (life.path, life.blob):
            commit = self.history[life.owner].id
            life.changes.append(FileChange(life.path, life.blob, commit, when))

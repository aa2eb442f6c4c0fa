"""Runs git without shell, hooks, filters, network or locks, with limits of time and memory; dates of files,
and commits.

A repository may come from anybody. No other one is read through it: see `repository_of`. Objects that it
takes from another one (`objects/info/alternates`) are read, as its own commits name them by their hashes.

The history of a branch is its first parents: as of a moment its state is the tree that the branch had, so
what another branch did counts from its merge. Commits are taken in the order of their effective dates: the
committer's date, or the latest of the parents' where that is later (a clock that went back). A file that was
moved goes on living under its new path, by what `git diff -M` finds between a commit and its parent.
"""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from math import inf
from pathlib import Path
from threading import Timer
from typing import NamedTuple

import msgspec
from msgspec import Struct

from asof.documents import SourcedTime
from asof.errors import BadTime, SourceError
from asof.files import NotAFile, read_file
from asof.sources.dates import second

# -- environment of subprocesses -----------------------------------------------------------------------


def inherited(names: Iterable[str]) -> dict[str, str]:
    """The variables of these names, as far as they are set."""
    return {name: os.environ[name] for name in names if name in os.environ}


# -- git -----------------------------------------------------------------------------------------------

TIMEOUT, MEMORY = 300, 2 * 2**30
"""The most seconds of one git command about the whole history, and the most bytes that git allocates."""

_INHERITED = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")
_HARDENED = {
    "GIT_ALLOW_PROTOCOL": "",  # a partial clone would fetch what it lacks
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}
_SETTINGS = (
    "core.attributesFile=/dev/null",  # what git reads by name can be a pipe, or without end
    "core.excludesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotepath=off",
    "log.showSignature=false",
    "log.follow=false",
    "log.mailmap=false",
    "mailmap.file=/dev/null",
    "mailmap.blob=",
    "diff.orderFile=/dev/null",
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
        place = repository_of(self.folder)
        about = ("--is-inside-work-tree", "--is-shallow-repository", "--show-prefix", "--absolute-git-dir")
        inside, shallow, prefix, found = os.fsdecode(self.ask("rev-parse", *about)).split("\n")[:4]
        if Path(found) != place:
            raise GitFailed(f"git takes {found} for its repository, and not {place}")
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
        with self.pipe(*arguments, errors=subprocess.PIPE) as process:
            try:
                output, errors = process.communicate(stdin, TIMEOUT)
            except BaseException as wrong:
                process.kill()
                if isinstance(wrong, subprocess.TimeoutExpired):
                    raise GitFailed(f"git {arguments[0]} took more than {TIMEOUT} seconds") from None
                raise
        if process.returncode:
            raise self._failed(arguments[0], errors)
        return output

    def pipe(self, *arguments: str, errors: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """A git command that is asked and answers as long as it is open."""
        command, pipe = self._command(arguments), subprocess.PIPE
        env = inherited(_INHERITED) | _HARDENED  # no GIT_DIR of a hook
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, env=env)  # noqa: S603
        except OSError as wrong:
            raise GitFailed(f"git cannot be run: {wrong.strerror}", "install git") from None
        if hasattr(resource, "prlimit"):  # not of address space, of which packs take as much as they have
            with suppress(OSError, ValueError):  # it has ended, or has a lower limit
                resource.prlimit(process.pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))
        return process

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
        self._process = process = self._process or self._git.pipe("cat-file", "--batch")
        late = Timer(TIMEOUT, process.kill)
        late.start()
        try:
            header = self._header(process, blob)
            if len(header) == 3:
                return self._content(process, int(header[2]), largest)
        finally:
            late.cancel()
        if not header and self._missing is None:
            listed = self._git.ask("rev-list", "--objects", "--missing=print", "--all", "HEAD").split()
            self._missing = {name[1:].decode() for name in listed if name.startswith(b"?")}
            self.close()
            return self.read(blob, largest)
        if header[1:] == [b"missing"]:
            return None
        raise GitFailed("git cat-file ended early")

    @staticmethod
    def _header(process: subprocess.Popen[bytes], blob: str) -> list[bytes]:
        """What git says of a blob before its content; nothing where it has ended."""
        ask, answer = process.stdin, process.stdout
        assert ask is not None  # noqa: S101  both are pipes
        assert answer is not None  # noqa: S101
        with suppress(BrokenPipeError):
            ask.write(blob.encode() + b"\n")
            ask.flush()
        return answer.readline().split()

    @staticmethod
    def _content(process: subprocess.Popen[bytes], size: int, largest: int) -> bytes | int:
        answer = process.stdout
        assert answer is not None  # noqa: S101  it is a pipe
        content = answer.read(size) if size <= largest else None
        left = size if content is None else 0
        while left:
            left -= len(answer.read(min(left, _SKIP))) or left  # all of it where git has ended
        answer.read(1)
        return size if content is None else content


# -- the repository of a folder ------------------------------------------------------------------------

_LARGEST, _MOST = 2**20, 50
"""The most bytes of a file of settings, and the most of them."""

_BRANCHES = frozenset({"HEAD", "packed-refs", "refs", "reftable"})


def dot_git(folder: Path) -> Path | None:
    """The nearest `.git`, in the folder or above; git itself is not run."""
    folder = folder.resolve()
    places = (place / ".git" for place in (folder, *folder.parents))
    return next((place for place in places if place.exists()), None)


def repository_of(folder: Path) -> Path:
    """The folder of the repository that the nearest `.git` is or names, once git may run there.

    Refused (GitFailed) are those of others: a `.git` that leads out of its folder to a repository which does
    not name this folder in turn, as those of work trees and submodules do; a repository that shares the
    history of another one, or whose branches are links; and settings that include what is no file.
    """
    try:
        dot = dot_git(folder)
        place = _named_by(dot) if dot else None
        if dot is None or place is None:
            raise GitFailed(f"{dot or folder} names no repository")
        shared = (place / (_words(place / "commondir") or ".")).resolve()
        settings = _checked_settings(place, shared)
        named = place / _words(place / "gitdir"), place / settings.get("core.worktree", ".") / ".git"
        if not place.is_relative_to(dot.parent) and dot not in (x.parent.resolve() / x.name for x in named):
            raise GitFailed(
                f"{dot} leads to {place}, a repository that does not name {dot.parent}",
                f"if both are yours: git config --file {place}/config core.worktree {dot.parent}",
            )
        if not (shared.is_relative_to(dot.parent) or place.is_relative_to(shared)):
            raise GitFailed(f"{place} takes its history from another repository, {shared}")
        for link in (*_links(place), *_links(shared)):
            raise GitFailed(f"{link} is a link or no file: branches of other repositories are not read")
    except (OSError, RuntimeError, ValueError) as wrong:
        raise GitFailed(f"the repository cannot be read: {wrong}") from None
    return place


def _named_by(dot: Path) -> Path | None:
    """The folder that a `.git` is, or that the file names."""
    place = dot.resolve()
    if place.is_dir():
        return place
    key, _, name = _words(place).partition(":")
    return (dot.parent / name.strip()).resolve() if key == "gitdir" else None


def _words(file: Path) -> str:
    """The content of a file that is no link; "" if there is none. Raises OSError, GitFailed."""
    try:
        return os.fsdecode(read_file(file, _LARGEST)).strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except NotAFile:
        raise GitFailed(f"{file} is a link or no file") from None


def _checked_settings(*places: Path) -> dict[str, str]:
    """Settings of a repository on other files and folders. Raises OSError, GitFailed where they stand in, or
    include, what is no file of a limited size."""
    found: dict[str, str] = {}
    files = [place / name for place in dict.fromkeys(places) for name in ("config", "config.worktree")]
    for file in files:
        words = _words(file.resolve()).lower()
        if "include" not in words and "worktree" not in words:
            continue
        # run in no repository, whose settings git would read
        listed = Git(Path(file.anchor)).ask("config", "--file", str(file), "--no-includes", "--list", "-z")
        for setting in os.fsdecode(listed).split("\0"):
            name, _, value = setting.partition("\n")
            found[name] = value
            if name.startswith("include") and name.endswith(".path"):
                if value.startswith("%") or len(files) >= _MOST:
                    raise GitFailed(f"{file} includes too much, or what stands in no folder: {value}")
                files.append(file.parent / Path(value).expanduser())
    return found


def _links(place: Path) -> Iterator[Path]:
    """What stands among the branches of a repository and is neither a file nor a folder."""
    for folder, folders, files in os.walk(place):
        if Path(folder) == place:
            folders[:], files[:] = _BRANCHES.intersection(folders), _BRANCHES.intersection(files)
        for each in (Path(folder, name) for name in (*folders, *files)):
            if each.is_symlink() or not (each.is_file() or each.is_dir()):
                yield each


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

    history: list[GitCommit]
    differences: dict[str, CommitChanges]
    living: dict[str, FileLife] = msgspec.field(default_factory=dict)

    def lives(self) -> list[FileLife]:
        """All files of the history, each with its changes, oldest first; of one second the last state, and
        the commit that set it."""
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

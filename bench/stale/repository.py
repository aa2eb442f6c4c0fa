"""The documents of a git repository: which commit changed which, and what each said before."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SUFFIXES = (".md", ".mdx", ".rst", ".txt", ".adoc", ".html")
_NONE = "0" * 40
_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_LAZY_FETCH": "1"}


@dataclass(frozen=True, slots=True)
class Change:
    """One document in one commit; `old` or `new` is empty where it was added or removed."""

    path: str
    old: str
    new: str
    time: int


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that is no merge, with the documents that it changed."""

    id: str
    time: int
    changes: tuple[Change, ...]


class Repository:
    """What git says of a repository; `folder` is a work tree or a git directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commits = tuple(self._log())
        made: dict[tuple[str, str], list[Change]] = defaultdict(list)
        for commit in self.commits:
            for change in commit.changes:
                made[change.path, change.new].append(change)
        self._made: Mapping[tuple[str, str], Sequence[Change]] = made
        self._cat = subprocess.Popen(
            [*self._git, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ENVIRONMENT},
        )
        self.blob = lru_cache(maxsize=20_000)(self._blob)

    @property
    def _git(self) -> tuple[str, ...]:
        return ("git", "-C", str(self.folder), "-c", "core.quotePath=false")

    def _run(self, *words: str) -> str:
        out = subprocess.run(
            [*self._git, *words], check=True, capture_output=True, env={**os.environ, **_ENVIRONMENT}
        )
        return out.stdout.decode("utf-8", "replace")

    def _log(self) -> Iterator[Commit]:
        globs = [f":(glob)**/*{suffix}" for suffix in SUFFIXES]
        form = ("--no-merges", "--raw", "--no-abbrev", "--no-renames", "-z", "--format=%x01%H %ct")
        for part in self._run("log", *form, "--", *globs).split("\x01")[1:]:
            head, *fields = part.strip("\x00\n").split("\x00")
            name, time = head.split()
            fields = [field.strip("\n") for field in fields if field.strip("\n")]
            changes = []
            for what, path in zip(fields[::2], fields[1::2], strict=False):
                _, mode, old, new, _ = what.removeprefix(":").split()
                if mode != "120000":
                    changes.append(Change(path, old.replace(_NONE, ""), new.replace(_NONE, ""), int(time)))
            yield Commit(name, int(time), tuple(changes))

    def _blob(self, name: str) -> str | None:
        """The text of a blob; None where it is absent or no UTF-8."""
        assert self._cat.stdin is not None
        assert self._cat.stdout is not None
        self._cat.stdin.write(name.encode() + b"\n")
        self._cat.stdin.flush()
        head = self._cat.stdout.readline().split()
        if head[-1] == b"missing":
            return None
        raw = self._cat.stdout.read(int(head[2]) + 1)[:-1]
        try:
            return raw.decode().replace("\r\n", "\n")
        except UnicodeDecodeError:
            return None

    def tree(self, commit: str) -> dict[str, str]:
        """The blobs of the documents at a commit, by path."""
        found = {}
        for entry in self._run("ls-tree", "-r", "-z", commit).split("\x00"):
            what, _, path = entry.partition("\t")
            if path.lower().endswith(SUFFIXES) and what.startswith("100"):
                found[path] = what.split()[2]
        return found

    def versions(self, path: str, blob: str, until: int, most: int) -> list[tuple[int, str]]:
        """(time, blob) of the last versions of a document, up to the one that is `blob`, oldest first."""
        found: list[tuple[int, str]] = []
        while blob and len(found) < most:
            change = next((each for each in self._made.get((path, blob), ()) if each.time <= until), None)
            if change is None:
                break
            found.append((change.time, blob))
            blob, until = change.old, change.time - 1
        return found[::-1]

    def close(self) -> None:
        assert self._cat.stdin is not None
        assert self._cat.stdout is not None
        self._cat.stdin.close()
        self._cat.stdout.close()
        self._cat.wait()

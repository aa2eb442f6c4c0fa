"""A source of every version of every text in a folder's git history, each published when it was committed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from asof.errors import BadTime, SourceError
from asof.sources import dates
from asof.sources.dates import of_file, second
from asof.sources.files import (
    Files,
    FoundFile,
    InputTooLarge,
    content,
    document,
    notes,
    survey,
    unread,
    unreadable,
)
from asof.sources.git import (
    ALL,
    Blobs,
    FileChange,
    Git,
    GitFailed,
    Replay,
    commits,
    in_work_tree,
    same_content,
    tree,
)
from asof.sources.readers import NotText, ParsedFile, Unreadable, decoded, parsed, suffix, suffixes
from asof.sources.records import JsonLines
from asof.sources.source import Fields, InputLimits, SourceNaming, printable, token
from asof.values import Checkpoint, Document, Ended, Problem, SourceEvent, Unchanged


class History:
    """The documents of a folder as they were committed, and as they are in the work tree now.

    `branch`: the branch whose history it is (empty: that of HEAD; ALL: all that HEAD has merged).
    It is complete, for all times: files that the work tree had and does not have any more have ended. Files
    with the states that they had in an earlier run are not read again, those with more from there on.
    """

    kind = "history"
    complete = True
    replaces_history = True

    def __init__(self, naming: SourceNaming, limits: InputLimits, fields: Fields, branch: str = "") -> None:
        self.name = naming.name
        self.naming = naming
        self.limits = limits
        self.dating = dates.DateFields(fields, dates.DateOrder(fields.order))
        self.branch = branch
        self._reported: set[tuple[str, str]] = set()
        self._suffixes = suffixes()
        self._start = token("history", repr((fields, limits, self._suffixes)))
        self._checkpoints: Mapping[str, bytes] = {}

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._checkpoints = checkpoints

    def documents(self) -> Iterator[SourceEvent]:
        if not in_work_tree(self.naming.target):
            raise SourceError(
                f"{self.naming.shown} is in no git work tree; without --history it is read as it is now"
            )
        git = Git(self.naming.target)
        try:
            every = self.branch == ALL
            layout = git.layout()
            head = layout.head if every or not self.branch else git.layout(self.branch).head
            if layout.shallow:
                raise SourceError(
                    f"{self.naming.shown} is a shallow clone, which lacks older versions; get them with:"
                    " git fetch --unshallow"
                )
            self._reported.clear()
            with git.blobs() as blobs:
                if head:
                    past, clamped = commits(git, head, every=every)
                    if clamped:
                        are = "1 commit is" if clamped == 1 else f"{clamped} commits are"
                        said = f"{are} dated before a parent, and taken to be as late as that"
                        yield Problem(said, self.naming.shown, lost=False)
                    changes = [each for each in Replay(git, past).changes() if self._is_accepted(each.path)]
                    yield from self._versions(blobs, changes)
                if head == layout.head:  # else the work tree is not that of the branch
                    yield from self._work_tree(git, blobs, tree(git, head) if head else {})
        except GitFailed as wrong:
            raise SourceError(f"{self.naming.shown}: {wrong}") from wrong

    def _versions(self, blobs: Blobs, changes: Sequence[FileChange]) -> Iterator[SourceEvent]:
        """All versions that no checkpoint covers, each with the checkpoint for those of its file so far.

        A token chains the states of a file, so that a history that was rewritten is read anew from its
        beginning. After a version that cannot be read a file has no checkpoints, and it is tried again.
        """
        states: list[bytes] = []
        before: dict[str, bytes] = {}
        stored: dict[str, int] = {}  # for each file the number of the last change that its checkpoint covers
        for number, change in enumerate(changes):
            states.append(change.token(before.get(change.path, self._start)))
            before[change.path] = states[-1]
            if self._checkpoints.get(self.naming.id(change.path)) == states[-1]:
                stored[change.path] = number
        yield from (Unchanged(self.naming.id(path)) for path in stored)
        unread: set[str] = set()
        for number, (change, state) in enumerate(zip(changes, states, strict=True)):
            path = change.path
            if number <= stored.get(path, -1):
                continue
            for item in self._version(blobs, change):
                if isinstance(item, Problem) and item.lost:
                    unread.add(path)
                yield item
            if path not in unread:
                yield Checkpoint(self.naming.id(path), state)

    def _version(self, blobs: Blobs, change: FileChange) -> Iterator[Document | Ended | Problem]:
        """The statement of a file at a commit: a version, its end, or a problem."""
        path, blob, commit, when = change
        try:
            at = second(when, "git")
        except BadTime as wrong:
            yield from self._once(Problem(str(wrong), f"{self.naming.file(path)}@{commit[:12]}"))
            return
        if blob is None:
            yield Ended(self.naming.id(path), at)
            return
        try:
            raw = blobs.read(blob, self.limits.file)
            if isinstance(raw, int):
                raise InputTooLarge(raw, self.limits.file)
            page = _one(parsed(raw, path, self.limits))
        except Unreadable as wrong:
            if wrong.empty:
                yield Ended(self.naming.id(path), at)
            else:
                yield from self._once(unreadable(self.naming, path, wrong, commit))
            return
        page_dates = dates.dates_in(page, self.dating, published=False)
        for note in notes(self.naming, path, (*page.notes, *page_dates.notes), commit):
            yield from self._once(note)
        yield document(self.naming.id(path), page, page_dates, at, None)

    def _once(self, problem: Problem) -> Iterator[Problem]:
        """A problem that stays from version to version is reported once."""
        key = (problem.file.rpartition("@")[0], problem.message)
        if key not in self._reported:
            self._reported.add(key)
            yield problem

    def _work_tree(self, git: Git, blobs: Blobs, head: dict[str, str]) -> Iterator[Document | Problem]:
        """The uncommitted state: edits and new files. Files that git ignores are no part of the history."""
        listing = survey(self.naming)
        yield from listing.problems
        yield from unread(self.naming, listing.others)
        listed = git.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        known = {os.fsdecode(path) for path in listed.split(b"\0")}
        present = {file.relative for file in listing.files}
        for file in listing.files:
            if file.relative in known:
                yield from self._edited(blobs, file, head.get(file.relative))
        blocked = {problem.document for problem in listing.problems}
        for path in sorted(head):
            if self._is_accepted(path) and path not in present and self.naming.id(path) not in blocked:
                yield Problem(
                    "the file is deleted, and that is not committed: it stays current",
                    self.naming.file(path),
                    remedy="commit the deletion",
                    lost=False,
                )

    def _edited(self, blobs: Blobs, file: FoundFile, blob: str | None) -> Iterator[Document | Problem]:
        try:
            raw = content(self.naming.target / file.relative, self.limits.file)
            if blob and (same_content(raw, blob) or self._same_text(blobs, raw, blob)):
                return
            page = _one(parsed(raw, file.relative, self.limits))
        except Unreadable as wrong:
            yield unreadable(self.naming, file.relative, wrong)
            return
        page_dates = dates.dates_in(page, self.dating, published=False)
        yield from notes(self.naming, file.relative, (*page.notes, *page_dates.notes))
        yield document(self.naming.id(file.relative), page, page_dates, None, of_file(file.mtime))

    def _same_text(self, blobs: Blobs, raw: bytes, blob: str) -> bool:
        """True if a file that differs from its blob in bytes has the same text (in another encoding, say)."""
        committed = blobs.read(blob, self.limits.file)
        try:
            return isinstance(committed, bytes) and decoded(raw).text == decoded(committed).text
        except NotText:
            return False

    def _is_accepted(self, path: str) -> bool:
        """True if a folder's source would read such a file (one whose name is not UTF-8 is a problem)."""
        hidden = path.startswith(".") or "/." in path
        return not hidden and suffix(path) in self._suffixes and printable(path) == path


def _one(page: ParsedFile) -> ParsedFile:
    """The page of a file that is one document. Raises Unreadable for one that holds several (a mailbox)."""
    if page.parts:
        count = len(page.parts) + bool(page.text.strip())
        raise Unreadable(
            f"it holds {count} documents, and a history is read of files that are one each",
            "index it without --history",
        )
    return page


# -- opens the source of a path ------------------------------------------------------------------------


def open_source(
    target: Path,
    *,
    root: Path,
    history: bool = False,
    branch: str = "",
    fields: Fields = Fields(),  # noqa: B008  a frozen value
    trust_mtime: bool = False,
    limits: InputLimits = InputLimits(),  # noqa: B008
) -> Files | JsonLines | History:
    """The source of a path `target`, named by its path from `root`, the corpus's folder.

    With `history` or a `branch` every version in the folder's git history is stated (see `History`). Raises
    SourceError, which tells what is accepted, for a path that is not there or of no known kind.
    """
    try:
        folder, file = target.is_dir(), target.is_file()
    except OSError as wrong:
        raise SourceError(f"{target} cannot be read: {wrong.strerror}") from wrong
    naming = SourceNaming.of(target, root)
    if history or branch:
        if not folder:
            raise SourceError(f"{target} is no folder; --history reads a folder in a git work tree")
        return History(naming, limits, fields, branch)
    if folder:
        return Files(naming, limits, fields, trust_mtime=trust_mtime)
    if not file:
        what = "is neither a file nor a folder" if target.exists() else "does not exist"
        raise SourceError(f"{target} {what}; {_accepted()}")
    if target.name.lower().endswith((".jsonl", ".jsonl.gz")):
        return JsonLines(naming, fields, limits)
    if suffix(target.name) in suffixes():
        return Files(naming, limits, fields, trust_mtime=trust_mtime)
    raise SourceError(f"{target} is of no kind that can be read; {_accepted()}")


def _accepted() -> str:
    return f"accepted are a folder, and files that end in .jsonl, .jsonl.gz, {', '.join(suffixes())}"

"""A source of every version of every text in a folder's git history, each published when it was committed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from pathlib import Path, PurePosixPath

from msgspec import Struct

from asof.documents import Checkpoint, Document, Ended, Problem, SourceEvent, Unchanged
from asof.errors import BadTime, SourceError
from asof.sources import dates, files
from asof.sources.dates import of_file, second
from asof.sources.git import (
    Blobs,
    FileChange,
    FileLife,
    Git,
    GitFailed,
    Replay,
    commits,
    differences,
    dot_git,
    same_content,
    tree,
)
from asof.sources.headers import BESIDE, headed, headers_beside
from asof.sources.readers import NotText, ParsedFile, Unreadable, decoded, parsed, suffix, suffixes
from asof.sources.records import JsonLines
from asof.sources.source import Fields, InputLimits, SourceNaming, printable, token
from asof.wire import replace

REFETCH = "git fetch --refetch --no-filter"
"""The remedy where a repository was cloned in part."""


class DocumentPast(Struct, frozen=True):
    """A document of a history: the path (from the repository's top) that its file has, or had last in the
    folder, its id made of it, and all states of the file, oldest first."""

    path: str
    id: str
    changes: tuple[FileChange, ...]

    @property
    def until(self) -> float:
        return self.changes[-1].when if self.changes[-1].blob is None else inf

    def after(self, earlier: DocumentPast) -> DocumentPast:
        """The document with what stood at its path before; of one second the last state."""
        before, later = list(earlier.changes), list(self.changes)
        if before[-1].when == later[0].when:
            before.pop()
            if before[-1][:2] == later[0][:2]:
                later.pop(0)
        return DocumentPast(self.path, self.id, (*before, *later))

    def below(self, header: DocumentPast) -> DocumentPast:
        """The document with the states of the file that holds its header: a state since either changed."""
        both = [(each.when, past is self, each) for past in (header, self) for each in past.changes]
        changes: list[FileChange] = []
        own, above = None, None
        for when, is_own, change in sorted(both, key=lambda each: each[:2]):
            own, above = (change, above) if is_own else (own, change.blob)
            if own is None or (own.blob is None and not is_own):
                continue
            if changes and changes[-1].when == when:
                changes.pop()
            changes.append(FileChange(own.path, own.blob, change.commit, when, own.blob and above))
        return DocumentPast(self.path, self.id, tuple(changes))

    def aliases(self, number: int) -> list[str]:
        """The paths that its file had before a state."""
        paths = dict.fromkeys(change.path for change in self.changes[: number + 1])
        return [path for path in paths if path != self.changes[number].path]


def documents_of(lives: Iterable[FileLife], accepted: Callable[[str], bool]) -> Iterator[DocumentPast]:
    """The documents of files that had an accepted path, in order of path. One that left these paths has
    ended. Of several that were last at one path at different times, one is made; of two that lived at once,
    the one that ended earlier has the commit of its end in its id."""
    at: dict[str, list[DocumentPast]] = {}
    for life in lives:
        inside = [number for number, each in enumerate(life.changes) if each.blob and accepted(each.path)]
        if inside:
            changes, (left, *_) = life.changes[: inside[-1] + 1], (*life.changes[inside[-1] + 1 :], None)
            path = changes[-1].path
            if left:
                changes.append(left._replace(path=path, blob=None))
            at.setdefault(path, []).append(DocumentPast(path, path, tuple(changes)))
    for path in sorted(at):
        last, *earlier = sorted(at[path], key=lambda each: (each.until, each.changes[0].when), reverse=True)
        for each in earlier:
            if each.until <= last.changes[0].when:
                last = last.after(each)
            else:
                yield DocumentPast(path, f"{path}@{each.changes[-1].commit[:12]}", each.changes)
        yield last


class History:
    """The documents of a folder as they were committed, and as they are in the work tree now.

    `branch`: the branch whose history it is (empty: that of HEAD). It is
    complete, for all times: files that the work tree had and does not have any more have ended. Files with
    the states that they had in an earlier run are not read again, those with more from there on.

    A file that was moved is one document: its id is the last path. Each version has the path that the file
    had then, earlier ones are aliases, and all are read in the format of the last one.
    """

    kind = "history"
    complete = True
    replaces_history = True

    def __init__(self, naming: SourceNaming, limits: InputLimits, fields: Fields, branch: str = "") -> None:
        self.name = naming.name
        self.naming = naming
        self.limits = limits
        self.dating = dates.DateFields(fields, dates.DateOrder(fields.order, fields.timezone))
        self.branch = branch
        self._reported: set[tuple[str, str]] = set()
        self._suffixes = suffixes()
        self._start = token("history", repr((fields, limits, self._suffixes)))
        self._checkpoints: Mapping[str, bytes] = {}
        self._prefix = ""
        self._earlier: dict[str, tuple[str, ...]] = {}

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._checkpoints = checkpoints

    def documents(self) -> Iterator[SourceEvent]:
        if not dot_git(self.naming.target):
            raise SourceError(
                f"{self.naming.shown} is in no git work tree; without --history it is read as it is now"
            )
        git = Git(self.naming.target)
        blobs = Blobs(git)
        try:
            layout = git.layout()
            head = git.layout(self.branch).head if self.branch else layout.head
            if layout.shallow:
                raise SourceError(
                    f"{self.naming.shown} is a shallow clone, which lacks older versions; get them with:"
                    " git fetch --unshallow"
                )
            self._reported.clear()
            self._earlier.clear()
            self._prefix = layout.prefix
            if head:
                yield from self._past(git, blobs, head)
            if head == layout.head:  # else the work tree is not that of the branch
                yield from self._work_tree(git, blobs, tree(git, head) if head else {})
            yield from self.dating.order.remarks(self.naming.shown)
        except GitFailed as wrong:
            raise SourceError(f"{self.naming.shown}: {wrong}") from wrong
        finally:
            blobs.close()

    def _past(self, git: Git, blobs: Blobs, head: str) -> Iterator[SourceEvent]:
        ordered, clamped = commits(git, head)
        if clamped:
            are = "1 commit is" if clamped == 1 else f"{clamped} commits are"
            said = f"{are} dated before a parent, and taken to be as late as that"
            yield Problem(said, self.naming.shown, lost=False)
        readable = {"", *self._suffixes}
        changes, unknown = differences(git, ordered, lambda path: suffix(path) in readable)
        if unknown:
            said = f"files that were moved and changed at once begin anew: {unknown}"
            yield Problem(said, self.naming.shown, remedy=REFETCH, lost=False)
        lives = Replay(ordered, changes).lives()
        pasts = documents_of(lives, lambda path: self._is_accepted(self._relative(path)))
        documents = {past.id: past for past in pasts}
        headers = headers_beside(documents)
        above = set(headers.values())
        for name in [name for name in documents if name not in above]:
            past = documents[name].below(documents[headers[name]]) if name in headers else documents[name]
            earlier = map(self._name, past.aliases(len(past.changes) - 1))
            self._earlier[self._relative(past.id)] = tuple(earlier)
            yield from self._versions(blobs, past)

    def _relative(self, path: str) -> str:
        """The path from the target of one from the repository's top; outside, a hidden one."""
        return path[len(self._prefix) :] if path.startswith(self._prefix) else "."

    def _name(self, path: str) -> str:
        """The id of a document at a path from the repository's top, which may be outside of the target."""
        if path.startswith(self._prefix):
            return self.naming.id(path[len(self._prefix) :])
        top = f"{self.naming.name}/".removesuffix(self._prefix)
        return printable(f"{top}{path}" if top != f"{self.naming.name}/" else path)

    def _versions(self, blobs: Blobs, past: DocumentPast) -> Iterator[SourceEvent]:
        """All versions of a document that no checkpoint covers, each with the checkpoint for those so far.

        A token chains the states of a file, so that a history that was rewritten is read anew from its
        beginning. After a version that is not in the repository a file has no checkpoints: it is tried again.
        """
        id_ = self._name(past.id)
        states = [self._start]
        for change in past.changes:
            states.append(change.token(states[-1]))
        stored = self._checkpoints.get(id_)
        first = next((at for at in range(len(states) - 1, 0, -1) if states[at] == stored), 0)
        if first:
            yield Unchanged(id_)
        readable = True
        for number in range(first, len(past.changes)):
            for item in self._version(blobs, id_, past, number):
                readable = readable and not (isinstance(item, Problem) and item.remedy == REFETCH)
                yield item
            if readable:
                yield Checkpoint(id_, states[number + 1])

    def _version(
        self, blobs: Blobs, id_: str, past: DocumentPast, number: int
    ) -> Iterator[Document | Ended | Problem]:
        """The statement of a document at a commit: a version, its end, a problem."""
        path, blob, commit, when, header = past.changes[number]
        relative = self._relative(past.path)
        try:
            at = second(when, "git")
            if blob is None:
                yield Ended(id_, at)
                return
            page = self._page(self._raw(blobs, blob), path, past)
            if header:
                page = headed(page, id_, lambda: parsed(self._raw(blobs, header), BESIDE[0], self.limits))
        except BadTime as wrong:
            yield from self._once(Problem(str(wrong), f"{self.naming.file(relative)}@{commit[:12]}"))
            return
        except Unreadable as wrong:
            if wrong.empty:
                yield Ended(id_, at)
            else:
                yield from self._once(files.unreadable(self.naming, relative, wrong, commit))
            return
        self.dating.order.begin(page)
        page_dates = dates.dates_in(page, self.dating)
        published, doubts = at, list[Problem]()
        if number == 0:
            known = dates.FileDates(path, id_, at, None, b"", not PurePosixPath(path).stem.isdecimal())
            own = known.published(page, page_dates, self.dating.order, doubts)
            published = own if own is not None and own.span.last < at.span.first else at
        for note in files.notes(self.naming, relative, (*page.notes, *page_dates.notes, *doubts), commit):
            yield from self._once(note)
        aliases = (*page.aliases, *map(self._name, past.aliases(number)))
        yield files.document(
            id_, replace(page, aliases=aliases), page_dates, published, None, self._name(path)
        )

    def _raw(self, blobs: Blobs, blob: str) -> bytes:
        """The content of a blob. Raises Unreadable."""
        raw = blobs.read(blob, self.limits.file)
        if raw is None:
            raise Unreadable("the content of a version is not in the repository", REFETCH)
        if isinstance(raw, int):
            raise files.InputTooLarge(raw, self.limits.file)
        return raw

    def _page(self, raw: bytes, path: str, past: DocumentPast) -> ParsedFile:
        """The page of a file at a path, in the format of its last one. Raises Unreadable."""
        last = PurePosixPath(past.path).suffix
        return _one(parsed(raw, PurePosixPath(path).with_suffix(last).name, self.limits))

    def _once(self, problem: Problem) -> Iterator[Problem]:
        """A problem that stays from version to version is reported once."""
        key = (problem.file.rpartition("@")[0], problem.message)
        if key not in self._reported:
            self._reported.add(key)
            yield problem

    def _work_tree(self, git: Git, blobs: Blobs, head: dict[str, str]) -> Iterator[Document | Problem]:
        """The uncommitted state: edits and new files. Files that git ignores are no part of the history."""
        listing = files.survey(self.naming)
        yield from listing.problems
        yield from files.unread(self.naming, listing.others)
        listed = git.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        known = {os.fsdecode(path) for path in listed.split(b"\0")}
        present = {file.relative for file in listing.files}
        headers = files.header_files([file for file in listing.files if file.relative in known])
        above = {header.relative for header in headers.values()}
        for file in listing.files:
            if file.relative in known and file.relative not in above:
                yield from self._edited(blobs, file, headers.get(file.relative), head)
        blocked = {problem.document for problem in listing.problems}
        for path in sorted(head):
            if self._is_accepted(path) and path not in present and self.naming.id(path) not in blocked:
                said = "the file is deleted, and that is not committed: it stays current"
                yield Problem(said, self.naming.file(path), remedy="commit the deletion", lost=False)

    def _edited(
        self, blobs: Blobs, file: files.FoundFile, header: files.FoundFile | None, head: Mapping[str, str]
    ) -> Iterator[Document | Problem]:
        """The document of a file, with the one of its header, that is not as it was committed."""
        try:
            raw, same = self._content(blobs, file, head)
            above, also = self._content(blobs, header, head) if header else (b"", True)
            if same and also:
                return
            page = _one(parsed(raw, file.relative, self.limits))
            if header:
                id_ = self.naming.id(file.relative)
                page = headed(page, id_, lambda: parsed(above, header.relative, self.limits))
        except Unreadable as wrong:
            yield files.unreadable(self.naming, file.relative, wrong)
            return
        self.dating.order.begin(page)
        page_dates = dates.dates_in(page, self.dating)
        page = replace(page, aliases=(*page.aliases, *self._earlier.get(file.relative, ())))
        yield from files.notes(self.naming, file.relative, (*page.notes, *page_dates.notes))
        changed = of_file(max(file.mtime, header.mtime if header else 0))
        yield files.document(self.naming.id(file.relative), page, page_dates, None, changed)

    def _content(self, blobs: Blobs, file: files.FoundFile, head: Mapping[str, str]) -> tuple[bytes, bool]:
        """The bytes of a file, and whether they are as they were committed. Raises Unreadable."""
        raw, blob = files.content(self.naming, file.relative, self.limits.file), head.get(file.relative)
        return raw, bool(blob and (same_content(raw, blob) or self._same_text(blobs, raw, blob)))

    def _same_text(self, blobs: Blobs, raw: bytes, blob: str) -> bool:
        """True if a file that differs from its blob in bytes has the same text (in another encoding, say)."""
        committed = blobs.read(blob, self.limits.file)
        try:
            return isinstance(committed, bytes) and decoded(raw).text == decoded(committed).text
        except NotText:
            return False

    def _is_accepted(self, path: str) -> bool:
        """True if a folder's source would read such a file (one whose name is not UTF-8 is a problem)."""
        hidden = any(map(files.is_left_out, path.split("/")))
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
) -> files.Files | JsonLines | History:
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
        return files.Files(naming, limits, fields, trust_mtime=trust_mtime)
    if not file:
        what = "is neither a file nor a folder" if target.exists() else "does not exist"
        raise SourceError(f"{target} {what}; {_accepted()}")
    if target.name.lower().endswith((".jsonl", ".jsonl.gz")):
        return JsonLines(naming, fields, limits)
    if suffix(target.name) in suffixes():
        return files.Files(naming, limits, fields, trust_mtime=trust_mtime)
    raise SourceError(f"{target} is of no kind that can be read; {_accepted()}")


def _accepted() -> str:
    return f"accepted are a folder, and files that end in .jsonl, .jsonl.gz, {', '.join(suffixes())}"

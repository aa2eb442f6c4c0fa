"""A folder of files that a reader can parse, or one such file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from asof.data import Checkpoint, Document, Problem, SafeToCommit, SourcedTime, Statement, Unchanged
from asof.data.document import PART
from asof.data.document import file_of as file_of_document
from asof.sources import dating
from asof.sources.dates import of_file
from asof.sources.git import Git, GitFailed, in_work_tree
from asof.sources.gitdates import GitDates, git_dates
from asof.sources.kept_answers import closed_after
from asof.sources.made import MadeTogether, disbelieved, second_made, without_later
from asof.sources.readers import ParsedFile, Unreadable, parsed, suffix, suffixes
from asof.sources.source import InputLimits, SourceNaming, token
from asof.sources.survey import content, survey, together, unread
from asof.sources.walk import FoundFile

LISTED_FILES = 5
COUNT = 4
"""The bytes of a checkpoint that say how many documents a file states."""

COMMIT = 100
"""What so many files state which are slow to read is kept, though the run may break off."""

SECOND = 8
"""The bytes behind them that say when the file was made, where its date waited for those of others."""


class Encodings:
    """Which files of a run were not UTF-8, by the encoding that they were read as."""

    def __init__(self) -> None:
        self._files: dict[str, set[str]] = {}

    def clear(self) -> None:
        self._files.clear()

    def of(self, relative: str, page: ParsedFile) -> ParsedFile:
        """The page, noted."""
        if page.encoding:
            self._files.setdefault(page.encoding, set()).add(relative)
        return page

    def problems(self, naming: SourceNaming) -> Iterator[Problem]:
        """A note for each encoding: how many files were read so, and which."""
        for encoding, files in sorted(self._files.items()):
            count = "1 file was" if len(files) == 1 else f"{len(files)} files were"
            more = f" and {len(files) - LISTED_FILES} more" if len(files) > LISTED_FILES else ""
            yield Problem(
                f"{count} read as {encoding}: {', '.join(sorted(files)[:LISTED_FILES])}{more}", naming.shown,
                remedy="save as UTF-8 what looks wrong", lost=False,
            )  # fmt: skip


class Files:
    """The documents of the files below a folder, or of one file."""

    complete = True

    def __init__(
        self, naming: SourceNaming, limits: InputLimits, *, trust_mtime: bool = False, fiscal_start: int = 1
    ) -> None:
        self.name = naming.name
        self.kind = "folder" if naming.target.is_dir() else "file"
        self.naming = naming
        self.limits = limits
        self.trust_mtime = trust_mtime
        self.fiscal_start = fiscal_start
        self._options = repr((fiscal_start, limits, suffixes()))
        self._checkpoints: Mapping[str, bytes] = {}
        self._parts: dict[str, list[str]] = {}
        self._encodings = Encodings()
        self._others: Counter[str] = Counter()
        self._slow = 0
        self._made: MadeTogether[tuple[ParsedFile, dating.FileDates]] = MadeTogether()

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._checkpoints = checkpoints
        self._parts = {}
        for name in checkpoints:
            if PART in name:
                self._parts.setdefault(file_of_document(name), []).append(name)

    def documents(self) -> Iterator[Statement]:
        with closed_after(self.limits.kept):
            yield from self._documents()

    def _documents(self) -> Iterator[Statement]:
        self._encodings.clear()
        self._others.clear()
        listing = survey(self.naming)
        yield from listing.problems
        yield from unread(self.naming, listing.others)
        git, problem = self._git()
        if problem:
            yield problem
        same_minute = (
            0 if self.trust_mtime or self.kind == "file" else together([file.mtime for file in listing.files])
        )
        undated = 0
        for file in listing.files:
            for item in self._read(file, git, believed=not same_minute):
                undated += isinstance(item, Document) and item.published is None
                yield item
            if self._slow >= COMMIT:
                self._slow = 0
                yield SafeToCommit()
        for second, (page, known), why in self._made.all():
            known = replace(known, state=known.state + second.to_bytes(SECOND, signed=True))
            yield from self._stated(disbelieved(page, why) if why else page, known, None)
        yield from unread(self.naming, self._others)
        yield from self._encodings.problems(self.naming)
        if same_minute and undated:
            yield Problem(
                f"{same_minute} of {len(listing.files)} files were last modified within the same minute,"
                " as after a copy or a clone:"
                f" their modification times are ignored, and {undated} documents have no date",
                self.naming.shown,
                remedy="if these times are right, use --trust-mtime",
                lost=False,
            )

    def _git(self) -> tuple[GitDates, Problem | None]:
        target = self.naming.target
        folder = target if self.kind == "folder" else target.parent
        if not in_work_tree(folder):
            return GitDates(), None
        try:
            return git_dates(Git(folder)), None
        except GitFailed as wrong:
            return GitDates(), Problem(
                f"the dates of commits are not known: {wrong.message}",
                self.naming.shown,
                remedy=wrong.remedy,
                lost=False,
            )

    def _read(self, file: FoundFile, git: GitDates, *, believed: bool) -> Iterator[Statement]:
        """What a file states; nothing new where its bytes and dates are those of its checkpoint."""
        relative = file.relative or self.naming.target.name
        id_ = self.naming.id(file.relative)
        try:
            raw = content(self.naming.target / file.relative, file.size, self.limits.file)
            committed = git.of(relative, raw)
            mtime = of_file(file.mtime) if believed else None
            state = token(self._options, relative, raw, repr(committed), repr(mtime))
            if same := self._unchanged(id_, state):
                if second := self._checkpoints[same[0]][len(state) + COUNT :]:
                    self._made.others[int.from_bytes(second, signed=True)] += 1
                yield from map(Unchanged, same)
                return
            page = self._encodings.of(relative, parsed(raw, relative, self.limits))
        except Unreadable as wrong:
            if wrong.other and self.kind == "folder":
                self._others[suffix(relative)] += 1
            else:
                yield unreadable(self.naming, file.relative, wrong)
            return
        self._slow += page.slow
        parts = [(id_, page)] if page.text.strip() or page.lines else []
        parts += [(f"{id_}{PART}{part.name}", part) for part in page.parts]
        if page.parts and parts[0][0] != id_:
            yield from notes(self.naming, file.relative, page.notes)
        whole = state + len(parts).to_bytes(COUNT)
        for name, part in parts:
            known = dating.FileDates(relative, name, committed, mtime, whole)
            yield from self._stated(without_later(part, file.mtime // 1000), known, file.mtime // 1000)

    def _unchanged(self, id_: str, state: bytes) -> list[str]:
        """The documents of a file, if its checkpoints stand for what it holds now; else none."""
        own = self._checkpoints.get(id_, b"")
        names = [id_] * bool(own) + self._parts.get(id_, [])
        whole = state + len(names).to_bytes(COUNT)
        return names if all(self._checkpoints[name].startswith(whole) for name in names) else []

    def _stated(self, page: ParsedFile, known: dating.FileDates, saved: int | None) -> Iterator[Statement]:
        """What a document of a file states, and the checkpoint of it; nothing yet where its date waits for
        those of the others (`saved`: the instant of the file's last change; None: it has waited)."""
        page_dates = dating.dates_in(page, self.fiscal_start)
        published = known.published(page, page_dates)
        second = None if saved is None or page.name else second_made(page, published, saved)
        if second is not None:
            self._made.wait(second, (page, known))
            return
        remarks = (*page.notes, *page_dates.notes)
        relative = "" if self.kind == "file" else known.relative
        yield from notes(self.naming, relative, remarks)
        changed = page_dates.changed or known.committed or known.mtime
        yield document(known.id, page, page_dates, published, changed)
        quiet = not remarks or page.slow  # else it is remarked on each time
        if published is not None and quiet and not page.encoding:
            yield Checkpoint(known.id, known.state)


def unreadable(naming: SourceNaming, relative: str, wrong: Unreadable, version: str = "") -> Problem:
    file = naming.file(relative) + (f"@{version[:12]}" if version else "")
    return Problem(str(wrong), file, remedy=wrong.remedy, document=naming.id(relative), lost=wrong.lost)


def notes(
    naming: SourceNaming, relative: str, problems: Iterable[Problem], version: str = ""
) -> Iterator[Problem]:
    file = naming.file(relative) + (f"@{version[:12]}" if version else "")
    return (replace(note, file=file) for note in problems)


def document(
    name: str,
    page: ParsedFile,
    page_dates: dating.PageDates,
    published: SourcedTime | None,
    changed: SourcedTime | None,
) -> Document:
    """The document that a page is."""
    return Document(
        name,
        page.text,
        page.title,
        published,
        changed,
        page_dates.about,
        page.links,
        page.tags,
        page.aliases,
        page_dates.meta,
        page.outline,
        language=page.language,
        fiscal_start=page_dates.fiscal_start,
    )

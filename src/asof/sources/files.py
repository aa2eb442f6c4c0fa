"""A folder of files that a reader can parse, or one such file."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec
from msgspec import Struct

from asof.documents import (
    PART,
    Checkpoint,
    Document,
    Moved,
    Problem,
    SafeToCommit,
    SourcedTime,
    SourceEvent,
    Unchanged,
    document_file,
)
from asof.errors import SourceError
from asof.files import NotAFile, open_file, open_folder
from asof.sources import dates
from asof.sources.dates import of_file, without_later
from asof.sources.git import Git, GitDates, GitFailed, dot_git, git_dates
from asof.sources.headers import headed, headers_beside
from asof.sources.readers import OF_PROGRAMS, ParsedFile, Unreadable, names_in, parsed, suffix, suffixes
from asof.sources.source import Fields, InputLimits, SourceNaming, original_of, printable, token
from asof.wire import replace

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


# -- `.gitignore` and `.asofignore`, as git reads them -------------------------------------------------

FILES = (".gitignore", ".asofignore")
"""Read in this order: the second takes precedence."""

LARGEST = 2**20
"""The most bytes of such a file that are read."""

LONGEST_RULE = 4_096
"""The most bytes of a rule: of a path, on common systems."""


class IgnoreRules(Struct):
    """The rules of the current folders of a walk, from its top down, without those above the top."""

    folders: list[tuple[str, GitIgnoreSpec | None]] = msgspec.field(default_factory=list)

    def enter(self, naming: SourceNaming, relative: str) -> Iterator[Problem]:
        """Take in the rules of a folder, whose path from the top is `relative`; problems are files of rules
        that are none, which git does not follow either. Raises OSError."""
        lines, prefix = list[str](), f"{relative}/" if relative else ""
        for name in FILES:
            try:
                with opened(naming, prefix + name) as file:
                    lines += file.read(LARGEST).decode(errors="replace").splitlines()
            except FileNotFoundError:
                continue
            except NotAFile:
                what = "is a link or no file: its rules do not count"
                yield Problem(what, naming.file(prefix + name), remedy="put a file in its place", lost=False)
        self.folders.append((prefix, _spec(lines)))

    def ignore(self, relative: str, *, folder: bool) -> bool:
        """True if a path below the top is ignored: the last rule of the innermost folder decides."""
        for prefix, spec in reversed(self.folders):
            if spec is not None:
                said = spec.check_file(relative.removeprefix(prefix) + ("/" if folder else "")).include
                if said is not None:
                    return said
        return False


def _spec(lines: list[str]) -> GitIgnoreSpec | None:
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return None
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    patterns = []
    for line in lines:
        with suppress(ValueError, re.error):  # a rule that cannot be read is none, as git has it
            regex, include = GitIgnoreSpecPattern.pattern_to_regex(line)
            if regex is not None and "\0" not in regex and len(line) <= LONGEST_RULE:
                patterns.append(GitIgnoreSpecPattern(re.compile(_linear(regex)), include))
    return GitIgnoreSpec(patterns, backend="simple")


_BRACKET = re.compile(r"\\.|\[\^?\]?[^]]*\]", re.DOTALL)
_STAR = re.compile("\0\\*((?:(?!\0\\*)[^/])*)(?=\0\\*)")


def _linear(regex: str) -> str:
    """The expression of a rule, as pathspec makes it, without choices that multiply: of what follows a `*` in
    its component, or a `**`, the first place is taken for good where another one comes after it."""
    marks = {"[^/]": "\0"}  # no rule holds NUL; no other bracket is a slash, as git has it
    regex = _BRACKET.sub(lambda it: marks.get(it[0], it[0] if it[0][0] == "\\" else f"(?!\0){it[0]}"), regex)
    *inner, last = _STAR.sub(r"(?>\0*?\1)", regex).split("(?:/.+)?")
    for at, part in enumerate(inner):
        lazy = f"(?:/.+?)??{part}" if at else part.replace("(?:.+/)?", "(?:.+?/)??", 1)
        inner[at] = f"(?>{lazy}(?=/))"
    regex = "(?:/.+)?".join(("".join(inner), last)) if inner else last
    return regex.replace("(?!\0)", "(?!/)").replace("\0", "[^/]")


# -- walk: files in sorted order, without hidden and ignored ones --------------------------------------


class FoundFile(Struct, frozen=True):
    """A regular file: its path from the target (posix), its size in bytes, its mtime in nanoseconds."""

    relative: str
    size: int
    mtime: int


def walk(naming: SourceNaming) -> Iterator[FoundFile | Problem]:
    """The files of a folder, or the file itself when the target is one. Raises SourceError.

    No symbolic link below the target is followed: one that leads elsewhere in it is passed over, since what
    it leads to is found in its own place; any other is a problem.
    """
    target, ignored = naming.target, IgnoreRules()
    try:
        status = target.stat()
        if stat.S_ISREG(status.st_mode):
            yield FoundFile("", status.st_size, status.st_mtime_ns)
            return
        stack = [iter(_entries(target, ""))]
        yield from ignored.enter(naming, "")
    except OSError as wrong:
        raise SourceError(f"{naming.shown} cannot be read: {wrong.strerror}") from wrong
    top = os.path.realpath(target)
    while stack:
        relative = next(stack[-1], None)
        if relative is None:
            stack.pop()
            ignored.folders.pop()
            continue
        entry = _entry(naming, relative, top)
        if entry is None or ignored.ignore(relative, folder=isinstance(entry, str)):
            continue
        if not isinstance(entry, str):
            yield entry
            continue
        try:
            inside = _entries(target, relative)
            yield from ignored.enter(naming, relative)
            stack.append(iter(inside))
        except OSError as wrong:
            yield _problem(naming, relative, f"the folder cannot be read: {wrong.strerror}", known=False)


def _entries(target: Path, relative: str) -> list[str]:
    """The paths of what is in a folder, sorted, without what is hidden, and asof.toml."""
    with open_folder(target / relative, target) as folder:
        names = sorted(os.listdir(folder))  # noqa: PTH208  a descriptor, so that no link is followed
    return [f"{relative}/{name}" if relative else name for name in names if not is_left_out(name)]


def is_left_out(name: str) -> bool:
    """True for a file or folder that is hidden, or the configuration of asof."""
    return name.startswith(".") or name == "asof.toml"


def _entry(naming: SourceNaming, relative: str, top: str) -> FoundFile | Problem | str | None:
    """A file, a problem, the path of a folder to walk; None for a link to another place of the target."""
    path = naming.target / relative
    if printable(relative) != relative:
        return _problem(naming, relative, "its name is not UTF-8", "rename it")
    try:
        status = path.lstat()
    except OSError as wrong:
        known = wrong.errno == errno.ENOENT or suffix(relative) in suffixes()  # else it may be a folder
        return _problem(naming, relative, f"cannot be read: {wrong.strerror}", known=known)
    if stat.S_ISREG(status.st_mode):
        return FoundFile(relative, status.st_size, status.st_mtime_ns)
    if stat.S_ISDIR(status.st_mode):
        return relative
    if not stat.S_ISLNK(status.st_mode):
        return _problem(naming, relative, "is neither a file nor a folder")
    leads = os.path.realpath(path)
    if f"{leads}/".startswith(f"{top.rstrip('/')}/") and os.path.lexists(leads):
        return None
    return _problem(naming, relative, "a link that leads out of the folder, or nowhere, is not followed")


def _problem(
    naming: SourceNaming, relative: str, message: str, remedy: str = "", *, known: bool = True
) -> Problem:
    document = printable(naming.id(relative)) if known else ""
    return Problem(message, naming.file(relative), remedy=remedy, document=document)


# -- survey: which files can be read, and which cannot -------------------------------------------------

SAME_MINUTE = 60 * 10**9
MIN_TOGETHER = 5
_NUMBER = re.compile(r"(?!(?:19|20)[0-9]{2}$)[0-9]{1,5}")
"""The name of a file by which numbers beside it are no years."""


class InputTooLarge(Unreadable):
    """The problem of a file beyond the limit."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"the file has {size} bytes; the limit is {limit}", "split it into smaller files")


class FolderSurvey(Struct, frozen=True):
    """The readable files of a folder, the numbers of others by kind, and problems."""

    files: tuple[FoundFile, ...]
    others: Counter[str]
    problems: tuple[Problem, ...]


def survey(naming: SourceNaming) -> FolderSurvey:
    """Walks through a folder once. Raises SourceError when it cannot be read at all."""
    files: list[FoundFile] = []
    others: Counter[str] = Counter()
    problems: list[Problem] = []
    known = frozenset(suffixes())
    for item in walk(naming):
        if isinstance(item, Problem):
            problems.append(item)
        elif (kind := suffix(item.relative or naming.target.name)) in known:
            files.append(item)
        else:
            others[kind] += 1
    return FolderSurvey(tuple(files), others, tuple(problems))


_REMEDIES = {
    "index each on its own": ".jsonl .gz",
    "unpack them": ".zip .tar .tgz .bz2 .xz .7z .rar",
    "save them as .docx, .xlsx or .pptx": ".doc .dot .ppt .pps .pages .numbers .key .wpd",
    "convert them to .pdf": ".ps .eps .dvi .djvu .xps .odg .vsd .vsdx .drawio",
    "convert them to .epub": ".mobi .azw .azw3 .fb2",
    "save them as .eml": ".msg .pst .ost",
    "convert them to .csv": ".db .sqlite .sqlite3 .parquet .dbf .mdb .accdb .sav",
    "their text would have to be recognised (OCR) first": ".png .jpg .jpeg .gif .tif .tiff .bmp .webp .heic",
    "their speech would have to be written down first": ".mp3 .m4a .wav .ogg .flac .mp4 .mov .mkv .webm .avi",
}
_REMEDY = {kind: remedy for remedy, kinds in _REMEDIES.items() for kind in kinds.split()}
_REMEDY[OF_PROGRAMS] = "programs write them for programs; under another name they are read"
OTHERWISE = "convert them to .txt or .md, or name them in .asofignore"


def unread(naming: SourceNaming, others: Counter[str]) -> Iterator[Problem]:
    """One problem for every kind of file that is not read."""
    for kind, count in sorted(others.items()):
        files = "file is" if count == 1 else "files are"
        named = f"{kind} {files}" if kind else f"{files.split()[0]} without an extension {files.split()[1]}"
        remedy = _REMEDY.get(kind, OTHERWISE)
        yield Problem(f"{count} {named} not read", naming.shown, remedy=remedy, lost=False)


def together(mtimes: Sequence[int]) -> int:
    """The number of files that share a minute, if that is more than half and at least five; else 0."""
    ordered = sorted(mtimes)
    most = first = 0
    for last, mtime in enumerate(ordered):
        while mtime - ordered[first] > SAME_MINUTE:
            first += 1
        most = max(most, last - first + 1)
    return most if most >= MIN_TOGETHER and 2 * most > len(ordered) else 0


def opened(naming: SourceNaming, relative: str) -> BinaryIO:
    """The file at a path from the target. No link below the target is followed, also none that was put there
    since the walk. Raises OSError, NotAFile for a link, a folder, a pipe or a device."""
    return os.fdopen(open_file(naming.target / relative, naming.target), "rb")


def content(naming: SourceNaming, relative: str, largest: int) -> bytes:
    """The bytes of the file at a path from the target. Raises Unreadable."""
    try:
        with opened(naming, relative) as stream:
            size = os.fstat(stream.fileno()).st_size
            raw = stream.read(largest + 1) if size <= largest else b""
    except OSError as wrong:
        why = "it is a link now, or no file" if isinstance(wrong, NotAFile) else wrong.strerror
        raise Unreadable(f"the file cannot be read: {why}") from None
    if max(size, len(raw)) > largest:
        raise InputTooLarge(max(size, len(raw)), largest)
    return raw


# -- the source ----------------------------------------------------------------------------------------

TOKEN = 16
"""The bytes of a token. A checkpoint is that of the file's bytes, that of the rest, COUNT, earlier ids."""

LEAST_MOVED = 32
"""The bytes of the smallest file that is known by them where it was moved."""

COUNT = 4
"""The bytes of a checkpoint with the number of documents of a file."""

COPIED = 40
"""The fewest bytes of a file that another one can repeat by chance no more."""

COMMIT = 100
"""After so many slow files their documents are committed, in case the run breaks off."""


class Files:
    """The documents of the files below a folder, or of one file."""

    complete = True

    def __init__(
        self,
        naming: SourceNaming,
        limits: InputLimits,
        fields: Fields = Fields(),  # noqa: B008  a frozen value
        *,
        trust_mtime: bool = False,
    ) -> None:
        self.name = naming.name
        self.kind = "folder" if naming.target.is_dir() else "file"
        self.naming = naming
        self.limits = limits
        self.trust_mtime = trust_mtime
        self.dating = dates.DateFields(fields, dates.DateOrder(fields.order, fields.timezone))
        self._options = repr((fields, limits, suffixes()))
        self._checkpoints: Mapping[str, bytes] = {}
        self._parts: dict[str, list[str]] = {}
        self._slow = 0
        self._files: tuple[FoundFile, ...] = ()
        self._numbered: set[str] = set()
        self._moved: dict[str, str] = {}
        self._names: frozenset[str] | None = None
        self._same: dict[bytes, list[FoundFile]] = {}
        self._headers: dict[str, FoundFile] = {}

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._checkpoints = checkpoints
        self._parts = {}
        for name in checkpoints:
            if PART in name:
                self._parts.setdefault(document_file(name), []).append(name)

    def documents(self) -> Iterator[SourceEvent]:
        listing = survey(self.naming)
        self._files, self._names, self._same = listing.files, None, {}
        self._headers = header_files(listing.files)
        self._moved = {} if listing.problems else self._moves()
        paths = (Path(file.relative) for file in listing.files)
        self._numbered = {str(path.parent) for path in paths if _NUMBER.fullmatch(path.stem)}
        yield from listing.problems
        yield from unread(self.naming, listing.others)
        git, problem = self._git()
        if problem:
            yield problem
        unasked = not self.trust_mtime and self.kind == "folder"
        same_minute = together([file.mtime for file in listing.files if unasked])
        undated, above = 0, {header.relative for header in self._headers.values()}
        for file in (file for file in listing.files if file.relative not in above):
            for item in self._read(file, git, believed=not same_minute):
                undated += isinstance(item, Document) and item.published is None
                yield item
            if self._slow >= COMMIT:
                self._slow = 0
                yield SafeToCommit()
        yield from self._copies()
        yield from self.dating.order.remarks(self.naming.shown)
        if same_minute and undated:
            yield Problem(
                f"{undated:,} of the documents that were read have no date, so that they may be missing as "
                "of the past (`asof status` says since when they are visible): most files were last modified "
                "within the same minute, as after a copy or a clone, and these times are ignored",
                self.naming.shown,
                remedy="write a date in the text, the file's name or a field, use `asof correct`, or "
                "--trust-mtime if these times are right",
                lost=False,
            )

    def _moves(self) -> dict[str, str]:
        """The documents of new files whose bytes were those of one file that is gone, with its document."""
        here = {self.naming.id(file.relative): file for file in self._files}
        gone = [name for name in self._checkpoints if name not in here and PART not in name and name]
        new = [name for name in here if name not in self._checkpoints] if gone else []
        by_bytes: dict[bytes, tuple[list[str], list[str]]] = {}
        for name in gone:
            by_bytes.setdefault(self._checkpoints[name][:TOKEN], ([], []))[0].append(name)
        for name in new:
            if here[name].size >= LEAST_MOVED:
                with suppress(Unreadable):  # a problem where it is read
                    raw = content(self.naming, here[name].relative, self.limits.file)
                    by_bytes.setdefault(token(raw), ([], []))[1].append(name)
        pairs = [(old[0], new[0]) for old, new in by_bytes.values() if len(old) == len(new) == 1]
        return {new: old for old, new in pairs if old not in self._parts}

    def _earlier(self, name: str) -> list[str]:
        """The ids that a document had before, as its checkpoint has them."""
        return self._checkpoints.get(name, b"")[2 * TOKEN + COUNT :].decode().split("\0")[1:]

    def _head(self, file: FoundFile, size: int) -> bytes:
        """The first bytes of a file; none of one that cannot be read, which is said where it is."""
        with suppress(OSError), opened(self.naming, file.relative) as stream:
            return stream.read(size)
        return b""

    def _git(self) -> tuple[GitDates, Problem | None]:
        folder = self.naming.target if self.kind == "folder" else self.naming.target.parent
        if not dot_git(folder):
            return GitDates(), None
        try:
            return git_dates(Git(folder)), None
        except GitFailed as wrong:
            said = f"the dates of commits are not known: {wrong.message}"
            return GitDates(), Problem(said, self.naming.shown, remedy=wrong.remedy, lost=False)

    def _read(self, file: FoundFile, git: GitDates, *, believed: bool) -> Iterator[SourceEvent]:
        """The statements of a file; none if its bytes and dates are those of its checkpoint."""
        relative = file.relative or self.naming.target.name
        id_ = self.naming.id(file.relative)
        try:
            raw = content(self.naming, file.relative, self.limits.file)
            self._same.setdefault(token(raw), []).append(file)
            committed, changed, header = git.of(relative, raw), file.mtime, b""
            if beside := self._headers.get(file.relative):
                header = content(self.naming, beside.relative, self.limits.file)
                also = git.of(beside.relative, header)
                both = [each for each in (committed, also) if each is not None]
                committed = max(both, key=lambda each: each.span.last) if len(both) == 2 else None
                changed = max(changed, beside.mtime)
            mtime = of_file(changed) if believed else None
            state = token(raw) + token(self._options, relative, repr(committed), repr(mtime), header)
            if same := self._unchanged(id_, state):
                yield from map(Unchanged, same)
                return
            page = self._unquoted(parsed(raw, relative, self.limits))
            if beside and header:
                page = headed(page, id_, lambda: parsed(header, beside.relative, self.limits))
        except Unreadable as wrong:
            yield unreadable(self.naming, file.relative, wrong)
            return
        self._slow += page.slow
        parts = [(id_, page)] if page.text.strip() or page.lines or not page.parts else []
        parts += [(f"{id_}{PART}{part.name}", part) for part in page.parts]
        if page.parts and parts[0][0] != id_:
            yield from notes(self.naming, file.relative, page.notes)
        whole = state + len(parts).to_bytes(COUNT)
        for name, part in parts:
            numbered = Path(relative).stem.isdecimal() and str(Path(file.relative).parent) in self._numbered
            known = dates.FileDates(relative, name, committed, mtime, whole, not numbered)
            yield from self._stated(without_later(part, file.mtime // 1000), known)

    def _copies(self) -> Iterator[Problem]:
        """One problem that names a file which is a copy of another one, by its name or its bytes."""
        named = {file.relative.casefold(): file.relative for file in self._files}
        original = {
            file.relative: named[name]
            for file in self._files
            if file.relative and (name := original_of(file.relative)) in named
        }
        for same in self._same.values():
            first = min(same, key=lambda file: (file.relative in original, file.mtime, file.relative))
            if first.size >= COPIED:
                original |= {file.relative: first.relative for file in same if file is not first}
        if original:
            copy, of = next(iter(sorted(original.items())))
            count = f"{len(original)} files are copies" if len(original) > 1 else "a file is a copy"
            yield Problem(
                f"{count}, which is no news: they rank behind their originals ({copy} behind {of})",
                self.naming.shown,
                remedy="delete them, or name them in .asofignore",
                lost=False,
            )

    def _unquoted(self, page: ParsedFile) -> ParsedFile:
        """A file without what it quotes, if the quoted one is among the files."""
        if not page.quoted:
            return page
        if self._names is None:
            name = self.naming.target.name
            kinds = ((suffix(file.relative or name), partial(self._head, file)) for file in self._files)
            self._names = frozenset[str]().union(*starmap(names_in, kinds))
        return page if self._names.isdisjoint(page.quoted) else replace(page, text=page.own)

    def _unchanged(self, id_: str, state: bytes) -> list[str]:
        """The documents of a file, if its checkpoints are of its present content; else none."""
        own = self._checkpoints.get(id_, b"")
        names = [id_] * bool(own) + self._parts.get(id_, [])
        whole = state + len(names).to_bytes(COUNT)
        return names if all(self._checkpoints[name][: len(whole)] == whole for name in names) else []

    def _stated(self, page: ParsedFile, known: dates.FileDates) -> Iterator[SourceEvent]:
        """The statements of a document of a file, and its checkpoint."""
        self.dating.order.begin(page)
        page_dates = dates.dates_in(page, self.dating)
        doubts: list[Problem] = []
        published = known.published(page, page_dates, self.dating.order, doubts)
        remarks = (*page.notes, *page_dates.notes, *doubts)
        relative = "" if self.kind == "file" else known.relative
        yield from notes(self.naming, relative, remarks)
        changed = page_dates.changed or known.committed or known.mtime
        before = self._moved.get(known.id)
        earlier = [*self._earlier(before or known.id), *([before] if before else [])]
        aliases = [name for name in dict.fromkeys(earlier) if name != known.id]
        page = replace(page, aliases=(*page.aliases, *aliases))
        stated = document(known.id, page, page_dates, published, changed)
        yield Moved(stated, before) if before else stated
        quiet = not remarks or page.slow  # else it is remarked on each time
        state = (
            known.state if published is not None and quiet else known.state[:TOKEN].ljust(len(known.state))
        )
        yield Checkpoint(known.id, state + "".join(f"\0{name}" for name in aliases).encode())


def header_files(files: Sequence[FoundFile]) -> dict[str, FoundFile]:
    """By the path of a README the file with its header, where a reader for that is there."""
    by_path = {file.relative: file for file in files}
    return {readme: by_path[header] for readme, header in headers_beside(by_path).items()}


def unreadable(naming: SourceNaming, relative: str, wrong: Unreadable, version: str = "") -> Problem:
    what = Problem(str(wrong), remedy=wrong.remedy, document=naming.id(relative), lost=wrong.lost)
    return next(notes(naming, relative, [what], version))


def notes(
    naming: SourceNaming, relative: str, problems: Iterable[Problem], version: str = ""
) -> Iterator[Problem]:
    file = naming.file(relative) + (f"@{version[:12]}" if version else "")
    return (replace(note, file=file) for note in problems)


def document(
    name: str, page: ParsedFile, page_dates: dates.PageDates, published: SourcedTime | None,
    changed: SourcedTime | None, path: str = "",
) -> Document:  # fmt: skip
    """The document of a page. `path`: what it was called then, if that is not its id."""
    return Document(
        name, page.text, page.title, published, changed, page_dates.about, page.links, page.tags,
        page.aliases, page_dates.meta, page.outline, language=page.language,
        fiscal_start=page_dates.fiscal_start, path=path,
    )  # fmt: skip

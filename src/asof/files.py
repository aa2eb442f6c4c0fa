"""File access inside a corpus folder: open, create, rename, list and remove without following symbolic links.

A corpus folder may come from anybody. From `.asof` downward every component of a path is opened relative to
the folder above it and must not be a link; above `.asof` links are the user's own and are followed. In a path
without `.asof` only the last folder and the file are checked. Sources are read likewise, below their `top`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from asof.errors import AsofError, CorpusError

# -- access rights: why a corpus cannot be opened or written, and what to do ---------------------------

LOG = "-wal"
"""Ends the name of SQLite's write-ahead log, beside that of the database."""


def log_is_empty(database: Path) -> bool:
    """True if the database file alone holds everything that was written. Raises OSError."""
    try:
        return database.with_name(f"{database.name}{LOG}").stat().st_size == 0
    except FileNotFoundError:
        return True


def missing_right(database: Path, *, write: bool) -> str:
    """The first right that opening a corpus needs and this user lacks, in words; "" if none is missing."""
    database = database.absolute()
    folder = database.parent
    for place in (*reversed(folder.parents), folder):
        if _denied(place, os.X_OK):
            return lacks(place, "entered")
    log = database.with_name(f"{database.name}{LOG}")
    for place in (folder, database, log):
        if _denied(place, os.R_OK):
            return lacks(place, "read")
    writable = os.access(folder, os.W_OK)
    shared = database.with_name(f"{database.name}-shm")  # SQLite makes it for a log that is read
    if write:
        within = next((place for place in (folder, *folder.parents) if place.exists()), folder)
        for place in (within, database, log):
            if _denied(place, os.W_OK):
                return lacks(place, "written")
    elif not writable and not log_is_empty(database) and not shared.exists():
        return (
            f"{log} holds the latest writes, and reading them needs the right to write in {folder}: run "
            "`asof status` there as a user who has it, or copy the folder and name the copy by --index"
        )
    return ""


def _denied(place: Path, right: int) -> bool:
    """True if this user lacks a right to what is there; another process may be removing it meanwhile."""
    return place.exists() and not os.access(place, right) and place.exists()


def lacks(place: Path, verb: str) -> str:
    """The access right that this user lacks, in words; `verb`: entered, read or written."""
    about = place.stat()
    if verb == "written" and os.statvfs(place).f_flag & os.ST_RDONLY:
        return f"{place} is on a file system that is mounted for reading only"
    mode, me = stat.filemode(about.st_mode), _user(os.geteuid())
    return (
        f"{place} may not be {verb} by the user {me}: it belongs to {_user(about.st_uid)} ({mode}); "
        "ask for the right, or use a copy"
    )


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


# -- corpus files --------------------------------------------------------------------------------------

FOLDER = ".asof"
"""The folder of a corpus, inside the folder that it indexes."""

SHARDS = "shards.json"
"""The file by which a folder of several corpora that are one is known (`asof.plugins.OPENERS`)."""

FETCHED = "fetched"
"""The folder in it where sources keep files between runs."""

_SAFE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""O_NONBLOCK: a pipe is opened, and refused, instead of waited for. It changes nothing for a regular file."""

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class NotAFile(OSError):
    """A symbolic link, a folder, a pipe or a device in the place of a file of a corpus."""


class FileTooLarge(OSError):
    """A file is larger than what asof writes there."""


def refuse_links(folder: Path) -> None:
    """Check that nothing in a corpus is a symbolic link; `folder` is its `.asof`, which may be missing.

    Raises CorpusError. Asof never makes one, so it was made to have something else read or written.
    """
    places = [folder]
    while places:
        place = places.pop()
        try:
            mode = place.lstat().st_mode
            if stat.S_ISLNK(mode):
                raise CorpusError(
                    f"{place} is a symbolic link to {place.readlink()}: asof follows no link in a corpus; "
                    "remove it, or name the folder that holds the corpus by --index"
                )
            if stat.S_ISDIR(mode):
                places += [place / name for name in names(place)]
        except FileNotFoundError:
            continue
        except PermissionError as error:
            raise CorpusError(lacks(place if place.exists() else place.parent, "read")) from error


def make_folder(path: Path) -> None:
    """Make a folder of a corpus, and those above it, if they are missing. Raises OSError."""
    _split(path)[0].mkdir(parents=True, exist_ok=True)
    with open_folder(path, make=True):
        pass


def open_file(path: Path, top: Path | None = None) -> int:
    """A descriptor of a regular file, for reading. `top`: the folder below which links are not followed, or
    the file itself, in place of `.asof`. Raises FileNotFoundError, NotAFile, OSError."""
    return _opened(path, os.O_RDONLY, top)


def create_file(path: Path) -> int:
    """A descriptor of a new, empty file, for writing; a file or link of that name is replaced."""
    with open_folder(path.parent) as folder:
        with suppress(FileNotFoundError):
            os.unlink(path.name, dir_fd=folder)
        return os.open(path.name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _SAFE, 0o666, dir_fd=folder)


def open_lock(path: Path) -> int:
    """A descriptor of a lock file, made if it is missing.

    Raises NotAFile also for one that has another name elsewhere (a hard link), because the process id of the
    holder is written into it.
    """
    descriptor = _opened(path, os.O_RDWR | os.O_CREAT)
    if os.fstat(descriptor).st_nlink > 1:
        os.close(descriptor)
        raise _has_another_name(path)
    return descriptor


@contextmanager
def try_lock(path: Path) -> Iterator[int | None]:
    """The descriptor of a lock file while its exclusive lock is held; None when another process holds it."""
    descriptor = open_lock(path)
    locked: int | None = None
    try:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked = descriptor
        yield locked
    finally:
        os.close(descriptor)


FileId = tuple[int, int]
"""Tells a file from another one that had its name: the numbers of its file system and of the file."""


def file_at(path: Path) -> FileId | None:
    """The file that has a name now; None if none has."""
    try:
        about = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return about.st_dev, about.st_ino


def file_of(descriptor: int) -> FileId:
    """The file that is open."""
    about = os.fstat(descriptor)
    return about.st_dev, about.st_ino


def read_file(path: Path, largest: int) -> bytes:
    """The bytes of a regular file. Raises FileNotFoundError, NotAFile, FileTooLarge, OSError."""
    with os.fdopen(open_file(path), "rb") as file:
        if os.fstat(file.fileno()).st_size > largest:
            raise FileTooLarge(errno.EFBIG, f"{path} is larger than {largest:,} bytes")
        return file.read()


def write_file(path: Path, content: bytes) -> None:
    """Replace `path` by a file with this content, atomically."""
    passing = path.with_suffix(".tmp")
    with os.fdopen(create_file(passing), "wb") as file:
        file.write(content)
    rename(passing, path)


def rename(old: Path, new: Path) -> None:
    """Rename a file inside its folder; a file or link of the new name is replaced."""
    with open_folder(old.parent) as folder:
        os.rename(old.name, new.name, src_dir_fd=folder, dst_dir_fd=folder)


def remove(path: Path) -> None:
    """Remove a file, or a link itself; nothing happens when it is missing, or is a folder."""
    with suppress(FileNotFoundError, IsADirectoryError), open_folder(path.parent) as folder:
        os.unlink(path.name, dir_fd=folder)


def names(folder: Path) -> list[str]:
    """The names in a folder, sorted; none when it is missing or is no folder."""
    with suppress(FileNotFoundError, NotADirectoryError), open_folder(folder) as descriptor:
        return sorted(os.listdir(descriptor))  # noqa: PTH208  a descriptor, so that no link is followed
    return []


def check_file(path: Path, *, sole: bool) -> None:
    """Check that a path is a regular file or does not exist; `sole`: that it has no other name elsewhere.

    For files that a library opens by their path; those that are written have to be sole. Raises NotAFile.
    """
    try:
        with open_folder(path.parent) as folder:
            about = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(about.st_mode):
        raise _not_a_file(path)
    if sole and about.st_nlink > 1:
        raise _has_another_name(path)


def _opened(path: Path, flags: int, top: Path | None = None) -> int:
    try:
        if path == top:
            descriptor = os.open(path, flags | _SAFE & ~os.O_NOFOLLOW)
        else:
            with open_folder(path.parent, top) as folder:
                descriptor = os.open(path.name, flags | _SAFE, 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise _not_a_file(path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_a_file(path)
    return descriptor


def _has_another_name(path: Path) -> NotAFile:
    return NotAFile(errno.EMLINK, f"{path} has another name elsewhere (a hard link); put a copy in its place")


def _not_a_file(path: Path) -> NotAFile:
    return NotAFile(errno.EINVAL, f"{path} is a link, a folder or a device, not a file of asof; remove it")


@contextmanager
def open_folder(path: Path, top: Path | None = None, *, make: bool = False) -> Iterator[int]:
    """A descriptor of a folder; `top`: see `open_file`. Raises FileNotFoundError, OSError, NotADirectoryError
    (also for a link)."""
    base, below = _split(path) if top is None else (top, path.relative_to(top).parts)
    descriptor = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in below:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=descriptor)
            inner = os.open(name, _OPEN_FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _split(path: Path) -> tuple[Path, tuple[str, ...]]:
    """The part of a folder's path that may contain links, and the names below it, which may not be links."""
    path = path.absolute()
    parts = path.parts
    if FOLDER not in parts:
        return path.parent, (path.name,) if path.name else ()
    at = len(parts) - 1 - parts[::-1].index(FOLDER)
    return Path(*parts[:at]), parts[at:]


# -- private files: readable by their owner alone, written atomically, by one process at a time --------


class WritableByOthers(ValueError):
    """The file may have been written by other users."""


class PrivateFile(Struct, frozen=True):
    """The file at `path`, of at most `largest` bytes; `owners`: the users who may have written it."""

    path: Path
    owners: frozenset[int]
    largest: int

    def read(self) -> bytes | None:
        """The content; None if the file is missing. Raises WritableByOthers, ValueError, OSError."""
        try:
            with self.path.open("rb") as file:
                about = os.fstat(file.fileno())
                if about.st_uid not in self.owners or about.st_mode & 0o022:
                    raise WritableByOthers(f"{self.path} can be written by others")
                content = file.read(self.largest + 1)
        except FileNotFoundError:
            return None
        if len(content) > self.largest:
            raise ValueError(f"more than {self.largest:,} bytes")
        return content

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the file against changes by other processes. Raises AsofError if it cannot be written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
            finally:
                os.close(lock)
        except OSError as error:
            raise AsofError(f"{self.path} cannot be written: {error.strerror}") from error

    def write(self, text: str) -> None:
        """Writes the text atomically, readable by the user alone (mkstemp: 0600). Raises OSError."""
        handle, name = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        finally:
            part.unlink(missing_ok=True)

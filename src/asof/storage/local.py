"""Objects as files below a folder, on a disk of this machine or one that several mount.

A file gets its name when it is whole and on the disk: it is written in the folder `tmp` and then linked
(which fails where there is one of that name) or renamed. Below the folder no symbolic link is followed.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from asof.errors import DamagedObject, NoSpace, StorageError
from asof.storage.objects import LARGEST_SMALL, Listed

PASSING = "tmp"
"""The folder of files that are being written; what a killed process leaves there is removed by vacuum."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_PIECE = 1 << 20
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK)


@dataclass(frozen=True, slots=True)
class LocalObjects:
    """Objects in a folder, which is made with the first of them."""

    folder: Path

    @property
    def url(self) -> str:
        return self.folder.as_uri()

    def get(self, name: str, largest: int = LARGEST_SMALL) -> bytes | None:
        with self._words(name):
            try:
                with self._opened(name) as file:
                    content = file.read(largest + 1)
            except FileNotFoundError:
                return None
        if len(content) > largest:
            raise DamagedObject(f"{self.url}/{name} is larger than the {largest:,} bytes that it may have")
        return content

    def read(self, name: str, first: int, last: int) -> bytes | None:
        with self._words(name):
            try:
                with self._opened(name) as file:
                    file.seek(first)
                    content = file.read(last - first)
            except FileNotFoundError:
                return None
        if len(content) < last - first:
            raise DamagedObject(f"{self.url}/{name} ends before byte {last:,}")
        return content

    def create(self, name: str, content: bytes) -> bool:
        with self._words(name), self._written(content) as (passing, source):
            *above, last = name.split("/")
            with self._folder_of(above, make=True) as folder:
                try:
                    os.link(passing, last, src_dir_fd=source, dst_dir_fd=folder, follow_symlinks=False)
                except FileExistsError:
                    return False
                os.fsync(folder)
            return True

    def put(self, name: str, content: bytes | IO[bytes]) -> None:
        with self._words(name), self._written(content) as (passing, source):
            *above, last = name.split("/")
            with self._folder_of(above, make=True) as folder:
                os.rename(passing, last, src_dir_fd=source, dst_dir_fd=folder)
                os.fsync(folder)

    def names(self, folder: str, after: str = "") -> Iterator[Listed]:
        with self._words(folder):
            yield from self._listed(folder.split("/"), after)

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            *above, last = name.split("/")
            with self._words(name), suppress(FileNotFoundError), self._folder_of(above) as folder:
                os.unlink(last, dir_fd=folder)

    def size(self, name: str) -> int | None:
        *above, last = name.split("/")
        with self._words(name):
            try:
                with self._folder_of(above) as folder:
                    about = os.stat(last, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                return None
        return about.st_size if stat.S_ISREG(about.st_mode) else None

    def _listed(self, parts: list[str], after: str) -> Iterator[Listed]:
        try:
            with self._folder_of(parts) as folder:
                names = sorted(os.listdir(folder))  # noqa: PTH208  a descriptor, so that no link is followed
                for name in names:
                    whole = "/".join([*parts, name])
                    if whole <= after and not after.startswith(f"{whole}/"):
                        continue
                    with suppress(FileNotFoundError):  # it was removed meanwhile
                        about = os.stat(name, dir_fd=folder, follow_symlinks=False)
                        if stat.S_ISDIR(about.st_mode):
                            yield from self._listed([*parts, name], after)
                        elif stat.S_ISREG(about.st_mode):
                            yield Listed(whole, about.st_size, about.st_mtime_ns // 1000)
        except FileNotFoundError:
            return

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        *above, last = name.split("/")
        with self._folder_of(above) as folder:
            descriptor = os.open(last, os.O_RDONLY | _FILE, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EISDIR, "is a folder or a device, not a file")
            yield file

    @contextmanager
    def _written(self, content: bytes | IO[bytes]) -> Iterator[tuple[str, int]]:
        """A whole file under a passing name, and its folder; what is left of it is removed in the end."""
        name = secrets.token_hex(12)
        with self._folder_of([PASSING], make=True) as folder:
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o666, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    if isinstance(content, bytes):
                        file.write(content)
                    else:
                        content.seek(0)
                        while piece := content.read(_PIECE):
                            file.write(piece)
                    file.flush()
                    os.fsync(descriptor)
                yield name, folder
            finally:
                with suppress(FileNotFoundError):  # a renamed file is not there any more
                    os.unlink(name, dir_fd=folder)

    @contextmanager
    def _folder_of(self, parts: list[str], *, make: bool = False) -> Iterator[int]:
        """A descriptor of a folder below this one. Raises FileNotFoundError, OSError."""
        if make:
            self.folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in parts:
                if name in ("", ".", ".."):
                    raise OSError(errno.EINVAL, "is no name of an object")
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=descriptor)
                inner = os.open(name, _FOLDER, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _words(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            place = f"{self.folder / name}"
            if error.errno in _FULL:
                raise NoSpace(f"{place}: {error.strerror}: free some disk space and try again") from error
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                words = "a symbolic link or a file stands where asof keeps a folder or a file: remove it"
            elif error.errno in _NO_LINKS and isinstance(error.filename2, str):
                words = "this file system has no hard links, which a storage needs: use another one"
            else:
                words = error.strerror or str(error)
            raise StorageError(f"{place}: {words}") from error

"""The file of an export, plain or gzipped: written in one step, read line by line and to its last one."""

from __future__ import annotations

import gzip
import io
import json
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from asof.errors import CorpusError, SourceError, UsageError
from asof.sources.source import InputLimits, printable
from asof.store.export_format import (
    BEGINNING_OF_FILE,
    ExportedLine,
    ExportedPassage,
    ExportedVersion,
    ExportEnd,
    MoreText,
    encode,
)
from asof.store.export_lines import read_line
from asof.store.export_values import UnusableLine

SUFFIXES = (".jsonl", ".jsonl.gz")
LONGEST = InputLimits().file
"""The most bytes of a line, and characters of a version: metadata and links are as large as a file may be."""


# -- writing ----------------------------------------------------------------------------------------


def write_lines(
    file: Path, lines: Iterable[dict[str, Any]], end: Callable[[], dict[str, int]], *, overwrite: bool = False
) -> None:
    """Write lines and the last one to `file`, which is there once it is complete. `end`: what the last line
    says beside the digest, asked when all others are written.

    Raises UsageError for a file that is there already, unless it may be overwritten, and for a name that ends
    in neither .jsonl nor .jsonl.gz; CorpusError for a line that could not be read again; OSError.
    """
    if not file.name.lower().endswith(SUFFIXES):
        raise UsageError(f"{file}: the name of an export ends in {' or '.join(SUFFIXES)}")
    digest = blake2b(digest_size=16)
    with _replacing(file, overwrite=overwrite) as stream:
        for value in lines:
            line = f"{encode(value)}\n".encode()
            if len(line) > LONGEST:  # passages are parted over lines, so it is not their fault
                raise CorpusError(
                    f"the metadata and links of {value.get('version')!r:.60} have {len(line):,} bytes; a "
                    f"line of an export has at most {LONGEST:,}: erase the document with `asof purge`"
                )
            digest.update(line)
            stream.write(line)
        stream.write(f"{encode({'end': {**end(), 'digest': digest.hexdigest()}})}\n".encode())


@contextmanager
def _replacing(file: Path, *, overwrite: bool) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when all is written."""
    _refuse_existing(file, overwrite=overwrite)
    passing = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")
    try:
        with passing.open("xb") as raw:
            if file.suffix.lower() == ".gz":  # without a name and a time in it: equal exports are equal files
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield raw
        _refuse_existing(file, overwrite=overwrite)
        passing.replace(file)
    finally:
        passing.unlink(missing_ok=True)


def _refuse_existing(file: Path, *, overwrite: bool) -> None:
    if file.is_dir():
        raise UsageError(f"{file} is a folder; the name of a file is expected")
    if not overwrite and file.exists():
        raise UsageError(f"{file} is there already: overwrite it with --force, or choose another name")


# -- reading ----------------------------------------------------------------------------------------


def is_export(file: Path) -> bool:
    """Whether a file begins as an export does; one that cannot be read does not."""
    if not file.name.lower().endswith(SUFFIXES):
        return False
    try:
        with file.open("rb") as stream:
            begins = stream.read(1024)
        if file.suffix.lower() == ".gz":  # also one that breaks off
            begins = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(begins, len(BEGINNING_OF_FILE))
    except (OSError, zlib.error):
        return False
    return begins.startswith(BEGINNING_OF_FILE)


def _opened(file: Path) -> BinaryIO:
    if file.suffix.lower() != ".gz":
        return file.open("rb")
    return cast(BinaryIO, io.BufferedReader(gzip.open(file, "rb"), 2**16))


class ExportFile:
    """The lines of an export, checked. `number` is that of the line that was given last."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.number = 0
        self._last = 0  # the line that was read last: a version is held back until it is known to be whole
        self._digest = blake2b(digest_size=16)
        self._decoder = json.JSONDecoder(parse_constant=_refuse_constant)

    def refuse(self, message: str) -> NoReturn:
        """Raises SourceError: what is wrong with the line that was given last."""
        name = printable(self.file.as_posix())
        raise SourceError(f"{name}:{self.number}: {message}; nothing of the file was taken in")

    def lines(self) -> Iterator[ExportedLine]:
        """All lines in order, the versions with all of their passages. Raises SourceError."""
        try:
            stream = _opened(self.file)
        except OSError as wrong:
            raise SourceError(f"{self.file} cannot be read: {wrong.strerror}") from wrong
        with stream:
            yield from self._whole_versions(self._read(stream))

    def _whole_versions(self, lines: Iterator[ExportedLine]) -> Iterator[ExportedLine]:
        held: ExportedLine | None = None
        number = size = 0
        for line in lines:
            if isinstance(line, MoreText):
                if not isinstance(held, ExportedVersion):
                    self.refuse("more text follows no version")
                size += sum(len(each if isinstance(each, str) else each.text) for each in line.passages)
                if size > LONGEST:
                    self.refuse(f"a version has more than {LONGEST:,} characters")
                self._add(held.passages, line)
                continue
            following = self.number
            if held is not None:
                self.number = number
                yield held
            held, number, size = line, following, 0
        if held is not None:
            self.number = number
            yield held

    def _add(self, passages: list[ExportedPassage], more: MoreText) -> None:
        texts: list[str] = []  # of the last passage, joined once
        for each in [*more.passages, None]:
            if isinstance(each, str):
                texts.append(each)
                continue
            if texts:
                if not passages or passages[-1].same is not None:
                    self.refuse("a text continues no passage")
                passages[-1] = passages[-1]._replace(text="".join([passages[-1].text, *texts]))
                texts = []
            if each is not None:
                passages.append(each)

    def _read(self, stream: BinaryIO) -> Iterator[ExportedLine]:
        end = None
        while raw := self._raw(stream):
            self._last += 1
            self.number = self._last
            if end is not None:
                self.refuse("there is something after the line that ends the export")
            if len(raw) > LONGEST:
                self.refuse(f"the line has more than {LONGEST:,} bytes")
            if not raw.endswith(b"\n"):
                self.refuse("the file breaks off in this line: copy it again")
            line = self._parsed(raw)
            end = line if isinstance(line, ExportEnd) else None
            if end is not None and end.digest != self._digest.hexdigest():
                self.refuse(
                    "the lines before do not have the digest that this one says: the file was changed"
                )
            self._digest.update(raw)
            yield line
        if end is None:
            self.refuse("the file breaks off after this line: copy it again")

    def _raw(self, stream: BinaryIO) -> bytes:
        self.number = self._last
        try:
            return stream.readline(LONGEST + 1)
        except (OSError, EOFError, zlib.error) as wrong:
            self.refuse(f"the file breaks off after this line ({wrong}): copy it again")

    def _parsed(self, raw: bytes) -> ExportedLine:
        try:
            record = self._decoder.decode(raw.decode())
            if not isinstance(record, dict):
                self.refuse("the line is no JSON object")
            return read_line(record)
        except UnusableLine as wrong:
            self.refuse(str(wrong))
        except RecursionError:
            self.refuse("the line is nested too deeply")
        except ValueError as wrong:  # no UTF-8, no JSON, or a number of too many digits
            self.refuse(f"the line is not JSON: {wrong}")


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON value")

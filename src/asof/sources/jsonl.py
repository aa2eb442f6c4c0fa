"""JSON Lines, plain or gzipped: a record a line, read one line at a time."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import BinaryIO, cast

from asof.data import Checkpoint, Document, Ended, Problem, Statement, Unchanged
from asof.data.storable import TooDeep, storable_value
from asof.errors import SourceError
from asof.sources.fields import Fields
from asof.sources.record import RecordReader, UnusableRecord, constant
from asof.sources.source import InputLimits, SourceNaming, token

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SKIP = 2**20
COUNT = 8
"""The bytes of a checkpoint that say how many documents a file states."""


class BadLine(ValueError):
    """A line that holds no JSON object."""


class JsonLines:
    """The documents of a `.jsonl` or `.jsonl.gz` file. One that was read without a problem is not read again
    while it holds the same bytes."""

    kind = "jsonl"
    complete = True

    def __init__(self, naming: SourceNaming, fields: Fields, limits: InputLimits) -> None:
        self.name = naming.name
        self.path = naming.target
        self.file = naming.shown
        self.limits = limits
        self._records = RecordReader(fields)
        self._decoder = json.JSONDecoder(parse_constant=constant)
        self._notes: list[Problem] = []
        self._number = 0
        self._options = repr((fields, limits))
        self._before = b""
        self._digest = blake2b()

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._before = checkpoints.get("", b"")

    def documents(self) -> Iterator[Statement]:
        try:
            digest, count = self._before[:-COUNT], int.from_bytes(self._before[-COUNT:])
            if digest and self._token(self._whole_digest()) == digest:
                yield Unchanged(count=count)
                return
            stream = self._open()
        except OSError as wrong:
            raise SourceError(f"{self.file} cannot be read: {wrong.strerror}") from wrong
        self._number, self._digest, sound, count = 0, blake2b(), True, 0
        with stream:
            try:
                for item in self._lines(stream):
                    sound = sound and not isinstance(item, Problem)
                    count += 1
                    yield item
            except (EOFError, zlib.error, OSError) as wrong:
                sound = False
                yield self._problem(
                    f"the file breaks off after this line: {wrong}", "fetch the file again: it is damaged"
                )
        if sound:
            yield Checkpoint("", self._token(self._digest.digest()) + count.to_bytes(COUNT))

    def _whole_digest(self) -> bytes:
        """The digest of what the file holds, unpacked; empty where it cannot be read to its end."""
        digest = blake2b()
        with self._open() as stream:
            try:
                while piece := stream.read(_SKIP):
                    digest.update(piece)
            except (EOFError, zlib.error):
                return b""
        return digest.digest()

    def _token(self, digest: bytes) -> bytes:
        return token(self.name, self._options, digest)

    def _open(self) -> BinaryIO:
        if self.path.suffix.lower() != ".gz":
            return self.path.open("rb")
        return cast(BinaryIO, io.BufferedReader(gzip.open(self.path, "rb"), 2**16))

    def _lines(self, stream: BinaryIO) -> Iterator[Document | Ended | Problem]:
        longest = self.limits.line
        notes = self._notes
        while line := stream.readline(longest + 1):
            self._number += 1
            self._digest.update(line)
            if self._number == 1:
                if line.startswith(_UTF16):
                    yield self._problem("is UTF-16", "save it as UTF-8")
                    return
                line = line.removeprefix(_BOM)
            if len(line) > longest and not line.endswith(b"\n"):
                size = len(line) + _rest(stream)
                yield self._problem(f"the line has {size} bytes; the limit is {longest}")
                continue
            if line.isspace() or not line:
                continue
            yield self._statement(line)
            if notes:
                yield from notes
                notes.clear()

    def _statement(self, line: bytes) -> Document | Ended | Problem:
        try:
            return self._records.statement(self._record(line), self._note)
        except BadLine as wrong:
            return self._problem(str(wrong), "every line has to be one JSON object")
        except UnusableRecord as wrong:
            return self._problem(f"the record {wrong}", wrong.remedy, wrong.document)

    def _record(self, line: bytes) -> dict[str, object]:
        try:
            record = self._decoder.decode(line.decode())
            if (b"\\u" in line) and (b"\\ud" in line or b"\\uD" in line or b"\\u0000" in line):
                whole = storable_value(record)
                if whole != record:
                    record = whole
                    self._note("NUL or half of a surrogate pair stands in the record: read as U+FFFD")
        except UnicodeDecodeError as wrong:
            raise BadLine(
                f"the line is not UTF-8 (byte 0x{line[wrong.start]:02x} at {wrong.start})"
            ) from None
        except json.JSONDecodeError as wrong:
            raise BadLine(f"the line is not JSON: {wrong.msg} at character {wrong.pos}") from None
        except (RecursionError, TooDeep):
            raise BadLine("the line is nested too deeply") from None
        except ValueError as wrong:
            raise BadLine(f"the line is not JSON: {wrong}") from None
        if isinstance(record, dict):
            return record
        raise BadLine(f"the line is JSON, but no object: {type(record).__name__}")

    def _note(self, message: str) -> None:
        self._notes.append(Problem(message, self.file, self._number, lost=False))

    def _problem(self, message: str, remedy: str = "", document: str = "") -> Problem:
        return Problem(message, self.file, self._number, remedy, document)


def _rest(stream: BinaryIO) -> int:
    """Passes over the rest of a line; says how many bytes it had."""
    size = 0
    while piece := stream.readline(_SKIP):
        size += len(piece)
        if piece.endswith(b"\n"):
            break
    return size

"""Readers of formats, run in a process of their own: file bytes go in, JSON comes out and is checked.

A file may bring the process to say anything, so nothing of an answer is used unchecked. Dates that are those
of a template, or older than the format, are dropped. The readers at the end are those of the entry points.
"""

from __future__ import annotations

import atexit
import dataclasses
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec import Struct

from asof.documents import Heading, Link, Problem, SourcedTime, TooDeep, storable, storable_value
from asof.errors import BadTime, SourceError, missing_extra
from asof.extensions.documents import reader_process
from asof.extensions.documents.parts import Part
from asof.sources.dates import stated, stated_or_none
from asof.sources.git import inherited
from asof.sources.readers import ParsedFile, Reader, Unreadable
from asof.sources.source import InputLimits
from asof.time.span import Span, nearest_moment
from asof.wire import replace

# -- the process, as seen from outside -------------------------------------------------------------


_INHERITED = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The environment variables that a Python may need to find its own libraries."""

_AGAIN = 25
"""A process that has read so many thousand files is replaced by a new one."""

GRACE = 10
"""Seconds beyond the deadline of a file, after which the process itself is given up."""


@dataclass(slots=True)
class ReaderProcess:
    """The process that reads, started when it is first needed; one for all threads, one file at a time.

    `limits`: those that it was started with; `count`: how many files it was given.
    """

    process: subprocess.Popen[bytes] | None = None
    limits: str = ""
    count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, request: Mapping[str, object], raw: bytes, limits: InputLimits) -> bytes:
        """The reader's answer on a file, as JSON. Raises Unreadable; SourceError where no process is."""
        with self._lock:
            process = self._ready(json.dumps(asdict(limits)))
            try:
                state, answer = self._exchange(process, request, raw, limits.seconds + GRACE)
            except (OSError, ValueError, LookupError, TypeError) as wrong:
                self.end()
                raise Unreadable("the file ends the process that reads it", "save it anew") from wrong
        if state == "late":
            raise Unreadable(f"reading it takes more than {limits.seconds} seconds", "split it")
        if state in ("died", "large"):
            raise Unreadable(
                f"it breaks what reads it, or needs more than {limits.memory // 2**20} MiB of memory",
                "save it anew, or split it",
            )
        return answer

    def _ready(self, limits: str) -> subprocess.Popen[bytes]:
        process = self.process
        worn = self.limits != limits or self.count >= 1000 * _AGAIN
        if process is None or worn or process.poll() is not None:
            self.end()
            process = self.process = _started(limits)
            self.limits, self.count = limits, 0
        self.count += 1
        return process

    @staticmethod
    def _exchange(
        process: subprocess.Popen[bytes], request: Mapping[str, object], raw: bytes, seconds: float
    ) -> tuple[str, bytes]:
        given, taken = process.stdin, process.stdout
        assert given is not None  # noqa: S101  it is a pipe
        assert taken is not None  # noqa: S101
        clock = threading.Timer(seconds, process.kill)
        clock.start()
        try:
            given.write(json.dumps({**request, "size": len(raw)}).encode() + b"\n" + raw)
            given.flush()
            head = json.loads(taken.readline() or b"!")
            return head["state"], taken.read(head["size"])
        finally:
            clock.cancel()

    def end(self) -> None:
        """End the process, if one runs."""
        process, self.process = self.process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    assert stream is not None  # noqa: S101
                    stream.close()
            process.kill()
            process.wait()


PROCESS = ReaderProcess()
atexit.register(PROCESS.end)


def _started(limits: str) -> subprocess.Popen[bytes]:
    """Python without the user's settings, packages and folder, and without what `.pth` files start."""
    if not sys.executable or getattr(sys, "frozen", False) or not hasattr(os, "fork"):
        raise SourceError(
            "documents are read by a Python process of its own that forks, and here is none: "
            "run asof with an installed Python on Linux or macOS"
        )
    own = str(Path(reader_process.__file__).parents[3])
    command = [sys.executable, "-I", "-S", "-B", reader_process.__file__, own, limits]
    try:
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=inherited(_INHERITED),
        )  # fmt: skip
    except OSError as wrong:
        raise SourceError(f"{command[0]} cannot be run, which reads documents: {wrong.strerror}") from None
    assert process.stdout is not None  # noqa: S101
    if process.stdout.readline() != reader_process.READY:
        process.kill()
        raise SourceError(f"the process that reads documents does not start: {' '.join(command[:5])}")
    return process


# -- dates that say nothing of the document --------------------------------------------------------


TEMPLATES = {
    "2013-01-27": "the template of python-pptx is of that day",
    "2013-12-23": "the template of python-docx is of that day",
    "2006-09-16": "the template of Excel workbooks is of that day",
    "2006-08-16": "the template of PowerPoint slides is of that day",
    "1980-01-01": "it is the first that an archive can have",
    "1970-01-01": "it is the first of a computer's clock",
    "1601-01-01": "it is the first of a computer's clock",
}
"""Days on which no document was made, and why they stand in some."""

EARLIEST = 1985
"""No format that holds a date of its own is older."""


def disbelieved(span: Span) -> str:
    """The reason to ignore a date in a document; "" if there is none."""
    moment = nearest_moment(span.first)
    why = TEMPLATES.get(moment.date().isoformat(), "")
    return why or (f"no such format is older than {EARLIEST}" if moment.year < EARLIEST else "")


# -- a reader --------------------------------------------------------------------------------------


MAX_TITLE = 500
"""Characters of a title."""


@dataclass(frozen=True, slots=True)
class FormatReader:
    """The reader of a format: the module whose `read` reads it in the process, and the packages that it needs
    there, with the extra that has them. `many`: a file is many documents.
    `remedy`: what to do where a file takes too much. `names`: finds the name of a file in its first bytes."""

    module: str
    suffix: str
    packages: tuple[str, ...] = ()
    extra: str = ""
    many: bool = False
    remedy: str = ""
    names: re.Pattern[bytes] | None = None

    def __call__(self, raw: bytes, stem: str, limits: InputLimits) -> ParsedFile:
        parts = self.parts(raw, stem, limits)
        files = [_parsed(each, stem) for each in parts]
        if files[0].name:
            return ParsedFile("", stem, parts=tuple(files))
        return replace(files[0], parts=tuple(files[1:]))

    def parts(self, raw: bytes, stem: str, limits: InputLimits) -> list[Part]:
        """The parts that the module makes of a file, at least one part, each of another name. Raises
        Unreadable, MissingExtra, SourceError."""
        if len(raw) > limits.file:
            raise Unreadable(f"the file has {len(raw)} bytes; the limit is {limits.file}")
        request = {
            "module": self.module, "folders": _folders(self.packages, self.extra), "stem": stem,
            "suffix": self.suffix, "many": self.many,
        }  # fmt: skip
        try:
            answer = PROCESS.ask(request, raw, limits)
        except Unreadable as wrong:
            raise Unreadable(str(wrong), self.remedy or wrong.remedy) from wrong
        parts = _checked(answer)
        most = limits.all if self.many else limits.characters
        names = [each.name for each in parts]
        if sum(len(each.text) for each in parts) > most + 4 * len(parts) + limits.pages:
            raise _broken()
        if len(set(names)) != len(names):
            raise _broken()
        return parts


def reader(module: str, suffix: str, *packages: str, many: bool = False, remedy: str = "") -> Reader:
    """The reader by a module beside this one."""
    return FormatReader(f"{__package__}.{module}", suffix, packages, "documents", many, remedy)


def _folders(packages: Sequence[str], extra: str) -> list[str]:
    """The folders in which the packages lie; nothing of them is loaded here."""
    folders: list[str] = []
    for name in packages:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise missing_extra("reading it", extra, name)
        folder = str(Path(spec.origin).parents[1 if spec.submodule_search_locations else 0])
        if folder not in folders:
            folders.append(folder)
    return folders


# -- the answer, checked ---------------------------------------------------------------------------


class _Answer(Struct):
    """The answer of the process: the parts of a file, or why there are none."""

    parts: list[Part] = []
    no: str = ""
    remedy: str = ""
    empty: bool = False


def _checked(answer: bytes) -> list[Part]:
    """The parts of an answer, every text of them storable. Raises Unreadable, SourceError."""
    try:
        told = msgspec.json.decode(answer, type=_Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise _broken() from wrong
    if told.no == "memory":
        raise Unreadable("it needs more memory than a file may take", "split it")
    if told.no == "import":
        raise SourceError(f"a library that reads such files cannot be loaded: {told.remedy}")
    if told.no:
        raise Unreadable(storable(told.no), storable(told.remedy), empty=told.empty)
    if not told.parts:
        raise _broken()
    return [_sound(each) for each in told.parts]


def _sound(part: Part) -> Part:
    places = [-1, *(at for at, _, _ in part.outline), len(part.text)]
    if (part.outline and places != sorted(set(places))) or len(part.own) > len(part.text):
        raise _broken()
    texts = ("text", "own", "title", "name", "published", "created", "changed")
    names = ("links", "aliases", "quoted", "notes")
    lists = {name: list(filter(str.strip, getattr(part, name))) for name in names}
    try:
        said = storable_value({**{name: getattr(part, name) for name in texts}, **lists, "front": part.front})
    except TooDeep as wrong:
        raise _broken() from wrong
    outline = [(at, level, storable(words)) for at, level, words in part.outline]
    return dataclasses.replace(part, outline=outline, **said)


def _parsed(part: Part, stem: str) -> ParsedFile:
    notes = [Problem(each, lost=False) for each in part.notes]
    front = dict(part.front)
    tags, language = front.pop("tags", ()), str(front.pop("language", ""))
    made = _time(part.changed, "changed", notes)
    if made is None and part.created != part.changed:
        made = _time(part.created, "created", notes)
    if part.published:
        front["published"] = part.published
        if part.changed and made is not None and stated_or_none(part.published, "metadata"):
            front["updated"], made = part.changed, None
    title = " ".join(part.title.split())[:MAX_TITLE]
    return ParsedFile(
        part.text, title or (stem if not part.name else ""), name=part.name, front=front, by="metadata",
        outline=tuple(Heading(*each) for each in part.outline), links=tuple(map(Link, part.links)),
        tags=tuple(dict.fromkeys(storable(str(each)) for each in tags if str(each).strip())),
        aliases=tuple(dict.fromkeys(part.aliases)), language=language if len(language) == 2 else "",
        created=made, notes=tuple(notes), slow=True, own=part.own, quoted=tuple(part.quoted),
    )  # fmt: skip


def _time(text: str, what: str, notes: list[Problem]) -> SourcedTime | None:
    """A time that a file says of itself; None for one that templates have, which is noted."""
    if not text:
        return None
    try:
        time = stated(text, "metadata")
    except BadTime as wrong:
        notes.append(Problem(f"its date ({what}) cannot be read: {wrong}", lost=False))
        return None
    if time is not None and (why := disbelieved(time.span)):
        notes.append(Problem(f"its date ({what} {text[:10]}) is not believed: {why}", lost=False))
        return None
    return time


def _broken() -> Unreadable:
    return Unreadable("it breaks what reads it", "save it anew")


# -- the readers, by suffix ------------------------------------------------------------------------


MESSAGE_ID = re.compile(rb"^message-id:\s{0,9}<([^<>\s]{1,500})>", re.IGNORECASE | re.MULTILINE)
FAR_CELLS = "delete cells that stand far from the others, or split it"

DOCX = reader("docx", ".docx")
PPTX = reader("pptx", ".pptx")
ODT = reader("odf", ".odt")
ODP = reader("odf", ".odp")
EPUB = reader("epub", ".epub")
RTF = reader("rtf", ".rtf", "striprtf")
XLSX = reader("sheets", ".xlsx", "python_calamine", "msgspec", remedy=FAR_CELLS)
XLS = reader("sheets", ".xls", "python_calamine", "msgspec", remedy=FAR_CELLS)
ODS = reader("sheets", ".ods", "python_calamine", "msgspec", remedy=FAR_CELLS)
EML = FormatReader(f"{__package__}.mail", ".eml", names=MESSAGE_ID)
MBOX = reader("mail", ".mbox", many=True)

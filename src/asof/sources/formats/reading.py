"""Readers of formats: the bytes of a file go to a process of its own, and what it says of them is checked."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from asof.data import Heading, Link, Problem, SourcedTime
from asof.data.storable import storable
from asof.errors import BadTime, MissingExtra, SourceError
from asof.sources.dates import stated
from asof.sources.formats import server, template_dates
from asof.sources.readers import LONGEST_TITLE, ParsedFile, Reader, Unreadable
from asof.sources.source import InputLimits

_INHERITED = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What a Python may need to find its own libraries."""

_AGAIN = 25
"""A process that has read so many thousand files is replaced by a new one."""

GRACE = 10
"""Seconds beyond the deadline of a file, after which the process itself is given up."""


@dataclass(slots=True)
class _Process:
    """A running server, and the folders and limits that it was started with."""

    process: subprocess.Popen[bytes]
    started_with: tuple[str, str]
    count: int = 0


@dataclass(slots=True)
class Processes:
    """The process that reads, started when it is first needed; one for all threads, one file at a time."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: _Process | None = None

    def ask(self, request: Mapping[str, str], raw: bytes, folders: Sequence[str], limits: InputLimits) -> Any:
        """What the reader says of a file. Raises Unreadable; SourceError where no process can be had."""
        with self._lock:
            running = self._ready(folders, limits)
            try:
                state, answer = self._exchange(running.process, request, raw, limits.seconds + GRACE)
            except (OSError, ValueError) as wrong:
                self.end()
                raise Unreadable("the file ends the process that reads it", "save it anew") from wrong
        if state == "late":
            raise Unreadable(f"reading it takes more than {limits.seconds} seconds", "split it")
        if state in ("died", "large"):
            raise Unreadable(
                f"it breaks what reads it, or needs more than {limits.memory // 2**20} MiB of memory",
                "save it anew, or split it",
            )
        return json.loads(answer)

    def _ready(self, folders: Sequence[str], limits: InputLimits) -> _Process:
        wanted = (json.dumps(list(folders)), json.dumps(asdict(limits)))
        running = self._running
        if running is not None and (
            running.started_with != wanted
            or running.process.poll() is not None
            or running.count >= 1000 * _AGAIN
        ):
            self.end()
            running = None
        if running is None:
            running = self._running = _Process(_started(*wanted), wanted)
        running.count += 1
        return running

    @staticmethod
    def _exchange(
        process: subprocess.Popen[bytes], request: Mapping[str, str], raw: bytes, seconds: float
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
        running, self._running = self._running, None
        if running is not None:
            for stream in (running.process.stdin, running.process.stdout):
                with suppress(OSError):
                    assert stream is not None  # noqa: S101
                    stream.close()
            running.process.kill()
            running.process.wait()


PROCESSES = Processes()
atexit.register(PROCESSES.end)


def _started(folders: str, limits: str) -> subprocess.Popen[bytes]:
    """Python without the user's settings, packages and folder, and without what `.pth` files start."""
    if not sys.executable or getattr(sys, "frozen", False) or not hasattr(os, "fork"):
        raise SourceError(
            "documents are read by a Python process of its own that forks, and here is none: "
            "run asof with an installed Python on Linux or macOS"
        )
    command = [sys.executable, "-I", "-S", "-B", server.__file__, folders, limits]
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    try:
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
    except OSError as wrong:
        raise SourceError(f"{command[0]} cannot be run, which reads documents: {wrong.strerror}") from None
    assert process.stdout is not None  # noqa: S101
    if process.stdout.readline() != server.READY:
        process.kill()
        raise SourceError(f"the process that reads documents does not start: {' '.join(command[:5])}")
    return process


@dataclass(frozen=True, slots=True)
class FormatReader:
    """The reader of a format: the module whose `read` reads it in the process, and the packages that it needs
    there, with the extra that has them."""

    module: str
    suffix: str
    packages: tuple[str, ...] = ()
    extra: str = ""

    def __call__(self, raw: bytes, stem: str, limits: InputLimits) -> ParsedFile:
        if len(raw) > limits.file:
            raise Unreadable(f"the file has {len(raw)} bytes; the limit is {limits.file}")
        request = {"module": self.module, "stem": stem, "suffix": self.suffix}
        answer = PROCESSES.ask(request, raw, _folders(self.packages, self.extra), limits)
        return _file(answer, stem, limits)


def reader(module: str, suffix: str, *packages: str, extra: str = "documents") -> Reader:
    """The reader by a module beside this one."""
    return FormatReader(f"{__package__}.{module}", suffix, packages, extra)


def _folders(packages: Sequence[str], extra: str) -> list[str]:
    """The folders in which asof and the packages lie; nothing of the packages is loaded here."""
    folders = [str(Path(server.__file__).parents[3])]
    for name in packages:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise MissingExtra(f"reading it needs {name}: pip install 'asof[{extra}]'")
        folder = str(Path(spec.origin).parents[1 if spec.submodule_search_locations else 0])
        if folder not in folders:
            folders.append(folder)
    return folders


# -- what came back, checked: a file may have brought the process to say anything ----------------------------


def _file(answer: Any, stem: str, limits: InputLimits) -> ParsedFile:
    match answer:
        case {"no": "memory"}:
            raise Unreadable(f"it needs more than {limits.memory // 2**20} MiB of memory", "split it")
        case {"no": "import", "remedy": str(missing)}:
            raise SourceError(f"a library that reads such files cannot be loaded: {missing}")
        case {"no": str(why), "remedy": str(remedy), "empty": bool(empty)}:
            raise Unreadable(storable(why), storable(remedy), empty=empty)
        case {"parts": [*parts]} if parts:
            pass
        case _:
            raise _broken()
    try:
        files = [_parsed(each, stem) for each in parts]
    except (KeyError, TypeError, ValueError, AttributeError) as wrong:
        raise _broken() from wrong
    if sum(len(each.text) for each in files) > limits.characters + 4 * len(files):
        raise _broken()
    names = [each.name for each in files]
    if len(set(names)) != len(names) or (len(names) > 1 and not all(names[1:])):
        raise _broken()
    return ParsedFile("", stem, parts=tuple(files)) if names[0] else _with_parts(files)


def _with_parts(files: list[ParsedFile]) -> ParsedFile:
    from dataclasses import replace

    return replace(files[0], parts=tuple(files[1:]))


def _parsed(part: Mapping[str, Any], stem: str) -> ParsedFile:
    text, title, name = (storable(part[key]) for key in ("text", "title", "name"))
    outline = tuple(Heading(int(at), int(level), storable(words)) for at, level, words in part["outline"])
    at = -1
    for heading in outline:
        if not at < heading.offset < len(text):
            raise ValueError("headings are not in order")
        at = heading.offset
    notes = [Problem(storable(str(each)), lost=False) for each in part["notes"]]
    front = dict(part["front"])
    if published := part["published"]:
        front["published"] = published
    created, changed = (_time(part[key], key, notes) for key in ("created", "changed"))
    return ParsedFile(
        text, " ".join(title.split())[:500] or (stem if not name else ""), outline, name=name,
        links=tuple(Link(storable(each)) for each in part["links"] if each.strip()), front=front,
        by="metadata", slow=True, created=changed or created, notes=tuple(notes),
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
    if time is not None and (why := template_dates.disbelieved(time.span)):
        notes.append(Problem(f"its date ({what} {text[:10]}) is not believed: {why}", lost=False))
        return None
    return time


def _broken() -> Unreadable:
    return Unreadable("it breaks what reads it", "save it anew")


__all__ = ["LONGEST_TITLE", "PROCESSES", "FormatReader", "Processes", "reader"]

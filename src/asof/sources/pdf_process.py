"""The process that reads a PDF: what goes in, what may come out, and what it means when it dies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from asof.errors import SourceError
from asof.sources import pdf_child
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits

_INHERITED = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What a Python may need to find its own libraries."""
_AGAIN = "fetch or save it again"
_REASONS = {
    "locked": ("the PDF is encrypted", "save it without a password"),
    "damaged": ("this is no PDF, or a damaged one", _AGAIN),
    "page": ("a page of the PDF cannot be read", _AGAIN),
}


@dataclass(frozen=True, slots=True)
class PdfContent:
    """The text of each page, and what the file says of itself: its title, and when it was made
    (`D:20240131093000+01'00'`); "" where it says nothing."""

    pages: list[str]
    title: str = ""
    created: str = ""


def content(raw: bytes, limits: InputLimits, folder: Path) -> PdfContent:
    """What pypdfium2, which lies in `folder`, reads in a process that is bound by the limits. Raises
    Unreadable; SourceError when no such process can be had."""
    # A UTF-16 unit is at most three bytes of UTF-8, a control character six bytes of JSON.
    most = len(pdf_child.READY) + 6 * limits.characters + 8 * limits.pages + 20_000
    status, output, timed_out = _exchange(_command(folder, limits), raw, most, limits.seconds)
    ready, _, answer = output.partition(pdf_child.READY)
    if timed_out and status:
        raise Unreadable(f"reading the PDF takes more than {limits.seconds} seconds", "print it to a new PDF")
    if ready or not output:
        raise SourceError(
            f"the process that reads PDFs does not start (status {status}); "
            f"see what this says: {sys.executable} -c 'import pypdfium2'"
        )
    if status or len(output) > most:
        raise _broken(limits)
    return _judged(answer, limits)


def _command(folder: Path, limits: InputLimits) -> list[str]:
    """Python without the user's settings, packages and folder, and without what `.pth` files start."""
    if not sys.executable or getattr(sys, "frozen", False):
        raise SourceError(
            "PDFs are read by a Python process of its own, and here is no Python to start: "
            "run asof with an installed Python"
        )
    return [sys.executable, "-I", "-S", "-B", pdf_child.__file__, str(folder), json.dumps(asdict(limits))]


def _exchange(command: list[str], raw: bytes, most: int, seconds: int) -> tuple[int, bytes, bool]:
    """The exit status of the process, its output (one byte more than `most` when that was more), and whether
    it was killed at the deadline."""
    timed_out = threading.Event()

    def end() -> None:
        timed_out.set()
        process.kill()

    try:
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _INHERITED if name in os.environ},
        )
    except OSError as wrong:
        raise SourceError(f"{command[0]} cannot be run, which reads PDFs: {wrong.strerror}") from None
    clock = threading.Timer(seconds, end)
    giving = threading.Thread(target=_give, args=(process, raw), daemon=True)
    assert process.stdout is not None  # noqa: S101  it is a pipe
    with process:
        try:
            clock.start()
            giving.start()
            output = process.stdout.read(most + 1)
            if len(output) <= most:
                process.wait()
        finally:
            process.kill()
            clock.cancel()
            giving.join()
    return process.returncode, output, timed_out.is_set()


def _give(process: subprocess.Popen[bytes], raw: bytes) -> None:
    assert process.stdin is not None  # noqa: S101  it is a pipe
    with suppress(OSError), process.stdin:  # a process that died reads no more: its status shows it
        process.stdin.write(raw)


def _judged(answer: bytes, limits: InputLimits) -> PdfContent:
    """The content in an answer, whose form is checked: a PDF may have brought the process to say anything."""
    try:
        value: Any = json.loads(answer)
    except (ValueError, RecursionError):
        raise _broken(limits) from None
    match value:
        case {"pages": [*pages]} if all(isinstance(page, str) for page in pages):
            title, created = value.get("title", ""), value.get("created", "")
            words = isinstance(title, str) and isinstance(created, str)
            if words and len(pages) <= limits.pages and sum(map(len, pages)) <= limits.characters:
                return PdfContent(pages, title[: pdf_child.MAX_TITLE], created[: pdf_child.MAX_TITLE])
        case {"no": "pages", "count": int(count)}:
            raise Unreadable(f"the PDF has {count} pages; the limit is {limits.pages}", "split it")
        case {"no": "characters"}:
            raise Unreadable(f"the PDF has more than {limits.characters} characters", "split it")
        case {"no": str(reason)} if reason in _REASONS:
            raise Unreadable(*_REASONS[reason])
    raise _broken(limits)


def _broken(limits: InputLimits) -> Unreadable:
    """For a process that died. PDFium says only by dying that there is no more memory, or that it failed."""
    return Unreadable(
        f"the PDF breaks what reads it, or needs more than {limits.memory // 2**20} MiB of memory",
        "print it to a new PDF",
    )

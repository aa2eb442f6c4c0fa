"""The program tesseract, which recognises the text of an image: whether it can, and what it says."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from asof.sources.formats.server import die_with_parent

MEMORY = 384 * 2**20
"""Bytes of memory that the program may take, on Linux."""

_LISTING = 20
"""Seconds for listing the languages."""


class Unrecognized(Exception):
    """The text of an image was not recognised. `late`: there was not enough time."""

    def __init__(self, *, late: bool = False) -> None:
        super().__init__("late" if late else "failed")
        self.late = late


def program() -> str | None:
    """The path of the program; None where there is none, or only one seen from the current folder."""
    found = shutil.which("tesseract")
    return found if found and Path(found).is_absolute() else None


def lacking(languages: str) -> tuple[str, str] | None:
    """What is missing for recognising these languages, and what to do; None where nothing is."""
    path = program()
    if path is None:
        return (
            "tesseract is not installed",
            "Debian: apt-get install tesseract-ocr; macOS: brew install tesseract",
        )
    try:
        listed = subprocess.run(  # noqa: S603
            [path, "--list-langs"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=_LISTING, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return "tesseract does not run", f"see what {path} --list-langs says"
    known = listed.stdout.decode("utf-8", "replace").split()
    missing = [each for each in languages.split("+") if each not in known]
    if not missing:
        return None
    packages = " ".join(f"tesseract-ocr-{each.replace('_', '-').lower()}" for each in missing)
    return f"tesseract has no language data for {', '.join(missing)}", f"Debian: apt-get install {packages}"


def text_of(image: int, languages: str, seconds: float, most: int) -> str:
    """The text of the image that comes out of the descriptor `image`, of at most `most` bytes. Raises
    Unrecognized. For a process with one thread, whose limits the program inherits."""
    path = program()
    if path is None:
        raise Unrecognized
    try:
        process = subprocess.Popen(  # noqa: S603
            [path, "stdin", "stdout", "-l", languages],
            stdin=image, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=partial(_confine, seconds),
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        raise Unrecognized from None
    assert process.stdout is not None  # noqa: S101
    end = time.monotonic() + seconds
    try:
        said = _received(process.stdout.fileno(), end, most)
        if process.wait(max(end - time.monotonic(), 0.1)):
            raise Unrecognized
    except subprocess.TimeoutExpired:  # it has closed its output, and goes on
        raise Unrecognized(late=True) from None
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    return said.decode("utf-8", "replace")


def _received(output: int, end: float, most: int) -> bytes:
    """What is written until the output ends. Raises Unrecognized."""
    said = bytearray()
    while True:
        if not select.select([output], [], [], max(end - time.monotonic(), 0))[0]:
            raise Unrecognized(late=True)
        piece = os.read(output, 2**16)
        if not piece:
            return bytes(said)
        said += piece
        if len(said) > most:
            raise Unrecognized


def _confine(seconds: float) -> None:
    """Between fork and exec: the program ends with its parent (on Linux), or after this processor time."""
    import resource

    die_with_parent()
    limits = {resource.RLIMIT_CPU: int(seconds) + 2}
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = MEMORY
    for kind, value in limits.items():
        most = min(each for each in (value, *resource.getrlimit(kind)) if each != resource.RLIM_INFINITY)
        resource.setrlimit(kind, (most, most))

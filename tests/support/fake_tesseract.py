"""A program `tesseract` for tests: what it does with an image follows from the grey in its middle."""

from __future__ import annotations

import sys
from pathlib import Path

TEXT, NOTHING, SLOW, FAILS, FLOODS, DEAF, CLOSED = 20, 40, 60, 80, 100, 120, 140
"""It says a text; says none; sleeps; fails; prints without end; sleeps and does not read the image; closes
its output, and sleeps."""

SAYS = "The mole of Orrin was mended in the spring."

_SCRIPT = f"""#!{sys.executable} -S
import os, sys, time
if sys.argv[1:] == ["--list-langs"]:
    print("List of available languages in (2):\\neng\\nchi_sim")
    sys.exit(0)
head = sys.stdin.buffer.readline()
width, height = map(int, head.split()[1:3])
start = sys.stdin.buffer.read(1)
if start[0] in range({DEAF - 5}, {DEAF + 5}):
    time.sleep(60)
image = start + sys.stdin.buffer.read()
if len(image) != width * height or os.environ["OMP_THREAD_LIMIT"] != "1":
    sys.exit(2)
grey = image[len(image) // 2]
near = min({[TEXT, NOTHING, SLOW, FAILS, FLOODS, CLOSED]}, key=lambda each: abs(each - grey))
if near == {TEXT}:
    sys.stdout.write("{SAYS}\\n\\nIts languages: " + sys.argv[4] + "\\n\\f")
elif near == {SLOW}:
    time.sleep(60)
elif near == {FAILS}:
    sys.exit(1)
elif near == {FLOODS}:
    while True:
        sys.stdout.write("more and more " * 1000)
elif near == {CLOSED}:
    os.close(1)
    time.sleep(60)
"""


def installed(folder: Path) -> Path:
    """The program in a folder, which is made."""
    folder.mkdir(exist_ok=True)
    path = folder / "tesseract"
    path.write_text(_SCRIPT)
    path.chmod(0o755)
    return path


def running(folder: Path) -> list[int]:
    """The processes that recognise an image with it."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            command = (each / "cmdline").read_bytes()
        except OSError:
            continue
        if bytes(folder / "tesseract") + b"\0stdin" in command:
            found.append(int(each.name))
    return found

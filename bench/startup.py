"""What starting asof costs: the time of a command in a fresh process, and the modules that it enters.

Needs the standard library only, so that budgets of a build can be checked with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

NOTES = {
    "ferry.md": "---\ndate: 2021-03-02\n---\nThe ferry to the island leaves at nine.\n",
    "baker.md": "---\ndate: 2023-07-15\n---\nThe baker closes on Mondays. The ferry leaves at ten.\n",
}
COMMANDS = {
    "asof --help": ("--help",), "asof search, two notes": ("search", "when does the ferry leave"),
}  # fmt: skip

TRACE = """
import json, runpy, sys
entered, mine = set(), lambda name: (name or "").partition(".")[0] == "asof"
def enter(frame, event, argument):
    module, code = frame.f_globals.get("__name__"), frame.f_code
    if event == "call" and mine(module) and code.co_name != "<module>":
        entered.add((module, code.co_qualname))
target = sys.argv[1]
sys.argv[:] = ["asof", *sys.argv[2:]]
sys.setprofile(enter)
try:
    runpy.run_module("asof", run_name="__main__", alter_sys=True)
except SystemExit:
    pass
sys.setprofile(None)
with open(target, "w") as file:
    json.dump([sum(map(mine, sys.modules)), len({module for module, _ in entered}), len(entered)], file)
"""


class Taken(NamedTuple):
    """What a process took: seconds, those of the processor, and its largest memory in bytes."""

    seconds: float
    busy: float
    memory: int


class Entered(NamedTuple):
    """Modules of asof that a command imports, those of which it enters a function, and these functions."""

    imported: int
    modules: int
    functions: int


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "asof", *words]


def environment() -> dict[str, str]:
    """That of this process without its configuration; modules are found compiled, as users find them."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "ASOF_CONFIG": os.devnull}


def largest(ru_maxrss: int) -> int:
    """The bytes of what getrusage tells in another unit on each system."""
    return ru_maxrss if sys.platform == "darwin" else ru_maxrss * 1024


def run(words: Sequence[str], folder: Path | None = None) -> Taken:
    """Run asof in a fresh process. Raises RuntimeError when it fails."""
    return process(command(*words), folder, (0, 1))  # 1: nothing found


def process(words: Sequence[str], folder: Path | None = None, codes: Sequence[int] = (0,)) -> Taken:
    """Run a program. Raises RuntimeError when it ends with another code."""
    begin = time.perf_counter()
    started = subprocess.Popen(words, cwd=folder, env=environment(), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode not in codes:
        raise RuntimeError(f"{' '.join(words)} ended with code {started.returncode}")
    taken = time.perf_counter() - begin
    return Taken(taken, usage.ru_utime + usage.ru_stime, largest(usage.ru_maxrss))


def typical(runs: Sequence[Taken]) -> Taken:
    """The medians; the first run, which compiles modules, does not count."""
    seconds, busy, memory = zip(*runs[1:], strict=True)
    return Taken(median(seconds), median(busy), int(median(memory)))


def two_notes(folder: Path) -> None:
    """Index two notes in a folder, in which COMMANDS are run."""
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    run(("index", "."), folder)


def entered(words: Sequence[str], folder: Path | None = None) -> Entered:
    """What a command imports and enters."""
    with TemporaryDirectory() as place:
        found = Path(place) / "found.json"
        traced = [sys.executable, "-c", TRACE, str(found), *words]
        subprocess.run(traced, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, check=False)
        return Entered(*json.loads(found.read_text(encoding="utf-8")))

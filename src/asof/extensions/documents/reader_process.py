"""The process that reads files: `python -I -S -B reader_process.py FOLDER LIMITS`, started by `reading.py`.

Requests come through stdin: a line of JSON (`module`, `folders`, `stem`, `suffix`, `many`, `size`), then the
bytes of the file. Each is read by a child that this process forks and that limits itself (memory, processor
time) before it has seen a byte of the file: whatever a file brings a library to do ends there. An answer
goes through stdout: a line of JSON (`state`, `size`), then so many bytes, the child's JSON. What a child does
after its deadline is not waited for.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

READY = b"ready\n"
PR_SET_PDEATHSIG = 1


def main() -> None:
    limits = json.loads(sys.argv[2])
    sys.path.append(sys.argv[1])
    import ctypes as ctypes  # what is loaded here need not be loaded by each child

    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    while line := sys.stdin.buffer.readline():
        asked = json.loads(line)
        raw = sys.stdin.buffer.read(asked["size"])
        sys.path += [each for each in asked["folders"] if each not in sys.path]
        with suppress(ImportError):  # a reader that cannot be imported says so in the child
            import_module(asked["module"])  # before forking, so that children have it
        state, answer = in_child(asked, raw, limits)
        sys.stdout.buffer.write(json.dumps({"state": state, "size": len(answer)}).encode() + b"\n" + answer)
        sys.stdout.buffer.flush()


def in_child(asked: dict[str, Any], raw: bytes, limits: dict[str, int]) -> tuple[str, bytes]:
    """`ok` and the JSON of the child, or `died`, `late`, `large` and nothing."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(0, 1)
            os.dup2(0, 2)
            die_with_parent()
            confine(limits["memory"], limits["seconds"])
            with os.fdopen(writing, "wb") as out:
                out.write(answer_to(asked, raw, limits))
        except BaseException:  # noqa: BLE001  the parent sees the status, and nobody else would
            os._exit(1)
        os._exit(0)
    os.close(writing)
    most = 6 * limits["all" if asked["many"] else "characters"] + 2**20
    state, answer = received(reading, most, limits["seconds"])
    os.close(reading)
    if state != "ok":
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if state == "alone":
        sys.exit(0)
    if state == "ok" and status:
        state = "died"
    return state, answer if state == "ok" else b""


def received(reading: int, most: int, seconds: int) -> tuple[str, bytes]:
    """The output of a child until it ends, within time and size."""
    end = time.monotonic() + seconds
    answer = bytearray()
    while True:
        left = end - time.monotonic()
        ready = select.select([reading, 0], [], [], max(left, 0))[0]
        if 0 in ready:  # nothing is asked before it is answered: the process that asks is gone
            return "alone", b""
        if not ready:
            return "late", b""
        piece = os.read(reading, 2**16)
        if not piece:
            return "ok", bytes(answer)
        answer += piece
        if len(answer) > most:
            return "large", b""


def answer_to(asked: dict[str, Any], raw: bytes, limits: dict[str, int]) -> bytes:
    """The JSON of a reader's answer: `parts`, or `no`, why there are none."""
    from asof.extensions.documents.parts import ReadLimits, Refused

    answer: dict[str, Any]
    try:
        reader = import_module(asked["module"])
        many = bool(asked["many"])
        characters, pages = (
            limits[each] for each in (("all", "documents") if many else ("characters", "pages"))
        )
        bounds = ReadLimits(characters, pages, limits["unpacked"])
        parts = reader.read(raw, asked["stem"], asked["suffix"], bounds)
        answer = {"parts": [asdict(part) for part in parts]}
    except Refused as wrong:
        answer = {"no": wrong.message, "remedy": wrong.remedy, "empty": wrong.empty}
    except MemoryError:
        answer = {"no": "memory"}
    except RecursionError:
        answer = {"no": "it is nested too deeply", "remedy": "do not trust it", "empty": False}
    except ImportError as missing:
        answer = {"no": "import", "remedy": str(missing), "empty": False}
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")


def die_with_parent() -> None:
    """Have Linux end this process when the one that forked it ends."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def confine(memory: int, seconds: int) -> None:
    """Limits this process from now on: bytes of memory, seconds of processor, no core file, no
    further file opened for writing.

    Memory is limited on Linux only: macOS does not enforce that limit.
    """
    import resource

    most = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: seconds + 1, resource.RLIMIT_FSIZE: 0}
    if sys.platform == "linux":
        most[resource.RLIMIT_AS] = addresses() + memory
    for kind, value in most.items():
        stricter = min(each for each in (value, *resource.getrlimit(kind)) if each != resource.RLIM_INFINITY)
        resource.setrlimit(kind, (stricter, stricter))


def addresses() -> int:
    """Bytes of addresses that this process has; 0 where /proc is not mounted."""
    import resource

    try:
        statm = Path("/proc/self/statm").read_text()
    except OSError:
        return 0
    return int(statm.split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main()

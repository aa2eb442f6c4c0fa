"""Measuring: how long something takes, what disk and memory it needs, a job in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Generic, TypeVar

T = TypeVar("T")

WARM_UP = 5
JOB = Path(__file__).with_name("job.py")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def latency(ask: Callable[[str], object], questions: Sequence[str]) -> dict[str, float]:
    """Milliseconds of asking each question once, after a warm-up: median, 95th percentile.

    `busy` is the median of processor time, of all threads: what is left of a median on a busy machine.
    """
    for question in questions[:WARM_UP]:
        ask(question)
    taken, busy = [], []
    for question in questions:
        begin, begin_busy = time.perf_counter(), time.process_time()
        ask(question)
        taken.append((time.perf_counter() - begin) * 1e3)
        busy.append((time.process_time() - begin_busy) * 1e3)
    return {"median": median(taken), "p95": quantiles(taken, n=20)[-1], "busy": median(busy)}


def milliseconds(run: Callable[[], object]) -> float:
    """How long `run` takes."""
    begin = time.perf_counter()
    run()
    return (time.perf_counter() - begin) * 1e3


@dataclass
class Clocked(Generic[T]):
    """Passes items on and counts what making them took, in seconds and of the processor, to be subtracted."""

    items: Iterable[T]
    seconds: float = field(default=0.0, init=False)
    busy: float = field(default=0.0, init=False)

    def __iter__(self) -> Iterator[T]:
        source = iter(self.items)
        while True:
            begin, busy = time.perf_counter(), time.process_time()
            try:
                item = next(source)
            except StopIteration:
                return
            finally:
                self.seconds += time.perf_counter() - begin
                self.busy += time.process_time() - busy
            yield item


def one_core() -> None:
    """Keep this process, and what it starts, on a single core."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def bytes_in(folder: Path) -> int:
    """The size of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def job(name: str, *, single: bool = False, **arguments: object) -> dict[str, Any]:
    """Run a job of `job.py` in a process of its own; its figures, and `peak`: its largest memory in bytes.

    `single`: one thread for linear algebra. Raises RuntimeError when the job fails.
    """
    command = [sys.executable, str(JOB), name, json.dumps(arguments)]
    environment = {**os.environ, **(ONE_THREAD if single else {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # commands find their modules compiled, as users' do
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        written = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the job {name} {arguments} ended with code {process.returncode}")
    figures: dict[str, Any] = json.loads(written)
    unit = 1 if sys.platform == "darwin" else 1024
    return {**figures, "peak": usage.ru_maxrss * unit}

"""Figures: measuring one, a job in a process of its own, tables of them, and one run beside another.

Needs the standard library only: the memory of a job is that of what it measures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from bench.startup import largest

RUNNER = Path(__file__).with_name("run.py")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
WARM_UP = 5

LESS, MORE = ("ms", "s", "MB", "modules", "functions", "descriptors", "wrong"), ("/s", "x", "")
"""Units of which less is better, and those of which more is; "" is a share."""

WORSE = 1.1
"""A figure that is so many times worse than before is marked."""


class Figure(NamedTuple):
    """`busy`: the same by processor time of all threads, which tells more on a machine that is not quiet.
    `p95`: of several values, of which `value` is the median, the 95th percentile."""

    value: float
    unit: str
    busy: float | None = None
    p95: float | None = None

    def __str__(self) -> str:
        values = [each for each in (self.value, self.p95, self.busy) if each is not None]
        return f"{' / '.join(map(self._written, values))} {self.unit}".rstrip()

    def _written(self, value: float) -> str:
        if self.unit == "":
            return f"{value:.3f}"
        return f"{value:,.2f}" if value < 100 and self.unit in ("ms", "s", "x") else f"{value:,.0f}"

    def better(self, other: Figure) -> float:
        """How many times better this figure is than another, by processor time where both have it."""
        own, others = (self.busy, other.busy) if self.busy and other.busy else (self.value, other.value)
        above, below = (own, others) if self.unit in MORE else (others, own)
        return above / below if below else 1.0


Rows = dict[str, Figure]
Systems = dict[str, Rows]
Groups = dict[str, Systems]
"""From what is measured on ("5,000 generated passages") to systems ("asof", "tantivy") to rows."""


# -- measuring -----------------------------------------------------------------------------------------


@contextmanager
def clocked() -> Iterator[Callable[[], tuple[float, float]]]:
    """A function that tells the seconds since the beginning, and those of the processor."""
    begin, busy = time.perf_counter(), time.process_time()
    yield lambda: (time.perf_counter() - begin, time.process_time() - busy)


def milliseconds(run: Callable[[], object]) -> Figure:
    with clocked() as clock:
        run()
        seconds, busy = clock()
    return Figure(seconds * 1e3, "ms", busy * 1e3)


def rate(count: float, seconds: float, busy: float | None = None) -> Figure:
    return Figure(count / seconds, "/s", count / busy if busy else None)


def megabytes(size: float) -> Figure:
    return Figure(size / 1e6, "MB")


def middle(found: Sequence[Figure]) -> Figure:
    """The medians of figures of the same thing."""
    busy = [each.busy for each in found if each.busy is not None]
    late = [each.p95 for each in found if each.p95 is not None]
    return Figure(
        median(each.value for each in found), found[0].unit, median(busy) if busy else None,
        median(late) if late else None,
    )  # fmt: skip


def latency(ask: Callable[[str], object], questions: Sequence[str], runs: int = 1) -> Figure:
    """Asking each question, after a warm-up; medians over so many runs."""
    for question in questions[:WARM_UP]:
        ask(question)
    return middle([of_each(ask, questions) for _ in range(runs)])


def of_each(do: Callable[[str], object], texts: Sequence[str]) -> Figure:
    """Doing something with each text: the median and the 95th percentile."""
    taken = [milliseconds(lambda text=text: do(text)) for text in texts]  # type: ignore[misc]
    return middle(taken)._replace(p95=quantiles([each.value for each in taken], n=20)[-1])


def one_core() -> None:
    """Keep this process, and what it starts, on a single core."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def bytes_in(folder: Path) -> int:
    """The size of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def job(name: str, *, single: bool = False, **arguments: object) -> tuple[Rows, Figure]:
    """Run `module.function` of this folder in a process of its own: its figures, and its largest memory.

    `single`: one thread for linear algebra. Raises RuntimeError when the job fails.
    """
    command = [sys.executable, str(RUNNER), "--job", name, json.dumps(arguments)]
    environment = {**os.environ, **(ONE_THREAD if single else {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # commands find their modules compiled, as users' do
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        written = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the job {name} {arguments} ended with code {process.returncode}")
    return rows_of(json.loads(written.splitlines()[-1])), megabytes(largest(usage.ru_maxrss))


def rows_of(read: Mapping[str, Sequence[Any]]) -> Rows:
    return {name: Figure(*each) for name, each in read.items()}


# -- tables --------------------------------------------------------------------------------------------


def aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def table(systems: Systems) -> str:
    """Systems side by side; at the right how many times better asof is than each of the others, by processor
    time where both have it."""
    others = [name for name in systems if not name.startswith("asof")] if "asof" in systems else []
    lines = [["", *systems, *(f"asof : {each}" for each in others)]]
    for row in dict.fromkeys(row for rows in systems.values() for row in rows):
        cells = [str(rows[row]) if row in rows else "-" for rows in systems.values()]
        own = next(
            (rows[row] for name, rows in systems.items() if name.startswith("asof") and row in rows), None
        )
        for other in others:
            both = own is not None and row in systems[other]
            cells.append(f"{own.better(systems[other][row]):,.2f} x" if own and both else "-")
        lines.append([row, *cells])
    return aligned(lines)


def against(now: Groups, then: Groups) -> str:
    """Each figure that both runs have: before, now, and how many times better that is."""
    lines = [["", "before", "now", "better", ""]]
    for group, systems in now.items():
        for system, rows in systems.items():
            for row, figure in rows.items():
                if old := then.get(group, {}).get(system, {}).get(row):
                    better = figure.better(old)
                    name, mark = f"{group}: {system}: {row}", "worse" if better < 1 / WORSE else ""
                    lines.append([name, str(old), str(figure), f"{better:.2f} x", mark])
    return aligned(lines)


def read(path: Path) -> Groups:
    """The figures of a run that was written with --json."""
    kept = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return {
        group: {system: rows_of(rows) for system, rows in systems.items()} for group, systems in kept.items()
    }

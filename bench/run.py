"""`make bench`: asof beside bm25s and a published stack, on generated text; every figure is made in this run.

    make bench ARGS="--sizes 5000,100000 --json figures.json"

Each corpus is built, opened and asked in processes of its own, so that memory is that of the one task. A
target that is missed is marked; the exit code says only whether measuring worked.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.measure import job
from bench.reach import reach
from bench.table import table

SIZES = "5000,100000,1000000"
PUBLISHED_MOST = 100_000
OPENED = 5

Figures = dict[str, dict[str, Any]]
"""From a system to its figures, at one size."""


def main() -> None:
    options = parse()
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}; ", end="")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start (quiet: below 0.3)")
    figures: dict[int, Figures] = {}
    for passages in options.sizes:
        with workplace(options.folder) as folder:
            figures[passages] = measure(passages, folder, options)
        print(f"\n{passages:,} passages (queries: median / 95th percentile / processor time)\n")
        print(table(figures[passages]), flush=True)
    print(f"\nreach\n\n{reach(figures)}", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1), "utf-8")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--sizes", default=SIZES, help=f"numbers of passages (default {SIZES})",
        type=lambda text: [int(size) for size in text.split(",")],
    )  # fmt: skip
    parser.add_argument("--queries", type=int, default=200, help="how many questions (default 200)")
    parser.add_argument("--skip-dense", action="store_true", help="no corpus with vectors")
    parser.add_argument("--skip-peers", action="store_true", help="asof alone")
    parser.add_argument("--folder", type=Path, help="where the corpora are made, and left afterwards")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser.parse_args()


@contextmanager
def workplace(folder: Path | None) -> Iterator[Path]:
    """An empty folder; removed at the end unless the user named it."""
    if folder is None:
        with TemporaryDirectory(prefix="asof-bench-") as temporary:
            yield Path(temporary)
    else:
        place = folder / time.strftime("%Y%m%dT%H%M%S")
        place.mkdir(parents=True)
        yield place


def measure(passages: int, folder: Path, options: argparse.Namespace) -> Figures:
    figures: Figures = {"asof": ours(folder / "words", passages, options.queries, dense=False)}
    if not options.skip_dense:
        figures["asof, vectors"] = ours(folder / "vectors", passages, options.queries, dense=True)
    if not options.skip_peers:
        figures["bm25s"] = bm25s(str(folder / "bm25s"), passages, options.queries)
        if passages <= PUBLISHED_MOST:
            say(f"{passages:,}: the published stack")
            built = job("published", single=True, passages=passages, queries=options.queries)
            figures["published"] = {**built, "peak_build": built["peak"]}
    return figures


def ours(place: Path, passages: int, queries: int, *, dense: bool) -> dict[str, Any]:
    place.mkdir()
    folder = str(place)
    say(f"{passages:,}: asof" + (" with vectors" if dense else ""))
    built = job("build", single=True, folder=folder, passages=passages, dense=dense)
    opened = [job("open", folder=folder, dense=dense)["open"] for _ in range(OPENED)]
    asked = job("search", folder=folder, dense=dense, queries=queries)
    peaks = {"peak_merged": built.pop("peak"), "peak_search": asked.pop("peak")}
    figures = {**built, **peaks, "open": median(opened), **asked}
    if not dense:
        figures |= job("add", folder=folder)
        del figures["peak"]
    return figures


def bm25s(folder: str, passages: int, queries: int) -> dict[str, Any]:
    say(f"{passages:,}: bm25s")
    built = job("bm25s-build", single=True, folder=folder, passages=passages)
    opened = [job("bm25s-open", folder=folder)["open"] for _ in range(OPENED)]
    asked = job("bm25s-search", folder=folder, queries=queries)
    peaks = {"peak_build": built.pop("peak"), "peak_search": asked.pop("peak")}
    return {**built, **peaks, "open": median(opened), **asked}


def say(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

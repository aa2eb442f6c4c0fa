"""`make bench`: asof beside tantivy, bm25s and a published stack; every figure is made in this run.

    make bench ARGS="--sizes 5000,100000 --json figures.json"

The text is generated (`generated.py`); with ASOF_DATA, a folder of datasets, all of them are one corpus more.

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

from bench.corpora import Measured, gather, generate
from bench.measure import job
from bench.reach import reach
from bench.table import table

SIZES = "5000,100000,1000000"
PUBLISHED_MOST = 20_000
OPENED = 5

Figures = dict[str, dict[str, Any]]
"""From a system to its figures, at one size."""


def main() -> None:
    options = parse()
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}; ", end="")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start (quiet: below 0.3)")
    figures: dict[str, Figures] = {}
    data = os.environ.get("ASOF_DATA")
    for size in [*options.sizes, *([None] if data else [])]:
        with workplace(options.folder) as folder:
            say("datasets" if size is None else f"{size:,}: generating")
            if size is None:
                corpus = gather(folder, Path(str(data)), options.queries)
            else:
                corpus = generate(folder, size, options.queries)
            made = measure(corpus, folder, options)
        passages = int(made["asof"]["passages"])
        name = f"{passages:,} passages of datasets" if size is None else f"{size:,} generated passages"
        figures[name] = made
        print(f"\n{name} (queries: median / 95th percentile / processor time)\n\n{table(made)}", flush=True)
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


def measure(corpus: Measured, folder: Path, options: argparse.Namespace) -> Figures:
    figures: Figures = {"asof": ours(folder / "words", corpus, dense=False)}
    if not options.skip_dense:
        figures["asof, vectors"] = ours(folder / "vectors", corpus, dense=True)
    if not options.skip_peers:
        for peer in ("tantivy", "bm25s"):
            figures[peer] = other(peer, str(folder / peer), corpus)
        if figures["asof"]["passages"] <= PUBLISHED_MOST:
            say("the published stack")
            built = job("published", single=True, documents=corpus.documents, questions=corpus.questions)
            figures["published"] = {**built, "peak_build": built["peak"]}
    return figures


def ours(place: Path, corpus: Measured, *, dense: bool) -> dict[str, Any]:
    place.mkdir()
    folder = str(place)
    say("asof" + (" with vectors" if dense else ""))
    built = job("build", single=True, folder=folder, documents=corpus.documents, dense=dense)
    opened = [job("open", folder=folder, dense=dense)["open"] for _ in range(OPENED)]
    asked = job(
        "search", folder=folder, dense=dense, questions=corpus.questions, middle=corpus.middle,
        tenth=corpus.tenth,
    )  # fmt: skip
    peaks = {"peak_merged": built.pop("peak"), "peak_search": asked.pop("peak")}
    figures = {**built, **peaks, "open": median(opened), **asked}
    if not dense:
        figures |= job("build-all", documents=corpus.documents)
        figures |= job("cold", folder=folder, questions=corpus.questions)
        figures |= job("add", folder=folder)
        del figures["peak"]
    return figures


def other(peer: str, folder: str, corpus: Measured) -> dict[str, Any]:
    say(peer)
    built = job(f"{peer}-build", single=True, folder=folder, documents=corpus.documents)
    opened = [job(f"{peer}-open", folder=folder)["open"] for _ in range(OPENED)]
    asked = job(f"{peer}-search", folder=folder, questions=corpus.questions)
    peaks = {"peak_build": built.pop("peak"), "peak_search": asked.pop("peak")}
    return {**built, **peaks, "open": median(opened), **asked}


def say(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

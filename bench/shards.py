"""Shards on one machine: built, searched, compared with one corpus of the same passages.

    python -m bench.shards FOLDER [--passages 1000000] [--shards 8] [--one] [--threads N]

Prints the rate of building (segments and rows written directly, see `mixed.py`), bytes, the first question
after a start with an empty page cache (where this process may empty it), the median of warm questions by the
default recipe, of those in a window of 1% of the time, memory, and with `--one` the same of one corpus side
by side. A folder that has the corpus is not built again.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

from asof.cluster.opening import open as open_corpus
from asof.cluster.shards import LocalShards
from bench import generated, mixed

AS_OF = "2025-06-01"
WARM, ASKED = 10, 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--threads", type=int, help="that search the shards (default: by their size)")
    options = parser.parse_args()
    sharded, one = options.folder / "shards", options.folder / "one"
    if not sharded.exists():
        begin = time.perf_counter()
        mixed.build(sharded, options.passages, options.shards, 2)
        print(f"built: {options.passages / (time.perf_counter() - begin):,.0f} passages a second")
    if options.one and not one.exists():
        mixed.one_piece(one, sharded, options.shards)
    for path in (sharded, *([one] if options.one else [])):
        sizes = {kind: size_of(path, kind) for kind in ("*.seg", "corpus.db*")}
        print(
            f"{path.name}: segments {sizes['*.seg'] / 1e9:.2f} GB, store {sizes['corpus.db*'] / 1e9:.2f} GB"
        )
    begin = time.perf_counter()
    with open_corpus(sharded, create=False) as corpus:
        corpus.at(AS_OF).search(generated.queries(1)[0])
        print(f"first question ever, which prepares succession: {time.perf_counter() - begin:.1f} s")
    if emptied():
        begin = time.perf_counter()
        with open_corpus(sharded, create=False) as corpus:
            corpus.at(AS_OF).search(generated.queries(1)[0])
            print(f"cold, with opening: {1_000 * (time.perf_counter() - begin):,.0f} ms")
    with open_corpus(sharded, create=False) as corpus:
        if options.threads:
            corpus.at(AS_OF).search(generated.queries(1)[0])
            sessions = [each.session for each in corpus.shards]  # type: ignore[attr-defined]
            corpus.searching.shards = LocalShards(sessions, options.threads)  # type: ignore[attr-defined]
        other = open_corpus(one, create=False) if options.one else None
        compared(corpus, other, {}, "all time")
        compared(corpus, other, {"since": "2020-03-01", "until": "2020-04-05"}, "a window of 1%")
        if other is not None:
            other.close()
        print(f"memory: {memory('RssAnon'):.2f} GB, and {memory('RssFile'):.2f} GB of mapped files")


def memory(what: str) -> float:
    """Gigabytes that this process has now, by a name of /proc/self/status."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1e6


def size_of(path: Path, pattern: str) -> int:
    """Bytes of the files of a kind below a folder."""
    return sum(each.stat().st_size for each in path.rglob(pattern))


def emptied() -> bool:
    """Whether the page cache could be emptied."""
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3")
    except OSError:
        return False
    return True


def compared(corpus: Any, other: Any, options: dict[str, Any], what: str) -> None:
    """Print the medians of questions, one after the other in both corpora."""
    questions = generated.queries(WARM + ASKED)
    for question in questions[:WARM]:
        for each in (corpus, other):
            if each is not None:
                asked(each, question, options)
    times: list[tuple[float, float]] = []
    different = 0
    for question in questions[WARM:]:
        took, found = asked(corpus, question, options)
        beside, expected = asked(other, question, options) if other is not None else (took, found)
        times.append((took, beside))
        different += found != expected
    median = statistics.median(took for took, _ in times)
    line = f"{what}: warm {median:.1f} ms"
    if other is not None:
        ratio = statistics.median(took / beside for took, beside in times)
        of_one = statistics.median(beside for _, beside in times)
        line += f", one corpus {of_one:.1f} ms (x {ratio:.2f}), {different} different"
    print(line)


def asked(corpus: Any, question: str, options: dict[str, Any]) -> tuple[float, list[Any]]:
    """How long a question takes, in ms, and what it finds."""
    begin = time.perf_counter()
    results = corpus.at(AS_OF).search(question, **options)
    found = [(hit.document, hit.score) for hit in results.hits]
    return 1_000 * (time.perf_counter() - begin), found


if __name__ == "__main__":
    main()

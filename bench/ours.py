"""What is measured of asof: building, opening, asking over three stretches of time, adding a document."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.corpora import questions_of
from bench.measure import bytes_in, latency, milliseconds, one_core
from bench.vectors import RandomVectors

from asof import engine
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document, Filters
from asof.rank.candidates.gather import Dense, Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.recipe import Recipe
from asof.time.moment import read

STAGES = {
    "lexical": Recipe("lexical", "words alone", (Lexical(), TopK())),
    "dense": Recipe("dense", "vectors alone", (Dense(), TopK())),
    "fused": Recipe("fused", "words and vectors, certified", (Lexical(), EarlyTermination(), TopK())),
    "scanned": Recipe(
        "scanned", "the same, every vector read", (Lexical(), EarlyTermination(prune=False), TopK())
    ),
}
ADDED = 7
DATES = 7
COLD = 5


def build(folder: str, documents: str, dense: bool) -> dict[str, Any]:
    """Index a file of lines on one core; merge what is due; index it again."""
    one_core()
    corpus = open_corpus(folder, encoder=RandomVectors() if dense else None)
    corpus.maintenance.background = False
    begin, busy = time.perf_counter(), time.process_time()
    report = corpus.add(Path(documents))
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    peak = peak_memory()
    begin = time.perf_counter()
    merges = corpus.tidy()
    merging = time.perf_counter() - begin
    again, again_busy = time.perf_counter(), time.process_time()
    corpus.add(Path(documents))
    again, again_busy = time.perf_counter() - again, time.process_time() - again_busy
    corpus.close()
    files = Path(folder) / ".asof"
    return {
        "passages": report.passages, "seconds": seconds, "rate": report.passages / seconds,
        "rate_busy": report.passages / busy, "merging": merging, "merges": merges,
        "rate_merged": report.passages / (seconds + merging), "peak_build": peak,
        "again": again * 1e3, "again_busy": again_busy * 1e3,
        "disk": bytes_in(files), "disk_segments": bytes_in(files / "segments"),
    }  # fmt: skip


def build_by_all(documents: str) -> dict[str, float]:
    """Passages a second where as many processes as there are processors prepare the texts."""
    with TemporaryDirectory(prefix="asof-bench-") as folder, open_corpus(folder) as corpus:
        corpus.maintenance.background = False
        begin = time.perf_counter()
        report = corpus.add(Path(documents), workers=os.cpu_count() or 1)
        return {"rate_all": report.passages / (time.perf_counter() - begin)}


def peak_memory() -> int:
    """The largest memory of this process so far, in bytes."""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


def opening(folder: str, dense: bool) -> dict[str, float]:
    """Milliseconds to open a corpus and have a view of it, imports not counted."""

    def look() -> None:
        corpus = open_corpus(folder, create=False, encoder=RandomVectors() if dense else None)
        corpus.at().view()

    return {"open": milliseconds(look)}


def search(folder: str, dense: bool, questions: str, middle: str, tenth: str) -> dict[str, Any]:
    """Latencies by stages and stretch of time; of the first question at a new date; from several threads."""
    texts = questions_of(questions)
    scopes = {"whole": (None, None), "middle": (middle, None), "last tenth": (None, tenth)}
    figures: dict[str, Any] = {}
    with open_corpus(folder, create=False, encoder=RandomVectors() if dense else None) as corpus:
        for scope, (as_of, since) in scopes.items():
            for name in ("dense", "fused", "hybrid") if dense else ("lexical", "default"):
                figures[f"{name}, {scope}"] = latency(asker(corpus, name, as_of, since), texts)
        if not dense:
            figures["new date"] = first_questions(corpus, texts, middle, tenth)
            figures["per_second"] = per_second(corpus, texts)
    return figures


def per_second(corpus: Corpus, questions: Sequence[str]) -> float:
    """Questions a second with as many threads as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        begin = time.perf_counter()
        list(pool.map(corpus.search, questions))
        return len(questions) / (time.perf_counter() - begin)


def cold(folder: str, questions: str) -> dict[str, float]:
    """Milliseconds of `asof search` as a process, and those of the processor: medians of five."""
    taken, busy = [], []
    for text in questions_of(questions)[: COLD + 1]:
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "asof", "search", "--index", folder, "--", text],
            stdout=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        taken.append((time.perf_counter() - begin) * 1e3)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3)
    return {"cold": median(taken[1:]), "cold_busy": median(busy[1:])}  # the first compiles modules


def asker(corpus: Corpus, name: str, as_of: str | None, since: str | None) -> Callable[[str], object]:
    """From a question to its hits, the view being made each time as any program would."""
    recipe = STAGES.get(name)
    if recipe is None:
        return lambda question: corpus.at(as_of).search(question, since=since)
    filters = Filters(since=None if since is None else read(since).first)
    return lambda question: engine.search(
        replace(corpus.at(as_of).read(question).query, filters=filters), corpus.at(as_of).view(), recipe
    )


def first_questions(corpus: Corpus, questions: Sequence[str], middle: str, tenth: str) -> float:
    """Median milliseconds of a question as of a day that nobody asked about."""
    first, last = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (middle, tenth))
    taken = []
    for at in range(DATES):
        day = first + (last - first) * (at + 1) / (DATES + 2)
        taken.append(milliseconds(lambda day=day, at=at: corpus.at(day).search(questions[at])))  # type: ignore[misc]
    return median(taken)


def adding(folder: str) -> dict[str, Any]:
    """Milliseconds from having one more document until a search has found it; then the merges it causes."""
    with open_corpus(folder, create=False) as corpus:
        corpus.search("warm up")
        taken = [milliseconds(lambda at=at: add_and_find(corpus, at)) for at in range(ADDED)]  # type: ignore[misc]
    with open_corpus(folder, create=False) as corpus:
        corpus.maintenance.background = False
        for at in range(ADDED, 2 * ADDED + 1):
            add_and_find(corpus, at)
        merging = milliseconds(corpus.tidy)
    return {"added": median(taken), "added_most": max(taken), "merging_added": merging}


def add_and_find(corpus: Corpus, number: int) -> None:
    """Add a document with a word of its own, and look for that word."""
    word = f"unheard{number}"
    corpus.add([Document(f"new-{number}", f"{word} baba dede", published="2024-01-05")])
    first = corpus.search(word).hits[0].document
    assert first == f"new-{number}", f"{word} was not found first, but {first}"

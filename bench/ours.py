"""What is measured of asof: building, opening, asking over three stretches of time, adding a document."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from bench import generated
from bench.measure import Clocked, bytes_in, latency, milliseconds, one_core
from bench.vectors import RandomVectors

from asof import engine
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document, Filters, SourcedTime
from asof.rank.candidates.gather import Dense, Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.recipe import Recipe
from asof.time.span import Span, instant

TENTH = generated.FIRST + timedelta(days=generated.DAYS * 9 // 10)
MIDDLE = generated.FIRST + timedelta(days=generated.DAYS // 2)
SCOPES: dict[str, tuple[datetime | None, datetime | None]] = {
    "whole": (None, None),
    "middle": (MIDDLE, None),
    "last tenth": (None, TENTH),
}
"""From a stretch of time to (as of, since)."""

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


def build(folder: str, passages: int, dense: bool) -> dict[str, Any]:
    """Index generated text on one core; then merge what is due. Making the text is not counted."""
    one_core()
    corpus = open_corpus(folder, encoder=RandomVectors() if dense else None)
    corpus.maintenance.background = False
    documents = Clocked(generated.documents(passages))
    begin, busy = time.perf_counter(), time.process_time()
    report = corpus.add(documents)
    seconds = time.perf_counter() - begin - documents.seconds
    busy = time.process_time() - busy - documents.busy
    peak = peak_memory()
    segments = len(list((Path(folder) / ".asof" / "segments").iterdir()))
    begin = time.perf_counter()
    merges = corpus.tidy()
    merging = time.perf_counter() - begin
    corpus.close()
    files = Path(folder) / ".asof"
    return {
        "passages": report.passages, "seconds": seconds, "generating": documents.seconds,
        "rate": report.passages / seconds, "rate_busy": report.passages / busy,
        "merging": merging, "merges": merges,
        "rate_merged": report.passages / (seconds + merging), "segments_built": segments,
        "segments": len(list((files / "segments").iterdir())), "peak_build": peak,
        "disk": bytes_in(files), "disk_segments": bytes_in(files / "segments"),
    }  # fmt: skip


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


def search(folder: str, dense: bool, queries: int) -> dict[str, Any]:
    """Latencies by stages and stretch of time; also of the first question as of a new date."""
    questions = generated.queries(queries)
    figures: dict[str, Any] = {}
    with open_corpus(folder, create=False, encoder=RandomVectors() if dense else None) as corpus:
        for scope, (as_of, since) in SCOPES.items():
            for name in ("dense", "fused", "hybrid") if dense else ("lexical", "default"):
                figures[f"{name}, {scope}"] = latency(asker(corpus, name, as_of, since), questions)
        if not dense:
            figures["new date"] = first_questions(corpus, questions)
    return figures


def asker(
    corpus: Corpus, name: str, as_of: datetime | None, since: datetime | None
) -> Callable[[str], object]:
    """From a question to its hits, the view being made each time as any program would."""
    recipe = STAGES.get(name)
    if recipe is None:
        return lambda question: corpus.at(as_of).search(question, since=since)
    filters = Filters(since=None if since is None else instant(since))
    return lambda question: engine.search(
        replace(corpus.at(as_of).read(question).query, filters=filters), corpus.at(as_of).view(), recipe
    )


def first_questions(corpus: Corpus, questions: Sequence[str]) -> float:
    """Median milliseconds of a question as of a day that nobody asked about."""
    taken = []
    for at in range(DATES):
        day = generated.FIRST + timedelta(days=generated.DAYS * (at + 2) // (DATES + 4), hours=at)
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
    when = SourcedTime(Span(TENTH, TENTH + timedelta(days=1)), f"{TENTH:%Y-%m-%d}", "metadata")
    corpus.add([Document(f"new-{number}", f"{word} baba dede", published=when)])
    first = corpus.search(word).hits[0].document
    assert first == f"new-{number}", f"{word} was not found first, but {first}"

"""`evaluate --stale`: the cases of a dataset one after the other, and what their flags are worth together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from asof.data import Problem
from asof.data.stale import Stale
from asof.errors import UsageError
from asof.evaluate.options import Progress, no_progress, progress_counter
from asof.evaluate.staleness.cases import CASES, FORMAT, StaleCase, load_cases
from asof.evaluate.staleness.corpora import CaseDocuments, corpus_folder, opened, read_documents
from asof.evaluate.staleness.judged import JudgedCase, judge_case
from asof.evaluate.staleness.leakage import StaleLeakage, check_leakage
from asof.evaluate.staleness.metrics import StaleMetrics, measure


@dataclass(frozen=True, slots=True)
class CaseSeconds:
    """What a case took: `first`, the first time it was asked what is stale; `again`, the same asked of the
    corpus opened anew, in which nothing has changed. `kept`: the corpus was kept from an earlier run, whose
    caches the first call finds, too."""

    documents: int
    first: float
    again: float
    kept: bool


@dataclass(frozen=True, slots=True)
class StaleEvaluation:
    """The result: the flags of each case, the metrics of all of them, and what they took.

    `leakage` is None if it was not asked for.
    """

    name: str
    cases: tuple[JudgedCase, ...]
    seconds: tuple[CaseSeconds, ...]
    metrics: StaleMetrics
    leakage: StaleLeakage | None
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]


def evaluate(
    dataset: str | Path, *, leakage: int = 0, seed: int = 0, index: Path | None = None,
    progress: Progress | None = None,
) -> StaleEvaluation:  # fmt: skip
    """Ask what is stale in each case of a dataset, as of its moment.

    `leakage`: how many earlier moments are compared with corpora that end there. `index`: a folder that keeps
    the corpora for the next time. Raises UsageError for a dataset that cannot be evaluated, SourceError.
    """
    progress = progress or no_progress
    folder = Path(dataset)
    problems: list[Problem] = []
    cases = load_cases(folder, problems)
    advance = progress_counter(progress, "cases", len(cases))
    judged, seconds = [], []
    for case in cases:
        documents = read_documents(case.documents)
        problems += _found_problems(case, documents)
        if documents.versions:
            flags, took = _ask(case, documents, index)
            judged.append(judge_case(case, documents.newest(case.as_of), flags))
            seconds.append(took)
        advance()
    if not judged:
        raise UsageError(f"{folder} has no case with documents that can be read; {FORMAT}")
    leaked = None
    if leakage:
        counted = progress_counter(progress, "leakage", min(leakage, len(judged)))
        leaked = check_leakage([each.case for each in judged], leakage, seed, index, counted)
    return StaleEvaluation(
        folder.resolve().name, tuple(judged), tuple(seconds), measure(judged), leaked,
        tuple(_notes(seconds, leakage, leaked)), tuple(dict.fromkeys(problems)),
    )  # fmt: skip


def _ask(
    case: StaleCase, documents: CaseDocuments, index: Path | None
) -> tuple[tuple[Stale, ...], CaseSeconds]:
    """What is stale in a case, and how long it takes to say so: at first, and in a corpus opened anew."""
    with corpus_folder(documents, index) as (folder, kept):
        flags, first = _timed(folder, case.as_of)
        _, again = _timed(folder, case.as_of)
    return flags, CaseSeconds(len(documents.ids), first, again, kept)


def _timed(folder: Path, as_of: int) -> tuple[tuple[Stale, ...], float]:
    with opened(folder) as corpus:
        begin = time.perf_counter()
        flags = corpus.snapshot(as_of, None).stale(dismissed=None)
        return flags, time.perf_counter() - begin


def _found_problems(case: StaleCase, documents: CaseDocuments) -> list[Problem]:
    """What is wrong with the documents of a case, beside what their file says itself."""
    problems = list(documents.problems)
    if not documents.versions:
        message = f"the documents of the case {case.name!r} hold none that can be read: it is left out"
        problems.append(Problem(message, CASES, case.line, "write each version of a document as a line"))
        return problems
    for each in case.expected:
        if each.document not in documents.ids:
            message = f"the case {case.name!r} expects {each.document!r}, which is none of its documents"
            remedy = f"name a document of {case.documents.name}"
            problems.append(Problem(message, CASES, case.line, remedy, each.document, lost=False))
    return problems


def _notes(seconds: Sequence[CaseSeconds], asked: int, leakage: StaleLeakage | None) -> list[str]:
    notes = []
    if kept := sum(each.kept for each in seconds):
        notes.append(f"{kept:,} of {len(seconds):,} corpora were kept from an earlier run, with their caches")
    if leakage is not None and leakage.moments < asked:
        notes.append(
            f"leakage: {leakage.moments:,} of {asked:,} moments: the cases that were chosen have no more "
            "versions before their last one"
        )
    return notes

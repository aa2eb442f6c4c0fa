"""The options of an evaluation, and how it reports its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from asof.store.settings import CorpusSettings

Progress = Callable[[str, int, int], None]
"""Gets the name of the step, how much of it is done, and of how much (0: unknown)."""


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How a dataset is evaluated.

    `queries`: a file of questions, by path or by name inside the dataset (default: all of them). `limit`: the
    number of questions, chosen by a hash. `leakage`: how many are also asked of a corpus cut at their moment.
    `without`: fields that are blanked. `filter_by`: fields of a question that the metadata of a hit has to
    agree with. `settings`: those of the corpus; undated documents are always visible. `seed`: of all random
    draws. `answers`: `ask` is evaluated too, on the questions with a reference answer. `by`: the fields of a
    question by which metrics are also broken down; those of answers are by its type always. `metrics`:
    further ones of rankings (`runs.metrics.check_metrics`).
    """

    queries: str = ""
    limit: int | None = None
    leakage: int = 0
    without: tuple[str, ...] = ()
    filter_by: tuple[str, ...] = ()
    settings: CorpusSettings = field(default_factory=CorpusSettings)
    seed: int = 0
    answers: bool = False
    by: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


DEFAULT_OPTIONS = EvaluationOptions()


def no_progress(what: str, done: int, of: int) -> None:
    """Reports nothing."""


def progress_counter(progress: Progress, what: str, of: int) -> Callable[[], None]:
    """A function that reports one more of `what` done each time it is called."""
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        progress(what, done, of)

    progress(what, 0, of)
    return advance

"""Whether learned half-lives help: on questions that were held out, and as of when each was asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.evaluate.options import Progress, no_progress, progress_counter
from asof.evaluate.runs.compare import Comparison, compare
from asof.tuning.folds import folded, grouped
from asof.tuning.half_lives import LearnedHalfLives, learned_as_of, with_learned
from asof.tuning.outcome import short, signed
from asof.tuning.tune import FEWEST
from asof.tuning.tuning_questions import TuningQuestions

SCALES = (1.0, 0.25, 0.5, 2.0, 4.0)
"""Learned half-lives are tried times these, for a question may want what is newer than what is current. Of
equally good ones the first."""

MOMENTS = 12
"""At so many moments half-lives are learned for questions of the time from there on."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JudgedHalfLives:
    """nDCG at k on held-out questions before and after, the scale that all questions together choose, and
    that of each fold."""

    material: str
    questions: int
    k: int
    start: float
    tuned: float
    comparison: Comparison
    scale: float
    folds: tuple[float, ...]
    moments: int
    notes: tuple[str, ...] = ()

    @property
    def worse(self) -> bool:
        """Whether held-out questions lose by the half-lives."""
        return self.tuned < self.start

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        moved = self.comparison
        figures = (
            f"ndcg@{self.k} {short(self.start)} -> {short(self.tuned)} on questions it did not see "
            f"({signed(moved.difference)}, 95% {signed(moved.low)} to {signed(moved.high)})"
        )
        return f"{figures}: worse, so nothing is proposed" if self.worse else figures


def judged(
    material: TuningQuestions, folds: int, seed: int = 0, progress: Progress | None = None
) -> JudgedHalfLives:
    """The recipe of these questions before and with half-lives.

    For a question, half-lives are learned as of its own time or before (and from what was known then), so
    that no later change speaks for them; the scale is chosen on the questions of other folds. Raises
    UsageError for fewer than FEWEST questions.
    """
    if material.n < FEWEST:
        raise UsageError(
            f"{material.name}: {material.n} judged questions; {FEWEST} are needed to tell gain from chance"
        )
    whole = np.arange(material.n)
    stretches = list(_stretches(material))
    advance = progress_counter(progress or no_progress, "searching", material.n * (len(SCALES) + 1))
    before = material.measure(material.recipe, whole, advance)
    after = np.empty((len(SCALES), material.n))
    for which, found in stretches:
        if not found.kinds:
            after[:, which] = before[which]
            continue
        for at, scale in enumerate(SCALES):
            recipe = with_learned(material.recipe, found, scale)
            after[at, which] = material.measure(recipe, which, advance)
    group, notes = grouped(material.texts, material.relevant, material.subjects)
    parts = folded(material.texts, group, material.times, folds, seed)
    chosen = [int(after[:, each.train].mean(axis=1).argmax()) for each in parts.folds]
    start, tuned = np.full(material.n, np.nan), np.full(material.n, np.nan)
    for each, at in zip(parts.folds, chosen, strict=True):
        start[each.test], tuned[each.test] = before[each.test], after[at, each.test]
    held = parts.judged
    (comparison,) = compare("tuned", "start", {"ndcg": tuned[held]}, {"ndcg": start[held]}, group[held], seed)
    return JudgedHalfLives(
        material.name, material.n, material.k, float(start[held].mean()), float(tuned[held].mean()),
        comparison, SCALES[int(after.mean(axis=1).argmax())], tuple(SCALES[at] for at in chosen),
        len(stretches), (*material.notes, *notes, *parts.notes),
    )  # fmt: skip


def corpus_of(material: TuningQuestions) -> Corpus:
    """The corpus that questions are asked of. Raises UsageError where they come without."""
    if material.corpus is None:
        raise UsageError(f"{material.name}: no corpus to learn half-lives from")
    return material.corpus


def _stretches(material: TuningQuestions) -> Iterator[tuple[NDArray[np.int64], LearnedHalfLives]]:
    """Questions of a stretch of time, and the half-lives as of its first one."""
    corpus, times = corpus_of(material), material.times
    if times is None:
        yield np.arange(material.n), learned_as_of(corpus, None, None)
        return
    asked = np.array(times, np.int64)
    known = None if material.known_at is None else np.array(material.known_at, np.int64)
    moments = np.unique(asked)
    if len(moments) > MOMENTS:
        moments = moments[np.linspace(0, len(moments), MOMENTS, endpoint=False).astype(int)]
    stretch = np.searchsorted(moments, asked, "right") - 1
    for at, moment in enumerate(moments.tolist()):
        which = np.flatnonzero(stretch == at)
        then = None if known is None else int(known[which].min())
        yield which, learned_as_of(corpus, moment, then)

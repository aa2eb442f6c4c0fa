"""Does anything later leak in? The same questions are put to a corpus that ends where they were asked.

That corpus is built anew from the documents that were published by then, and nothing else. Ids, order,
scores and trees of the hits have to be the same, to the last bit. So does what is known: see
`known_leakage.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Hit
from asof.evaluate.answers.answers import Stand, standing
from asof.evaluate.answers.facts import read_facts
from asof.evaluate.leakage.knowledge import MOMENTS, Compared, compared
from asof.evaluate.runs.corpus import temporary
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.metrics import DEPTH
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import filters
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe
from asof.store.settings import CorpusSettings


@dataclass(frozen=True, slots=True)
class LeakedResult:
    """Where the answer of the whole corpus first differs from that of the cut one.

    `what` differs at `rank`: hits (`whole` and `cut` are ids of passages, None for none), score, or why; or
    facts, names, reports, answer, where `question` and `recipe` are "" for what is not asked for.
    """

    question: str
    as_of: int
    recipe: str
    rank: int
    what: str
    whole: str | float | None
    cut: str | float | None


@dataclass(frozen=True, slots=True)
class Leakage:
    """How many questions were asked twice, over how many moments, and where the answers differed.

    `known`: how much of what is known was compared.
    """

    questions: int
    moments: int
    differences: tuple[LeakedResult, ...]
    known: Compared

    @property
    def clean(self) -> bool:
        return not self.differences


def spread(questions: Sequence[DatasetQuestion], count: int, seed: int) -> list[DatasetQuestion]:
    """So many of the questions, chosen by a hash of their ids, in the order in which they were given."""
    if count >= len(questions):
        return list(questions)
    ranked = sorted(questions, key=lambda question: hashlib.sha256(f"{seed} {question.id}".encode()).digest())
    chosen = {question.id for question in ranked[:count]}
    return [question for question in questions if question.id in chosen]


def telling(dataset: Dataset, questions: Sequence[DatasetQuestion]) -> list[DatasetQuestion]:
    """The questions to which something could leak: asked at a time after which something was published."""
    newest = max((date for date in dataset.dates.values() if date is not None), default=dataset.newest)
    return [question for question in questions if dataset.as_of(question) < newest]


def chosen(dataset: Dataset, count: int, seed: int) -> tuple[list[DatasetQuestion], int]:
    """So many questions to check, and to how many of them something could leak; those come first."""
    able = telling(dataset, dataset.questions)
    some = spread(able, count, seed)
    ids = {question.id for question in able}
    others = [question for question in dataset.questions if question.id not in ids]
    return [*some, *spread(others, count - len(some), seed)], len(some)


def check(
    corpus: Corpus, dataset: Dataset, recipes: Mapping[str, Recipe], questions: Sequence[DatasetQuestion],
    settings: CorpusSettings, encoder: Encoder | None = None, filter_by: Sequence[str] = (),
    advance: Callable[[], None] | None = None, stand: Stand = standing,
) -> Leakage:  # fmt: skip
    """Ask each question of the corpus and of one that is cut where it was asked; a cut serves its moment.

    What is known is compared at the first MOMENTS of them.
    """
    by_time = groupby(sorted(questions, key=dataset.as_of), key=dataset.as_of)
    differences: list[LeakedResult] = []
    moments, known = 0, Compared()
    for as_of, group in by_time:
        moments += 1
        asked = list(group)
        with temporary(dataset, settings, encoder, until=as_of) as cut:
            if moments <= MOMENTS:
                read_facts(cut)
                differences += [
                    LeakedResult(
                        each.question, as_of, each.recipe, each.rank, each.what, each.whole, each.cut
                    )
                    for each in compared(corpus, cut, as_of, asked, recipes, stand, known)
                ]
            for question in asked:
                for name, recipe in recipes.items():
                    whole, less = (_hits(each, as_of, question, recipe, filter_by) for each in (corpus, cut))
                    if found := difference(whole, less):
                        differences.append(LeakedResult(question.id, as_of, name, *found))
                if advance is not None:
                    advance()
    return Leakage(len(questions), moments, tuple(differences), known)


def _hits(
    corpus: Corpus, as_of: int, question: DatasetQuestion, recipe: Recipe, filter_by: Sequence[str]
) -> tuple[Hit, ...]:
    then = Snapshot(corpus, as_of, None)
    meta = filters(question, filter_by)
    return then.search(question.text, DEPTH, recipe=recipe, meta=meta, unit="passage").hits


def difference(
    whole: Sequence[Hit], cut: Sequence[Hit]
) -> tuple[int, str, str | float | None, str | float | None] | None:
    """The first rank at which two answers differ, what differs, and how; None when they are the same."""
    for rank in range(1, max(len(whole), len(cut)) + 1):
        mine = whole[rank - 1] if rank <= len(whole) else None
        other = cut[rank - 1] if rank <= len(cut) else None
        if mine is None or other is None or mine.id != other.id:
            return rank, "hits", None if mine is None else mine.id, None if other is None else other.id
        if mine.score != other.score:
            return rank, "score", mine.score, other.score
        if mine.why.as_json() != other.why.as_json():
            return rank, "why", mine.id, other.id
        if mine.superseded != other.superseded:
            return rank, "superseded", _later(mine), _later(other)
    return None


def _later(hit: Hit) -> str | None:
    return hit.superseded.id if hit.superseded else None

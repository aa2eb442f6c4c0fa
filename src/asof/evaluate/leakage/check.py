"""The leakage check: questions are asked of the corpus and of one that ends at the moment of the question.

The second corpus is built from the documents that were published by then, and nothing else. Ids, order,
scores and explanations of the hits have to be equal to the last bit; so does the knowledge (`knowledge.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from asof.corpus.corpus import Corpus
from asof.data import Hit
from asof.evaluate.answers.facts import read_facts
from asof.evaluate.answers.run import AnswererFactory, snapshot_at
from asof.evaluate.leakage.knowledge import MAX_MOMENTS, Compared, compare_knowledge
from asof.evaluate.runs.corpus import temporary
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.metrics import DEPTH
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import filters
from asof.evaluate.runs.selection import sample
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe
from asof.store.settings import CorpusSettings


@dataclass(frozen=True, slots=True)
class LeakedResult:
    """Where the answer of the whole corpus first differs from that of the cut one.

    `what` differs at `rank`: hits (`whole` and `cut` are ids of passages, None for none), score, why or
    superseded; or facts, names, reports, answer. `question` and `recipe` are "" for knowledge that no
    question asks for.
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
    """How many questions were asked twice, as of how many moments, and where the answers differ.

    `known`: how much knowledge was compared.
    """

    questions: int
    moments: int
    differences: tuple[LeakedResult, ...]
    known: Compared

    @property
    def clean(self) -> bool:
        return not self.differences


def can_leak(dataset: Dataset, questions: Sequence[DatasetQuestion]) -> list[DatasetQuestion]:
    """The questions that are asked before the last document is published."""
    newest = max((date for date in dataset.dates.values() if date is not None), default=dataset.newest)
    return [question for question in questions if dataset.as_of(question) < newest]


def leakage_sample(dataset: Dataset, count: int, seed: int) -> tuple[list[DatasetQuestion], int]:
    """`count` questions to check, and how many of them can leak; these come first."""
    exposed = can_leak(dataset, dataset.questions)
    chosen = sample(exposed, count, seed)
    ids = {question.id for question in exposed}
    others = [question for question in dataset.questions if question.id not in ids]
    return [*chosen, *sample(others, count - len(chosen), seed)], len(chosen)


def check_leakage(
    corpus: Corpus, dataset: Dataset, recipes: Mapping[str, Recipe], questions: Sequence[DatasetQuestion],
    settings: CorpusSettings, encoder: Encoder | None = None, filter_by: Sequence[str] = (),
    advance: Callable[[], None] | None = None, answerer_at: AnswererFactory = snapshot_at,
    max_moments: int = MAX_MOMENTS,
) -> Leakage:  # fmt: skip
    """Ask each question of the corpus and of one that is cut at its moment; a cut serves all of its moment.

    Knowledge is compared at the first `max_moments` moments.
    """
    by_moment = groupby(sorted(questions, key=dataset.as_of), key=dataset.as_of)
    differences: list[LeakedResult] = []
    moments, known = 0, Compared()
    for as_of, group in by_moment:
        moments += 1
        group_questions = list(group)
        with temporary(dataset, settings, encoder, until=as_of) as cut:
            if moments <= max_moments:
                read_facts(cut)
                differences += [
                    LeakedResult(
                        each.question, as_of, each.recipe, each.rank, each.what, each.whole, each.cut
                    )
                    for each in compare_knowledge(
                        corpus, cut, as_of, group_questions, recipes, answerer_at, known
                    )
                ]
            for question in group_questions:
                for name, recipe in recipes.items():
                    pair = (_hits(each, as_of, question, recipe, filter_by) for each in (corpus, cut))
                    if first := difference(*pair):
                        differences.append(LeakedResult(question.id, as_of, name, *first))
                if advance is not None:
                    advance()
    return Leakage(len(questions), moments, tuple(differences), known)


def _hits(
    corpus: Corpus, as_of: int, question: DatasetQuestion, recipe: Recipe, filter_by: Sequence[str]
) -> tuple[Hit, ...]:
    snapshot = corpus.snapshot(as_of, None)
    meta = filters(question, filter_by)
    return snapshot.search(question.text, DEPTH, recipe=recipe, meta=meta, unit="passage").hits


def difference(
    whole: Sequence[Hit], cut: Sequence[Hit]
) -> tuple[int, str, str | float | None, str | float | None] | None:
    """The first rank at which two rankings differ, what differs, and both values; None if they are equal."""
    for rank in range(1, max(len(whole), len(cut)) + 1):
        one = whole[rank - 1] if rank <= len(whole) else None
        other = cut[rank - 1] if rank <= len(cut) else None
        if one is None or other is None or one.id != other.id:
            return rank, "hits", None if one is None else one.id, None if other is None else other.id
        if one.score != other.score:
            return rank, "score", one.score, other.score
        if one.why.as_json() != other.why.as_json():
            return rank, "why", one.id, other.id
        if one.superseded != other.superseded:
            return rank, "superseded", _superseding(one), _superseding(other)
    return None


def _superseding(hit: Hit) -> str | None:
    return hit.superseded.id if hit.superseded else None

"""The leakage check: questions are asked of the corpus and of one that ends at the moment of the question.

The second corpus is built from the documents that were published by then, and nothing else. Ids, order,
scores and explanations of the hits have to be equal to the last bit. (Facts, names, reports and answers are
functions of the same rows; tests compare them as of all moments of random histories.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

from asof.corpus.corpus import Corpus
from asof.extensions.lab.answers import read_facts
from asof.extensions.lab.datasets import Dataset, DatasetQuestion, temporary
from asof.extensions.lab.metrics import DEPTH
from asof.extensions.lab.runs import filters, sample
from asof.hits import Hit
from asof.models.ports import Encoder
from asof.rank.stage import Recipe
from asof.store.schema import CorpusSettings
from asof.time.span import Instant
from asof.wire import As, encode, one_of


@dataclass(frozen=True, slots=True)
class LeakedResult:
    """The first difference between the whole corpus and the one that was cut.

    Of hits `whole` and `cut` are ids of passages (None for none).
    """

    question: Annotated[str, As("query_id")]
    as_of: Annotated[Instant, "where it was cut"]
    recipe: str
    rank: int
    what: Annotated[str, one_of("hits", "score", "why", "superseded"), "that differs"]
    whole: Annotated[str | float | None, "by the whole corpus"]
    cut: Annotated[str | float | None, "by the cut one"]


@dataclass(frozen=True, slots=True)
class Leakage:
    """Leaks from later, found in corpora that are cut where questions were asked."""

    questions: Annotated[int, As("queries"), "how many questions were asked twice"]
    moments: Annotated[int, "how many cut corpora"]
    differences: tuple[LeakedResult, ...]

    @property
    def clean(self) -> Annotated[bool, "true: no difference"]:
        """True if nothing leaks."""
        return not self.differences


def leakage_sample(dataset: Dataset, count: int, seed: int) -> tuple[list[DatasetQuestion], int]:
    """`count` questions to check, and how many of them can leak, being asked before the last document is
    published; these come first."""
    newest = max((date for date in dataset.dates.values() if date is not None), default=dataset.newest)
    sides: tuple[list[DatasetQuestion], list[DatasetQuestion]] = ([], [])
    for question in dataset.questions:
        sides[dataset.as_of(question) >= newest].append(question)
    chosen = sample(sides[0], count, seed)
    return [*chosen, *sample(sides[1], count - len(chosen), seed)], len(chosen)


def check_leakage(
    corpus: Corpus, dataset: Dataset, recipes: Mapping[str, Recipe], questions: Sequence[DatasetQuestion],
    settings: CorpusSettings, encoder: Encoder | None = None, filter_by: Sequence[str] = (),
    advance: Callable[[], None] | None = None,
) -> Leakage:  # fmt: skip
    """Ask each question of the corpus and of one that is cut at its moment; a cut serves its moment."""
    differences: list[LeakedResult] = []
    moments, by_facts = 0, any("local" in each.stages_by_name() for each in recipes.values())
    for as_of, group in groupby(sorted(questions, key=dataset.as_of), key=dataset.as_of):
        moments += 1
        with temporary(dataset, settings, dataset.documents(as_of), encoder) as cut:
            if by_facts:
                read_facts(cut)
            for question in group:
                for name, recipe in recipes.items():
                    pair = (_hits(each, as_of, question, recipe, filter_by) for each in (corpus, cut))
                    if first := difference(*pair):
                        differences.append(LeakedResult(question.id, as_of, name, *first))
                if advance is not None:
                    advance()
    return Leakage(len(questions), moments, tuple(differences))


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
        if encode(one.why) != encode(other.why):
            return rank, "why", one.id, other.id
        if one.superseded != other.superseded:
            return rank, "superseded", _superseding(one), _superseding(other)
    return None


def _superseding(hit: Hit) -> str | None:
    return hit.superseded.id if hit.superseded else None

"""Of what parts the scores of the first ten are made, on average: the tops of their trees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from asof.data import Why
from asof.evaluate.figures.trials import Trials
from asof.evaluate.runs.run import SHOWN, Run
from asof.rank.combine.weighted_sum import Combine
from asof.rank.recipe import Recipe

FUSED = ("relevance", "relevance and feedback", "temporal")
"""Labels of sums that stages make of other columns, beside those that recipes name."""


@dataclass(frozen=True, slots=True)
class ScorePartMean:
    """The mean of a part of the score over the questions that have a hit of this rank."""

    recipe: str
    rank: int
    part: str
    mean: float
    questions: int


def parted(trials: Trials, runs: Sequence[Run], tell: Callable[[int, int], None]) -> list[ScorePartMean]:
    """The mean parts of each recipe's scores by rank."""
    rows: list[ScorePartMean] = []
    for done, run in enumerate(runs):
        tell(done, len(runs))
        answers = [
            [hit.why for hit in trials.hits(question, run.recipe, SHOWN)] for question in trials.questions
        ]
        rows += means(run.name, answers, sums(run.recipe))
    return rows


def means(name: str, answers: Iterable[Sequence[Why]], fused: frozenset[str]) -> list[ScorePartMean]:
    """Mean parts by rank, of the trees of each answer in order of rank; a part that is not there is 0."""
    by_rank: dict[int, list[dict[str, float]]] = defaultdict(list)
    for answer in answers:
        for rank, tree in enumerate(answer, 1):
            by_rank[rank].append(parts(tree, fused))
    labels = dict.fromkeys(label for found in by_rank.values() for each in found for label in each)
    return [
        ScorePartMean(name, rank, label, sum(each.get(label, 0.0) for each in found) / len(found), len(found))
        for rank, found in sorted(by_rank.items())
        for label in labels
    ]


def sums(recipe: Recipe) -> frozenset[str]:
    """The labels of trees that add up what other stages made."""
    return frozenset({*FUSED, *(stage.name for stage in recipe.stages if isinstance(stage, Combine))})


def parts(tree: Why, fused: frozenset[str]) -> dict[str, float]:
    """The parts of a score, which add up to it: summands, and what each factor changes.

    Sums of weighted sums are taken apart; a summand of any other kind is one part.
    """
    found: dict[str, float] = defaultdict(float)
    for label, value in _parts(tree, fused):
        found[label] += value
    return dict(found)


def _parts(tree: Why, fused: frozenset[str]) -> list[tuple[str, float]]:
    if tree.op == "sum" and tree.label in fused:
        return [found for part in tree.parts for found in _parts(part, fused)]
    if tree.op == "product" and tree.parts and _composed(tree.parts[0], fused):
        base, *factors = tree.parts
        inner = _parts(base, fused)
        so_far = base.value
        for factor in factors:
            if factor.label == "weight":
                inner = [(label, value * factor.value) for label, value in inner]
            else:
                inner.append((factor.label, so_far * (factor.value - 1.0)))
            so_far *= factor.value
        return inner
    return [(tree.label, tree.value)]


def _composed(tree: Why, fused: frozenset[str]) -> bool:
    """Whether a tree is such a sum, or one times factors."""
    if tree.op == "product":
        return bool(tree.parts) and _composed(tree.parts[0], fused)
    return tree.op == "sum" and tree.label in fused

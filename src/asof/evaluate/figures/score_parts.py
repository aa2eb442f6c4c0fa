"""Which parts the scores of the first ten hits consist of, on average: rows for a figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from asof.data import Why
from asof.evaluate.figures.trials import Trials
from asof.evaluate.runs.run import SHOWN, Run
from asof.rank.combine.weighted_sum import Combine
from asof.rank.recipe import Recipe
from asof.rank.traits import traits_of


@dataclass(frozen=True, slots=True)
class ScorePartMean:
    """The mean of a part of the score over the questions with a hit at this rank."""

    recipe: str
    rank: int
    part: str
    mean: float
    questions: int


def score_part_rows(
    trials: Trials, runs: Sequence[Run], progress: Callable[[int, int], None]
) -> list[ScorePartMean]:
    """The mean parts of each recipe's scores by rank."""
    rows: list[ScorePartMean] = []
    for done, run in enumerate(runs):
        progress(done, len(runs))
        trees = [
            [hit.why for hit in trials.hits(question, run.recipe, SHOWN)] for question in trials.questions
        ]
        rows += means(run.name, trees, sums(run.recipe))
    return rows


def means(name: str, trees: Iterable[Sequence[Why]], sum_labels: frozenset[str]) -> list[ScorePartMean]:
    """Mean parts by rank. `trees`: for each question those of its hits in order; a missing part counts 0."""
    by_rank: dict[int, list[dict[str, float]]] = defaultdict(list)
    for of_question in trees:
        for rank, tree in enumerate(of_question, 1):
            by_rank[rank].append(parts(tree, sum_labels))
    labels = dict.fromkeys(label for values in by_rank.values() for each in values for label in each)
    return [
        ScorePartMean(
            name, rank, label, sum(each.get(label, 0.0) for each in values) / len(values), len(values)
        )
        for rank, values in sorted(by_rank.items())
        for label in labels
    ]


def sums(recipe: Recipe) -> frozenset[str]:
    """The labels of sums of other stages' columns."""
    named = {stage.name for stage in recipe.stages if isinstance(stage, Combine)}
    return frozenset(named | {total for each in recipe.stages if (total := traits_of(each).total)})


def parts(tree: Why, sum_labels: frozenset[str]) -> dict[str, float]:
    """The parts of a score, which add up to it: its summands, and what each factor changes.

    Sums inside a sum are split into their summands if their label is in `sum_labels`.
    """
    values: dict[str, float] = defaultdict(float)
    for label, value in _parts(tree, sum_labels):
        values[label] += value
    return dict(values)


def _parts(tree: Why, sum_labels: frozenset[str]) -> list[tuple[str, float]]:
    if tree.op == "sum" and tree.label in sum_labels:
        return [values for part in tree.parts for values in _parts(part, sum_labels)]
    if tree.op == "product" and tree.parts and _composed(tree.parts[0], sum_labels):
        base, *factors = tree.parts
        inner = _parts(base, sum_labels)
        so_far = base.value
        for factor in factors:
            if factor.label == "weight":
                inner = [(label, value * factor.value) for label, value in inner]
            else:
                inner.append((factor.label, so_far * (factor.value - 1.0)))
            so_far *= factor.value
        return inner
    return [(tree.label, tree.value)]


def _composed(tree: Why, sum_labels: frozenset[str]) -> bool:
    """Whether a tree is a sum to be split, or such a sum times factors."""
    if tree.op == "product":
        return bool(tree.parts) and _composed(tree.parts[0], sum_labels)
    return tree.op == "sum" and tree.label in sum_labels

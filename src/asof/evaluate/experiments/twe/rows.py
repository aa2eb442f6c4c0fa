"""What the experiments of TWE-RAG share: temporal and general questions apart, rows of metrics, a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError
from asof.evaluate.evaluation import Evaluation
from asof.evaluate.experiments.experiment import ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.measure import cells, measure
from asof.evaluate.experiments.table import Cell, Picture, Row, Table, number
from asof.evaluate.experiments.twe.corpus import SETTINGS
from asof.evaluate.runs.compare import Estimate
from asof.evaluate.runs.run import Run
from asof.rank.features.decay import Decay
from asof.rank.recipe import Recipe
from asof.recipes.twe import TWE
from asof.schema import AcceptedValue

if TYPE_CHECKING:
    from asof.evaluate.figures.trials import Trials


def _types(value: object) -> bool:
    listed = value if isinstance(value, list | tuple) else [value]
    return all(isinstance(each, str) for each in listed)


TEMPORAL = Parameter(
    "",
    AcceptedValue(_types, 'types between commas, or a list of them such as ["a", "b"],'),
    "types of the questions that are temporal; none: those with a word that asks for the newest",
)
"""Which questions are temporal."""

SPLIT = (
    "Temporal questions are those in which the recipe finds a word that asks for the newest, or those of the "
    "types in --set temporal=a,b (or a list); the paper has a set of its own."
)
ACCURACY = (
    "Accuracy is success@1, a relevant document first: the paper's code asks whether the first snippet has "
    "the answer."
)


@dataclass(frozen=True, slots=True)
class Kinds:
    """The places of temporal and of general questions."""

    temporal: tuple[int, ...]
    general: tuple[int, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, recipe: Recipe, types: str | Sequence[str]) -> Kinds:
        """Of the questions of an evaluation, by their types or by the words that `recipe` knows."""
        listed = types.split(",") if isinstance(types, str) else types
        named = {each.strip() for each in listed if each.strip()}
        there = {question.type for question in evaluation.questions if question.type}
        if missing := sorted(named - there):
            has = f"there are: {', '.join(sorted(there))}" if there else "none has a type"
            raise UsageError(f"temporal={missing[0]}: no question has that type; {has}")
        decay = next(stage for stage in recipe.stages if isinstance(stage, Decay))
        places: tuple[list[int], list[int]] = ([], [])
        for at, question in enumerate(evaluation.questions):
            temporal = question.type in named if named else decay.recency(question.text) == 1.0
            places[not temporal].append(at)
        return cls(tuple(places[0]), tuple(places[1]))

    def accuracy(self, evaluation: Evaluation, run: Run) -> dict[str, Cell]:
        """success@1 of both; nothing where there are none."""
        return {
            "temporal": evaluation.estimate(run, "success@1", self.temporal),
            "general": evaluation.estimate(run, "success@1", self.general),
        }

    @property
    def note(self) -> str:
        return f"{len(self.temporal):,} temporal and {len(self.general):,} general questions"


Cells = Callable[[Evaluation, Run], Mapping[str, Cell]]


def ranking_cells(evaluation: Evaluation, run: Run) -> Mapping[str, Cell]:
    """recall@5 and MRR."""
    return cells(evaluation, run, {"recall@5": "recall@5", "mrr": "mrr"})


def tabled(
    dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions, like: Table,
    of: Callable[[Evaluation], Cells], notes: Callable[[Evaluation], Sequence[str]] = lambda _: (),
    picture: Callable[[Table, str], Sequence[Picture]] = lambda _, __: (),
) -> Outcome:  # fmt: skip
    """One evaluation, a row for each recipe by its label, with the columns of `like`.

    `of` gives the function that makes the cells of a run; `picture` those of the table, with a caption.
    """
    found = measure(dataset, recipes, options, SETTINGS)
    made = of(found)
    table = Table(like.columns, tuple(Row(run.name, made(found, run)) for run in found.runs))
    caption = f"{found.dataset.name}: {len(found.questions):,} questions. Intervals: 95%, bootstrap."
    return Outcome(
        table, len(found.questions), (*notes(found), *found.notes), found.dataset.problems,
        tuple(picture(table, caption)),
    )  # fmt: skip


def which_asked(trials: Trials, what: str) -> tuple[str, ...]:
    """A note where something is of fewer questions than the rest of a table."""
    count, total = len(trials.questions), len(trials.evaluation.questions)
    if count == total:
        return ()
    return (f"{what}: of {count:,} of the {total:,} questions, chosen by a hash of their ids",)


def point(table: Table, label: str, **values: Any) -> dict[str, Any]:
    """A row of a picture: values of an axis, and the figures of a row of a table with their intervals."""
    found: dict[str, Any] = dict(values)
    for column in table.columns:
        cell = table.cell(label, column.name)
        found[column.name] = number(cell)
        if isinstance(cell, Estimate):
            found |= {f"{column.name} low": cell.low, f"{column.name} high": cell.high}
    return found


def without_decay(recipe: Recipe) -> Recipe:
    """delta = 0: age adds nothing."""
    return recipe.replaced({"decay.delta": 0.0})


def whole(options: ExperimentOptions) -> Recipe:
    """`twe` with the fields that were set."""
    return options.applied(TWE)

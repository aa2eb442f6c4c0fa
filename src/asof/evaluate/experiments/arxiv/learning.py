"""`arxiv/learning`: what the ranking of papers gains by learning, and the loss question by question."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from asof.evaluate.experiments.drawing import lines
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Column, Picture, Row, Table
from asof.recipes import named
from asof.schema import one_of, whole

if TYPE_CHECKING:
    from asof.evaluate.experiments.arxiv.online_run import OnlineRun

PUBLISHED = Table.of(
    [Column("NDCG@10"), Column("Loss", "low"), Column("Precision@10")],
    {"Initial": (0.850, 0.150, 0.800), "Optimized": (0.942, 0.058, 1.000)},
)
LEARNED = 30
RELEVANCE = Parameter(
    "judged", one_of("judged", "similarity"), "what tells relevance; published: similarity"
)  # fmt: skip
PARAMETERS = {
    "learned": Parameter(LEARNED, whole(2, 100_000), "how many questions are learned from, half at most"),
    "relevance": RELEVANCE,
}
OWN_GRADES = (
    "Relevance is judged (qrels); the published code takes its own similarity: --set relevance=similarity."
)
COMPARED = (
    "Settings are compared on the same questions; the published code compares losses of different ones."
)
SIX = "Threshold and rate are learned with the four weights, within the bounds of the published code."
DATA = "papers of arXiv of the days when it was asked; here graded questions about papers or other documents"


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Learn from the first questions, measure on the others. Raises UsageError."""
    from asof.evaluate.experiments.arxiv.judged import judged_questions, start_of
    from asof.evaluate.experiments.arxiv.online_run import run_online

    recipe = options.applied(named("papers"))
    judged = judged_questions(dataset, options, recipe, options.parameters["relevance"])
    count = len(judged.texts)
    first = min(options.parameters["learned"], count // 2)
    learned = run_online(judged, first, options.seed)
    start = start_of(recipe, judged.box)
    rows = [
        Row(f"{name}{of}", judged.estimates(setting, at))
        for of, at in (("", range(first, count)), (", on what was learned from", range(first)))
        for name, setting in (("Initial", start), ("Optimized", learned.best))
    ]
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in judged.box.named(learned.best).items())
    return Outcome(
        Table(PUBLISHED.columns, tuple(rows)), count - first,
        (f"learned from {first:,} questions, measured on {count - first:,} others", f"learned: {numbers}",
         *judged.notes),
        judged.problems,
        _pictures(learned),
    )  # fmt: skip


CURVES = {
    "loss": "of the question",
    "on_all": "mean until then, this setting",
    "initial": "mean until then, initial setting",
}
"""The lines of the learning curve, by the field of a step."""


def _pictures(learned: OnlineRun) -> tuple[Picture, Picture]:
    """The losses, and the numbers that ranked, question by question."""
    curve = tuple(
        {"question": each.question, "stage": each.stage, "line": line, "loss": getattr(each, field)}
        for field, line in CURVES.items()
        for each in learned.steps
    )
    numbers = tuple({"question": each.question, **each.setting} for each in learned.steps)
    names = tuple(learned.steps[0].setting)
    caption = f"{len(learned.steps):,} questions, each ranked by what was learned before"
    losses = partial(lines, x="question", y=("loss",), series="line", title="1 - NDCG@10")
    settings = partial(lines, x="question", y=names, title="the numbers of the ranking")
    return (
        Picture("arxiv-learning", curve, losses, caption),
        Picture("arxiv-numbers", numbers, settings, caption),
    )


EXPERIMENT = Experiment(
    "arxiv/learning",
    "what learning gains: NDCG@10, loss and precision@10 before and after",
    "Adaptive RAG for arXiv, README, optimization performance",
    PUBLISHED,
    run,
    reading=(
        "The table does not say what is measured: here questions that nothing was learned from, asked later.",
        OWN_GRADES,
        COMPARED,
        SIX,
        "Precision@10 is bounded by the relevant documents that a question has.",
    ),
    data=DATA,
    parameters=PARAMETERS,
    recipe=named("papers"),
)

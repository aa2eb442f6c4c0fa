"""`arxiv/stages`: the loss of questions in each of the four stages."""

from __future__ import annotations

import math
from pathlib import Path

from asof.evaluate.experiments.arxiv.learning import COMPARED, DATA, LEARNED, OWN_GRADES, RELEVANCE, SIX
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Column, Row, Table
from asof.recipes import named
from asof.schema import whole

STAGES = {
    "baseline": "Baseline (1)",
    "exploration": "Exploration (2)",
    "evolution": "Gradient descent (3-5)",
    "bayesian": "Global search (6+)",
}
"""The rows of the published table, by the names of the stages here."""

PUBLISHED = Table(
    (
        Column("questions", "", 0),
        Column("loss", "low"),
        Column("this setting, all until then", "low"),
        Column("initial setting, all until then", "low"),
    )
)


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Learn from the first questions, and tell the losses by stage. Raises UsageError."""
    from asof.evaluate.experiments.arxiv.judged import judged_questions
    from asof.evaluate.experiments.arxiv.online_run import run_online

    recipe = options.applied(named("papers"))
    judged = judged_questions(dataset, options, recipe, options.parameters["relevance"])
    first = min(options.parameters["learned"], len(judged.texts))
    steps = run_online(judged, first, options.seed).steps
    rows = []
    for stage, label in STAGES.items():
        own = [each for each in steps if each.stage == stage]
        values = zip(*((each.loss, each.on_all, each.initial) for each in own), strict=True)
        means = [math.fsum(each) / len(own) for each in values]
        if own:
            names = (column.name for column in PUBLISHED.columns)
            rows.append(Row(label, dict(zip(names, (len(own), *means), strict=True))))
    return Outcome(Table(PUBLISHED.columns, tuple(rows)), first, judged.notes, judged.problems)


EXPERIMENT = Experiment(
    "arxiv/stages",
    "the loss of questions in each stage: their own, and that of their setting on all questions until then",
    "Adaptive RAG for arXiv, README section 3, table of the stages",
    PUBLISHED,
    run,
    reading=(
        "The table names the stages and prints no figures.",
        OWN_GRADES,
        COMPARED,
        SIX,
        "The loss of a question depends on the question: a setting is told by its mean on all until then.",
    ),
    data=DATA,
    parameters={
        "learned": Parameter(LEARNED, whole(2, 100_000), "how many questions are learned from, all at most"),
        "relevance": RELEVANCE,
    },
    recipe=named("papers"),
)

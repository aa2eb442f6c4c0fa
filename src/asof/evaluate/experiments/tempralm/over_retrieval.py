"""`tempralm/over-retrieval`: what a larger pool finds, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from asof.evaluate.experiments.drawing import lines
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Cell, Column, Picture, Row, Table, number
from asof.evaluate.experiments.tempralm.forms import (
    ALL_VISIBLE,
    DATA,
    FORMS,
    OWN_FACTS,
    SETTINGS,
    WORDS,
    places_by_form,
    wholes,
)
from asof.recipes.tempralm import TEMPRALM

if TYPE_CHECKING:
    from asof.evaluate.runs.run import Run

POOLS = (10, 20, 50, 100)
METRICS = {"recall@1": "recall@1", "recall@5": "recall@5"}

PUBLISHED = Table((*map(Column, METRICS), Column("latency_ms", "low", 2), Column("memory_mb", "low", 1)))


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The recipe with each size of its pool. Raises UsageError."""
    from asof.evaluate.experiments.measure import cells, measure

    whole = options.applied(TEMPRALM)
    pools = {str(n): whole.replaced({"pool.n": n}) for n in sorted(options.parameters["pools"])}
    found = measure(dataset, pools, options, SETTINGS, tuple(METRICS.values()))
    forms = places_by_form(found.questions)
    rows, drawn = [], []
    for each in found.runs:
        latency = each.latency(50)
        own: dict[str, Cell] = {**cells(found, each, METRICS), "latency_ms": latency}
        own["memory_mb"] = each.memory_mb
        for form, at in forms.items():
            by_form = found.estimate(each, "recall@1", at)
            own[f"recall@1, {form}"] = by_form
            drawn.append(
                {"pool": int(each.name), "form": form, "recall@1": number(by_form), "latency_ms": latency}
            )
        rows.append(Row(each.name, own))
    columns = (*PUBLISHED.columns, *(Column(f"recall@1, {form}") for form in forms))
    draw = partial(lines, x="pool", y=("recall@1", "latency_ms"), series="form", title="over-retrieval")
    caption = f"{found.dataset.name}: {len(found.questions):,} questions."
    return Outcome(
        Table(columns, tuple(rows)), len(found.questions), (*_unmeasured(found.runs), *found.notes),
        found.dataset.problems,
        (Picture("tempralm-over-retrieval", tuple(drawn), draw, caption),),
    )  # fmt: skip


def _unmeasured(runs: Sequence[Run]) -> tuple[str, ...]:
    if all(each.memory_mb is not None for each in runs):
        return ()
    return ("memory is not measured: this process may not set its largest size back (/proc/self/clear_refs)",)


EXPERIMENT = Experiment(
    "tempralm/over-retrieval",
    "recall, latency and memory by the number of passages that are retrieved before time counts",
    "TempRALM, mechanism 3 and the checks that its text asks for (10, 20 and 50 documents)",
    PUBLISHED,
    run,
    reading=(
        "The paper names no size of its pool and prints no figures.",
        "Latency is the median of a search; memory, how far the process grew while all questions were asked.",
        "A larger pool holds passages of other events: where those are nearer in time (skipped), they win.",
        OWN_FACTS,
        FORMS,
        ALL_VISIBLE,
        WORDS,
    ),
    data=DATA,
    parameters={"pools": Parameter(list(POOLS), wholes(1, 100_000), "how many passages are retrieved")},
    recipe=TEMPRALM,
    varies=("pool.n",),
)

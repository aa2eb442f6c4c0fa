"""`twe/5`: what building the graph and a question take, by the size of the corpus."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from asof.corpus.snapshot import Snapshot
from asof.evaluate.experiments.experiment import (
    WITHOUT_ENCODER,
    Experiment,
    ExperimentOptions,
    Outcome,
)
from asof.evaluate.experiments.measure import measure
from asof.evaluate.experiments.pictures import as_evaluated
from asof.evaluate.experiments.table import Cell, Column, Table
from asof.evaluate.experiments.twe.corpus import DATA, DOCUMENTS, LATENCY, SETTINGS
from asof.evaluate.experiments.twe.rows import which_asked, whole
from asof.rank.recipe import Recipe
from asof.recipes.twe import TWE

COLUMNS = [Column("documents", "", 0), Column("taken", "")]

PUBLISHED = Table.of(COLUMNS, {"graph, s": (5_000, "120 to 300"), "question, ms": (5_000, "100 to 200")})
LIMIT = 30
"""The questions that are timed at each moment."""


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """A corpus built anew, so that nothing is kept: its graph, then questions as of six moments.

    Raises UsageError.
    """
    from asof.evaluate.figures import drawing
    from asof.evaluate.figures.scaling import latency_rows, moments
    from asof.evaluate.figures.trials import Trials
    from asof.evaluate.runs.corpus import temporary

    recipe = whole(options)
    found = measure(dataset, {"twe": recipe}, options, SETTINGS)
    with temporary(found.dataset, found.options.settings, options.encoder) as corpus:
        results = found.runs[0].results
        newest = corpus.snapshot(max(found.dataset.newest, *(each.as_of for each in results)), None)
        graph, passages = _graph_seconds(newest, found.questions[0].text, recipe), newest.view().n
        seen = median(corpus.snapshot(each.as_of, None).view().n for each in results)
        trials = Trials.of(found, corpus, LIMIT)
        dated = len(moments(found.dataset)) > 1
        timed = latency_rows(
            trials, found.runs, lambda done, of: options.progress("latency", done, of)
        ) if dated else []  # fmt: skip
    rows: dict[str, tuple[Cell, ...]] = {
        "graph, s": (passages, graph), "question, ms": (int(seen), round(found.runs[0].latency(50), 2)),
    }  # fmt: skip
    for each in timed:
        rows[f"question, ms, as of {each.as_of[:10]}"] = (each.passages, round(each.median_ms, 2))
    notes = which_asked(trials, "times as of a moment") if timed else ()
    caption = f"{found.dataset.name}: as of moments of equal numbers of documents. Bands: quartiles."
    pictures = (as_evaluated("twe-fig6-scaling", timed, drawing.scaling, caption),) if timed else ()
    return Outcome(
        Table.of(COLUMNS, rows),
        len(found.questions),
        (*notes, *found.notes),
        found.dataset.problems,
        pictures,
    )


def _graph_seconds(snapshot: Snapshot, question: str, recipe: Recipe) -> float:
    """What the first search with centrality takes more than one without it, all else being ready."""
    stages = recipe.stages_by_name()
    names = ("lexical", "pool", "centrality", "top_k")
    ready = replace(recipe, stages=tuple(stages[name] for name in names if name != "centrality"))
    linked = replace(recipe, stages=tuple(stages[name] for name in names))
    taken = []
    for each in (ready, ready, linked):
        started = time.perf_counter()
        snapshot.search(question, 10, recipe=each, unit="passage")
        taken.append(time.perf_counter() - started)
    return max(taken[2] - taken[1], 0.0)


EXPERIMENT = Experiment(
    "twe/5",
    "time for the graph and for a question, by the size of the corpus",
    "TWE-RAG, README section 5 and figure 6",
    PUBLISHED,
    run,
    reading=(
        DOCUMENTS,
        LATENCY,
        (
            "The graph here is found by shingles that documents share, not by comparing all pairs, and is "
            "kept and brought up to date by what came since."
        ),
        "The graph is that as of the newest document; a question sees what was there at its own moment.",
        "Machines differ: what can be compared is how times grow.",
    ),
    data=DATA,
    recipe=TWE,
    takes=WITHOUT_ENCODER,
)

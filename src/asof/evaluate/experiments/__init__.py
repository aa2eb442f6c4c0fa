"""Experiments of the papers: one module for each table or figure, run by `asof experiment NAME DATASET`.

An experiment is a value, `EXPERIMENT: Experiment` (`experiment.py`), in a module of its system's package:
`twe/table_4_3.py` is `twe/4.3`, `ragtriever/components.py` is `ragtriever/components` (`registry.py` has the
rule; nothing is registered by hand). To add one:

1. State what is printed: `Table.of([Column("recall@5"), Column("latency_ms", "low")], {"BM25": (.68, 40)})`
   (`table.py`). "high" or "low" says which end is better, so that the shapes of both tables are compared
   (`shape.py`); "" is for a column that is only shown.
2. Write `run(dataset, options) -> Outcome`: our table with the same labels and column names (further rows
   and columns of ours are shown behind them), the number of questions, and notes. `measure.py` evaluates
   recipes and makes rows of their metrics. What `options.applied(recipe)` gives has the fields that the user
   set; `options.parameters["name"]` is one of the experiment's own `Parameter`s. Models: `options.config`.
   Fields that `run` sets itself stand in `varies`, so that labels of rows hold; options that it has no use
   for are left out of `takes`. `options.indexed(settings)` are those of a corpus with the encoder.
3. Say in `reading`, a sentence each, what the paper leaves open and how it is read, and where we differ.
4. Give pictures as `Picture` values (`drawing.py` has bars, lines and a heat map); they are drawn, with
   their numbers as CSV, only when a folder for figures is given.

Modules are light: import models, corpora and the like inside `run`. What several experiments of a system
share stands in a module that the system's package names in `SHARED = ("name",)`, or above them all, here.
An experiment on a tiny dataset is tested in `tests/evaluate/experiments/`.
"""

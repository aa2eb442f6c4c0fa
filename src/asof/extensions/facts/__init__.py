"""Facts with times (TG-RAG, arXiv 2510.13590), reports of periods, and what is stale.

Read `store.py` (a fact as it is stored) and `timeline.py` (the facts of a subject) first. Facts are extracted
by rules (`rules.py`, with `tokens`, `patterns` and `dating`) or by a model (`model.py`, the extra `llm`).
`local.py` is the recipe `tgrag`; `build.py`, `reports.py` and `summary.py` make reports and summaries;
`stale.py` begins the other half, `asof stale`.
"""

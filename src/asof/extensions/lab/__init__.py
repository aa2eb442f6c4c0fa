"""Evaluation: metrics of recipes and answers, leakage checks, experiments of the papers.

Read `evaluation.py` first: it evaluates recipes on a dataset (`datasets.py`) by rankings (`runs.py`,
`metrics.py`) and answers (`answers.py`); `leakage.py` checks that nothing later shows.
Experiments: `experiments.py` runs one, `published.py` and `published.toml` list them, `protocols.py` and
`tgrag.py` have what is no variation of settings. The extra `lab` brings scipy and matplotlib.
"""

"""Ranking: from a query and a view to a ranking, by stages that are plain values, run one after another.

Read `stage.py` first: it is the whole contract.
"""

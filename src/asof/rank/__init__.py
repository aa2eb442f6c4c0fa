"""From a query and a view to a ranking: stages that are plain values, run one after another.

Read `stage.py` first: it is the whole contract.
"""

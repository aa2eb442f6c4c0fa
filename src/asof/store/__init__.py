"""The truth: one SQLite file with every version of every document.

Read `schema.py` first (what is kept), then `validity.py` (from versions to the rows that are searched),
`run.py` (one pass over a source), `corrections.py` (corrections, erasure, vacuum) and `reader.py`.
"""

"""The truth: one SQLite file with every version of every document.

Read `schema.py` first (what is kept), then `lives.py` (from versions to the rows that are searched),
`run.py` (one pass over a source), `changes.py` (corrections, erasure, vacuum) and `reader.py`.
"""

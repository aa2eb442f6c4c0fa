"""The primary store: one SQLite file with every version of every document.

Read `schema.py` first (the tables), then `validity.py` (from versions to the rows that are searched),
`writing.py` and `run.py` (one pass over a source), `corrections.py` (corrections, erasure, vacuum),
`reader.py`.
"""

"""The time-ordered index: immutable segment files, and views that are prefixes of them.

Read `segment.py` (the file), `build.py` and `merge.py` (how it is made), then `prefix.py` (what is visible
at (T, K), and its statistics), `lexical.py`, `dense.py`, `select.py`, and `view.py`, which is what the
ranking sees.
"""

"""The time-ordered index: immutable segment files, and views that are prefixes of them.

Read `segment.py` (the file, and what of it is visible at (T, K)), `build.py` (how it is made), `lexical.py`
and `vectors.py` (scores), then `view.py`, the interface that ranking uses.
"""

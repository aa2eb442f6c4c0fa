"""Time: texts become spans, spans have a calendar, ages become weights.

Read `span.py` first: instants (microseconds since 1970) and half-open spans of them. Then `moment.py`, the
reader of one date (text -> span), with `relative.py` for texts that count from an anchor, and `period.py`,
the calendar as a tree (year > quarter > month > day).

`expressions.py` finds the times that any text mentions: `lexicon.py` has the words, `token_run.py` cuts it
into runs of them, and `grammar.py` and its rules read these as intervals without a zone (`local_time.py`).
`intent.py` reads what a question wants of time. `decay.py` turns ages in days into weights; it alone imports
numpy. Import from the files: nothing is re-exported.
"""

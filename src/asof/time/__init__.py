"""Time: texts become spans, spans have a calendar, ages become weights.

Read `span.py` first: instants (microseconds since 1970) and half-open spans of them. Then `moment.py`, the
reader of one date (text -> span), with `relative.py` for texts that count from an anchor, and `period.py`,
the calendar as a tree (year > quarter > month > day).

`expressions.py` finds the times that any text mentions: `lexicon.py` has the words, `run.py` their places,
`grammar.py` and the rules below it the meaning, in stretches of a calendar without a zone (`stretch.py`).
`intent.py` reads what a question wants of time. `decay.py` turns ages in days into weights; it alone imports
numpy. Import from the files: nothing is re-exported.
"""

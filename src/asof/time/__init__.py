"""Time: texts become spans, spans have a calendar, ages become weights.

Read `span.py` first: instants (microseconds since 1970) and half-open spans of them. Then `moment.py`, the
one reader of dates (text -> span), with `relative.py` for texts that count from an anchor, and `period.py`,
the calendar as a tree (year > quarter > month > day). `decay.py` turns ages in days into weights; it alone
imports numpy. Import from the files: nothing is re-exported.
"""

"""Time: texts become spans, and spans have a calendar.

    parse("fares since last spring", anchor)  ->  the times that a text mentions, each with its span

`parse` reads all times in language, of questions, texts, titles and options. Read `span.py` first: instants
(microseconds since 1970), half-open spans of them, and the calendar as a tree (year > quarter > month > day).
`expressions.py` holds `parse` and the grammar; `lexicon.py` has the words and cuts a text into runs of them;
`reading.py` has the context of a rule, and intervals without a zone; `dates.py`, `numeric_dates.py` and
`calendar_names.py` are the rules. `moment.py` reads an argument or a field of metadata: dates in figures, and
what `parse` finds if it is the whole text. `intent.py` reads whether a question asks for the newest, the past
or the future.
"""

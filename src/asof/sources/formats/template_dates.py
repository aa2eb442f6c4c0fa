"""Dates in documents that say nothing of the document: of templates, and of before the format."""

from __future__ import annotations

from asof.time.span import Span, nearest_moment

TEMPLATES = {
    "2013-01-27": "the template of python-pptx is of that day",
    "2013-12-23": "the template of python-docx is of that day",
    "2006-09-16": "the template of Excel workbooks is of that day",
    "2006-08-16": "the template of PowerPoint slides is of that day",
    "1980-01-01": "it is the first that an archive can have",
    "1970-01-01": "it is the first of a computer's clock",
    "1601-01-01": "it is the first of a computer's clock",
}
"""Days on which no document was made, and why they stand in some."""

EARLIEST = 1985
"""No format that holds a date of its own is older."""


def disbelieved(span: Span) -> str:
    """Why a date in a document is not believed; "" if it is."""
    moment = nearest_moment(span.first)
    why = TEMPLATES.get(moment.date().isoformat(), "")
    return why or (f"no such format is older than {EARLIEST}" if moment.year < EARLIEST else "")

"""Time: texts become spans, spans have a calendar, ages become weights.

    parse("fares since last spring", anchor)  ->  the times that a text mentions, each with its span

`parse` reads all times in language, of questions, texts, titles and options. Read `span.py` first: instants
(microseconds since 1970) and half-open spans of them; `period.py` is the calendar as a tree (year > quarter >
month > day). `expressions.py` holds `parse`: `lexicon.py` has the words, `token_run.py` cuts a text into runs
of them, and `grammar.py` and its rules read these as intervals without a zone (`local_time.py`). `moment.py`
reads an argument or a field of metadata: dates in figures, and what `parse` finds if it is the whole text.

`intent.py` reads what a question wants of time. `decay.py` turns ages in days into weights; it alone imports
numpy. `parse` is loaded when it is first used; import everything else from the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asof.time.expressions import TimeContext, TimeMention, parse

__all__ = ["TimeContext", "TimeMention", "parse"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"asof.time has no {name!r}")
    from asof.time import expressions

    return getattr(expressions, name)

"""Time: texts become spans, spans have a calendar, ages become weights.

    parse("fares since last spring", anchor)  ->  the times that a text mentions, each with its span

`parse` reads all times in language, of questions, texts, titles and options. Read `span.py` first: instants
(microseconds since 1970), half-open spans of them, and the calendar as a tree (year > quarter > month > day).
`expressions.py` holds `parse` and the grammar; `lexicon.py` has the words and cuts a text into runs of them;
`reading.py` has the context of a rule, and intervals without a zone; `dates.py`, `numeric_dates.py`,
`calendar_names.py` and `clock.py` are the rules. `moment.py` reads an argument or a field of metadata: dates
in figures, and what `parse` finds if it is the whole text.

`intent.py` reads whether a question asks for the newest, the past or the future. `decay.py` turns ages in
days into weights; it alone imports numpy. `parse` is loaded when it is first used; import everything else
from the modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asof.time.expressions import TimeContext, TimeExpression, parse

__all__ = ["TimeContext", "TimeExpression", "parse"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"asof.time has no {name!r}")
    from asof.time import expressions

    return getattr(expressions, name)

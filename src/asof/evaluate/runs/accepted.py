"""What a message names where an option of an evaluation fits nothing: fields and values that are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from asof.evaluate.runs.questions import DatasetQuestion

NAMED = 8
"""So many are named."""

SHOWN = 40
"""So many characters of each."""


def some(there: Iterable[str]) -> str:
    """The first few of them, in their order, and how many more there are.

    >>> some("abcdefghij")
    'a, b, c, d, e, f, g, h and 2 more'
    """
    every = [each if len(each) <= SHOWN else each[: SHOWN - 1] + "…" for each in there]
    more = f" and {len(every) - NAMED:,} more" if len(every) > NAMED else ""
    return (", ".join(every[:NAMED]) or "none") + more


def question_fields(questions: Iterable[DatasetQuestion]) -> str:
    """The fields that questions have: first those with the fewest different values, which part them best."""
    values: dict[str, set[str]] = {}
    for question in questions:
        for key, value in question.record.items():
            if value is not None:
                values.setdefault(key, set()).add(_text(value))
    return some(sorted(values, key=lambda key: (len(values[key]), key)))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)

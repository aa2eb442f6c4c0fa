"""Words that say that something is over: what they are said of is not what is newest or in force."""

from __future__ import annotations

import re
from functools import cache

from asof.time.cues import toml


@cache
def over() -> tuple[str, ...]:
    """The words of all languages (`wishes/over.toml`)."""
    return tuple(word for table in toml("over").values() for word in table["words"])


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, over())) + r")(?![\w-])", re.IGNORECASE)


def says_over(text: str) -> bool:
    """Whether a text says of something that it has ended."""
    return _pattern().search(text) is not None

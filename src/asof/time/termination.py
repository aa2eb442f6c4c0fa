"""Words that say that something is over: what they are said of is not what is newest or in force."""

from __future__ import annotations

import re
from functools import cache

from asof.lang import codes, tables


@cache
def over() -> tuple[str, ...]:
    """The words of all languages (`ended` in `lang/*/words.toml`)."""
    return tuple(word for code in codes("words") for word in tables(code, "words").get("ended", ()))


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, over())) + r")(?![\w-])", re.IGNORECASE)


def says_over(text: str) -> bool:
    """Whether a text says of something that it has ended."""
    return _pattern().search(text) is not None

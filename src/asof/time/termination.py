"""Words for the end of something ("closed"): such a passage is not about what is current."""

from __future__ import annotations

import re
from functools import cache

from asof.lang import codes, tables


@cache
def termination_words() -> tuple[str, ...]:
    """The words of all languages (`ended` in `lang/*/words.toml`)."""
    return tuple(word for code in codes("words") for word in tables(code, "words").get("ended", ()))


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w-])(?:" + "|".join(map(re.escape, termination_words())) + r")(?![\w-])", re.IGNORECASE
    )


def mentions_termination(text: str) -> bool:
    """Whether a text has a word for the end of something."""
    return _pattern().search(text) is not None

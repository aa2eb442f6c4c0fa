"""Whether a question wishes for what is newest: a small list of words, matched as whole words.

"snow", "renewable", "New York" and "know" hold "now" and "new" and wish for nothing.
"""

from __future__ import annotations

import re

WISHES = (
    "as it stands", "at present", "at the moment", "current", "currently", "latest", "most recent",
    "most recently", "most up to date", "most up-to-date", "newest", "now", "nowadays", "presently", "recent",
    "recently", "right now", "these days", "this month", "this quarter", "this week", "this year", "today",
    "today's", "up to date", "up-to-date",
    "aktuell", "aktuelle", "aktuellen", "aktueller", "aktuelles", "derzeit", "derzeitige", "derzeitigen",
    "derzeitiger", "gegenwärtig", "gegenwärtige", "gegenwärtigen", "heute", "heutige", "heutigen",
    "heutiger", "jetzt", "jetzige", "jetzigen", "jetziger", "momentan", "neueste", "neuesten", "neuester",
    "neuestes", "neuste", "neusten", "zurzeit", "zur zeit",
)  # fmt: skip

_WISH = re.compile(
    r"(?<![\w-])(?:" + "|".join(map(re.escape, sorted(WISHES, key=len, reverse=True))) + r")(?![\w-])",
    re.IGNORECASE,
)

_QUOTED = re.compile(r'("[^"]*+"|“[^“”]*+”|„[^„“”]*+[“”]|«[^«»]*+»)')


def recency(question: str) -> float:
    """1.0 when a word of the list stands in the question outside quotation marks, else 0.0."""
    return 1.0 if any(_WISH.search(piece) for piece in _QUOTED.split(question)[::2]) else 0.0


def without_wishes(question: str) -> str:
    """The question without the words that only wish for the newest; unchanged if nothing would be left.

    What stands in quotation marks is left alone.
    """
    pieces = _QUOTED.split(question)
    rest = "".join(piece if at % 2 else _WISH.sub(" ", piece) for at, piece in enumerate(pieces))
    return rest if re.search(r"\w", rest) else question

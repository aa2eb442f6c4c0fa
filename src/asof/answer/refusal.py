"""Answers that are refusals by their words alone."""

from __future__ import annotations

import re

NO_EVIDENCE = "no explicit evidence for the question"
"""The words in which TG-RAG has a model refuse (appendix, local query prompt)."""

_CITED = re.compile(r"\[[0-9 ,;]*\]")


def declines(text: str) -> bool:
    """Whether a text is the refusal of TG-RAG's prompt and nothing else; case, signs and citations apart.

    >>> declines("**No explicit evidence for the question.**"), declines("No explicit evidence for 2023; 4%.")
    (True, False)
    """
    return " ".join(re.findall(r"\w+", _CITED.sub(" ", text).casefold())) == NO_EVIDENCE

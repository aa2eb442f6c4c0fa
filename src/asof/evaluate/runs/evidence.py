"""Evidence: which of the sentences that answer a question are in the context that fits into a budget of
tokens.

Hits are packed in order, each below a line with its title and date, until the budget is used up; the last one
is cut there (tokens: see `text/budget.py`). A sentence is packed if all of its characters are; white space
does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from asof.data import Hit
from asof.text import budget as counted
from asof.text.budget import tokens as tokens

BUDGETS = (4_000, 12_000)
"""Tokens; `evidence@4000` and `evidence@12000`."""

NAMES = tuple(f"evidence@{budget}" for budget in BUDGETS)

Span = tuple[int, int]
Pack = dict[str, list[Span]]
"""By document: the stretches of its text that were packed."""


def header(hit: Hit) -> str:
    """The line above a passage."""
    return counted.header(hit.title or hit.document, hit.published)


def size(hits: Iterable[Hit]) -> int:
    """How many tokens hits have with the lines above them."""
    return sum(tokens(header(hit)) + tokens(hit.text) for hit in hits)


def packed(hits: Iterable[Hit], budget: int) -> Pack:
    """The stretches of the documents' texts that are in the first `budget` tokens."""
    pack: Pack = {}
    for hit in hits:
        budget -= tokens(header(hit))
        if budget <= 0:
            break
        ends = counted.ends(hit.text)
        start = hit.place.start
        end = hit.place.end if len(ends) <= budget else start + ends[budget - 1]
        pack.setdefault(hit.document, []).append((start, end))
        budget -= len(ends)
    return pack


def places(sentence: str, text: str) -> list[Span]:
    """The places of a sentence in a text, with any white space between its words."""
    words = map(re.escape, sentence.split())
    return [match.span() for match in re.finditer(r"\s+".join(words), text)]


def covered(place: Span, stretches: Iterable[Span], text: str) -> bool:
    """Whether all characters of a place but white space are in the stretches."""
    at, end = place
    for start, stop in sorted(stretches):
        if start > at and text[at : min(start, end)].strip():
            return False
        at = max(at, stop)
        if at >= end:
            return True
    return not text[at:end].strip()


def coverage(
    hits: Sequence[Hit], sentences: Sequence[tuple[str, str]], text: Callable[[str], str | None]
) -> tuple[dict[str, float], int]:
    """The share of the sentences (document, sentence) in each budget, and how many are in no text.

    `text` returns the text of a document or None. A sentence that is in no text counts as missed.
    """
    texts = {document: text(document) or "" for document, _ in sentences}
    located = [(document, places(sentence, texts[document])) for document, sentence in sentences]
    shares = {}
    for name, budget in zip(NAMES, BUDGETS, strict=True):
        pack = packed(hits, budget)
        covered_count = sum(
            any(covered(place, pack.get(document, ()), texts[document]) for place in where)
            for document, where in located
        )
        shares[name] = covered_count / len(located)
    return shares, sum(not where for _, where in located)

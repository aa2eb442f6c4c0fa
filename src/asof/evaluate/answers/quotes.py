"""What an answer quotes, and whether the sentences that answer the question are among it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from asof.data import Citation
from asof.text.budget import tokens

ENOUGH = 0.8
"""A quote that lies inside a sentence counts if it has at least so much of the sentence's characters."""


def folded(text: str) -> str:
    """A text whose white space and case do not count."""
    return " ".join(text.split()).casefold()


def quotes_sentence(quote: str, sentence: str) -> bool:
    """Whether a quote has a sentence: it contains the sentence, or is 0.8 or more of it, in one piece.

    >>> quotes_sentence("He said:  The fare IS two euros. Then", "The fare is two euros.")
    True
    >>> quotes_sentence("fare is two", "The fare is two euros.")
    False
    """
    quoted, wanted = folded(quote), folded(sentence)
    if not wanted:
        return False
    return wanted in quoted or (quoted in wanted and len(quoted) >= ENOUGH * len(wanted))


def evidence(citations: Iterable[Citation], sentences: Sequence[tuple[str, str]]) -> float:
    """The share of the sentences (document, sentence) that a citation of their document has."""
    cited = [(each.document, each.quote) for each in citations]
    there = sum(
        any(name == document and quotes_sentence(quote, sentence) for name, quote in cited)
        for document, sentence in sentences
    )
    return there / len(sentences)


def counted(citations: Sequence[Citation]) -> tuple[float, float]:
    """How many citations an answer has, and how many tokens their quotes."""
    return float(len(citations)), float(sum(tokens(each.quote) for each in citations))

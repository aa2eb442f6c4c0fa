"""How alike the words of an answer and of the right one are: token F1 and ROUGE-L. Pure functions of texts.

Tokens are those of SQuAD's F1 (Rajpurkar et al. 2016) and of ROUGE (Lin 2004) in lower case, but figures
stay whole: `\\w+`, in which a point or a comma between two digits does not end a token. Nothing is stemmed,
no word is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_TOKEN = re.compile(r"\w+(?:(?<=\d)[.,](?=\d)\w+)*")
_CITED = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")


def words(text: str) -> list[str]:
    """The tokens of a text.

    >>> words("Up 5.1%, to $3.7 billion (Q1).")
    ['up', '5.1', 'to', '3.7', 'billion', 'q1']
    """
    return _TOKEN.findall(text.lower())


def uncited(text: str) -> str:
    """The text of an answer without the numbers of its citations.

    >>> uncited("It is 5% [1], or 6% [2, 3].")
    'It is 5%, or 6%.'
    """
    return _CITED.sub("", text)


def f1(said: str, gold: str) -> float:
    """The harmonic mean of precision and recall of the tokens, each as often as it occurs (multisets).

    Two texts without a token are alike (1), one without is like nothing else (0).
    """
    mine, right = Counter(words(said)), Counter(words(gold))
    return _harmonic((mine & right).total(), mine.total(), right.total())


def rouge_l(said: str, gold: str) -> float:
    """ROUGE-L with beta 1: the harmonic mean of LCS / tokens said and LCS / tokens of the right answer."""
    mine, right = words(said), words(gold)
    return _harmonic(longest_common(mine, right), len(mine), len(right))


def _harmonic(common: int, said: int, gold: int) -> float:
    """2PR / (P + R) for P = common / said and R = common / gold, which is 2 common / (said + gold)."""
    return 2 * common / (said + gold) if said + gold else 1.0


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence (bit-parallel, Hyyrö 2004: a row is one integer)."""
    places: dict[str, int] = {}
    for at, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << at
    whole = (1 << len(one)) - 1
    row = whole
    for word in other:
        hit = row & places.get(word, 0)
        row = (row + hit | row - hit) & whole
    return len(one) - row.bit_count()

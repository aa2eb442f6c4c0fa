"""The words that an answer and the reference answer share: token F1 and ROUGE-L. Pure functions of texts.

Tokens are those of SQuAD's F1 (Rajpurkar et al. 2016) and of ROUGE (Lin 2004) in lower case, but figures
stay whole: `\\w+`, in which a point or a comma between two digits does not end a token. Nothing is stemmed,
no word is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_ARTICLES = ("a", "an", "the")
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


def exact_match(answer: str, accepted: Iterable[str]) -> bool:
    """Whether an answer is one of the accepted ones, but for case, signs and English articles (the exact
    match of SQuAD, Rajpurkar et al. 2016).

    >>> exact_match("The Harbour Master.", ["harbour master"]), exact_match("It is Ann", ["Ann"])
    (True, False)
    """
    return _plain(answer) in {_plain(each) for each in accepted}


def _plain(text: str) -> str:
    return " ".join(word for word in words(text) if word not in _ARTICLES)


def f1(answer: str, reference: str) -> float:
    """The harmonic mean of precision and recall of the tokens, each as often as it occurs (multisets).

    Two texts without a token are equal (1); one without a token shares nothing with another (0).
    """
    answer_words, reference_words = Counter(words(answer)), Counter(words(reference))
    return _harmonic((answer_words & reference_words).total(), answer_words.total(), reference_words.total())


def rouge_l(answer: str, reference: str) -> float:
    """ROUGE-L with beta 1: the harmonic mean of LCS / answer tokens and LCS / reference tokens."""
    answer_words, reference_words = words(answer), words(reference)
    return _harmonic(longest_common(answer_words, reference_words), len(answer_words), len(reference_words))


def _harmonic(common: int, answer: int, reference: int) -> float:
    """2PR / (P + R) for P = common / answer and R = common / reference: 2 common / (answer + reference)."""
    return 2 * common / (answer + reference) if answer + reference else 1.0


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence (bit-parallel, Hyyrö 2004: a row is one integer)."""
    positions: dict[str, int] = {}
    for at, word in enumerate(one):
        positions[word] = positions.get(word, 0) | 1 << at
    all_ones = (1 << len(one)) - 1
    row = all_ones
    for word in other:
        matches = row & positions.get(word, 0)
        row = (row + matches | row - matches) & all_ones
    return len(one) - row.bit_count()

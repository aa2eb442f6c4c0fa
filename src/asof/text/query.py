"""What a question asks the index: its words, how often each occurs, and its quoted phrases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from asof.text.tokens import Analyzer, tokenize

# A quotation may not hold the mark that opens it: that keeps the search linear when one is never closed.
_QUOTED = re.compile(r'"([^"]*+)"|“([^“”]*+)”|„([^„“”]*+)[“”]|«([^«»]*+)»')


@dataclass(frozen=True, slots=True)
class QueryWords:
    """A parsed question: `words` with their counts in the order of first mention, `phrases` as tokens.

    The words are tokens as in `tokenize`, not stems: each language of the corpus stems them its own way.
    """

    words: tuple[tuple[str, int], ...]
    phrases: tuple[tuple[str, ...], ...]


def parse(text: str, analyzer: Analyzer, *, stop_words: bool = False) -> QueryWords:
    """Read a question, without the stop words of the analyzer's languages unless `stop_words`.

    A stop word stays inside quotation marks ("The Who", “…”, „…“, «…»), and all stay when nothing else
    would be left. A quotation of two or more tokens is a phrase. An unclosed quotation mark is a character.
    A question with more words beside its quotations than in them has no phrases: it tells what somebody said
    (which minister called it "a price worth paying"?), and what answers it need not repeat that.
    """
    return _parse(text, analyzer.stop_words, stop_words)


@lru_cache(maxsize=16)  # the stages of a recipe read the same question
def _parse(text: str, functional: frozenset[str], keep: bool) -> QueryWords:
    every: Counter[str] = Counter()
    content: Counter[str] = Counter()
    phrases: dict[tuple[str, ...], None] = {}
    beside: set[str] = set()
    for part, quoted in _parts(text):
        tokens = tokenize(part)
        every.update(tokens)
        content.update(token for token in tokens if quoted or keep or token not in functional)
        if quoted and len(tokens) > 1:
            phrases[tuple(tokens)] = None
        elif not quoted:
            beside.update(token for token in tokens if token not in functional)
    # A stop word quoted once and unquoted elsewhere counts once: only the quotation asks for it.
    required = len(beside) <= sum(map(len, phrases))
    return QueryWords(tuple((content or every).items()), tuple(phrases) if required else ())


def contains_phrase(tokens: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether the tokens of the phrase occur one after the other; the empty phrase always does."""
    length = len(phrase)
    expected = list(phrase)
    return any(list(tokens[at : at + length]) == expected for at in range(len(tokens) - length + 1))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The stretches of the question in order, each with whether it was quoted."""
    at = 0
    for match in _QUOTED.finditer(text):
        yield text[at : match.start()], False
        yield match[match.lastindex or 0], True
        at = match.end()
    yield text[at:], False

"""Generated text to measure on: a Zipfian vocabulary, documents of about five paragraphs of 110 words, ten
years of dates, one document in twenty superseded by a later version. The same seed gives the same corpus."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from asof.data import Document, SourcedTime
from asof.time.span import Span

FIRST = datetime(2015, 1, 1, tzinfo=UTC)
DAYS = 3650
WORDS = 110
PARAGRAPHS = 5
SUPERSEDED = 0.05
SYLLABLES = [consonant + vowel for consonant in "bdklmn" for vowel in "aeiou"]


def vocabulary(size: int = 200_000) -> list[str]:
    """Pronounceable words, all different."""
    words = []
    for number in range(size):
        word, rest = "", number + len(SYLLABLES)
        while rest:
            rest, syllable = divmod(rest, len(SYLLABLES))
            word += SYLLABLES[syllable]
        words.append(word)
    return words


def ranks(rng: np.random.Generator, count: int, size: int) -> np.ndarray:
    """Word numbers with probability about 1 / (rank + 2.7)."""
    uniform = rng.random(count)
    return np.minimum((2.7 * ((size / 2.7) ** uniform - 1)).astype(np.int64), size - 1)


def documents(passages: int, seed: int = 7) -> Iterator[Document]:
    """Documents that are cut into about `passages` passages, superseding versions included."""
    rng = np.random.default_rng(seed)
    words = vocabulary()
    number = made = 0
    while made < passages:
        paragraphs = min(PARAGRAPHS, passages - made)
        text = paragraphs_of(rng, words, paragraphs)
        day = int(rng.integers(DAYS))
        yield document(number, text, day)
        made += paragraphs
        if rng.random() < SUPERSEDED / (1 - SUPERSEDED) and made < passages and day < DAYS - 2:
            yield document(number, paragraphs_of(rng, words, paragraphs), int(rng.integers(day + 1, DAYS)))
            made += paragraphs
        number += 1


def paragraphs_of(rng: np.random.Generator, words: list[str], count: int) -> str:
    return "\n\n".join(
        " ".join([words[rank] for rank in ranks(rng, int(rng.normal(WORDS, 6)), len(words))]) + "."
        for _ in range(count)
    )


def document(number: int, text: str, day: int) -> Document:
    start = FIRST + timedelta(days=day)
    published = SourcedTime(Span(start, start + timedelta(days=1)), f"{start:%Y-%m-%d}", "metadata")
    return Document(f"d{number:07}", text, published=published)


def queries(count: int, seed: int = 11) -> list[str]:
    """Questions of two to five words; words as frequent in them as in the text, the commonest left out."""
    rng = np.random.default_rng(seed)
    words = vocabulary()
    drawn = iter(ranks(rng, 100 * count, len(words)).tolist())
    asked = []
    for _ in range(count):
        wanted = int(rng.integers(2, 6))
        picked: list[str] = []
        while len(picked) < wanted:
            rank = next(drawn)
            if rank >= 50:
                picked.append(words[rank])
        asked.append(" ".join(picked))
    return asked

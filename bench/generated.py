"""Generated text that behaves like real text, to measure on. The same seed gives the same corpus.

Words follow Zipf's law; prose has two to four times in a hundred words; titles, headings and names repeat.
A fifth of the documents are announcements that differ in a version and a date, some are turns of threads, one
in twenty is superseded by a later version. Questions have 6 to 16 words, with names and times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np

from asof.data import Document, Heading, SourcedTime
from asof.time.span import Span

FIRST = datetime(2015, 1, 1, tzinfo=UTC)
DAYS = 3650
WORDS = 110
PARAGRAPHS = 5
SUPERSEDED = 0.05
TEMPLATED = 0.2
IN_THREADS = 0.1
TURNS = 6
"""Turns of a thread."""
NAMES = 2_000
TIMES_A_WORD = 0.03
SYLLABLES = [consonant + vowel for consonant in "bdklmn" for vowel in "aeiou"]
KINDS = ("report", "minutes", "notice", "guide", "results", "profile", "plan", "review", "budget", "survey")
FUNCTIONAL = ("the", "of", "and", "to", "in", "a", "is", "for", "on", "was", "with", "as", "by", "at", "from")
TIMES = (
    "in {month} {year}", "on {day} {month} {year}", "since {year}", "last year", "until the end of {year}",
    "three weeks later", "from {year} to {later}", "this month", "{month} {day}, {year}",
    "in the summer of {year}", "in Q{quarter} {year}", "yesterday", "two years ago",
    "{year}-{number:02}-{day:02}",
)  # fmt: skip
ASKED = (
    "what did the {kind} of {name} say about {words} {time}?",
    "when did {name} change the {words} of the {words}?",
    "who was responsible for the {words} {words} at {name} {time}?",
    "what is the latest {kind} of {name} on {words} {words}?",
    "how many {words} {words} had {name} in the {kind} {time}?",
)  # fmt: skip


@cache
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


def time_words(rng: np.random.Generator) -> str:
    """A time as prose says it."""
    year = int(rng.integers(2005, 2026))
    day = FIRST.replace(month=int(rng.integers(1, 13)), day=int(rng.integers(1, 29)))
    return _one(rng, TIMES).format(
        year=year,
        later=year + 3,
        month=f"{day:%B}",
        day=day.day,
        number=day.month,
        quarter=(day.month + 2) // 3,
    )


def _one(rng: np.random.Generator, among: tuple[str, ...]) -> str:
    return among[int(rng.integers(len(among)))]


def name(rng: np.random.Generator) -> str:
    """One of NAMES names of two words, the first ones far more often."""
    number, words = int(ranks(rng, 1, NAMES)[0]), vocabulary()
    return f"{words[1_000 + number].capitalize()} {words[4_000 + number % 300].capitalize()}"


def sentence_words(rng: np.random.Generator, count: int) -> list[str]:
    words = vocabulary()
    return [
        FUNCTIONAL[rank] if rank < len(FUNCTIONAL) else words[rank]
        for rank in ranks(rng, count, len(words)).tolist()
    ]


def paragraph(rng: np.random.Generator, subject: str) -> str:
    """About WORDS words in sentences, with times and names."""
    words = sentence_words(rng, max(int(rng.normal(WORDS, 20)), 20))
    for at in np.flatnonzero(rng.random(len(words)) < TIMES_A_WORD).tolist():
        words[at] = time_words(rng)
    for at in np.flatnonzero(rng.random(len(words)) < 0.02).tolist():
        words[at] = subject if rng.random() < 0.5 else name(rng)
    for at in range(11, len(words), 17):
        words[at] += "."
    return " ".join(words) + "."


def documents(passages: int, seed: int = 7) -> Iterator[Document]:
    """Documents that are cut into about `passages` passages, superseding versions included."""
    rng = np.random.default_rng(seed)
    number = made = 0
    while made < passages:
        draw, day = rng.random(), int(rng.integers(DAYS))
        if draw < TEMPLATED:
            new = [announcement(number, rng, day)]
        elif draw < TEMPLATED + IN_THREADS / TURNS:
            new = thread(number, rng, day, min(TURNS, passages - made))
        else:
            new = [article(number, rng, day, min(PARAGRAPHS, passages - made))]
        yield from new
        made += sum(each.text.count("\n\n") + 1 for each in new)
        if rng.random() < SUPERSEDED / (1 - SUPERSEDED) and made < passages and day < DAYS - 2:
            again = article(number, rng, int(rng.integers(day + 1, DAYS)), min(PARAGRAPHS, passages - made))
            yield replace(again, id=new[0].id)
            made += again.text.count("\n\n") + 1
        number += 1


def article(number: int, rng: np.random.Generator, day: int, paragraphs: int) -> Document:
    subject = name(rng)
    title = f"{subject} {_one(rng, KINDS)} {2015 + day // 365}"
    pieces = [paragraph(rng, subject) for _ in range(paragraphs)]
    starts = np.cumsum([0, *(len(piece) + 2 for piece in pieces)])
    outline = [Heading(int(at), 2, " ".join(sentence_words(rng, 3))) for at in starts[:-1:2].tolist()]
    return Document(
        f"d{number:07}", "\n\n".join(pieces), title, published=published(day), outline=tuple(outline)
    )


def announcement(number: int, rng: np.random.Generator, day: int) -> Document:
    product, major, minor, patch = name(rng), *(int(rng.integers(12)) for _ in range(3))
    when = FIRST + timedelta(days=day)
    text = (
        f"{product} {major}.{minor}.{patch} was released on {when.day} {when:%B %Y}. It is an update of the"
        f" {major}.{minor} series and replaces {major}.{minor}.{max(patch - 1, 0)}."
    )
    return Document(f"d{number:07}", text, f"{product} {major}.{minor}.{patch}", published=published(day))


def thread(number: int, rng: np.random.Generator, day: int, turns: int) -> list[Document]:
    begin = FIRST + timedelta(days=day, seconds=int(rng.integers(80_000)) + 7)
    people = [name(rng), name(rng)]
    return [
        Document(
            f"d{number:07}/{turn + 1}", f"{people[turn % 2]}: {' '.join(sentence_words(rng, 15))}.",
            people[turn % 2], published=begin + timedelta(seconds=40 * turn),
        )
        for turn in range(turns)
    ]  # fmt: skip


def published(day: int) -> SourcedTime:
    start = FIRST + timedelta(days=day)
    return SourcedTime(Span(start, start + timedelta(days=1)), f"{start:%Y-%m-%d}", "metadata")


def queries(count: int, seed: int = 11) -> list[str]:
    """Questions of 6 to 16 words: with a name, words as frequent as in the text, often a time."""
    rng = np.random.default_rng(seed)
    asked = []
    for _ in range(count):
        text = _one(rng, ASKED).format(name=name(rng), kind=_one(rng, KINDS), words="{}", time="{time}")
        words = [word for word in sentence_words(rng, 60) if word not in FUNCTIONAL]
        time = time_words(rng) if rng.random() < 0.5 else ""
        filled = text.replace("{time}", time).format(*words)
        asked.append(" ".join(filled.replace(" ?", "?").split()))
    return asked

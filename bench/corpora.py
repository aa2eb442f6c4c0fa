"""What is measured on: generated text that behaves like real text, and the real text of datasets.

Words follow Zipf's law; prose has two to four times in a hundred words; titles, headings and names repeat.
A fifth of the documents are announcements that differ in a version and a date, some are turns of threads, one
in twenty is superseded by a later version. Questions have 6 to 16 words, with names and times. The same seed
gives the same corpus.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Record = dict[str, Any]
"""A document as a line of a file: id, title, text, published."""

PIECE = 120
"""Words of a passage of a system that cuts no documents itself."""

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


def generated(passages: int, seed: int = 7) -> Iterator[Record]:
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
        made += sum(each["text"].count("\n\n") + 1 for each in new)
        if rng.random() < SUPERSEDED / (1 - SUPERSEDED) and made < passages and day < DAYS - 2:
            again = article(number, rng, int(rng.integers(day + 1, DAYS)), min(PARAGRAPHS, passages - made))
            yield {**again, "id": new[0]["id"]}
            made += again["text"].count("\n\n") + 1
        number += 1


def record(name: str, text: str, title: str, published: datetime) -> Record:
    day = published.time() == FIRST.time()
    return {
        "id": name, "title": title, "text": text,
        "published": f"{published:%Y-%m-%d}" if day else f"{published:%Y-%m-%dT%H:%M:%SZ}",
    }  # fmt: skip


def article(number: int, rng: np.random.Generator, day: int, paragraphs: int) -> Record:
    subject = name(rng)
    title = f"{subject} {_one(rng, KINDS)} {2015 + day // 365}"
    pieces = [paragraph(rng, subject) for _ in range(paragraphs)]
    for _ in pieces[::2]:
        sentence_words(rng, 3)  # was a heading: without these draws all text after it would be another
    return record(f"d{number:07}", "\n\n".join(pieces), title, FIRST + timedelta(days=day))


def announcement(number: int, rng: np.random.Generator, day: int) -> Record:
    product, major, minor, patch = name(rng), *(int(rng.integers(12)) for _ in range(3))
    when = FIRST + timedelta(days=day)
    text = (
        f"{product} {major}.{minor}.{patch} was released on {when.day} {when:%B %Y}. It is an update of the"
        f" {major}.{minor} series and replaces {major}.{minor}.{max(patch - 1, 0)}."
    )
    return record(f"d{number:07}", text, f"{product} {major}.{minor}.{patch}", when)


def thread(number: int, rng: np.random.Generator, day: int, turns: int) -> list[Record]:
    begin = FIRST + timedelta(days=day, seconds=int(rng.integers(80_000)) + 7)
    people = [name(rng), name(rng)]
    return [
        record(
            f"d{number:07}/{turn + 1}", f"{people[turn % 2]}: {' '.join(sentence_words(rng, 15))}.",
            people[turn % 2], begin + timedelta(seconds=40 * turn),
        )
        for turn in range(turns)
    ]  # fmt: skip


def questions_about(count: int, seed: int = 11) -> list[str]:
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


# -- files ---------------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """Files with documents (.jsonl) and questions (a JSON list), and two days: the middle of the documents'
    dates, and the one from which on the last tenth of them was published."""

    documents: str
    questions: str
    middle: str
    tenth: str


def generate(folder: Path, passages: int, questions: int) -> Measured:
    """Write generated text of so many passages."""
    return _write(folder, generated(passages), questions_about(questions))


def gather(folder: Path, data: Path, questions: int) -> Measured:
    """Write the documents of all datasets below a folder (`corpus.jsonl`, `queries.jsonl`) as one corpus."""
    asked: list[str] = []
    for path in sorted(data.rglob("queries.jsonl")):
        texts = [json.loads(line)["text"] for line in path.open(encoding="utf-8")]
        random.Random(7).shuffle(texts)
        asked += texts[: -(-questions // 10)]
    random.Random(7).shuffle(asked)
    return _write(folder, _gathered(data), asked[:questions])


def _gathered(data: Path) -> Iterator[Record]:
    for path in sorted(data.rglob("corpus.jsonl")):
        seen: set[str] = set()
        for line in path.open(encoding="utf-8"):
            record = json.loads(line)
            if record.get("text") and record["id"] not in seen:
                seen.add(record["id"])
                published = record.get("timestamp") or record.get("published_at")
                yield {
                    "id": f"{path.parent.name}/{record['id']}", "title": record.get("title") or "",
                    "text": record["text"], "published": published,
                }  # fmt: skip


def _write(folder: Path, records: Iterator[Record], questions: list[str]) -> Measured:
    documents, asked = folder / "corpus.jsonl", folder / "questions.json"
    dates = []
    with documents.open("w", encoding="utf-8") as file:
        for record in records:
            if record["published"] is None:
                del record["published"]
            else:
                dates.append(str(record["published"])[:10])
            file.write(json.dumps(record) + "\n")
    asked.write_text(json.dumps(questions), encoding="utf-8")
    days = sorted(date for date in dates if date <= f"{datetime.now(UTC):%Y-%m-%d}")
    return Measured(str(documents), str(asked), days[len(days) // 2], days[len(days) * 9 // 10])


def pieces(documents: str) -> list[tuple[str, str]]:
    """Title and text of passages of PIECE words; of documents with several versions all are there."""
    out = []
    with Path(documents).open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    for record in records:
        words = record["text"].split()
        out += [
            (record["title"], " ".join(words[at : at + PIECE])) for at in range(0, max(len(words), 1), PIECE)
        ]
    return out


def questions_of(path: str) -> list[str]:
    questions: list[str] = json.loads(Path(path).read_text(encoding="utf-8"))
    return questions


# -- an encoder ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RandomVectors:
    """Vectors without meaning, made at the speed of memory: each text has the one that its CRC-32 seeds."""

    d: int = 128

    @property
    def name(self) -> str:
        return f"random-{self.d}"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        seeds = np.array([crc32(text.encode()) for text in texts], np.uint64)
        places = np.arange(1, self.d + 1, dtype=np.uint64)
        mixed: NDArray[np.uint64] = (seeds[:, None] * np.uint64(self.d) + places) * GOLDEN
        for shift, factor in SPLIT_MIX:
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        bits: NDArray[np.uint64] = (mixed ^ (mixed >> np.uint64(31))) >> np.uint64(40)
        vectors = bits.astype(np.float32) / 2**23 - 1
        vectors /= np.sqrt((vectors**2).sum(axis=1, keepdims=True))
        return vectors.astype(np.float32, copy=False)


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
SPLIT_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
"""SplitMix64 (Steele, Lea and Flood 2014): from counters to bits that look random."""

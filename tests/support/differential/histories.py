"""What happens to a corpus, by a seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from tests.support.differential.texts import DATES, LATE, NAMES, Note, called, paragraph, written

SOURCES = ("notes", "wire")
SIZES = (1, 1, 2, 3, 5, 8, 12, 18)
"""How many things happen."""

MANY = 60
"""How many happen to one corpus in `RARE`."""

RARE = 25


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens after a `wait` in microseconds. `kind`: state, all (the source states these and
    nothing else), end, move, correct, purge, vacuum, merge, embed, reopen, look, know."""

    kind: str
    wait: int
    notes: tuple[Note, ...] = ()
    source: str = "notes"
    name: str = ""
    other: str = ""
    date: str = ""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """The events of a corpus, and what it was made with. `encoder`: it has vectors from the beginning;
    `model`: a scripted language model reads and writes."""

    events: tuple[Event, ...]
    undated: str = "added"
    chunking: str = "120w"
    encoder: bool = False
    model: bool = False
    languages: tuple[str, ...] = ("en", "de")
    diversity: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The notes that are stated, by name, each as often as it is."""
        return tuple(note.name for event in self.events for note in event.notes)


OFTEN = ("state",) * 11 + ("all", "all", "end", "move", "correct", "correct", "merge", "look", "look", "know",
                           "reopen")  # fmt: skip
SELDOM = ("purge", "vacuum", "embed")
DAY = 86_400_000_000
WAITS = (0, 0, 1, DAY // 24, DAY, 9 * DAY, 40 * DAY, 100 * DAY)


def history(rng: Random, *, extremes: bool = True) -> History:
    names = rng.sample(NAMES, rng.choice((1, 2, 3, 4, 6, 9)))
    said = [paragraph(rng) for _ in range(rng.choice((1, 2, 4, 8)))]
    extremes = extremes and rng.random() < 0.2
    kinds = OFTEN + SELDOM * (rng.random() < 0.4)
    events: list[Event] = []
    for _ in range(rng.choice(SIZES) if rng.randrange(RARE) else MANY):
        kind = rng.choice(kinds) if events else "state"
        notes: tuple[Note, ...] = ()
        if kind in ("state", "all"):
            some = rng.sample(names, min(len(names), rng.choice((1, 1, 2, 3))))
            before = latest(events)
            notes = tuple(
                again(rng, before[name])
                if name in before and rng.random() < 0.3
                else written(rng, name, said, extremes)
                for name in some
            )
        events.append(
            Event(
                kind, rng.choice(WAITS), notes, SOURCES[rng.random() < 0.25], rng.choice(names),
                rng.choice(NAMES), rng.choice(DATES), rng.randrange(2**32),
            )
        )  # fmt: skip
    last = rng.choice([*latest(events).values()])
    renamed = [
        last.but(aliases=called(rng), date=date) for date in rng.sample(LATE, rng.choice((0, 1, 2, 3)))
    ]
    events += [Event("state", rng.choice(WAITS), (note,)) for note in renamed]
    return History(
        tuple(events), rng.choice(("added", "added", "always", "never")),
        rng.choice(("120w", "120w", "12w", "12w/3", "whole")), rng.random() < 0.2, rng.random() < 0.15,
        rng.choice((("en",), ("en", "de"), ("en", "de"))), rng.random() < 0.1,
    )  # fmt: skip


def latest(events: Iterable[Event]) -> dict[str, Note]:
    """What was said last of each name."""
    return {note.name: note for event in events for note in event.notes}


def again(rng: Random, note: Note) -> Note:
    """The same note, now and then under another date, or with other names and links that no passage shows."""
    note = note.but(aliases=called(rng)) if rng.random() < 0.4 else note
    return note if rng.random() < 0.4 else note.but(date=rng.choice(DATES))

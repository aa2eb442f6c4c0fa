"""Cases: a corpus by a seed, a moment (T, K) of it, and an output there, compared with the other corpus's."""

from __future__ import annotations

import shutil
import tempfile
import traceback
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from tests.support.differential.alike import difference, plain
from tests.support.differential.histories import DAY, History, history
from tests.support.differential.outputs import Asked, drawn, one, speakable
from tests.support.differential.played import Played, know
from tests.support.differential.visible import only_visible, refused, visible
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.time.span import BEGINNING, LAST, NEVER, iso

T = TypeVar("T")

MOMENTS = 4
"""Moments (T, K) of a corpus that are looked at."""

TRIES = 150

AT_A_MOMENT = 4
"""Outputs that are compared there; as many are the same at all moments, so that what one of them keeps in
memory is met by the next."""


@dataclass(frozen=True)
class Fault:
    """A difference: of which corpus, at which moment, in which output, and the first place where. `before`:
    the moments at which the corpus was asked the same before."""

    seed: int
    of: History
    as_of: int
    known_at: int
    asked: Asked
    where: str
    before: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        moment = f"T {iso(self.as_of)} ({self.as_of}), K {iso(self.known_at)} ({self.known_at})"
        moment += "".join(f"\n  asked before at T {iso(t)}, K {iso(k)}" for t, k in self.before)
        made = replace(self.of, events=())
        head = f"seed {self.seed}: {self.asked}\n  at {moment}\n  first difference: {self.where}\n  {made}"
        return "\n  ".join([head, *map(str, self.of.events)])


@dataclass
class Counts:
    """What was compared: corpora, moments, cases (a corpus, T, K, an output); cases that were left out."""

    corpora: int = 0
    moments: int = 0
    cases: int = 0
    refused: int = 0


@contextmanager
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))  # noqa: S108
    try:
        yield made
    finally:
        shutil.rmtree(made)


def faults(seed: int, counts: Counts, only: Fault | None = None) -> list[Fault]:
    """The differences that a seed shows; with `only`, in its history, at its moment and in its output."""
    of = history(Random(f"history {seed}")) if only is None else only.of
    with folder() as place, closing(Played(place / "all", of, look)) as played:
        played.play()
        counts.corpora += 1
        if only is not None:
            know(played.corpus, of)
            for moment in only.before:
                said(only.asked, played.corpus.snapshot(*moment))
            found = _at(played, place / "one", seed, only.as_of, only.known_at, [only.asked], counts)
            return [replace(fault, before=only.before) for fault in found]
        rng = Random(f"moments {seed}")
        always = [*drawn(rng, AT_A_MOMENT - 3, of.names, commands=False),
                  *(one(rng, kind, of.names) for kind in ("links", "facts", "resolve"))]  # fmt: skip
        all_moments = moments(rng, played)
        found = []
        for number, (as_of, known_at) in enumerate(all_moments):
            asked = [*always, *drawn(rng, AT_A_MOMENT, of.names, commands=not of.model and speakable(as_of))]
            here = _at(played, place / str(number), seed, as_of, known_at, asked, counts)
            found += [replace(fault, before=tuple(all_moments[:number])) for fault in here]
        return found


def moments(rng: Random, played: Played) -> list[tuple[int, int]]:
    """Moments at which something happens, just before, and others; every other one is as known at the last
    one, a version later or earlier."""
    versions = list(played.versions.values())
    happens = sorted({v.visible for v in versions if BEGINNING < v.visible < NEVER}) or [0]
    learned = sorted({v.added for v in versions} | {v.retired for v in versions if v.retired}
                     | {at for at, _ in played.vacuums}) or [0]  # fmt: skip
    found = []
    for _ in range(MOMENTS // 2):
        as_of = rng.choice((
            rng.choice(happens), rng.choice(happens[-3:]), rng.choice(happens[-3:]) - 1, rng.choice(learned),
            rng.choice(happens) - 1, rng.choice(happens) + rng.randrange(100 * DAY), happens[-1], LAST,
        ))  # fmt: skip
        known_at = rng.choice(
            (learned[-1], learned[-1], learned[-1] + 1, rng.choice(learned), rng.choice(learned) - 1)
        )
        at = bisect_right(happens, as_of)
        near = rng.choice([*happens[at : at + 1], *(instant - 1 for instant in happens[max(at - 1, 0) : at])])
        found += [(min(as_of, LAST), known_at), (min(near, LAST), known_at)]
    return found


def _at(
    played: Played, place: Path, seed: int, as_of: int, known_at: int, asked: Sequence[Asked], counts: Counts
) -> list[Fault]:
    if refused(played, as_of, known_at):
        counts.refused += len(asked)
        return []
    know(played.corpus, played.of)
    counts.moments += 1
    with only_visible(played, place, as_of, known_at) as other:
        know(other, played.of)
        here, there = played.corpus.snapshot(as_of, known_at), other.snapshot(as_of, known_at)
        names = {v.name for v in visible(played, as_of, known_at) if v.document is not None}
        found = []
        for each in asked:
            if each.of and each.of not in names:
                counts.refused += 1  # what is asked is why something is not there
                continue
            counts.cases += 1
            one, two = said(each, here), said(each, there)
            where = one if isinstance(one, str) and one.startswith("CRASH") else difference(one, two)
            if where is not None:
                found.append(Fault(seed, played.of, as_of, known_at, each, where))
        return found


def said(asked: Asked, then: Snapshot) -> Any:
    try:
        return plain(asked.at(then))
    except Exception:  # noqa: BLE001  whatever it is, it is a fault
        return "CRASH " + traceback.format_exc()


def look(corpus: Corpus, seed: int) -> None:
    """Ask at some moments in the middle of a history, so that what is kept between questions is there."""
    rng = Random(f"look {seed}")
    learned = [row[0] for row in db_of(corpus).execute("SELECT id FROM transactions ORDER BY id")] or [0]
    for asked in drawn(rng, 3, commands=False):
        as_of = rng.choice((LAST, rng.choice(learned), rng.choice(learned) + 30 * DAY))
        asked.at(corpus.snapshot(as_of, rng.choice((None, rng.choice(learned)))))


def shrunk(fault: Fault) -> Fault:
    """The fault with events, notes and what was asked before left out while it still shows, after `TRIES` of
    them at the latest."""
    last, changed, tries = fault, True, 0
    while changed:
        changed = False
        for smaller in _smaller(last):
            tries += 1
            if tries > TRIES:
                return last
            try:
                found = faults(last.seed, Counts(), smaller)
            except Exception:  # noqa: BLE001, S112  a history that cannot be played is no smaller one
                continue
            if found:
                last, changed = found[0], True
                break
    return last


def _smaller(fault: Fault) -> Iterator[Fault]:
    events = fault.of.events
    for less in _each_left_out(fault.before):
        yield replace(fault, before=less)
    for some in _each_left_out(events):
        yield replace(fault, of=replace(fault.of, events=some))
    for at, event in enumerate(events):
        for notes in _each_left_out(event.notes) if len(event.notes) > 1 else ():
            some = (*events[:at], replace(event, notes=notes), *events[at + 1 :])
            yield replace(fault, of=replace(fault.of, events=some))


def _each_left_out(of: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """Without one of them, the last one first."""
    return ((*of[:at], *of[at + 1 :]) for at in reversed(range(len(of))))

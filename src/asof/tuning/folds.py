"""Which questions a setting is fitted to, and which it is judged on: nothing of the one side is on the other.

Questions with the same words, with a relevant document in common, or with the same value of a field that is
named belong together: one of them tells what the answer to the other is. Where questions were asked at
different times, a setting is judged on questions that were asked after all that it was fitted to.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError

NEARLY_ALL = 0.5
"""Where one group would hold so much of all questions, documents do not tell subjects apart."""

FEWEST, LEAST = 0.1, 10
"""A stretch of time holds at least so much of all questions, and so many."""

ENOUGH = 0.5
"""So much of the earlier questions has to be left when the groups of the later ones are taken out."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fold:
    """Numbers of the questions to fit to, and of those to judge on; `name` for people."""

    name: str
    train: Ints
    test: Ints


@dataclass(frozen=True, slots=True)
class Folds:
    """The folds, the group of each question (q,), and how they were made, in sentences.

    `in_time`: each fold is fitted to what was asked before. No question is judged twice.
    """

    folds: tuple[Fold, ...]
    group: Ints
    in_time: bool
    notes: tuple[str, ...]

    @property
    def judged(self) -> Ints:
        """Numbers of the questions that some fold judges, ascending."""
        return np.sort(np.concatenate([each.test for each in self.folds]))


def groups(keys: Sequence[Iterable[Hashable]]) -> Ints:
    """A number for each of some things, the same for those that share a key, directly or by way of others."""
    parent = list(range(len(keys)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    first: dict[Hashable, int] = {}
    for at, own in enumerate(keys):
        for key in own:
            one, other = sorted((root(first.setdefault(key, at)), root(at)))
            parent[other] = one
    _, number = np.unique([root(at) for at in range(len(keys))], return_inverse=True)
    return number.astype(np.int64)


def same_words(text: str) -> str:
    """What two questions have in common that differ in case and blanks only."""
    return " ".join(text.casefold().split())


def grouped(
    texts: Sequence[str], relevant: Sequence[Iterable[str]], subjects: Sequence[Iterable[str]]
) -> tuple[Ints, list[str]]:
    """The group of each question, and what there is to say. `relevant`: documents; `subjects`: values of
    fields that are named."""
    words = [("words", same_words(text)) for text in texts]
    named = [[("subject", each) for each in own] for own in subjects]
    with_documents = groups([
        [own, *of, *(("document", each) for each in there)]
        for own, of, there in zip(words, named, relevant, strict=True)
    ])  # fmt: skip
    largest = int(np.bincount(with_documents).max(initial=0))
    if largest <= NEARLY_ALL * len(texts):
        return with_documents, []
    note = (
        f"relevant documents join {largest:,} of {len(texts):,} questions into one group: questions are kept "
        "together by their words" + (" and subjects" if any(subjects) else "") + " only"
    )
    return groups([[own, *of] for own, of in zip(words, named, strict=True)]), [note]


def folded(texts: Sequence[str], group: Ints, times: Sequence[int] | None, count: int, seed: int) -> Folds:
    """`count` folds, the same whatever the order of the questions.

    `times`: when each was asked; None: at no time. Raises UsageError for fewer groups than folds.
    """
    if count < 2:
        raise UsageError(f"{count} folds: at least 2 are needed, one to fit to and one to judge on")
    there = int(group.max(initial=-1)) + 1
    if there < count:
        raise UsageError(
            f"{len(texts):,} questions of {there} kinds cannot be parted into {count} folds; take fewer "
            "--folds, or more questions"
        )
    cuts = [] if times is None else _cuts(np.array(times, np.int64), count)
    if len(cuts) > 1:
        found = list(_in_time(texts, group, np.array(times, np.int64), cuts, seed))
        if found:
            note = "questions were asked at several times: each fold is judged by what was fitted before"
            return Folds(tuple(found), group, True, (note,))
    side = parted(texts, group, count, seed)
    return Folds(
        tuple(
            Fold(f"fold {at + 1}", np.flatnonzero(side != at), np.flatnonzero(side == at))
            for at in range(count)
        ),
        group, False, (),
    )  # fmt: skip


def parted(texts: Sequence[str], group: Ints, count: int, seed: int) -> Ints:
    """The part of each question: groups as wholes, the largest first, each to the smallest part; equals by a
    hash of their words."""
    first: dict[int, str] = {}
    for number, text in zip(group.tolist(), texts, strict=True):
        words = same_words(text)
        first[number] = min(first.get(number, words), words)
    size = Counter(group.tolist())

    def turn(number: int) -> tuple[int, bytes]:
        return -size[number], hashlib.sha256(f"{seed} {first[number]}".encode()).digest()

    filled, part = [0] * count, {}
    for number in sorted(first, key=turn):
        part[number] = filled.index(min(filled))
        filled[part[number]] += size[number]
    return np.array([part[number] for number in group.tolist()], np.int64)


def _cuts(times: Ints, count: int) -> list[int]:
    """The last instants of up to `count` stretches with at least FEWEST of the questions each and LEAST, as
    many as there can be; one or none where nothing was asked later than the rest."""
    shares = np.linspace(1 / count, min(FEWEST, 1 / count), 11)
    found = [_stretches(times, max(float(share) * len(times), LEAST)) for share in shares]
    return max(
        (each for each in found if len(each) <= count), key=len
    )  # the first, so the most even, of them


def _stretches(times: Ints, least: float) -> list[int]:
    """The last instants of stretches with at least so many of the times each."""
    moments, many = np.unique(times, return_counts=True)
    cuts, held = list[int](), 0
    for at, here in zip(moments.tolist(), many.tolist(), strict=True):
        held += here
        if held >= least:
            cuts.append(at)
            held = 0
    if held and cuts:  # too few for a stretch: they go with the last
        cuts[-1] = int(moments[-1])
    return cuts


def _in_time(
    texts: Sequence[str], group: Ints, times: Ints, cuts: Sequence[int], seed: int
) -> Iterator[Fold]:
    """Folds of what was asked in a stretch of time, fitted to what was asked before it by other groups.

    Where the same groups ask at all times, too little would be left to fit to: then each stretch is judged in
    two halves, each by the earlier questions of the other.
    """
    stretch = np.searchsorted(np.array(cuts), times, "left")
    half = parted(texts, group, 2, seed)
    for at in range(1, len(cuts)):
        before, here = np.flatnonzero(stretch < at), np.flatnonzero(stretch == at)
        apart = before[~np.isin(group[before], group[here])]
        if len(apart) >= ENOUGH * len(before):
            yield Fold(f"stretch {at + 1}", apart, here)
            continue
        for side in (0, 1):
            train, test = before[half[before] != side], here[half[here] == side]
            if len(train) and len(test):
                yield Fold(f"stretch {at + 1}, half {side + 1}", train, test)

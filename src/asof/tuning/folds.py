"""Cross-validation folds: the questions that a setting is fitted to and those it is evaluated on.

Questions with the same words, with a relevant document in common, or with the same value of a named field
form a group, which is never divided: the answer of one would leak to the other. Where questions were asked at
different times, a setting is evaluated on questions that were asked after all that it was fitted to.
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
"""Above this share of questions in one group, documents are not used for grouping."""

FEWEST, LEAST = 0.1, 10
"""The smallest share, and the smallest number, of all questions in a stretch of time."""

ENOUGH = 0.5
"""The smallest share of earlier questions that is left without the groups of the later ones."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fold:
    """Numbers of the questions to fit to, and of those to judge on; `name` for people."""

    name: str
    train: Ints
    test: Ints


@dataclass(frozen=True, slots=True)
class Folds:
    """The folds, the group of each question (q,), and notes on how they were made.

    `in_time`: each fold is fitted to earlier questions. No question is held out twice.
    """

    folds: tuple[Fold, ...]
    group: Ints
    in_time: bool
    notes: tuple[str, ...]

    @property
    def judged(self) -> Ints:
        """Numbers of the questions that some fold holds out, ascending."""
        return np.sort(np.concatenate([each.test for each in self.folds]))


def groups(keys: Sequence[Iterable[Hashable]]) -> Ints:
    """A group number (n,) for each item, the same for items that share a key, directly or through others."""
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
    """A text without differences in case and blanks."""
    return " ".join(text.casefold().split())


def grouped(
    texts: Sequence[str], relevant: Sequence[Iterable[str]], subjects: Sequence[Iterable[str]]
) -> tuple[Ints, list[str]]:
    """The group of each question (q,), and notes. `relevant`: documents; `subjects`: values of named
    fields."""
    words = [("words", same_words(text)) for text in texts]
    named = [[("subject", each) for each in own] for own in subjects]
    with_documents = groups([
        [own, *of, *(("document", each) for each in documents)]
        for own, of, documents in zip(words, named, relevant, strict=True)
    ])  # fmt: skip
    largest = int(np.bincount(with_documents).max(initial=0))
    if largest <= NEARLY_ALL * len(texts):
        return with_documents, []
    note = (
        f"relevant documents join {largest:,} of {len(texts):,} questions into one group: questions are "
        "grouped by their words" + (" and subjects" if any(subjects) else "") + " only"
    )
    return groups([[own, *of] for own, of in zip(words, named, strict=True)]), [note]


def folded(texts: Sequence[str], group: Ints, times: Sequence[int] | None, count: int, seed: int) -> Folds:
    """`count` folds, the same whatever the order of the questions.

    `times`: when each was asked; None: at no time. Raises UsageError for fewer groups than folds.
    """
    if count < 2:
        raise UsageError(f"{count} folds: at least 2 are needed, one to fit to and one to judge on")
    n = int(group.max(initial=-1)) + 1
    if n < count:
        raise UsageError(
            f"{len(texts):,} questions of {n} kinds cannot be divided into {count} folds; take fewer "
            "--folds, or more questions"
        )
    cuts = [] if times is None else _cuts(np.array(times, np.int64), count)
    if len(cuts) > 1:
        folds = list(_in_time(texts, group, np.array(times, np.int64), cuts, seed))
        if folds:
            note = "questions were asked at several times: each fold is fitted to earlier questions"
            return Folds(tuple(folds), group, True, (note,))
    side = parted(texts, group, count, seed)
    return Folds(
        tuple(
            Fold(f"fold {at + 1}", np.flatnonzero(side != at), np.flatnonzero(side == at))
            for at in range(count)
        ),
        group, False, (),
    )  # fmt: skip


def parted(texts: Sequence[str], group: Ints, count: int, seed: int) -> Ints:
    """The part of each question (q,): whole groups, the largest first, each to the smallest part; equally
    large groups in the order of a hash of their words."""
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
    """The last instants of at most `count` stretches, as many as possible, each with at least a share FEWEST
    of the questions and LEAST of them; one or none where all were asked at about the same time."""
    shares = np.linspace(1 / count, min(FEWEST, 1 / count), 11)
    by_share = [_stretches(times, max(float(share) * len(times), LEAST)) for share in shares]
    # of equally many the first, which are the most even
    return max((each for each in by_share if len(each) <= count), key=len)


def _stretches(times: Ints, least: float) -> list[int]:
    """The last instants of stretches with at least `least` of the times each."""
    moments, many = np.unique(times, return_counts=True)
    cuts, size = list[int](), 0
    for at, here in zip(moments.tolist(), many.tolist(), strict=True):
        size += here
        if size >= least:
            cuts.append(at)
            size = 0
    if size and cuts:  # too few for a stretch: they are added to the last
        cuts[-1] = int(moments[-1])
    return cuts


def _in_time(
    texts: Sequence[str], group: Ints, times: Ints, cuts: Sequence[int], seed: int
) -> Iterator[Fold]:
    """Folds that hold out a stretch of time and are fitted to the questions of other groups before it.

    Where the same groups are asked at all times, too few would be left to fit to: then each stretch is held
    out in two halves, each fitted to the earlier questions of the other.
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

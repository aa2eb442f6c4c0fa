"""Spelling suggestions: words of a view that are spelled like one that it lacks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from asof.index.lexical import Bm25, Term, scores
from asof.index.segment import PrefixPart
from asof.index.view import View
from asof.text.names import is_label
from asof.text.tokens import term_hash, tokenize

SHORTEST, LONG = 4, 8
"""Shorter words are not compared; from LONG letters on two faults are accepted, below one."""

COMMON = 5_000
"""A word that fewer than one in so many passages have is not suggested: it may be misspelled itself."""

MOST, READ = 3, 5
"""The most suggestions for a word, and the most passages that are read for its spelling."""

STEMS = 12
"""The most stems that are looked up in passages."""


def nearest_words(view: View, word: str) -> tuple[str, ...]:
    """At most MOST words of current passages that differ from `word` by a fault of spelling: a letter too
    many or too few, another one, or two that changed places. The fewest faults first, then the commonest.

    The first letter has to be right. The index holds stems, so these are compared with the beginning of the
    word; what the newest passages with a stem write is compared with all of it.
    """
    if len(word) < SHORTEST:
        return ()
    most = 1 + (len(word) >= LONG)
    loosely = most + 1  # a stemmer writes policy as polici
    stems = {stem for part in view.prefix.parts for stem in _similar(part, word, loosely)}
    faults = {
        stem: count
        for stem in sorted(stems)
        if not is_label(stem) and (count := distance(stem, word, loosely, part=True)) <= loosely
    }
    current = view.dfs([term_hash(stem) for stem in faults])
    common = {stem: df for stem, df in zip(faults, current, strict=True) if COMMON * df >= max(view.n, 1)}
    offered: dict[str, tuple[int, int, str]] = {}
    for stem in sorted(common, key=lambda stem: (faults[stem], -len(stem), -common[stem], stem))[:STEMS]:
        written = _as_written(view, stem, word, most)
        count = distance(written, word, most)
        if 0 < count <= most and written:
            offered[written] = (count, -common[stem], written)
    return tuple(sorted(offered, key=offered.__getitem__)[:MOST])


def _similar(part: PrefixPart, word: str, most: int) -> Iterator[str]:
    """Stems of a part, of any time, that begin as a word does and have few letters that it lacks."""
    offsets, letters = part.segment["stem_offsets"], part.segment["stems"]
    wanted = word.encode()
    lengths = np.diff(offsets)
    near = np.flatnonzero((lengths >= max(2, len(wanted) // 2)) & (lengths <= len(wanted) + most))
    near = near[letters[offsets[near]] == wanted[0]]
    lacking = np.zeros((len(near), 256), np.int16)
    for at in range(len(wanted) + most):  # so many bytes at most: a loop over places, not over stems
        inside = np.flatnonzero(lengths[near] > at)
        lacking[inside, letters[offsets[near[inside]] + at]] += 1
    lacking -= np.bincount(np.frombuffer(wanted, np.uint8), minlength=256).astype(np.int16)
    for at in near[np.maximum(lacking, 0).sum(axis=1) <= most].tolist():
        yield bytes(letters[offsets[at] : offsets[at + 1]]).decode(errors="replace")


def distance(one: str, other: str, most: int, *, part: bool = False) -> int:
    """The number of letters that are to be added, left out, exchanged or swapped with the next one to make
    one word of the other; `most` + 1 for more than `most` (optimal string alignment).

    `part`: any beginning of the other one will do.

    >>> distance("refudn", "refund", 2), distance("polcy", "policy", 2), distance("mole", "bell", 1)
    (1, 1, 2)
    >>> distance("refund", "refudning", 2, part=True)
    1
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, second in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != second))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == second:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return min(min(row) if part else row[-1], most + 1)


def _as_written(view: View, stem: str, word: str, most: int) -> str:
    """The word with this stem in the newest current passages that is most like `word`; "" for none whose
    length differs by at most `most`."""
    window = view.prefix.window()
    values, _ = scores(window, [Term(stem, term_hash(stem))], Bm25())
    rows = window.rows(np.flatnonzero(values))
    view.prefix.give_back(values)
    rows = rows[view.tie_order(np.zeros(len(rows)), rows)[:READ]]
    words = {
        token
        for record in view.records(rows)
        for token in tokenize(record.indexed)
        if abs(len(token) - len(word)) <= most and stem in view.analyzer.alternatives(token)
    }
    return min(words, key=lambda each: (distance(each, word, len(word)), each), default="")

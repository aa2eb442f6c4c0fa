"""What two statements have in common, and in what they differ, as a few numbers in [0, 1].

`x` is the older statement and `y` the newer one of another document. Words weigh by how rare they are in the
view. `r` is the earlier statement that an edit of the other document replaced by `y`, where there is one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from asof.stale.signs import NAMES, opposites
from asof.stale.values import Value, compared, values
from asof.text.tokens import tokenize

_CELL = re.compile(r"\s*\|?([^|]+)\|")
_CLAUSE = re.compile(r"[,;:—–](?!\d)")


@dataclass(frozen=True)
class Side:
    """A statement: its plain text, and the numbers of its words in order and of those above it. Words that
    say nothing are among them."""

    text: str
    terms: tuple[int, ...]
    above: AbstractSet[int]

    @cached_property
    def tokens(self) -> list[str]:
        return tokenize(self.text)

    @cached_property
    def words(self) -> frozenset[int]:
        return frozenset(self.terms)

    @cached_property
    def clause(self) -> tuple[int, ...]:
        """The words up to the first comma, semicolon or colon, if they are more than three; else all."""
        end = _CLAUSE.search(self.text)
        count = len(tokenize(self.text[: end.start()])) if end else 0
        return self.terms[:count] if count > 3 else self.terms

    @cached_property
    def label(self) -> tuple[str, ...]:
        """The words of the first cell, of a row of a table that has one."""
        cell = _CELL.match(self.text)
        return tuple(tokenize(cell[1])) if cell else ()

    def same_label(self, other: Side) -> bool:
        """Whether both may be the same row of a table; what is no row may state what a row does."""
        return not self.label or not other.label or self.label == other.label

    @cached_property
    def values(self) -> tuple[Value, ...]:
        return values(self.text)

    @cached_property
    def negated(self) -> bool:
        clause = self.tokens[: len(self.clause)]
        return sum(map(opposites("negative").__contains__, clause)) % 2 == 1

    @cached_property
    def modal(self) -> bool:
        return not (opposites("positive") | opposites("negative")).isdisjoint(self.tokens)

    @cached_property
    def told(self) -> bool:
        return not opposites("told").isdisjoint(self.tokens)

    @cached_property
    def names(self) -> frozenset[int]:
        """Words with a capital letter that begin no sentence."""
        capital = {token for name in NAMES.findall(self.text) for token in tokenize(name)}
        return self._those(capital.__contains__) - self.figures

    @cached_property
    def figures(self) -> frozenset[int]:
        """Words that are figures, or parts of a value."""
        parts = {token for value in self.values for token in tokenize(value.written)}
        return self._those(lambda token: token in parts or any(map(str.isdigit, token)))

    def _those(self, wanted: Callable[[str], bool]) -> frozenset[int]:
        if len(self.tokens) != len(self.terms):  # a script without blanks
            return frozenset()
        return frozenset(term for token, term in zip(self.tokens, self.terms, strict=True) if wanted(token))

    @cached_property
    def frame(self) -> tuple[int, ...]:
        """The words in order, without figures."""
        return tuple(term for term in self.terms if term not in self.figures)

    @cached_property
    def rest(self) -> frozenset[int]:
        """Words that are neither figures nor names."""
        return self.words - self.figures - self.names


@dataclass(frozen=True)
class Weights:
    """How telling words are, by their numbers; 0 for words that say nothing."""

    of: Sequence[float]

    def sum(self, words: Iterable[int]) -> float:
        return sum(sorted(map(self.of.__getitem__, words)))

    def top(self, words: Iterable[int]) -> float:
        """The mean of the two most telling ones; of one that is alone half, of none nothing."""
        return sum(sorted(map(self.of.__getitem__, words))[-2:]) / 2.0


FOLLOWING = 0.5
"""A name is of what a sentence speaks if the words after it that are common say so much of those before
it."""

COMMON = 7.5
"""What the words in common of two statements say at least, about one rare word, if they speak of one
thing."""


def may_differ(x: Side, y: Side, weights: Weights) -> bool:
    """Whether two statements have enough in common, and figures, names or a yes and a no that differ."""
    if weights.sum((x.words & y.words) - x.figures - y.figures) < COMMON:
        return False
    return (
        (x.negated != y.negated and x.modal and y.modal)
        or (bool(x.names - y.words - y.above) and bool(y.names - x.words - x.above))
        or bool(compared(x.values, y.values).differing)
    )


def direct(x: Side, y: Side, weights: Weights) -> dict[str, float]:
    """Of two statements as they stand (`may_differ`)."""
    total = weights.sum
    one, other = x.words - x.figures, y.words - y.figures
    common, own, theirs = total(one & other), total(one), total(other)
    right = total(y.rest - x.words - x.above)
    comparison = compared(x.values, y.values)
    names = bool(x.names - y.words - y.above) and bool(y.names - x.words - x.above)
    differ = bool(comparison.differing)
    shared, swapped = weights.top(one & other), swapped_words(x, y, weights)
    return {
        "swapped": swapped,
        "edge": (shared - weights.top(x.rest - y.words - y.above)) / 5.0,
        "edge_new": (shared - weights.top(y.rest - x.words - x.above)) / 5.0,
        "common": common / ((own * theirs) ** 0.5 or 1.0), "least": common / (min(own, theirs) or 1.0),
        "right": right / (common + right + 1.0),
        "titled": min((total(one & y.above - other) + total(other & x.above - one)) / 10.0, 1.0),
        "above": total(x.above & y.above) / (min(total(x.above), total(y.above)) or 1.0),
        "rare": min(common / 30.0, 1.0),
        "best": max(map(weights.of.__getitem__, one & other), default=0.0) / 10.0,
        "begin": total(_common_beginning(x, y, weights)) / (own or 1.0),
        "figures": float(differ), "agreeing": min(comparison.same, 2) / 2.0,
        "names_and_figures": float(names and differ), "names_alone": float(names and not differ),
        "told": float(x.told), "short": float(len(one) < 3),
    }  # fmt: skip


def _common_beginning(x: Side, y: Side, weights: Weights) -> frozenset[int]:
    """The words with which both begin, words that say nothing left out."""
    one, other = ([term for term in side.terms if weights.of[term] > 0] for side in (x, y))
    return frozenset(a for a, _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


def swapped_words(x: Side, y: Side, weights: Weights) -> float:
    """How much the words say in whose place the main clause of another statement has others: what the two
    speak of, mostly. Not figures; nor names, where no figures differ and hardly anything follows them: "asks
    Anna"."""
    one, other = x.clause, y.clause
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    differ = bool(compared(x.values, y.values).differing)
    equal = [weights.sum({*one[block[1] : block[2]]}) if block[0] == "equal" else 0.0 for block in blocks]
    left: set[int] = set()
    right: set[int] = set()
    for place, (kind, first, last, begin, end) in enumerate(blocks):
        if kind == "replace":
            named = differ or _titled(x, y) or sum(equal[place:]) > FOLLOWING * sum(equal[:place])
            here = set(one[first:last]) & (x.words - x.figures if named else x.rest)
            there = set(other[begin:end]) & (y.words - y.figures if named else y.rest)
            if here and there:
                left |= here
                right |= there
    if left & x.above and right & y.above:
        return 1.0  # each says it of what it is about
    one_side, other_side = weights.sum(left - y.words - y.above), weights.sum(right - x.words - x.above)
    return float(min(math.sqrt(one_side * other_side) / 10.0, 1.0))


def _titled(x: Side, y: Side) -> bool:
    """Whether a name that the other lacks stands above each of them too: it is what they are about."""
    return bool((x.names - y.words) & x.above) and bool((y.names - x.words) & y.above)


class Spread(NamedTuple):
    """How many documents replaced a statement, and how many others still make it word for word."""

    replaced: int
    kept: int


Withdrawn = tuple[Sequence[int], Sequence[int]]
"""For each word, how many documents took it out by an edit, and how many have it."""


def edited(
    x: Side, r: Side, y: Side, weights: Weights, spread: Spread, withdrawn: Withdrawn
) -> dict[str, float]:
    """Of a statement and an edit elsewhere, which replaced `r` by `y`. All but `swapped` weigh in the
    score."""
    total = weights.sum
    kept, removed, added = r.words & y.words, r.words - y.words, y.words - r.words
    differing = compared(r.values, y.values).differing
    still = [(weights.of[word], withdrawn[0][word], withdrawn[1][word]) for word in removed & x.words]
    rarest, gone, there = max(still, default=(0.0, 0, 0))
    return {
        "swapped": swapped_words(x, r, weights),
        "word": rarest / 10.0, "word_many": float(gone > 1), "word_crowd": min(there / 10.0, 1.0),
        "frame": total(kept & x.words) / (total(kept) or 1.0),
        "held": total(removed & x.words) / (total(removed) or 1.0),
        "explained": total(x.words & r.words) / (total(x.words) or 1.0),
        "edge": (weights.top(x.words & r.words) - weights.top(x.rest - r.words - r.above)) / 5.0,
        "above": total(x.above & r.above) / (min(total(x.above), total(r.above)) or 1.0),
        "rare": min(total(x.words & r.words) / 30.0, 1.0), "added": min(total(added) / 10.0, 1.0),
        "old_values": _stated([old for old, _ in differing], x.values),
        "new_values": _stated([new for _, new in differing], x.values),
        "name_gone": float(bool(r.names & removed & x.words)), "same": float(x.terms == r.terms),
        "spread": spread.replaced / (spread.replaced + spread.kept + 1.0),
        "many": float(spread.replaced > 1), "crowd": min(spread.kept / 10.0, 1.0),
        "short": float(len(r.words) < 6), "told": float(x.told),
    }  # fmt: skip


def _stated(wanted: list[Value], found: tuple[Value, ...]) -> float:
    """The share of values that a statement has."""
    if not wanted:
        return 0.0
    there = sum(any(one.measure == other.measure and one.agrees(other) for other in found) for one in wanted)
    return there / len(wanted)

"""Evidence packing: which items fit into a budget of tokens, best first.

Sizes are in tokens and include the line above each item (`text/budget.py`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from asof.errors import UsageError

GLOBAL_TOKENS = 24_000
"""The tokens of reports and passages that a global answer reads."""

PASSAGE_PART = 10
"""One of this many parts of the budget is for passages, the rest for reports."""


LEFT_OUT = "left out:"
"""How a note on what did not fit begins."""


class Packed(NamedTuple):
    """The numbers of the selected items, in the order of selection, and of those left out, in the order
    given.

    `used`, `left`: the tokens of both.
    """

    selected: tuple[int, ...]
    left_out: tuple[int, ...]
    used: int
    left: int

    def note(self, what: str, budget: int) -> str:
        """A note on what was left out, "" if nothing was. `what`: the plural of the items."""
        if not self.left_out:
            return ""
        whole = len(self.selected) + len(self.left_out)
        return (
            f"{LEFT_OUT} {len(self.left_out):,} of {whole:,} {what} "
            f"({self.left:,} tokens): {self.used:,} of at most {budget:,} tokens are used"
        )


def split_budget(budget: int = GLOBAL_TOKENS) -> tuple[int, int]:
    """The parts of a budget for passages and for reports: 24,000 is 2,400 and 21,600."""
    passages = budget // PASSAGE_PART
    return passages, budget - passages


def pack(
    sizes: Sequence[int],
    budget: int,
    *,
    skip: bool = True,
    groups: Sequence[Sequence[Hashable]] | None = None,
) -> Packed:
    """The items, given best first, that fit into `budget` tokens.

    An item that does not fit is skipped, and smaller ones after it may still be selected; without `skip`
    packing ends there.

    `groups`: the groups of each item, for instance (entity, period), so that each of them is covered. Groups
    take turns, in order of their best items. In round r a group takes its best item that fits, unless it has
    r items already (an item counts for all of its groups). Items without a group come last. Raises UsageError
    if there are more or fewer lists of groups than items.
    """
    groups_of = [()] * len(sizes) if groups is None else [tuple(dict.fromkeys(each)) for each in groups]
    if len(groups_of) != len(sizes):
        raise UsageError(
            f"{len(sizes)} items, but groups of {len(groups_of)}: each item needs a list of groups"
        )
    counts: Counter[Hashable] = Counter()
    selected: list[int] = []
    left = budget
    for item in _in_turn(groups_of, counts):
        if sizes[item] <= left:
            selected.append(item)
            left -= sizes[item]
            counts.update(groups_of[item])
        elif not skip:
            break
    return _packed(sizes, selected)


def pack_points(
    sizes: Sequence[int],
    confidence: Sequence[float],
    importance: Sequence[float],
    keys: Sequence[str],
    budget: int,
) -> Packed:
    """Points of reports that fit into a budget, most important first: the least certain are dropped.

    Of equally certain points the less important is dropped first; of points equal in both, the last in order
    of `keys`, which should differ.
    """
    by_key = sorted(range(len(sizes)), key=keys.__getitem__)
    order = sorted(by_key, key=lambda item: (-confidence[item], -importance[item]))
    left = sum(sizes)
    dropped = set()
    for item in reversed(order):
        if left <= budget:
            break
        dropped.add(item)
        left -= sizes[item]
    remaining = [item for item in by_key if item not in dropped]
    return _packed(sizes, sorted(remaining, key=lambda item: -importance[item]))


def _in_turn(groups_of: Sequence[Sequence[Hashable]], counts: Counter[Hashable]) -> Iterator[int]:
    """All items, each once. `counts`: how many items of each group are selected, updated by the caller."""
    queues: dict[Hashable, deque[int]] = {}
    for item, groups in enumerate(groups_of):
        for group in groups:
            queues.setdefault(group, deque()).append(item)
    yielded: set[int] = set()
    turn = 0
    while queues:
        turn += 1
        for group, queue in queues.items():
            while queue and counts[group] < turn:
                item = queue.popleft()
                if item not in yielded:
                    yielded.add(item)
                    yield item
        queues = {group: queue for group, queue in queues.items() if queue}
    yield from (item for item in range(len(groups_of)) if item not in yielded)


def _packed(sizes: Sequence[int], selected: Sequence[int]) -> Packed:
    chosen = set(selected)
    left_out = tuple(item for item in range(len(sizes)) if item not in chosen)
    used, left = sum(sizes[item] for item in selected), sum(sizes[item] for item in left_out)
    return Packed(tuple(selected), left_out, used, left)

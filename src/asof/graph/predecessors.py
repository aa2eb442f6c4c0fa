"""The predecessor of each passage, and its update when the set of known passages changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.graph.candidates import Pairs, around, displaced, edited, recent
from asof.graph.limits import DEFAULT, GraphLimits
from asof.graph.node_table import Rows
from asof.graph.postings import Postings
from asof.graph.similarity import NO, SAME_PLACE, UNIT, PairGrades, grade_pairs
from asof.graph.statement import StatementTable
from asof.time.span import BEGINNING

FIXED = 750
"""From this similarity on (thousandths, without the title's words) a statement has a fixed wording."""

KIN, KIN_LONG = 100, 0.4
"""The least similarity of other candidates then; of long ones as a share of the greatest similarity."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The chains among the nodes that are `known`, whose passages end at `ends`. All arrays are by node.

    `before`: the node that it follows; `after`: the earliest one that follows it; `edit`: the earliest one of
    its own document that does. -1 for none.
    """

    known: NDArray[np.bool_]
    ends: NDArray[np.int64]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    edit: NDArray[np.int32]

    @property
    def n(self) -> int:
        return len(self.before)


@dataclass(frozen=True, slots=True)
class Linker:
    """Builds chains of any set of the rows of a corpus. `parts` have the keys of all of them."""

    rows: Rows
    statements: StatementTable
    parts: Sequence[Postings]
    limits: GraphLimits = DEFAULT

    def anew(self, known: NDArray[np.bool_], ends: NDArray[np.int64]) -> Chain:
        """The chains of these nodes."""
        n = self.rows.n
        before = np.full(n, -1, np.int32)
        mine = self._counted(known)
        keys = np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in self.parts)])
        nodes = np.concatenate([np.zeros(0, np.int32), *self._nodes()])
        keep = mine[nodes]
        keys, nodes = keys[keep], nodes[keep]
        if len(self.parts) > 1:
            order = np.argsort(keys, kind="stable")
            keys, nodes = keys[order], nodes[order]
        alone = np.diff(keys, prepend=keys[:1] ^ np.uint64(1)) != 0
        alone &= np.diff(keys, append=keys[-1:] ^ np.uint64(1)) != 0
        later, earlier = self._followed(keys[~alone], nodes[~alone], mine, mine, ends)
        before[later] = earlier
        none = np.full(n, -1, np.int32)
        return self._linked(Chain(known, ends, before, none, none.copy()), np.ones(n, bool))

    def moved(self, chain: Chain, known: NDArray[np.bool_], ends: NDArray[np.int64]) -> Chain:
        """The chains of the nodes that are known now, from those of another set of nodes.

        Compared again are added nodes, nodes with an added or removed one among the last few with their key,
        and all passages of a document in which a passage has another end.
        """
        n, old = self.rows.n, chain.n
        was, ended = np.zeros(n, bool), np.full(n, np.iinfo(np.int64).max)
        was[:old], ended[:old] = chain.known, chain.ends
        dirty = (was != known) | ((ended != ends) & known & was)
        mine = self._counted(known)
        documents = self.rows.columns["document"]
        selected = dirty | np.isin(documents, np.unique(documents[dirty]))
        keys, nodes = self._around(dirty, mine | dirty, after=True)
        selected[displaced(keys, nodes, dirty, self.rows, self.limits.candidates.window)] = True
        selected &= mine
        if int(selected.sum()) * self.limits.rebuild_share > int(mine.sum()):
            return self.anew(known, ends)
        later, earlier = self.followed(selected, known, ends)
        was_before, after, edit = (
            np.concatenate([each, np.full(n - old, -1, np.int32)])
            for each in (chain.before, chain.after, chain.edit)
        )
        before = was_before.copy()
        before[selected | ~mine] = -1
        before[later] = earlier
        changed = np.flatnonzero(before != was_before)
        ends_of_links = np.concatenate([before[changed], was_before[changed]])
        touched = np.zeros(n, bool)
        touched[ends_of_links[ends_of_links >= 0]] = True
        return self._linked(Chain(known, ends, before, after, edit), touched)

    def followed(
        self, selected: NDArray[np.bool_], known: NDArray[np.bool_], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The `selected` nodes that follow another of the `known` ones, and these others."""
        mine = self._counted(known)
        selected = selected & mine
        keys, nodes = self._around(selected, mine, before=True)
        return self._followed(keys, nodes, selected, mine, ends)

    def same_statement(self, node: int, known: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The known nodes, earlier and later, that state the same of the same subject as a node.

        `known` may have fewer nodes than there are: the others are not known.
        """
        mine = np.zeros(self.rows.n, bool)
        mine[node] = True
        counted = self._counted(np.pad(known, (0, self.rows.n - len(known))))
        _, nodes = self._around(mine, counted)
        others = np.unique(nodes[nodes != node]).astype(np.int64)
        never = np.full(self.rows.n, BEGINNING)
        label, edit = np.zeros(self.rows.n, bool), np.zeros(len(others), bool)
        grades = grade_pairs(
            self.statements, self.rows, never, np.full(len(others), node), others, label, edit, self.limits
        )
        return others[grades.grade > NO]

    def _counted(self, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The nodes that can follow and be followed: known and dated."""
        counted: NDArray[np.bool_] = known & self.statements["dated"]
        return counted

    def _nodes(self) -> list[NDArray[np.int32]]:
        return [part.carriers + np.int32(part.begin) for part in self.parts]

    def _around(
        self,
        marked: NDArray[np.bool_],
        among: NDArray[np.bool_],
        *,
        before: bool = False,
        after: bool = False,
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The keys of `marked` nodes, and the nodes of `among` that have them; with `before` or `after` only
        the near ones (see `around`)."""
        keys = np.unique(np.concatenate([
            np.zeros(0, np.uint64), *(part.hashes[_has(part, marked)] for part in self.parts)
        ]))  # fmt: skip
        postings = [part.find(keys) for part in self.parts]
        which = np.concatenate([np.zeros(0, np.int64), *(which for which, _ in postings)])
        nodes = np.concatenate([np.zeros(0, np.int32), *(nodes for _, nodes in postings)])
        keep = among[nodes]
        which, nodes = which[keep], nodes[keep]
        if not before and not after:
            return keys[which], nodes
        near = around(
            which, nodes, marked, self.rows.columns["visible"], self.limits, before=before, after=after
        )
        return keys[which[near]], nodes[near]

    def _followed(
        self, keys: NDArray[np.uint64], nodes: NDArray[np.int32], selected: NDArray[np.bool_],
        mine: NDArray[np.bool_], ends: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
        """The selected nodes that have a predecessor, and these predecessors."""
        pairs, label = recent(keys, nodes, selected, self.rows, self.statements, self.limits.candidates)
        edits = edited(ends, mine, selected, self.rows, self.limits.candidates.edits)
        later = np.concatenate([pairs.later, edits.later])
        earlier = np.concatenate([pairs.earlier, edits.earlier])
        edit = np.arange(len(later)) >= len(pairs.later)
        grades = grade_pairs(self.statements, self.rows, ends, later, earlier, label, edit, self.limits)
        keep = grades.grade > NO
        chosen = best(Pairs(later[keep], earlier[keep]), grades.at(keep), self.rows)
        return later[keep][chosen], earlier[keep][chosen]

    def _linked(self, chain: Chain, touched: NDArray[np.bool_]) -> Chain:
        """The chain with `after` and `edit` of the `touched` nodes computed from `before`."""
        chain.after[touched], chain.edit[touched] = -1, -1
        later = np.flatnonzero(chain.before >= 0)
        later = later[touched[chain.before[later]]]
        later = later[self.rows.canonical(later)][::-1]  # the earliest is written last
        before = chain.before[later]
        chain.after[before] = later
        documents = self.rows.columns["document"]
        own = documents[before] == documents[later]
        chain.edit[before[own]] = later[own]
        return chain


def best(pairs: Pairs, grades: PairGrades, rows: Rows) -> NDArray[np.int64]:
    """Which pairs are the best of their later node: by grade, parts of the version, time, similarity.

    Where a candidate has nearly the same words, those with hardly any of them state something else of the
    subject ("was released", "is supported no more") and are left out.
    """
    at = np.argsort(pairs.later, kind="stable")
    if not len(at):
        return at
    starts, sizes = _groups(pairs.later[at])
    most = np.repeat(np.maximum.reduceat(grades.own[at], starts), sizes)
    floor = np.where(grades.long[at], (KIN_LONG * most).astype(np.int64), KIN)
    at = at[(grades.own[at] >= floor) | (most < FIXED) | (grades.grade[at] == SAME_PLACE)]
    for values in _quality(pairs, grades, rows):
        starts, sizes = _groups(pairs.later[at])
        here = values[at]
        at = at[here == np.repeat(np.maximum.reduceat(here, starts), sizes)]
    starts, _ = _groups(pairs.later[at])
    chosen: NDArray[np.int64] = at[starts]
    return chosen


def _quality(pairs: Pairs, grades: PairGrades, rows: Rows) -> tuple[NDArray[np.int64], ...]:
    """What decides among the candidates of a node, most important first; the greatest is the best."""
    columns = rows.columns
    return (
        grades.grade * UNIT + grades.parts, columns["visible"][pairs.earlier], grades.similarity,
        -columns["digest"][pairs.earlier], -columns["number"][pairs.earlier].astype(np.int64), -pairs.earlier,
    )  # fmt: skip


def _has(part: Postings, nodes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The positions of the postings of `nodes` in a part."""
    here = nodes[part.begin : part.end]
    return np.flatnonzero(here[part.carriers]) if here.any() else np.zeros(0, np.int64)


def _groups(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each run of equal values starts, and how long it is."""
    starts = np.flatnonzero(np.diff(values, prepend=values[0] - 1))
    return starts, np.diff(starts, append=len(values))

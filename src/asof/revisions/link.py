"""The predecessor of each passage, and its update when the set of known passages changes.

Candidates are the last few earlier passages with a key in common, and those that an edit ended. Two documents
succeed each other statement by statement: a passage follows one that says the same of the same subject but
for names, numbers and dates, repeats half of its statements with other values (a price list, a yearly
notice), states another value of what the title names, or has nearly the same text, which must not differ in a
word of a title ("Icinga Web 2.1 was released", "Icinga 2.1 was released") or a name with a number ("Berth 4
costs 9 crowns"). A title alone makes no series: what minutes, mails and diaries tell stays as it was told,
and what stands in another folder is another thing, unless the whole statements are the same.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.index.columns import Array, changed_at, longer, places_of
from asof.index.features import LEAST_UNTITLED, OF_WORDS, PARTS, STATED, WORDS_TITLED, words_in
from asof.index.statements import LEAST_FRAME
from asof.revisions.copies import copies, copies_since
from asof.revisions.rows import DEFAULT, CandidateLimits, FeatureTable, GraphLimits, Postings, Rows
from asof.text.query import mixed
from asof.time.span import NEVER

# -- candidates ----------------------------------------------------------------------------------------
# Only the last `window` passages with a key are compared (the last `window_of_words` for a key of words, as
# there are several): later arrivals do not change this limit.


class Pairs(NamedTuple):
    """Pairs of nodes and earlier nodes that they may follow; unordered, with duplicates."""

    later: NDArray[np.int64]
    earlier: NDArray[np.int64]


def recent(
    keys: NDArray[np.uint64],
    nodes: NDArray[np.int32],
    selected: NDArray[np.bool_],
    rows: Rows,
    limits: CandidateLimits,
    ending: NDArray[np.bool_],
) -> Pairs:
    """The last few nodes before each selected one with a key in common.

    `keys` (p) and the `nodes` (p) that have them, in any order: all nodes with a key of a selected one.
    `selected` and `ending` are by node; keys of what is stated count for the latter only.
    """
    each = _ordered(keys, nodes, rows)
    counts = selected[each.nodes] & (each.now > each.begin)
    mine = np.flatnonzero(counts & (ending[each.nodes] | (each.keys & STATED == 0)))
    last = each.now[mine]
    of_words = each.keys[mine] & OF_WORDS
    most = np.where(of_words, min(limits.window, limits.window_of_words), limits.window)
    lowest = np.maximum(each.begin[mine], last - most)
    later: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    earlier = later.copy()
    for step in range(1, limits.window + 1):
        here = np.flatnonzero(last - step >= lowest)
        if not len(here):
            break
        later.append(each.nodes[mine[here]])
        earlier.append(each.nodes[last[here] - step])
    return Pairs(np.concatenate(later), np.concatenate(earlier))


class _Ordered(NamedTuple):
    """Keys and nodes by key, then in order of time; for each the position where its key begins, and the
    position where the nodes of the key with the same instant begin."""

    keys: NDArray[np.uint64]
    nodes: NDArray[np.int64]
    begin: NDArray[np.int64]
    now: NDArray[np.int64]


def _ordered(keys: NDArray[np.uint64], nodes: NDArray[np.int32], rows: Rows) -> _Ordered:
    order = rows.canonical(nodes, keys)
    keys, carriers = keys[order], nodes[order].astype(np.int64)
    visible, places = rows.columns["visible"][carriers], np.arange(len(keys))
    begins = np.diff(keys, prepend=keys[:1] ^ np.uint64(1)) != 0
    begin = np.maximum.accumulate(np.where(begins, places, 0))
    begins[1:] |= visible[1:] != visible[:-1]
    return _Ordered(keys, carriers, begin, np.maximum.accumulate(np.where(begins, places, 0)))


def edited(
    ends: NDArray[np.int64], alive: NDArray[np.bool_], selected: NDArray[np.bool_], rows: Rows, most: int
) -> Pairs:
    """Each selected node with the nodes of its document that ended at the instant when it began, at most
    `most`: those nearest in the document.

    `ends`, `alive` and `selected` are by node; only nodes that are `alive` count.
    """
    documents, visible = rows.columns["document"], rows.columns["visible"]
    numbers = rows.columns["number"]
    mine = np.flatnonzero(selected)
    over = np.flatnonzero(alive & (ends < NEVER))
    over = over[np.isin(documents[over], documents[mine])]
    over = over[np.argsort(numbers[over], kind="stable")]
    moment = _moments(documents[over], ends[over])
    order = np.argsort(moment, kind="stable")
    over, moment = over[order], moment[order]
    beginnings = _moments(documents[mine], visible[mine])
    first = np.searchsorted(moment, beginnings, "left")
    many = np.searchsorted(moment, beginnings, "right") - first
    for at in np.flatnonzero(many > most).tolist():
        ended = over[first[at] : first[at] + many[at]]
        near = int(np.searchsorted(numbers[ended], numbers[mine[at]])) - most // 2
        first[at] += min(max(near, 0), len(ended) - most)
        many[at] = most
    later = np.repeat(mine, many)
    earlier = over[np.arange(len(later)) + np.repeat(first - (np.cumsum(many) - many), many)]
    true = (documents[later] == documents[earlier]) & (visible[later] == ends[earlier])
    true &= later != earlier
    return Pairs(later[true], earlier[true])


def _moments(documents: NDArray[np.int64], instants: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A hash of each document and instant; the caller removes collisions."""
    return mixed(mixed(documents.astype(np.uint64)) + instants.astype(np.uint64))


# -- similarity ----------------------------------------------------------------------------------------

NO, SAME_WORDS, SAME_FRAME, SAME_PLACE = 0, 1, 2, 3
"""Grades: not the same; nearly the same text; the same but for values; an edit of one document."""

NEARLY, NEARLY_WORDS = 0.6, 4
"""The least similarity of nearly the same texts (Jaccard, without the words of titles), and the fewest common
words where the subject is the same (others: `WORDS_TITLED`, `LEAST_UNTITLED`)."""

RESTATED = 0.9
"""The same of short texts without titles: where they differ in a word, that is the subject as often as the
value."""

REPEATED = 0.2
"""The least similarity of passages of one subject and folder that repeat statements with other values."""

LONG = 16
"""A text with fewer words beside all those of its title states something of that ("Ada won the Mill Race by 3
lengths", "The Mill Race went to Bo, 4 lengths ahead"), if these are several."""

ELSEWHERE = 3
"""The fewest words of a frame that documents of two folders have in common."""

EDITED = 0.3

UNIT = 1000
"""Similarity is given in whole thousandths."""


Sets = NDArray[np.uint64]
"""Sets of words, (n, 8)."""


class PairGrades(NamedTuple):
    """For each pair its grade, the common parts of the version, and the similarity in thousandths."""

    grade: NDArray[np.int64]
    parts: NDArray[np.int64]
    similarity: NDArray[np.int64]


def shared(
    one: NDArray[np.float64], other: NDArray[np.float64], both: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """From the sizes of two sets and of their union: how many words they have in common, and their Jaccard
    similarity (1 for two empty sets)."""
    common = np.maximum(one + other - both, 0.0)
    return common, np.divide(common, both, out=np.ones(len(both)), where=both > 0)


def _repeat(one: Array, other: Array) -> NDArray[np.bool_]:
    """Which pairs have two statements, and half of those of one of them, in common but for values, by the
    leads of both, each once."""
    common = ((one[:, :, None] == other[:, None, :]).any(axis=2) & (one > 0)).sum(axis=1)
    fewer = np.minimum((one > 0).sum(axis=1), (other > 0).sum(axis=1))
    repeated: NDArray[np.bool_] = (common >= 2) & (2 * common >= fewer)
    return repeated


def _parts(one: Array, other: Array) -> NDArray[np.int64]:
    """The number of leading parts that two versions have in common: 6.0.3 and 6.0.2 two, 6.1.0 one."""
    common = np.ones(len(one), bool)
    count = np.zeros(len(one), np.int64)
    for part in range(PARTS):
        common &= (one[:, part] == other[:, part]) & (one[:, part] >= 0)
        count += common
    return count


# -- predecessors --------------------------------------------------------------------------------------


class Chain(Struct, frozen=True):
    """The chains among the nodes that are `known`, whose passages end at `ends`. All arrays are by node.

    `before`: the node that it follows; `after`: the earliest one that follows it; `edit`: the earliest one of
    its own document that does; `copy`: the one whose copy it is (`copies.py`). -1 for none.
    """

    known: NDArray[np.bool_]
    ends: NDArray[np.int64]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    edit: NDArray[np.int32]
    copy: NDArray[np.int32]

    @property
    def n(self) -> int:
        return len(self.before)


class Linker(Struct, frozen=True):
    """Builds chains of any set of the rows of a corpus. `parts` have the keys of all of them."""

    rows: Rows
    features: FeatureTable
    parts: Sequence[Postings]
    limits: GraphLimits = DEFAULT

    def anew(self, known: NDArray[np.bool_], ends: NDArray[np.int64]) -> Chain:
        """The chains of these nodes."""
        n = self.rows.n
        before, none = (np.full(n, -1, np.int32) for _ in range(2))
        mine = known & self.features["dated"]
        self.features.check()
        copy = copies(self.rows, self.features, np.flatnonzero(mine))
        keys = np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in self.parts)])
        nodes = np.concatenate(
            [np.zeros(0, np.int32), *(part.carriers + np.int32(part.begin) for part in self.parts)]
        )
        keep = mine[nodes]
        keys, nodes = keys[keep], nodes[keep]
        if len(self.parts) > 1:
            order = np.argsort(keys, kind="stable")
            keys, nodes = keys[order], nodes[order]
        alone = np.diff(keys, prepend=keys[:1] ^ np.uint64(1)) != 0
        alone &= np.diff(keys, append=keys[-1:] ^ np.uint64(1)) != 0
        later, earlier = self._followed(keys[~alone], nodes[~alone], mine, mine, ends, copy >= 0)
        before[later] = earlier
        return self._linked(Chain(known, ends, before, none, none, copy), np.arange(n))

    def moved(
        self, chain: Chain, known: NDArray[np.bool_], ends: NDArray[np.int64], changed: NDArray[np.int64]
    ) -> Chain:
        """The chains of the nodes that are known now, from those of another set of nodes.

        Compared again are added nodes, later ones with a key of an added or removed one, and all passages of
        a document in which a passage has another end. `changed`: the nodes in which both sets differ.
        """
        n = self.rows.n
        links = (chain.before, chain.after, chain.edit, chain.copy)
        was_before, after, edit, was_copy = (longer(each, n, -1) for each in links)
        mine = known & self.features["dated"]
        copy = copies_since(self.rows, self.features, mine, was_copy, changed)
        dirty = (copy >= 0) != (was_copy >= 0)
        dirty[changed] = True
        documents = self.rows.columns["document"]
        selected = dirty.copy()
        selected[places_of(documents, documents[dirty])] = True
        selected[self._displaced(dirty, mine)] = True
        selected &= mine
        if np.count_nonzero(selected) * self.limits.rebuild_share > np.count_nonzero(mine):
            return self.anew(known, ends)
        keys, nodes = self._sharing(selected, mine)
        later, earlier = self._followed(keys, nodes, selected, mine, ends, copy >= 0)
        again = np.flatnonzero(selected | dirty)
        was, found = was_before[again], np.full(len(again), -1, np.int32)
        found[np.searchsorted(again, later)] = earlier
        before = changed_at(was_before, again, found)
        touched = np.unique(np.concatenate([was[was != found], found[was != found]]))
        return self._linked(Chain(known, ends, before, after, edit, copy), touched[touched >= 0])

    def _displaced(self, dirty: NDArray[np.bool_], among: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The nodes that may have other candidates since the dirty ones came or went: not before the first of
        them, with a key of one."""
        visible = self.rows.columns["visible"]
        _, nodes = self._sharing(dirty, among)
        late: NDArray[np.bool_] = visible[nodes] >= visible[dirty].min(initial=NEVER)
        return nodes[late]

    def _sharing(
        self, marked: NDArray[np.bool_], among: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The keys of `marked` nodes, and the nodes of `among` that have them."""
        keys = np.unique(np.concatenate([
            np.zeros(0, np.uint64), *(part.hashes[_has(part, marked)] for part in self.parts)
        ]))  # fmt: skip
        postings = [part.find(keys) for part in self.parts]
        which = np.concatenate([np.zeros(0, np.int64), *(which for which, _ in postings)])
        nodes = np.concatenate([np.zeros(0, np.int32), *(nodes for _, nodes in postings)])
        keep = among[nodes]
        return keys[which[keep]], nodes[keep]

    def _followed(
        self, keys: NDArray[np.uint64], nodes: NDArray[np.int32], selected: NDArray[np.bool_],
        mine: NDArray[np.bool_], ends: NDArray[np.int64], copied: NDArray[np.bool_],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
        """The selected nodes that have a predecessor, and these predecessors. One that is `copied` follows
        what was edited, and nothing else."""
        ending = self.features["ending"]
        pairs = recent(keys, nodes, selected & ~copied, self.rows, self.limits.candidates, ending)
        pairs = Pairs(*(each[~copied[pairs.earlier]] for each in pairs))
        edits = edited(ends, mine, selected, self.rows, self.limits.candidates.edits)
        both = Pairs(
            np.concatenate([pairs.later, edits.later]), np.concatenate([pairs.earlier, edits.earlier])
        )
        edit = np.arange(len(both.later)) >= len(pairs.later)
        grades = self._grades(ends, both, edit)
        keep = grades.grade > NO
        both = Pairs(both.later[keep], both.earlier[keep])
        chosen = best(both, PairGrades(*(each[keep] for each in grades)), self.rows)
        return both.later[chosen], both.earlier[chosen]

    def _grades(self, ends: NDArray[np.int64], pairs: Pairs, edit: NDArray[np.bool_]) -> PairGrades:
        """Compare pairs of nodes.

        `ends`, by node: the end of its passage. `edit`, by pair: the later one began in the document where
        the earlier one ended, at that instant.
        """
        at_once = self.limits.pairs_at_once
        starts = range(0, len(pairs.later), at_once)

        def graded(at: int) -> PairGrades:
            batch = slice(at, at + at_once)
            return self._grade(ends, pairs.later[batch], pairs.earlier[batch], edit[batch])

        if len(starts) > 1:  # numpy lets other threads run
            with ThreadPoolExecutor(min(len(starts), os.cpu_count() or 1)) as pool:
                batches = list(pool.map(graded, starts))
        else:
            batches = [graded(at) for at in starts]
        none = (np.zeros(0, np.int64),) * 3
        return PairGrades(*(np.concatenate(each) for each in zip(none, *batches, strict=True)))

    def _grade(
        self, ends: NDArray[np.int64], later: NDArray[np.int64], earlier: NDArray[np.int64],
        edit: NDArray[np.bool_],
    ) -> PairGrades:  # fmt: skip
        one, other = self.features.of(later), self.features.of(earlier)
        body_1: Sets = one["body"]
        body_2: Sets = other["body"]
        title_1: Sets = one["title"]
        title_2: Sets = other["title"]
        bodies, titles = body_1 | body_2, title_1 | title_2
        own_1, own_2 = words_in(body_1 & ~titles), words_in(body_2 & ~titles)
        own_shared, own = shared(own_1, own_2, words_in(bodies & ~titles))
        _, whole = shared(words_in(body_1 | title_1), words_in(body_2 | title_2), words_in(bodies | titles))
        subject, version = (one["subject"], other["subject"]), (one["version"], other["version"])
        same = subject[0] == subject[1]
        untitled = same & (subject[0] == 0)
        same &= ~untitled
        near = one["folder"] == other["folder"]

        frame, framed = one["frame"], one["framed"]
        by_frame = (frame == other["frame"]) & (frame != 0) & (same | untitled)
        alike = (title_1 == title_2).all(axis=1) & (version[0] == version[1]).all(axis=1)
        by_frame &= np.where(
            framed < 0, near & alike, framed >= np.where(near, np.where(untitled, LEAST_FRAME, 1), ELSEWHERE)
        )
        leads = one["leads"], other["leads"]
        by_end = (same | untitled) & near & _ends(one["ended"], leads[1])

        event, unnumbered = one["event"] | other["event"], (version[0][:, 0] < 0) & (version[1][:, 0] < 0)
        other_name = ((title_1 ^ title_2) & (body_1 ^ body_2)).any(axis=1)
        told = same & near & ~event & ~other_name & (leads[0][:, 0] > 0) & (leads[1][:, 0] > 0)
        by_leads = told & (own >= REPEATED)
        by_leads[by_leads] = _repeat(leads[0][by_leads], leads[1][by_leads])
        by_leads |= (
            told & unnumbered & (words_in(titles) > 1.5) & (np.maximum(own_1, own_2) < LONG)
            & one["says_title"] & other["says_title"]
        )  # fmt: skip

        fewest = np.where(untitled, LEAST_UNTITLED, WORDS_TITLED)
        fewest = np.where(same, NEARLY_WORDS, fewest)
        alone = untitled & (np.maximum(own_1, own_2) < LONG)
        by_words = near & (own >= np.where(alone, RESTATED, NEARLY)) & (own_shared > fewest - 0.5)
        by_words &= ~event & ~other_name
        by_words &= untitled | (subject[0] != 0) & (subject[1] != 0)
        by_words &= ~(title_1 & ~title_2).any(axis=1) | ~(title_2 & ~title_1).any(axis=1)

        documents = self.rows.columns["document"]
        one_document = documents[later] == documents[earlier]
        over = ends[earlier] <= self.rows.columns["visible"][later]
        grade = np.where(by_frame | by_leads | by_end, SAME_FRAME, np.where(by_words, SAME_WORDS, NO))
        grade[edit & (same | (whole >= EDITED))] = SAME_PLACE
        grade[~one_document & (one["edition"] != other["edition"])] = NO
        grade[~over & one_document] = NO
        return PairGrades(grade, _parts(*version), np.rint(UNIT * whole).astype(np.int64))

    def _linked(self, chain: Chain, touched: NDArray[np.int64]) -> Chain:
        """The chain with `after` and `edit` of the `touched` nodes (ascending) computed from `before`."""
        later = places_of(chain.before, touched)
        later = later[self.rows.canonical(later)][::-1]  # the earliest is written last
        before = chain.before[later]
        documents = self.rows.columns["document"]
        own = documents[before] == documents[later]
        after, edit = (np.full(len(touched), -1, np.int32) for _ in range(2))
        after[np.searchsorted(touched, before)] = later
        edit[np.searchsorted(touched, before[own])] = later[own]
        after, edit = changed_at(chain.after, touched, after), changed_at(chain.edit, touched, edit)
        return Chain(chain.known, chain.ends, chain.before, after, edit, chain.copy)


def differing(chain: Chain, known: NDArray[np.bool_], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nodes, of these or of the chain, that are known in one and not in the other, or end otherwise."""
    was, ended = longer(chain.known, len(known)), longer(chain.ends, len(known), NEVER)
    return np.flatnonzero((was != known) | ((ended != ends) & known & was))


def _ends(ended: Array, leads: Array) -> NDArray[np.bool_]:
    """Which pairs are of a statement that ends a state and one that states it: of the same subject, the first
    word, and with all its words."""
    stated: NDArray[np.bool_] = ended[:, 0] > 0
    ended, leads = ended[stated], leads[stated]
    has = (ended[:, :, None] == leads[:, None, :]).any(axis=2)
    stated[stated] = (ended[:, 0] == leads[:, 0]) & (has | (ended == 0)).all(axis=1)
    return stated


def best(pairs: Pairs, grades: PairGrades, rows: Rows) -> NDArray[np.int64]:
    """The indices of the pairs that are the best of their later node: by grade, version parts, time,
    similarity."""
    at = np.argsort(pairs.later, kind="stable")
    if not len(at):
        return at
    for values in _quality(pairs, grades, rows):
        starts, sizes = _groups(pairs.later[at])
        here = values[at]
        at = at[here == np.repeat(np.maximum.reduceat(here, starts), sizes)]
    starts, _ = _groups(pairs.later[at])
    chosen: NDArray[np.int64] = at[starts]
    return chosen


def _quality(pairs: Pairs, grades: PairGrades, rows: Rows) -> tuple[NDArray[np.int64], ...]:
    """The sort keys of the candidates of a node, most important first; the greatest is the best."""
    columns = rows.columns
    return (
        grades.grade * UNIT + grades.parts, columns["visible"][pairs.earlier], grades.similarity,
        -columns["digest"][pairs.earlier], -columns["number"][pairs.earlier].astype(np.int64),
        -columns["added"][pairs.earlier], -pairs.earlier,
    )  # fmt: skip


def _has(part: Postings, nodes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The positions of the postings of `nodes` in a part."""
    here = nodes[part.begin : part.end]
    return np.flatnonzero(here[part.carriers]) if here.any() else np.zeros(0, np.int64)


def _groups(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The start and the length of each run of equal values."""
    starts = np.flatnonzero(np.diff(values, prepend=values[0] - 1))
    return starts, np.diff(starts, append=len(values))
